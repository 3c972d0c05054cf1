/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.execCPUAffinity" */
#ifndef SANDLOCK_LINUX_AFFINITY_H
#define SANDLOCK_LINUX_AFFINITY_H

#include "sandbox/session/launch.h"

/* Sets the CPUs to run on until the process is in the container's cgroup. For `exec`, before that move. */
int affinity_initial_apply(struct launch *launch, struct error *err);

/* Sets the CPUs of the container's process, in its cgroup. When neither list is given every CPU the cgroup allows
 * is, so that the container does not inherit the CPUs its caller was confined to. */
int affinity_final_apply(struct launch *launch, struct error *err);

#endif
