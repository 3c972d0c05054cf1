/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/mask.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/mount.h"
#include "sandbox/linux/resolve.h"

#define CLONE (SL_OPEN_TREE_CLONE | SL_OPEN_TREE_CLOEXEC | AT_EMPTY_PATH)

/* What covers masked paths: made at its first use, cloned for the next. */
struct covers {
	int file;
	int directory;
};

/* An empty tmpfs that nobody can write to; with a file in it when `name` is given. Detached. */
static int empty_tmpfs(const struct launch *launch, const char *name, struct error *err)
{
	const char *label = plan_text(launch->plan, launch->plan->mount_label);
	CLEANUP_CLOSE int context = sl_fsopen("tmpfs", SL_FSOPEN_CLOEXEC);

	if (context < 0 || sl_fsconfig(context, SL_FSCONFIG_SET_STRING, "mode", "755", 0) < 0 ||
	    sl_fsconfig(context, SL_FSCONFIG_SET_STRING, "nr_blocks", "1", 0) < 0 ||
	    (label != NULL && sl_fsconfig(context, SL_FSCONFIG_SET_STRING, "context", label, 0) < 0) ||
	    sl_fsconfig(context, SL_FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return error_errno(err, errno, "create a tmpfs");
	unsigned int attributes = SL_MOUNT_ATTR_NOSUID | SL_MOUNT_ATTR_NODEV | SL_MOUNT_ATTR_NOEXEC;
	CLEANUP_CLOSE int fd =
	    sl_fsmount(context, SL_FSMOUNT_CLOEXEC, attributes | (name == NULL ? SL_MOUNT_ATTR_RDONLY : 0));
	if (fd < 0)
		return error_errno(err, errno, "mount a tmpfs");
	if (name != NULL && mknodat(fd, name, S_IFREG | 0444, 0) < 0)
		return error_errno(err, errno, "create an empty file");
	return take_fd(&fd);
}

/* The container's /dev/null, if it is the device. */
static int open_null(const struct launch *launch)
{
	struct stat status;

	CLEANUP_CLOSE int fd = resolve_open(launch->root_fd, "/dev/null", O_PATH | O_NOFOLLOW, SL_RESOLVE_NO_SYMLINKS);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISCHR(status.st_mode) || status.st_rdev != makedev(1, 3))
		return -1;
	return take_fd(&fd);
}

/* A container without /dev/null gets an empty file instead. Before Linux 6.15 only attached mounts can be cloned: the
 * tmpfs lies on "/" meanwhile. Returns a detached mount of the file. */
static int empty_file(const struct launch *launch, struct error *err)
{
	CLEANUP_CLOSE int tmpfs = empty_tmpfs(launch, "empty", err);

	if (tmpfs < 0)
		return tmpfs;
	int result = mount_attach(tmpfs, launch->root_fd, "");
	if (result < 0)
		return error_errno(err, -result, "attach a tmpfs");
	CLEANUP_CLOSE int tree = sl_open_tree(tmpfs, "empty", SL_OPEN_TREE_CLONE | SL_OPEN_TREE_CLOEXEC);
	if (tree < 0)
		return error_errno(err, errno, "clone an empty file");
	if (fchdir(tmpfs) < 0 || umount2(".", MNT_DETACH) < 0 || fchdir(launch->root_fd) < 0)
		return error_errno(err, errno, "take a tmpfs off the root filesystem");
	return take_fd(&tree);
}

static int clone_of(int fd, struct error *err)
{
	int tree = sl_open_tree(fd, "", CLONE);

	return tree >= 0 ? tree : error_errno(err, errno, "clone a mount");
}

static int mask_file(const struct launch *launch, struct covers *covers, int path_fd, struct error *err)
{
	if (covers->file < 0)
		covers->file = open_null(launch);
	bool first = covers->file < 0;
	CLEANUP_CLOSE int tree = first ? empty_file(launch, err) : clone_of(covers->file, err);
	if (tree < 0)
		return tree;
	int result = mount_attach(tree, path_fd, "");
	if (result == 0 && first) {
		result = mount_change(tree, SL_MOUNT_ATTR_RDONLY, 0, 0, 0);
		covers->file = take_fd(&tree);
	}
	return result < 0 ? error_errno(err, -result, "cover the file") : 0;
}

static int mask_directory(const struct launch *launch, struct covers *covers, int path_fd, struct error *err)
{
	bool first = covers->directory < 0;
	CLEANUP_CLOSE int tree = first ? empty_tmpfs(launch, NULL, err) : clone_of(covers->directory, err);

	if (tree < 0)
		return tree;
	int result = mount_attach(tree, path_fd, "");
	if (first)
		covers->directory = take_fd(&tree);
	return result < 0 ? error_errno(err, -result, "cover the directory") : 0;
}

static int mask(const struct launch *launch, struct covers *covers, int path_fd, struct error *err)
{
	struct stat status;

	if (fstat(path_fd, &status) < 0)
		return error_errno(err, errno, "examine it");
	return S_ISDIR(status.st_mode) ? mask_directory(launch, covers, path_fd, err)
				       : mask_file(launch, covers, path_fd, err);
}

/* A bind mount of the path on itself: its flags, locked ones too, stay beside the new one. */
static int make_readonly(int path_fd, struct error *err)
{
	CLEANUP_CLOSE int tree = sl_open_tree(path_fd, "", CLONE | SL_AT_RECURSIVE);

	if (tree < 0)
		return error_errno(err, errno, "clone a mount");
	int changed = mount_change(tree, SL_MOUNT_ATTR_RDONLY, 0, 0, 1);
	int result = changed < 0 && changed != -ENOSYS ? changed : mount_attach(tree, path_fd, "");
	/* Before Linux 5.12 without what is mounted below it. */
	if (result == 0 && changed == -ENOSYS)
		result = mount_change(tree, SL_MOUNT_ATTR_RDONLY, 0, 0, 0);
	return result < 0 ? error_errno(err, -result, "make it read-only") : 0;
}

/* Opens a path; 0 and *fd -1 when there is nothing. */
static int open_path(const struct launch *launch, const char *path, int *fd, struct error *err)
{
	*fd = resolve_open(launch->root_fd, path, O_PATH, 0);
	if (*fd >= 0)
		return 0;
	int code = -*fd;
	*fd = -1;
	/* EACCES: a user namespace without rights over a directory of the image; nobody gets past it inside. */
	if (code == ENOENT || code == ENOTDIR || code == EACCES)
		return 0;
	return error_errno(err, code, "open it");
}

int mask_apply(struct launch *launch, struct error *err)
{
	const struct plan *plan = launch->plan;
	const plan_string *masked = plan_items(plan, plan->masked_paths);
	const plan_string *readonly = plan_items(plan, plan->readonly_paths);
	CLEANUP_CLOSE int file = -1, directory = -1;
	struct covers covers = {-1, -1};
	int result = 0;

	for (uint32_t i = 0; i < plan->masked_paths.count && result == 0; i++) {
		const char *path = plan_text(plan, masked[i]);
		CLEANUP_CLOSE int fd = -1;
		result = open_path(launch, path, &fd, err);
		if (result == 0 && fd >= 0)
			result = mask(launch, &covers, fd, err);
		if (result < 0)
			error_wrap(err, "mask path %s", path);
	}
	file = covers.file;
	directory = covers.directory;
	for (uint32_t i = 0; i < plan->readonly_paths.count && result == 0; i++) {
		const char *path = plan_text(plan, readonly[i]);
		CLEANUP_CLOSE int fd = -1;
		result = open_path(launch, path, &fd, err);
		if (result == 0 && fd >= 0)
			result = make_readonly(fd, err);
		if (result < 0)
			error_wrap(err, "readonly path %s", path);
	}
	return result;
}
