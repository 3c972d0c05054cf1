/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include "sandbox/cgroup/mount.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/mount_target.h"
#include "sandbox/linux/resolve.h"
#include "sandbox/linux/rootfs.h"

/* The first four MOUNT_ATTR_* have the values of their MS_* flags. */
#define SAME_BITS (MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)
#define MS_NOSYMFOLLOW_ 256

int mount_attach(int tree_fd, int dirfd, const char *name)
{
	unsigned int flags = SL_MOVE_MOUNT_F_EMPTY_PATH | (name[0] == '\0' ? SL_MOVE_MOUNT_T_EMPTY_PATH : 0);

	return sl_move_mount(tree_fd, "", dirfd, name, flags) < 0 ? -errno : 0;
}

uint64_t mount_attributes(uint64_t flags, uint64_t *clear)
{
	uint64_t attributes = flags & SAME_BITS;

	if ((flags & MS_NODIRATIME) != 0)
		attributes |= SL_MOUNT_ATTR_NODIRATIME;
	if ((flags & MS_NOSYMFOLLOW_) != 0)
		attributes |= SL_MOUNT_ATTR_NOSYMFOLLOW;
	if ((flags & (MS_NOATIME | MS_RELATIME | MS_STRICTATIME)) != 0)
		*clear |= SL_MOUNT_ATTR__ATIME;
	/* strictatime wins, as in mount(2) */
	if ((flags & MS_STRICTATIME) != 0)
		attributes |= SL_MOUNT_ATTR_STRICTATIME;
	else if ((flags & MS_NOATIME) != 0)
		attributes |= SL_MOUNT_ATTR_NOATIME;
	return attributes;
}

/* What the negative words ("rw", "exec", "atime") clear. */
static uint64_t cleared_attributes(uint64_t flags)
{
	uint64_t attributes = flags & SAME_BITS;

	if ((flags & MS_NODIRATIME) != 0)
		attributes |= SL_MOUNT_ATTR_NODIRATIME;
	if ((flags & MS_NOSYMFOLLOW_) != 0)
		attributes |= SL_MOUNT_ATTR_NOSYMFOLLOW;
	if ((flags & (MS_NOATIME | MS_STRICTATIME)) != 0)
		attributes |= SL_MOUNT_ATTR__ATIME;
	return attributes;
}

struct change {
	uint64_t set;
	uint64_t clear;
	uint64_t propagation;
	int recursive;
};

static int change(int fd, const struct change *wanted)
{
	struct sl_mount_attr attributes = {
	    .attr_set = wanted->set,
	    .attr_clr = wanted->clear,
	    .propagation = wanted->propagation & ~(uint64_t)MS_REC,
	};
	unsigned int flags = AT_EMPTY_PATH | (wanted->recursive ? SL_AT_RECURSIVE : 0);

	if (sl_mount_setattr(fd, "", flags, &attributes) == 0)
		return 0;
	if (errno != EPERM || (wanted->clear & SL_MOUNT_ATTR_RDONLY) == 0)
		return -errno;
	/* Engines say "rw" for every volume; a mount that is locked read-only by a user namespace above stays so,
	 * and a write tells. */
	attributes.attr_clr &= ~(uint64_t)SL_MOUNT_ATTR_RDONLY;
	return sl_mount_setattr(fd, "", flags, &attributes) == 0 ? 0 : -errno;
}

/* Flags of a mount as MS_*. ST_RELATIME and MS_RELATIME differ. */
static uint64_t current_flags(unsigned long statfs_flags)
{
	uint64_t flags = statfs_flags & SAME_BITS;

	if ((statfs_flags & ST_NOATIME) != 0)
		flags |= MS_NOATIME;
	else
		flags |= (statfs_flags & 4096 /* ST_RELATIME */) != 0 ? MS_RELATIME : MS_STRICTATIME;
	if ((statfs_flags & ST_NODIRATIME) != 0)
		flags |= MS_NODIRATIME;
	return flags;
}

