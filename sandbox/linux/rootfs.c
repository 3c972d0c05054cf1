/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/rootfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/device.h"
#include "sandbox/linux/mask.h"
#include "sandbox/linux/mount.h"
#include "sandbox/linux/move_root.h"

static bool has_mount_namespace(const struct plan *plan)
{
	const struct plan_namespace *namespaces = plan_items(plan, plan->namespaces);

	for (uint32_t i = 0; i < plan->namespaces.count; i++)
		if (namespaces[i].type == CLONE_NEWNS)
			return true;
	return (plan->flags & PLAN_NEW_MOUNT_NS) != 0;
}

/* What "/" of the caller becomes in this namespace. */
static uint64_t initial_propagation(const struct plan *plan)
{
	uint64_t wanted = plan->rootfs_propagation;

	if (wanted == 0)
		return MS_SLAVE | MS_REC;
	/* The root could not be bound from an unbindable mount: it becomes one at the end. */
	if ((wanted & MS_UNBINDABLE) != 0)
		return MS_PRIVATE | (wanted & MS_REC);
	return wanted;
}

/* Whether no mount of the caller's can be a peer of one of this namespace any more. */
static bool is_isolated(uint64_t propagation)
{
	return (propagation & MS_REC) != 0 && (propagation & MS_SHARED) == 0;
}

/* A shared parent would show the new mount to the caller's namespace and pivot_root(2) refuses it. */
static int unshare_parent(const char *rootfs, unsigned long propagation, struct error *err)
{
	char path[PATH_MAX];

	if (strlen(rootfs) >= sizeof path)
		return error_errno(err, ENAMETOOLONG, "rootfs");
	memcpy(path, rootfs, strlen(rootfs) + 1);
	for (;;) {
		if (mount(NULL, path, NULL, propagation, NULL) == 0)
			return 0;
		/* EINVAL: no mount point */
		char *slash = strrchr(path, '/');
		if (errno != EINVAL || path[1] == '\0' || slash == NULL)
			return error_errno(err, errno, "set the propagation of the mount above the rootfs %s", rootfs);
		slash[slash == path] = '\0';
	}
}

static int root_tree(struct launch *launch, const char *rootfs, struct error *err)
{
	if (launch->plan->rootfs_fd >= 0) {
		int fd = fcntl(launch->fds[launch->plan->rootfs_fd], F_DUPFD_CLOEXEC, 3);
		return fd >= 0 ? fd : error_errno(err, errno, "duplicate a descriptor");
	}
	int fd = sl_open_tree(AT_FDCWD, rootfs, SL_OPEN_TREE_CLONE | SL_OPEN_TREE_CLOEXEC | SL_AT_RECURSIVE);
	if (fd < 0)
		return error_errno(err, errno, "bind the rootfs %s%s", rootfs,
				   errno == EINVAL ? " (its mount is unbindable, or not of this mount namespace)" : "");
	return fd;
}

/* config-linux.md: with "slave" the root gets what the host mounts below it, otherwise it is on its own. */
static int isolate_root(const struct plan *plan, int tree)
{
	int result = 0;

	/* A clone from the caller's namespace has the caller's peers. */
	if (plan->rootfs_fd >= 0)
		result = mount_change(tree, 0, 0, MS_SLAVE, 1);
	if (result == 0 && (plan->rootfs_propagation & MS_SLAVE) == 0)
		result = mount_change(tree, 0, 0, MS_PRIVATE, 0);
	return result;
}

static int attach_root(struct launch *launch, const char *rootfs, struct error *err)
{
	CLEANUP_CLOSE int tree = root_tree(launch, rootfs, err);

	if (tree < 0)
		return tree;
	/* Before Linux 5.12 only attached mounts can be changed. */
	int isolated = isolate_root(launch->plan, tree);
	int result = mount_attach(tree, AT_FDCWD, rootfs);
	/* A user namespace that may not walk there mounts it on "/": only hooks see the difference. */
	if (result == -EACCES && launch->plan->rootfs_fd >= 0)
		result = mount_attach(tree, AT_FDCWD, "/");
	if (result < 0)
		return error_errno(err, -result, "mount the rootfs on %s", rootfs);
	if (isolated < 0)
		isolated = isolate_root(launch->plan, tree);
	if (isolated < 0)
		return error_errno(err, -isolated, "make the mount of the rootfs %s private", rootfs);
	if (launch->root_fd >= 0)
		close(launch->root_fd);
	launch->root_fd = take_fd(&tree);
	return 0;
}

