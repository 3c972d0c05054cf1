/* SPDX-License-Identifier: Apache-2.0 */
/* OCI hooks: planned by the program (plan.h), run by the program and by sandlock-init. */
#ifndef SANDLOCK_HOOKS_HOOKS_H
#define SANDLOCK_HOOKS_HOOKS_H

#include <stddef.h>
#include <sys/types.h>

#include "sandbox/common/error.h"
#include "sandbox/plan.h"

/* Runs the hooks of one kind ("prestart", "createRuntime", ...) in order and stops at the first that fails.
 *
 * A hook gets its args (its path alone without them), its env (without one: hooks/plan.h), the state on stdin, and no
 * descriptor but 0, 1 and 2. Its working directory is the bundle (the container's directory "startContainer" finds
 * itself in), "/" when it can't be reached. Its output is caught, and its end goes into the message of an error.
 *
 * A hook that runs past its timeout is killed with everything it started, also what left its session. What a hook
 * that succeeded leaves running stays. When the caller dies, its hook is killed as after a timeout.
 *
 * Errors: ECANCELED the hook failed, ETIMEDOUT, or the kernel's when it could not be executed; the message is
 * "error running KIND hook #INDEX: ..." with INDEX counted from 0. */
int hooks_run(const struct plan *plan, struct plan_array hooks, const char *kind, const char *state,
	      size_t state_length, struct error *err);

/* Runs all hooks of a kind, also after one failed, and tells each failure to `warn` (may be NULL): runtime.md
 * "Lifecycle" about poststop. */
void hooks_run_all(const struct plan *plan, struct plan_array hooks, const char *kind, const char *state,
		   size_t state_length, void (*warn)(void *context, const char *message), void *context);

/* The state (runtime.md "State") that hooks get: `status` is "creating", "created", "running" or "stopped", `pid`
 * the main process as seen where the hook runs, left out when it is 0. *text is malloc'ed. */
int hooks_state(const struct plan *plan, const char *status, pid_t pid, char **text, size_t *length, struct error *err);

#endif
