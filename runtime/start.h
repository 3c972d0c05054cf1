/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SANDLOCK_RUNTIME_START_H
#define SANDLOCK_RUNTIME_START_H

#include "runtime/context.h"

/* Starts a created container and runs its poststart hooks. When a hook fails, the container is deleted. */
int start_container(struct context *context, const char *id, struct session_client *client, struct error *err);

#endif
