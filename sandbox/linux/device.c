/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/device.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/mount.h"
#include "sandbox/linux/resolve.h"
#include "sandbox/linux/rootfs.h"

/* The directory that a device or link is made in, and its name there. */
struct place {
	int dirfd;
	int owned; /* what to close, or -1 */
	const char *name;
};

static int open_dev(struct launch *launch, struct error *err)
{
	struct rootfs *rootfs = launch->rootfs;

	if (rootfs->dev_fd >= 0)
		return rootfs->dev_fd;
	int fd = resolve_open(launch->root_fd, "/dev", O_PATH | O_DIRECTORY, 0);
	if (fd == -ENOENT) {
		/* A link to nowhere is not made good: images have none, attackers do. */
		if (mkdirat(launch->root_fd, "dev", 0755) < 0)
			return error_errno(err, errno, "create /dev in the root filesystem%s",
					   errno == EEXIST ? " (it is a link to nowhere)" : "");
		fd = resolve_open(launch->root_fd, "/dev", O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
	}
	if (fd < 0)
		return error_errno(err, -fd, "open /dev of the root filesystem");
	return rootfs->dev_fd = fd;
}

static int find_place(struct launch *launch, const char *path, struct place *place, struct error *err)
{
	char parent[PATH_MAX];

	*place = (struct place){.owned = -1, .name = strrchr(path, '/') + 1};
	size_t length = (size_t)(place->name - path);
	if (place->name[0] == '\0' || length >= sizeof parent)
		return error_set(err, EINVAL, "\"%s\" is no path of a device", path);
	if (length == 5 && memcmp(path, "/dev/", 5) == 0) {
		place->dirfd = open_dev(launch, err);
		return place->dirfd < 0 ? place->dirfd : 0;
	}
	memcpy(parent, path, length);
	parent[length] = '\0';
	place->dirfd = place->owned = resolve_create(launch->root_fd, parent, 1);
	if (place->dirfd < 0)
		return error_errno(err, -place->dirfd, "create the directory of %s", path);
	return 0;
}

static bool matches(const struct stat *status, const struct plan_device *device)
{
	if ((status->st_mode & S_IFMT) != device->type)
		return false;
	return device->type == S_IFIFO || status->st_rdev == makedev(device->major, device->minor);
}

/* config-linux.md: a file that does not match the requested device is an error. */
static int check_present(const struct place *place, const struct plan_device *device, const char *path,
			 struct error *err)
{
	struct stat status;

	if (fstatat(place->dirfd, place->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return error_errno(err, errno, "examine %s", path);
	if (matches(&status, device))
		return 0;
	return error_set(err, EEXIST, "file exists: %s is there and is not the device %u:%u", path, device->major,
			 device->minor);
}

/* The state of nodes that the program made (devices_plan.h). */
struct precreated {
	bool attached;
};

/* A clone of a node in the plan's tmpfs. Before Linux 6.15 only attached mounts can be cloned, so the tmpfs then
 * covers /dev meanwhile; rootfs->dev_fd is below it. */
static int clone_precreated(struct launch *launch, struct precreated *state, size_t index, struct error *err)
{
	int nodes = launch->fds[launch->plan->devices_fd];
	unsigned int flags = SL_OPEN_TREE_CLONE | SL_OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW;
	char name[32];

	snprintf(name, sizeof name, "%zu", index);
	int fd = sl_open_tree(nodes, name, flags);
	if (fd >= 0 || errno != EINVAL || state->attached)
		return fd >= 0 ? fd : error_errno(err, errno, "clone a device node");
	int dev_fd = open_dev(launch, err);
	if (dev_fd < 0)
		return dev_fd;
	int result = mount_attach(nodes, dev_fd, "");
	if (result < 0)
		return error_errno(err, -result, "attach the device nodes");
	state->attached = true;
	fd = sl_open_tree(nodes, name, flags);
	return fd >= 0 ? fd : error_errno(err, errno, "clone a device node");
}

static int detach_precreated(struct launch *launch, const struct precreated *state, struct error *err)
{
	char path[64];

	if (!state->attached)
		return 0;
	snprintf(path, sizeof path, "/proc/self/fd/%d", launch->fds[launch->plan->devices_fd]);
	if (umount2(path, MNT_DETACH) < 0)
		return error_errno(err, errno, "take the device nodes off /dev");
	return 0;
}

/* A clone of the host's node, checked to be the device. */
static int clone_host_node(const struct plan_device *device, const char *path, struct error *err)
{
	struct stat status;

	CLEANUP_CLOSE int fd = sl_open_tree(AT_FDCWD, path, SL_OPEN_TREE_CLONE | SL_OPEN_TREE_CLOEXEC);
	if (fd < 0)
		return error_errno(err, errno, "open the host's %s (device nodes cannot be created here)", path);
	if (fstat(fd, &status) < 0)
		return error_errno(err, errno, "examine the host's %s", path);
	if (!matches(&status, device))
		return error_set(err, ENODEV, "the host's %s is not the device %u:%u", path, device->major,
				 device->minor);
	int result = mount_change(fd, MS_NOSUID | MS_NOEXEC, 0, MS_PRIVATE, 0);
	if (result < 0 && result != -ENOSYS && result != -EINVAL)
		return error_errno(err, -result, "set the mount flags of %s", path);
	return take_fd(&fd);
}

static int bind_device(struct launch *launch, struct precreated *state, size_t index, const struct place *place,
		       const char *path, struct error *err)
{
	const struct plan_device *device =
	    (const struct plan_device *)plan_items(launch->plan, launch->plan->devices) + index;
	struct stat status;

	if (mknodat(place->dirfd, place->name, S_IFREG | 0644, 0) < 0) {
		if (errno != EEXIST)
			return error_errno(err, errno, "create %s", path);
		if (fstatat(place->dirfd, place->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
			return error_errno(err, errno, "examine %s", path);
		if (matches(&status, device))
			return 0;
		if (!S_ISREG(status.st_mode))
			return check_present(place, device, path, err);
	}
	CLEANUP_CLOSE int tree =
	    device->precreated ? clone_precreated(launch, state, index, err) : clone_host_node(device, path, err);
	if (tree < 0)
		return tree;
	int result = mount_attach(tree, place->dirfd, place->name);
	if (result < 0)
		return error_errno(err, -result, "bind the device %s", path);
	return 0;
}

static int create_device(struct launch *launch, struct precreated *state, size_t index, struct error *err)
{
	const struct plan_device *device =
	    (const struct plan_device *)plan_items(launch->plan, launch->plan->devices) + index;
	const char *path = plan_text(launch->plan, device->path);
	struct place place;

	int result = find_place(launch, path, &place, err);
	if (result < 0)
		return result;
	CLEANUP_CLOSE int owned = place.owned;
	(void)owned;
	if (device->precreated)
		return bind_device(launch, state, index, &place, path, err);
	if ((launch->plan->flags & PLAN_BIND_DEVICES) != 0 && device->type != S_IFIFO)
		return bind_device(launch, state, index, &place, path, err);
	if (mknodat(place.dirfd, place.name, device->type | device->mode, makedev(device->major, device->minor)) < 0) {
		if (errno == EEXIST)
			return check_present(&place, device, path, err);
		/* CAP_MKNOD may be missing without any user namespace. */
		if (errno == EPERM)
			return bind_device(launch, state, index, &place, path, err);
		return error_errno(err, errno, "create the device %s", path);
	}
	if ((device->uid != 0 || device->gid != 0) &&
	    fchownat(place.dirfd, place.name, device->uid, device->gid, AT_SYMLINK_NOFOLLOW) < 0)
		return error_errno(err, errno, "change the owner of %s", path);
	return 0;
}

/* /dev/ptmx must lead to the container's devpts, whatever the image has there. The device itself does: since Linux 4.7
 * it opens the devpts that is mounted beside it. */
static int replace_link(const struct place *place, const char *path, const char *target, struct error *err)
{
	char present[PATH_MAX];
	struct stat status;

	ssize_t length = readlinkat(place->dirfd, place->name, present, sizeof present);
	if (length >= 0 && (size_t)length == strlen(target) && memcmp(present, target, (size_t)length) == 0)
		return 0;
	if (fstatat(place->dirfd, place->name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISCHR(status.st_mode) &&
	    status.st_rdev == makedev(5, 2))
		return 0;
	if (unlinkat(place->dirfd, place->name, 0) < 0 &&
	    (errno != EISDIR || unlinkat(place->dirfd, place->name, AT_REMOVEDIR) < 0))
		return error_errno(err, errno, "remove %s to link it to %s", path, target);
	if (symlinkat(target, place->dirfd, place->name) < 0)
		return error_errno(err, errno, "link %s to %s", path, target);
	return 0;
}

static int create_link(struct launch *launch, const struct plan_pair *link, struct error *err)
{
	const char *path = plan_text(launch->plan, link->key), *target = plan_text(launch->plan, link->value);
	struct place place;

	int result = find_place(launch, path, &place, err);
	if (result < 0)
		return result;
	CLEANUP_CLOSE int owned = place.owned;
	(void)owned;
	if (symlinkat(target, place.dirfd, place.name) == 0)
		return 0;
	if (errno != EEXIST)
		return error_errno(err, errno, "link %s to %s", path, target);
	return strcmp(path, "/dev/ptmx") == 0 ? replace_link(&place, path, target, err) : 0;
}

int device_apply(struct launch *launch, struct error *err)
{
	const struct plan *plan = launch->plan;
	const struct plan_pair *links = plan_items(plan, plan->symlinks);
	struct precreated state = {0};

	for (size_t i = 0; i < plan->devices.count; i++) {
		int result = create_device(launch, &state, i, err);
		if (result < 0)
			return result;
	}
	int result = detach_precreated(launch, &state, err);
	for (size_t i = 0; i < plan->symlinks.count && result == 0; i++)
		result = create_link(launch, &links[i], err);
	return result;
}
