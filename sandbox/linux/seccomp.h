/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the plan's seccomp filter. */
#ifndef SANDLOCK_LINUX_SECCOMP_H
#define SANDLOCK_LINUX_SECCOMP_H

#include <stdbool.h>

#include "sandbox/session/launch.h"

/* Whether seccomp_apply needs CAP_SYS_ADMIN in the user namespace: there is a filter, and no_new_privs is not set.
 *
 * Keep that one capability permitted and effective until execve, then, instead of loading the filter early: so the
 * profile never sees a call of the launcher's own. execve computes the program's capabilities from the bounding,
 * inheritable and ambient sets, the user id and the file, so what is permitted before does not reach it. */
bool seccomp_needs_privilege(const struct launch *launch);

/* Loads the filter; the next call must be execve. With SCMP_ACT_NOTIFY the listener goes to the seccomp agent
 * (config-linux.md "container process state"), whatever the profile forbids: a second thread sends it, which the
 * filter does not bind and execve ends. Should that fail, launch->fail is called.
 * Errors: EACCES without the privilege or no_new_privs, EBUSY when a filter with a listener is there already. */
int seccomp_apply(struct launch *launch, struct error *err);

#endif
