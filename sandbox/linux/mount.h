/* SPDX-License-Identifier: Apache-2.0 */
/* Single mounts, through descriptors: no path of the image is ever followed outside of the root. */
#ifndef SANDLOCK_LINUX_MOUNT_H
#define SANDLOCK_LINUX_MOUNT_H

#include <stdint.h>

#include "sandbox/common/error.h"
#include "sandbox/session/launch.h"

/* Makes one mount of config.json. Needs launch->root_fd and launch->rootfs; updates them when the mount lies at "/"
 * or "/dev", and launch->proc_fd for a procfs at "/proc". */
int mount_apply(struct launch *launch, const struct plan_mount *mount, struct error *err);

/* Attaches a detached mount (open_tree(2), fsmount(2)) at `name` below `dirfd`; "" is dirfd itself.
 * Returns 0 or a negative errno value. */
int mount_attach(int tree_fd, int dirfd, const char *name);

/* mount_setattr(2) on the mount whose root is tree_fd; before Linux 5.12 the same with mount(2) for an attached mount
 * that is not changed recursively. Flags that are not named stay as they are. Returns 0 or a negative errno value. */
int mount_change(int tree_fd, uint64_t set, uint64_t clear, uint64_t propagation, int recursive);

/* The MOUNT_ATTR_* of MS_* flags; *clear gets the access time field when a mode of it is chosen. */
uint64_t mount_attributes(uint64_t flags, uint64_t *clear);

#endif
