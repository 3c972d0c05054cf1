/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the container's procfs, safe from what an image or a mount may have put in their place. */
#ifndef SANDLOCK_LINUX_PROCFS_H
#define SANDLOCK_LINUX_PROCFS_H

#include "sandbox/session/launch.h"

/* Opens `path` ("self/attr/exec") below launch->proc_fd, or without that below "/proc", or, when no procfs is there,
 * in one of our own. What is reached is a file of that very mount of procfs: no over-mount, no magic link. `flags` are
 * those of open(2); close-on-exec is added. Returns a descriptor or a negative errno value; -EXDEV: "/proc" is not a
 * procfs and none can be made, or something is mounted over the file. */
int procfs_open(const struct launch *launch, const char *path, int flags);

/* Writes a value to such a file in one write(2). Returns 0 or a negative errno value. */
int procfs_write(const struct launch *launch, const char *path, const char *value);

#endif
