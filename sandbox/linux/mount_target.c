/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/mount_target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/resolve.h"
#include "sandbox/linux/rootfs.h"

/* The part behind "/dev/", when it is a single one. */
static const char *name_in_dev(const char *destination)
{
	if (strncmp(destination, "/dev/", 5) != 0 || strchr(destination + 5, '/') != NULL)
		return NULL;
	return destination + 5;
}

static void forget_dev(struct rootfs *rootfs)
{
	if (rootfs->dev_fd >= 0)
		close(take_fd(&rootfs->dev_fd));
	rootfs->dev_is_new = false;
}

static bool wants_file(const struct plan_mount *entry)
{
	return (entry->options & PLAN_MOUNT_SOURCE_IS_FILE) != 0;
}

/* A new tmpfs at /dev is empty and nobody else's: what is created there needs no look. */
static bool create_in_new_dev(struct launch *launch, const struct plan_mount *entry, const char *destination,
			      struct mount_target *target)
{
	const char *name = name_in_dev(destination);
	int dev_fd = launch->rootfs->dev_fd;

	if (!launch->rootfs->dev_is_new || name == NULL || (entry->options & PLAN_MOUNT_DEST_NOFOLLOW) != 0)
		return false;
	if ((wants_file(entry) ? mknodat(dev_fd, name, S_IFREG | 0644, 0) : mkdirat(dev_fd, name, 0755)) < 0)
		return false;
	*target = (struct mount_target){.dirfd = dev_fd, .owned = -1, .name = name};
	return true;
}

static int on_procfs(int fd, const char *destination, struct error *err)
{
	struct statfs status;

	if (fstatfs(fd, &status) < 0)
		return error_errno(err, errno, "examine the mount point");
	if (status.f_type == PROC_SUPER_MAGIC)
		return error_set(err, EPERM, "\"%s\" cannot be mounted because it is inside /proc", destination);
	return 0;
}

/* proc and sysfs: an image could otherwise have them mounted elsewhere with a link. */
static int open_real_directory(struct launch *launch, const char *type, const char *destination, struct error *err)
{
	int fd = resolve_open(launch->root_fd, destination, O_PATH | O_DIRECTORY, SL_RESOLVE_NO_SYMLINKS);

	if (fd == -ENOENT) {
		CLEANUP_CLOSE int created = resolve_create(launch->root_fd, destination, 1);
		if (created < 0)
			return error_errno(err, -created, "create the mount point");
		fd = resolve_open(launch->root_fd, destination, O_PATH | O_DIRECTORY, SL_RESOLVE_NO_SYMLINKS);
	}
	if (fd == -ELOOP || fd == -ENOTDIR)
		return error_set(err, ENOTDIR, "filesystem \"%s\" must be mounted on ordinary directory",
				 type == NULL ? "proc" : type);
	if (fd < 0)
		return error_errno(err, -fd, "open the mount point");
	return fd;
}

/* crun's dest-nofollow: the link itself is the mount point; not those of kernel file systems. */
static int open_link(struct launch *launch, const char *destination, struct error *err)
{
	struct statfs status;

	CLEANUP_CLOSE int fd = resolve_open(launch->root_fd, destination, O_PATH | O_NOFOLLOW, 0);
	if (fd < 0)
		return error_errno(err, -fd, "open the mount point");
	if (fstatfs(fd, &status) < 0)
		return error_errno(err, errno, "examine the mount point");
	if (status.f_type == PROC_SUPER_MAGIC || status.f_type == SYSFS_MAGIC || status.f_type == DEVPTS_SUPER_MAGIC)
		return error_set(err, EPERM, "override of the mount destination \"%s\" is not allowed", destination);
	return take_fd(&fd);
}

