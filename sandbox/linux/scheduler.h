/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.scheduler" */
#ifndef SANDLOCK_LINUX_SCHEDULER_H
#define SANDLOCK_LINUX_SCHEDULER_H

#include "sandbox/session/launch.h"

/* sched_setattr(2) for the launcher. After affinity_final_apply: a deadline task can't change its CPUs any more. */
int scheduler_apply(struct launch *launch, struct error *err);

#endif