static int prepare(struct launch *launch, struct error *err)
{
	const struct plan *plan = launch->plan;
	const struct plan_mount *mounts = plan_items(plan, plan->mounts);
	const char *rootfs = plan_text(plan, plan->rootfs);
	uint64_t propagation = initial_propagation(plan);
	int result = 0;

	if (launch->rootfs->own_mounts) {
		if (mount(NULL, "/", NULL, (unsigned long)propagation, NULL) < 0)
			return error_errno(err, errno, "set the propagation of /");
		launch->rootfs->shared = !is_isolated(propagation);
	}
	if (launch->rootfs->shared)
		result = unshare_parent(rootfs, (propagation & MS_SLAVE) != 0 ? MS_SLAVE : MS_PRIVATE, err);
	if (result == 0)
		result = attach_root(launch, rootfs, err);
	for (uint32_t i = 0; i < plan->mounts.count && result == 0; i++)
		result = mount_apply(launch, &mounts[i], err);
	return result < 0 ? result : device_apply(launch, err);
}

int rootfs_prepare(struct launch *launch, struct error *err)
{
	launch->rootfs = calloc(1, sizeof *launch->rootfs);
	if (launch->rootfs == NULL)
		return error_errno(err, ENOMEM, "prepare the root filesystem");
	launch->rootfs->dev_fd = -1;
	launch->rootfs->own_mounts = has_mount_namespace(launch->plan);
	mode_t mask = umask(0);
	int result = prepare(launch, err);
	umask(mask);
	if (result < 0)
		rootfs_abandon(launch);
	return result;
}

void rootfs_abandon(const struct launch *launch)
{
	if (launch->root_fd >= 0 && !has_mount_namespace(launch->plan) && fchdir(launch->root_fd) == 0)
		umount2(".", MNT_DETACH);
}

/* The old root lies on "/" after pivot_root(".", ".") and umount2(".") takes the topmost mount there: pivot_root(2). */
static int pivot(struct launch *launch, struct error *err)
{
	/* Otherwise unmounting must not reach the caller's. */
	bool isolated = is_isolated(initial_propagation(launch->plan));
	CLEANUP_CLOSE int old = -1;

	if (!isolated) {
		old = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (old < 0)
			return error_errno(err, errno, "open /");
	}
	if (fchdir(launch->root_fd) < 0)
		return error_errno(err, errno, "change to the root filesystem");
	if (sl_pivot_root(".", ".") < 0)
		return error_errno(err, errno, "pivot_root%s",
				   errno == EINVAL ? " (on an initramfs or in a chroot: use --no-pivot)" : "");
	if (!isolated && (fchdir(old) < 0 || mount(NULL, ".", NULL, MS_SLAVE | MS_REC, NULL) < 0))
		return error_errno(err, errno, "make the old root a slave");
	if (umount2(".", MNT_DETACH) < 0)
		return error_errno(err, errno, "unmount the old root");
	if (!isolated && chdir("/") < 0)
		return error_errno(err, errno, "change to /");
	return 0;
}

int rootfs_pivot(struct launch *launch, struct error *err)
{
	if (launch->rootfs->own_mounts)
		return (launch->plan->flags & PLAN_NO_PIVOT) != 0 ? move_root(launch, err) : pivot(launch, err);
	if (fchdir(launch->root_fd) < 0 || chroot(".") < 0)
		return error_errno(err, errno, "chroot to %s", plan_text(launch->plan, launch->plan->rootfs));
	return 0;
}

static int finish(struct launch *launch, struct error *err)
{
	const struct plan *plan = launch->plan;
	const struct rootfs *rootfs = launch->rootfs;
	uint64_t propagation = plan->rootfs_propagation;

	for (size_t i = 0; i < rootfs->later_count; i++) {
		int result = mount_change(rootfs->later[i], SL_MOUNT_ATTR_RDONLY, 0, 0, 0);
		if (result < 0)
			return error_errno(err, -result, "make a tmpfs read-only");
	}
	int result = mask_apply(launch, err);
	if (result < 0)
		return result;
	if ((plan->flags & PLAN_ROOT_READONLY) != 0) {
		result = mount_change(launch->root_fd, SL_MOUNT_ATTR_RDONLY, 0, 0, 0);
		if (result < 0)
			return error_errno(err, -result, "make the root filesystem read-only");
	}
	/* Last: nothing of an unbindable mount could be masked. */
	if (propagation != 0 && mount(NULL, "/", NULL, (unsigned long)propagation, NULL) < 0)
		return error_errno(err, errno, "set linux.rootfsPropagation of /");
	return 0;
}

int rootfs_finish(struct launch *launch, struct error *err)
{
	struct rootfs *rootfs = launch->rootfs;
	int result = finish(launch, err);

	for (size_t i = 0; i < rootfs->later_count; i++)
		close(rootfs->later[i]);
	if (rootfs->dev_fd >= 0)
		close(rootfs->dev_fd);
	free(rootfs->later);
	free(rootfs);
	launch->rootfs = NULL;
	return result;
}
