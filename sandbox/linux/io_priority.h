/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.ioPriority" */
#ifndef SANDLOCK_LINUX_IO_PRIORITY_H
#define SANDLOCK_LINUX_IO_PRIORITY_H

#include "sandbox/session/launch.h"

/* ioprio_set(2) for the launcher; what it executes and forks inherits it. */
int io_priority_apply(struct launch *launch, struct error *err);

#endif
