/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/copy_up.h"
#include "sandbox/linux/mount.h"
#include "sandbox/linux/mount_target.h"
#include "sandbox/linux/resolve.h"
#include "sandbox/linux/rootfs.h"

/* mount(2) takes a page of data at most */
#define DATA_SIZE 4096

/* A new file system to be mounted, as mount(2) wants it. */
struct file_system {
	const char *type;
	const char *source;
	const char *data; /* or NULL */
	uint64_t flags;
};

static const struct {
	uint64_t flag;
	const char *key;
} super_flags[] = {
    {MS_RDONLY, "ro"}, {MS_SYNCHRONOUS, "sync"}, {MS_DIRSYNC, "dirsync"}, {MS_MANDLOCK, "mand"}, {1 << 25, "lazytime"},
};

/* One word of the data: key or key=value; the value may be quoted, a comma in it is then no separator. */
static int configure_word(int context, char **next)
{
	char *key = *next, *end = key, *value = NULL;
	int quoted = 0;

	for (; *end != '\0' && (quoted || *end != ','); end++)
		if (*end == '"')
			quoted = !quoted;
	*next = *end == ',' ? end + 1 : end;
	*end = '\0';
	if (key[0] == '\0')
		return 0;
	value = strchr(key, '=');
	if (value == NULL)
		return sl_fsconfig(context, SL_FSCONFIG_SET_FLAG, key, NULL, 0);
	*value++ = '\0';
	if (value[0] == '"' && end > value + 1 && end[-1] == '"') {
		end[-1] = '\0';
		value++;
	}
	return sl_fsconfig(context, SL_FSCONFIG_SET_STRING, key, value, 0);
}

static int configure(int context, const struct file_system *wanted)
{
	CLEANUP_FREE char *copy = strdup(wanted->data == NULL ? "" : wanted->data);
	char *next = copy;

	if (copy == NULL)
		return -1;
	if (wanted->source != NULL && sl_fsconfig(context, SL_FSCONFIG_SET_STRING, "source", wanted->source, 0) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(super_flags); i++)
		if ((wanted->flags & super_flags[i].flag) != 0 &&
		    sl_fsconfig(context, SL_FSCONFIG_SET_FLAG, super_flags[i].key, NULL, 0) < 0)
			return -1;
	while (*next != '\0')
		if (configure_word(context, &next) < 0)
			return -1;
	return sl_fsconfig(context, SL_FSCONFIG_CMD_CREATE, NULL, NULL, 0);
}

/* A detached mount. On failure `reason` gets what the kernel's log of the attempt says, or "". */
static int make_detached(const struct file_system *wanted, char *reason, size_t size)
{
	uint64_t clear = 0;

	reason[0] = '\0';
	CLEANUP_CLOSE int context = sl_fsopen(wanted->type, SL_FSOPEN_CLOEXEC);
	if (context < 0)
		return -errno;
	if (configure(context, wanted) == 0) {
		int fd = sl_fsmount(context, SL_FSMOUNT_CLOEXEC, (unsigned int)mount_attributes(wanted->flags, &clear));
		if (fd >= 0)
			return fd;
	}
	int code = errno;
	ssize_t length = read(context, reason, size - 1);
	if (length > 0) {
		reason[length] = '\0';
		reason[strcspn(reason, "\n")] = '\0';
		/* "e tmpfs: ..." */
		if (length > 2 && reason[1] == ' ')
			memmove(reason, reason + 2, strlen(reason + 2) + 1);
	} else {
		reason[0] = '\0';
	}
	return -code;
}

/* A user namespace without a network namespace of its own may not mount sysfs: the caller's /sys takes its place, with
 * the same flags on all that is mounted below it. As crun has it. */
static int bind_sysfs(const struct plan_mount *entry, const struct mount_target *target)
{
	uint64_t clear = 0, set = mount_attributes(entry->flags, &clear);
	CLEANUP_CLOSE int tree =
	    sl_open_tree(AT_FDCWD, "/sys", SL_OPEN_TREE_CLONE | SL_OPEN_TREE_CLOEXEC | SL_AT_RECURSIVE);

	if (tree < 0)
		return -errno;
	int changed = mount_change(tree, set, clear, 0, 1);
	if (changed < 0)
		return changed;
	int result = mount_attach(tree, target->dirfd, target->name);
	return result < 0 ? result : take_fd(&tree);
}

/* mount(2) is one call where the new interface takes six. Returns 0 or a negative errno value. */
static int mount_by_path(const struct file_system *wanted, const struct mount_target *target)
{
	char path[MOUNT_TARGET_PATH_SIZE];

	mount_target_path(target, path);
	if (mount(wanted->source, path, wanted->type, (unsigned long)wanted->flags, wanted->data) < 0)
		return -errno;
	return 0;
}

/* Mounts it. Returns a descriptor of the mount, -1 when there is none yet, or an error below that. */
static int mount_it(const struct plan_mount *entry, const struct file_system *wanted, const struct mount_target *target,
		    bool is_root, int *tree, struct error *err)
{
	char reason[256] = "";
	int result = -ENOENT;

	*tree = -1;
	if (!is_root) {
		result = mount_by_path(wanted, target);
		if (result == 0)
			return 0;
	}
	if ((entry->options & PLAN_MOUNT_SYSFS_FALLBACK) != 0) {
		*tree = bind_sysfs(entry, target);
		return *tree >= 0
			   ? 0
			   : error_errno(err, -result, "mount sysfs (and bind the host's /sys: %s)", strerror(-*tree));
	}
	/* ENOENT: no /proc to name the mount point by; otherwise to hear the reason. */
	CLEANUP_CLOSE int detached = make_detached(wanted, reason, sizeof reason);
	if (detached >= 0 && result == -ENOENT) {
		result = mount_attach(detached, target->dirfd, target->name);
		if (result == 0) {
			*tree = take_fd(&detached);
			return 0;
		}
	} else if (detached < 0 && result == -ENOENT) {
		result = detached;
	}
	if (result == -ENODEV)
		return error_set(err, ENODEV, "the kernel knows no file system of type %s", wanted->type);
	return error_errno(err, -result, "mount a file system of type %s%s%s%s", wanted->type,
			   reason[0] != '\0' ? " (" : "", reason, reason[0] != '\0' ? ")" : "");
}

