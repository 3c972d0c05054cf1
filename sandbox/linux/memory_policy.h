/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "memoryPolicy" */
#ifndef SANDLOCK_LINUX_MEMORY_POLICY_H
#define SANDLOCK_LINUX_MEMORY_POLICY_H

#include "sandbox/session/launch.h"

/* set_mempolicy(2) for the launcher; kept over execve. In the container's cgroup, whose cpuset limits the nodes. */
int memory_policy_apply(struct launch *launch, struct error *err);

#endif
