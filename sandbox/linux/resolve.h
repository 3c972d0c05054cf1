/* SPDX-License-Identifier: Apache-2.0 */
/* Paths inside a root file system that is not trusted. Nothing here leaves the root, whatever links the image has. */
#ifndef SANDLOCK_LINUX_RESOLVE_H
#define SANDLOCK_LINUX_RESOLVE_H

#include <stdint.h>

/* Opens `path` with openat2(2) as if root_fd were "/". flags are O_* (close-on-exec is added), resolve may add
 * RESOLVE_* bits to RESOLVE_IN_ROOT. Returns a descriptor or a negative errno value. */
int resolve_open(int root_fd, const char *path, int flags, uint64_t resolve);

/* Opens `path` as O_PATH and creates what is missing: directories with mode 0755, and an empty file as the last
 * part when `directory` is 0. Links in the path are followed inside the root, dangling ones to the place they name.
 * Returns a descriptor or a negative errno value. */
int resolve_create(int root_fd, const char *path, int directory);

#endif
