/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SANDLOCK_RUNTIME_START_H
#define SANDLOCK_RUNTIME_START_H

#include "sandbox/session/client.h"

/* Starts a created container and runs its poststart hooks. */
int start_container(struct session_client *client, struct error *err);

#endif
