/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SANDLOCK_RUNTIME_START_H
#define SANDLOCK_RUNTIME_START_H

#include "runtime/log.h"
#include "sandbox/session/client.h"

/* Starts a created container and runs its poststart hooks. When a hook fails, the container is deleted. */
int start_container(struct session_client *client, struct log *log, struct error *err);

#endif