/* Linux 5.10 and 5.11: one attached mount by its path. After the pivot /proc is the container's: look first. */
static int change_old(int fd, const struct change *wanted)
{
	struct statfs status;
	char path[64];

	if (wanted->recursive && (wanted->set | wanted->clear) != 0)
		return -ENOSYS;
	if (statfs("/proc/self/fd", &status) < 0)
		return -errno;
	if (status.f_type != PROC_SUPER_MAGIC)
		return -ENOSYS;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if ((wanted->set | wanted->clear) != 0) {
		if (fstatfs(fd, &status) < 0)
			return -errno;
		uint64_t flags = current_flags((unsigned long)status.f_flags);
		if ((wanted->clear & SL_MOUNT_ATTR__ATIME) != 0) {
			flags &= ~(uint64_t)(MS_NOATIME | MS_RELATIME | MS_STRICTATIME);
			flags |= (wanted->set & SL_MOUNT_ATTR_NOATIME) != 0       ? MS_NOATIME
				 : (wanted->set & SL_MOUNT_ATTR_STRICTATIME) != 0 ? MS_STRICTATIME
										  : MS_RELATIME;
		}
		flags &= ~(wanted->clear & SAME_BITS);
		flags |= wanted->set & SAME_BITS;
		if ((wanted->set & SL_MOUNT_ATTR_NODIRATIME) != 0)
			flags |= MS_NODIRATIME;
		if ((wanted->set & SL_MOUNT_ATTR_NOSYMFOLLOW) != 0)
			flags |= MS_NOSYMFOLLOW_;
		if (mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | (unsigned long)flags, NULL) < 0)
			return -errno;
	}
	uint64_t propagation = wanted->propagation | (wanted->recursive ? MS_REC : 0);
	if (wanted->propagation != 0 && mount(NULL, path, NULL, (unsigned long)propagation, NULL) < 0)
		return -errno;
	return 0;
}

int mount_change(int tree_fd, uint64_t set, uint64_t clear, uint64_t propagation, int recursive)
{
	struct change wanted = {set, clear, propagation, recursive};
	int result = change(tree_fd, &wanted);

	return result == -ENOSYS ? change_old(tree_fd, &wanted) : result;
}

/* Everything a mount's options ask for after it exists, as few calls as possible. */
static size_t collect_changes(const struct launch *launch, const struct plan_mount *entry, struct change *changes,
			      size_t size)
{
	const uint64_t *propagation = plan_items(launch->plan, entry->propagation);
	bool single = (entry->options & PLAN_MOUNT_RECURSIVE) == 0 || (entry->options & PLAN_MOUNT_SOURCE_IS_FILE) != 0;
	uint64_t first = entry->propagation.count > 0 ? propagation[0] : 0;
	uint64_t clear = cleared_attributes(entry->clear_flags);
	uint64_t set = mount_attributes(entry->flags, &clear);
	size_t count = 0;

	/* A clone made outside of this namespace is a peer of the host's mount. */
	if (first == 0 && entry->source_fd >= 0)
		first = MS_SLAVE | MS_REC;
	if (single) {
		uint64_t below = entry->recursive_set;
		if ((clear & SL_MOUNT_ATTR__ATIME) != 0)
			below &= ~(uint64_t)SL_MOUNT_ATTR__ATIME;
		changes[count++] =
		    (struct change){(below & ~clear) | set, (entry->recursive_clear & ~set) | clear, first, 0};
	} else {
		bool all = (first & MS_REC) != 0;
		changes[count++] = (struct change){entry->recursive_set, entry->recursive_clear, all ? first : 0, 1};
		changes[count++] = (struct change){set, clear, all ? 0 : first, 0};
	}
	for (size_t i = 1; i < entry->propagation.count && count < size; i++)
		changes[count++] = (struct change){0, 0, propagation[i], (propagation[i] & MS_REC) != 0};
	return count;
}

static int apply_changes(int fd, const struct change *changes, size_t count, int attached)
{
	for (size_t i = 0; i < count; i++) {
		const struct change *wanted = &changes[i];
		if ((wanted->set | wanted->clear | wanted->propagation) == 0)
			continue;
		int result = change(fd, wanted);
		if (result == -ENOSYS && attached)
			result = change_old(fd, wanted);
		if (result < 0)
			return result;
	}
	return 0;
}

static int open_source(const struct launch *launch, const struct plan_mount *entry, struct error *err)
{
	const char *source = plan_text(launch->plan, entry->source);
	unsigned int flags = SL_OPEN_TREE_CLONE | SL_OPEN_TREE_CLOEXEC;

	if (entry->source_fd >= 0)
		return launch->fds[entry->source_fd];
	if ((entry->options & PLAN_MOUNT_RECURSIVE) != 0)
		flags |= SL_AT_RECURSIVE;
	if ((entry->options & PLAN_MOUNT_SRC_NOFOLLOW) != 0)
		flags |= AT_SYMLINK_NOFOLLOW;
	int fd = sl_open_tree(AT_FDCWD, source, flags);
	if (fd < 0)
		return error_errno(err, errno, "open the source%s",
				   errno == EINVAL && (flags & SL_AT_RECURSIVE) == 0
				       ? " (it may have locked mounts below it: use rbind)"
				       : "");
	return fd;
}

static int changes_error(int result, struct error *err)
{
	if (result == -ENOSYS)
		return error_set(err, ENOSYS, "recursive mount options need mount_setattr(2) of Linux 5.12");
	return error_errno(err, -result, "set its flags%s",
			   result == -EPERM ? " (a user namespace above has locked one that is to be cleared)" : "");
}

static int bind_mount(struct launch *launch, const struct plan_mount *entry, const struct mount_target *target,
		      struct error *err)
{
	struct change changes[8];
	size_t count = collect_changes(launch, entry, changes, ARRAY_SIZE(changes));
	CLEANUP_CLOSE int owned = -1;

