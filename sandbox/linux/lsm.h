/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.apparmorProfile" and "process.selinuxLabel" */
#ifndef SANDLOCK_LINUX_LSM_H
#define SANDLOCK_LINUX_LSM_H

#include "sandbox/session/launch.h"

/* Sets the label or profile of the execve that follows. Before the change of user: afterwards the files in /proc/self
 * are root's. Before no_new_privileges_apply, which may forbid the transition. */
int lsm_apply(struct launch *launch, struct error *err);

#endif