/* A tmpfs without "mode=" takes the mode of the directory it covers. */
static const char *inherit_mode(const struct plan_mount *entry, const struct mount_target *target, const char *data,
				char buffer[DATA_SIZE])
{
	struct stat status;

	if ((entry->options & PLAN_MOUNT_INHERIT_MODE) == 0 || !target->existed || fstat(target->dirfd, &status) < 0)
		return data;
	int length = snprintf(buffer, DATA_SIZE, "mode=%04o%s%s", (unsigned int)status.st_mode & 07777u,
			      data == NULL ? "" : ",", data == NULL ? "" : data);
	return length >= DATA_SIZE ? data : buffer;
}

static int reopen(struct launch *launch, const struct plan_mount *entry, const struct mount_target *target)
{
	if (target->name[0] != '\0') {
		int fd = openat(target->dirfd, target->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	return resolve_open(launch->root_fd, plan_text(launch->plan, entry->destination), O_PATH, 0);
}

/* A new mount below one that is not shared is private: nothing to do for most words. */
static bool needs_propagation(const struct launch *launch, const struct plan_mount *entry)
{
	const uint64_t *words = plan_items(launch->plan, entry->propagation);

	for (uint32_t i = 0; i < entry->propagation.count; i++)
		if (launch->rootfs->shared || (words[i] & (MS_SHARED | MS_UNBINDABLE)) != 0)
			return true;
	return false;
}

static bool needs_descriptor(const struct launch *launch, const struct plan_mount *entry, const char *type)
{
	const char *destination = plan_text(launch->plan, entry->destination);

	return (entry->recursive_set | entry->recursive_clear) != 0 || needs_propagation(launch, entry) ||
	       (entry->options & (PLAN_MOUNT_READONLY_LATER | PLAN_MOUNT_TMPCOPYUP)) != 0 ||
	       (launch->plan->mount_label != 0 && strcmp(type, "mqueue") == 0) || strcmp(destination, "/dev") == 0 ||
	       strcmp(destination, "/proc") == 0;
}

static int label_mqueue(const struct launch *launch, int tree, struct error *err)
{
	const char *label = plan_text(launch->plan, launch->plan->mount_label);
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", tree);
	if (setxattr(path, "security.selinux", label, strlen(label), 0) < 0)
		return error_errno(err, errno, "set the SELinux label %s", label);
	return 0;
}

static int after(struct launch *launch, const struct plan_mount *entry, int *tree_fd, int below, bool is_new,
		 struct error *err)
{
	const uint64_t *words = plan_items(launch->plan, entry->propagation);
	const char *type = plan_text(launch->plan, entry->type);
	int result = 0, tree = *tree_fd;

	for (uint32_t i = 0; i < entry->propagation.count && result == 0; i++)
		result = mount_change(tree, 0, 0, words[i], (words[i] & MS_REC) != 0);
	if (result == 0 && (entry->recursive_set | entry->recursive_clear) != 0)
		result = mount_change(tree, entry->recursive_set, entry->recursive_clear, 0, !is_new);
	if (result < 0)
		return error_errno(err, -result, "set its flags");
	if (below >= 0) {
		CLEANUP_CLOSE int directory = openat(tree, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (directory < 0)
			return error_errno(err, errno, "open the new tmpfs for tmpcopyup");
		result = copy_up(below, directory, (entry->options & PLAN_MOUNT_INHERIT_MODE) != 0, err);
		if (result < 0)
			return error_wrap(err, "tmpcopyup");
	}
	if (launch->plan->mount_label != 0 && strcmp(type, "mqueue") == 0)
		result = label_mqueue(launch, tree, err);
	return result < 0 ? result : mount_note(launch, entry, tree_fd, true, is_new && below < 0, err);
}

int mount_file_system(struct launch *launch, const struct plan_mount *entry, const struct mount_target *target,
		      struct error *err)
{
	const char *data = plan_text(launch->plan, entry->data);
	bool is_root = plan_text(launch->plan, entry->destination)[1] == '\0';
	char buffer[DATA_SIZE];
	struct file_system wanted = {
	    .type = plan_text(launch->plan, entry->type),
	    .source = plan_text(launch->plan, entry->source),
	    .data = inherit_mode(entry, target, data, buffer),
	    .flags = entry->flags,
	};
	CLEANUP_CLOSE int below = -1, tree = -1;

	if ((entry->options & PLAN_MOUNT_READONLY_LATER) != 0)
		wanted.flags &= ~(uint64_t)MS_RDONLY;
	if ((entry->options & PLAN_MOUNT_TMPCOPYUP) != 0 && target->existed) {
		below = openat(target->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (below < 0)
			return error_errno(err, errno, "open the directory for tmpcopyup");
	}
	int result = mount_it(entry, &wanted, target, is_root, &tree, err);
	bool is_new = tree < 0 || (entry->options & PLAN_MOUNT_SYSFS_FALLBACK) == 0;
	if (result < 0 || (tree < 0 && !needs_descriptor(launch, entry, wanted.type)))
		return result;
	if (tree < 0)
		tree = reopen(launch, entry, target);
	if (tree < 0)
		return error_errno(err, -tree, "open the mount");
	return after(launch, entry, &tree, below, is_new, err);
}