	int tree = open_source(launch, entry, err);
	if (tree < 0)
		return tree;
	if (entry->source_fd < 0)
		owned = tree;
	int changed = apply_changes(tree, changes, count, 0);
	if (changed < 0 && changed != -ENOSYS)
		return changes_error(changed, err);
	int result = mount_attach(tree, target->dirfd, target->name);
	if (result == -ENOTDIR)
		return error_set(err, ENOTDIR, "not a directory: the %s is one, the other is not",
				 (entry->options & PLAN_MOUNT_SOURCE_IS_FILE) != 0 ? "destination" : "source");
	if (result < 0)
		return error_errno(err, -result, "attach it");
	if (changed == -ENOSYS)
		changed = apply_changes(tree, changes, count, 1);
	if (changed < 0)
		return changes_error(changed, err);
	for (size_t i = 0; i < count; i++)
		if ((changes[i].propagation & MS_SHARED) != 0)
			launch->rootfs->shared = true;
	return mount_note(launch, entry, &tree, false, false, err);
}

/* Option remount: with bind the flags of that mount, else those and the data of its file system. */
static int remount(struct launch *launch, const struct plan_mount *entry, const struct mount_target *target,
		   struct error *err)
{
	const struct plan *plan = launch->plan;
	char path[MOUNT_TARGET_PATH_SIZE];
	struct change changes[8];

	if ((entry->options & PLAN_MOUNT_BIND) != 0) {
		size_t count = collect_changes(launch, entry, changes, ARRAY_SIZE(changes));
		int result = apply_changes(target->dirfd, changes, count, 1);
		return result < 0 ? changes_error(result, err) : 0;
	}
	mount_target_path(target, path);
	if (mount(plan_text(plan, entry->source), path, NULL, MS_REMOUNT | (unsigned long)entry->flags,
		  plan_text(plan, entry->data)) < 0)
		return error_errno(err, errno, "remount it");
	return 0;
}

/* crun's copy-symlink */
static int make_link(struct launch *launch, const struct plan_mount *entry, struct error *err)
{
	const char *destination = plan_text(launch->plan, entry->destination);
	const char *text = plan_text(launch->plan, entry->source), *name = strrchr(destination, '/') + 1;
	char parent[PATH_MAX], present[PATH_MAX];

	if ((size_t)snprintf(parent, sizeof parent, "%.*s", (int)(name - destination), destination) >= sizeof parent)
		return error_errno(err, ENAMETOOLONG, "create a symbolic link");
	CLEANUP_CLOSE int fd = resolve_create(launch->root_fd, parent, 1);
	if (fd < 0)
		return error_errno(err, -fd, "open the directory of a symbolic link");
	if (symlinkat(text, fd, name) == 0)
		return 0;
	if (errno != EEXIST)
		return error_errno(err, errno, "create a symbolic link to %s", text);
	ssize_t length = readlinkat(fd, name, present, sizeof present);
	if (length < 0 || (size_t)length != strlen(text) || memcmp(present, text, (size_t)length) != 0)
		return error_set(err, EEXIST, "there is something else than the symbolic link to %s", text);
	return 0;
}

static int cgroup_mount(struct launch *launch, const struct plan_mount *entry, const struct mount_target *target,
			struct error *err)
{
	if (target->name[0] == '\0')
		return cgroup_mount_apply(launch, entry, target->dirfd, err);
	CLEANUP_CLOSE int fd = openat(target->dirfd, target->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_errno(err, errno, "open the mount point");
	return cgroup_mount_apply(launch, entry, fd, err);
}

static int place(struct launch *launch, const struct plan_mount *entry, struct error *err)
{
	struct mount_target target;

	if ((entry->options & PLAN_MOUNT_SYMLINK) != 0)
		return make_link(launch, entry, err);
	int result = mount_target_open(launch, entry, &target, err);
	if (result < 0)
		return result;
	CLEANUP_CLOSE int owned = target.owned;
	(void)owned;
	if ((entry->options & PLAN_MOUNT_REMOUNT) != 0)
		return remount(launch, entry, &target, err);
	if ((entry->options & PLAN_MOUNT_BIND) != 0)
		return bind_mount(launch, entry, &target, err);
	if ((entry->options & PLAN_MOUNT_CGROUP) != 0)
		return cgroup_mount(launch, entry, &target, err);
	return mount_file_system(launch, entry, &target, err);
}

int mount_apply(struct launch *launch, const struct plan_mount *entry, struct error *err)
{
	const char *source = plan_text(launch->plan, entry->source);

	if (place(launch, entry, err) == 0)
		return 0;
	return error_wrap(err, "error mounting \"%s\" to rootfs at \"%s\"", source == NULL ? "" : source,
			  plan_text(launch->plan, entry->destination));
}
