/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.env", with what a runtime adds to it. */
#ifndef SANDLOCK_LINUX_ENVIRONMENT_H
#define SANDLOCK_LINUX_ENVIRONMENT_H

#include "sandbox/session/launch.h"

/* Makes launch->environment: the plan's, HOME from the container's /etc/passwd when it is not set ("/" when the
 * user has no entry), and LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES when the plan asks for them. Call it inside the
 * container, before the change of user (the file may be root's), in the process that will execve. */
int environment_apply(struct launch *launch, struct error *err);

/* The value of a variable of launch->environment, or NULL. */
const char *environment_get(const struct launch *launch, const char *name);

#endif
