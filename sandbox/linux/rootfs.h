/* SPDX-License-Identifier: Apache-2.0 */
/* The container's root file system. Each step fills launch->root_fd, launch->proc_fd and launch->rootfs as it goes. */
#ifndef SANDLOCK_LINUX_ROOTFS_H
#define SANDLOCK_LINUX_ROOTFS_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/common/error.h"
#include "sandbox/session/launch.h"

/* What the steps of the root file system hand on to each other. */
struct rootfs {
	int dev_fd;      /* O_PATH of what lies at /dev of the root, or -1: not opened yet */
	bool dev_is_new; /* /dev is a file system that was just mounted: nobody else knows it */
	bool shared;     /* a mount may pass on what is mounted below it */
	bool own_mounts; /* the launcher is in a mount namespace of the container's */
	int *later;      /* mounts that become read-only at the end */
	size_t later_count;
};

/* Before the hooks: makes the root a mount of its own at plan->rootfs, does the mounts of config.json in their order,
 * then devices and links. The launcher is in all namespaces of the container, uid and gid 0 of its user namespace, and
 * sees the caller's file system. Without a mount namespace of its own, everything is mounted below plan->rootfs in the
 * caller's; umount2(plan->rootfs, MNT_DETACH) takes all of it away again. */
int rootfs_prepare(struct launch *launch, struct error *err);

/* After the createContainer hooks: makes the root "/", with pivot_root(2), with PLAN_NO_PIVOT by moving the mount,
 * and without a mount namespace by chroot(2). The current directory is "/" afterwards. */
int rootfs_pivot(struct launch *launch, struct error *err);

/* Before the process loses its privileges: rootfsPropagation, read-only mounts, maskedPaths, readonlyPaths, read-only
 * root. Frees launch->rootfs. */
int rootfs_finish(struct launch *launch, struct error *err);

/* After a failure of a later step (rootfs_prepare does it itself): without a mount namespace of its own the container's
 * mounts would stay in the caller's, so they are taken away. The launcher ends afterwards. */
void rootfs_abandon(const struct launch *launch);

#endif
