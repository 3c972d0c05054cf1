/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.user" */
#ifndef SANDLOCK_LINUX_USER_H
#define SANDLOCK_LINUX_USER_H

#include "sandbox/session/launch.h"

/* Gives the standard streams to the container's user, then changes groups, gid, uid and umask. The kernel clears
 * the parent-death signal and the dumpable flag on the way; see capability_keep about capabilities. */
int user_apply(struct launch *launch, struct error *err);

#endif
