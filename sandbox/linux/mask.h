/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "maskedPaths" and "readonlyPaths". */
#ifndef SANDLOCK_LINUX_MASK_H
#define SANDLOCK_LINUX_MASK_H

#include "sandbox/common/error.h"
#include "sandbox/session/launch.h"

/* Covers the plan's masked paths, files with /dev/null and directories with an empty read-only tmpfs, and makes the
 * read-only ones so with all that is mounted below them. Paths that do not exist are skipped. After the pivot. */
int mask_apply(struct launch *launch, struct error *err);

#endif
