/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SANDLOCK_RUNTIME_DELETE_H
#define SANDLOCK_RUNTIME_DELETE_H

#include <stdbool.h>

#include "runtime/context.h"

/* Ends the session and runs the poststop hooks, whose errors are only logged (runtime.md "Lifecycle"). Returns when
 * nothing is left. */
int delete_container(struct context *context, const char *id, struct session_client *client, bool force,
		     struct error *err);

#endif