static int open_any(struct launch *launch, const struct plan_mount *entry, const char *destination, bool *existed,
		    struct error *err)
{
	/* Without a link in it the path is what the planner has checked against /proc. */
	CLEANUP_CLOSE int fd = resolve_open(launch->root_fd, destination, O_PATH, SL_RESOLVE_NO_SYMLINKS);
	*existed = true;
	if (fd >= 0)
		return take_fd(&fd);
	if (fd == -ELOOP) {
		/* The link may lead to /dev itself. */
		forget_dev(launch->rootfs);
		fd = resolve_open(launch->root_fd, destination, O_PATH, 0);
	}
	if (fd == -ENOENT) {
		*existed = false;
		fd = resolve_create(launch->root_fd, destination, !wants_file(entry));
		if (fd < 0)
			return error_errno(err, -fd, "create the mount point");
	}
	if (fd < 0)
		return error_errno(err, -fd, "open the mount point");
	if ((entry->options & PLAN_MOUNT_PROC_ENTRY) == 0 && on_procfs(fd, destination, err) < 0)
		return -err->code;
	return take_fd(&fd);
}

int mount_target_open(struct launch *launch, const struct plan_mount *entry, struct mount_target *target,
		      struct error *err)
{
	const char *destination = plan_text(launch->plan, entry->destination);
	int fd;

	if (create_in_new_dev(launch, entry, destination, target))
		return 0;
	*target = (struct mount_target){.dirfd = launch->root_fd, .owned = -1, .name = "", .existed = true};
	if (destination[1] == '\0')
		return 0;
	if ((entry->options & PLAN_MOUNT_REAL_DIRECTORY) != 0)
		fd = open_real_directory(launch, plan_text(launch->plan, entry->type), destination, err);
	else if ((entry->options & PLAN_MOUNT_DEST_NOFOLLOW) != 0)
		fd = open_link(launch, destination, err);
	else
		fd = open_any(launch, entry, destination, &target->existed, err);
	if (fd < 0)
		return fd;
	target->dirfd = target->owned = fd;
	return 0;
}

void mount_target_path(const struct mount_target *target, char path[MOUNT_TARGET_PATH_SIZE])
{
	snprintf(path, MOUNT_TARGET_PATH_SIZE, "/proc/self/fd/%d%s%s", target->dirfd,
		 target->name[0] == '\0' ? "" : "/", target->name);
}

/* Keeps a descriptor: the given one when it is the caller's to give, else a duplicate. */
static int keep(int *kept, int *tree_fd, bool owned)
{
	int fd = owned ? take_fd(tree_fd) : fcntl(*tree_fd, F_DUPFD_CLOEXEC, 3);

	if (fd < 0)
		return -errno;
	if (*kept >= 0)
		close(*kept);
	*kept = fd;
	return 0;
}

static int note_later(struct rootfs *rootfs, int tree_fd)
{
	int *later = realloc(rootfs->later, (rootfs->later_count + 1) * sizeof *later);

	if (later == NULL)
		return -ENOMEM;
	rootfs->later = later;
	later[rootfs->later_count] = -1;
	return keep(&later[rootfs->later_count++], &tree_fd, false);
}

int mount_note(struct launch *launch, const struct plan_mount *entry, int *tree_fd, bool owned, bool is_new,
	       struct error *err)
{
	const char *destination = plan_text(launch->plan, entry->destination);
	struct rootfs *rootfs = launch->rootfs;
	int result = 0;

	if ((entry->options & PLAN_MOUNT_READONLY_LATER) != 0)
		result = note_later(rootfs, *tree_fd);
	if (result == 0 && strcmp(destination, "/") == 0) {
		result = keep(&launch->root_fd, tree_fd, owned);
		forget_dev(rootfs);
	} else if (result == 0 && strcmp(destination, "/dev") == 0) {
		result = keep(&rootfs->dev_fd, tree_fd, owned);
		rootfs->dev_is_new = is_new;
	} else if (result == 0 && strcmp(destination, "/proc") == 0) {
		/* The planner lets nothing but procfs be mounted there; who uses it looks again. */
		result = keep(&launch->proc_fd, tree_fd, owned);
	}
	if (result < 0)
		return error_errno(err, -result, "keep a descriptor of the mount");
	return 0;
}
