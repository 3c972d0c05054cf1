/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.oomScoreAdj" */
#ifndef SANDLOCK_LINUX_OOM_SCORE_H
#define SANDLOCK_LINUX_OOM_SCORE_H

#include "sandbox/session/launch.h"

/* Writes /proc/self/oom_score_adj when the configuration names a value. Call it before any namespace is joined, while
 * "/proc" is the host's: lowering the value needs CAP_SYS_RESOURCE of the initial user namespace. */
int oom_score_apply(struct launch *launch, struct error *err);

#endif
