/* SPDX-License-Identifier: Apache-2.0 */
/* --no-pivot: the root without pivot_root(2), for an initial root that is an initramfs. */
#ifndef SANDLOCK_LINUX_MOVE_ROOT_H
#define SANDLOCK_LINUX_MOVE_ROOT_H

#include "sandbox/common/error.h"
#include "sandbox/session/launch.h"

/* Moves the mount at launch->root_fd over "/" and changes into it. procfs and sysfs of the caller stay mounted below
 * and would let a container mount such ones of its own in a user namespace (the kernel takes them as proof of the
 * right): they are unmounted or covered before. */
int move_root(struct launch *launch, struct error *err);

#endif
