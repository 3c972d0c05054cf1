/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SANDLOCK_RUNTIME_DELETE_H
#define SANDLOCK_RUNTIME_DELETE_H

#include <stdbool.h>

#include "runtime/log.h"
#include "sandbox/session/client.h"

/* Ends the session and runs the poststop hooks, whose errors are only logged (runtime.md "Lifecycle"). Returns when
 * nothing is left. */
int delete_container(struct session_client *client, bool force, struct log *log, struct error *err);

#endif
