/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"

/* PROC_ROOT_INO of the kernel: tells the root of a procfs from a directory in it that was bound elsewhere. */
#define PROC_ROOT_INODE 1

static int check_root(int fd)
{
	struct statfs system;
	struct stat status;

	if (fstatfs(fd, &system) < 0 || fstat(fd, &status) < 0)
		return -errno;
	return system.f_type == PROC_SUPER_MAGIC && status.st_ino == PROC_ROOT_INODE ? 0 : -EXDEV;
}

/* A procfs of the current pid namespace that is mounted nowhere. Takes CAP_SYS_ADMIN in the user namespace. */
static int make_root(void)
{
	CLEANUP_CLOSE int context = sl_fsopen("proc", SL_FSOPEN_CLOEXEC);

	if (context < 0 || sl_fsconfig(context, SL_FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	int fd = sl_fsmount(context, SL_FSMOUNT_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

/* "/proc" if it is a procfs, or else one of our own: a container need not mount it. */
static int open_root(void)
{
	CLEANUP_CLOSE int fd = open("/proc", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int rc = fd < 0 ? -errno : check_root(fd);

	if (rc == 0)
		return take_fd(&fd);
	int made = make_root();
	return made < 0 ? rc : made;
}

int procfs_open(const struct launch *launch, const char *path, int flags)
{
	CLEANUP_CLOSE int own_root = -1;
	int root = launch->proc_fd;
	struct sl_open_how how = {
	    .flags = (unsigned int)flags | O_CLOEXEC,
	    .resolve = SL_RESOLVE_BENEATH | SL_RESOLVE_NO_XDEV | SL_RESOLVE_NO_MAGICLINKS,
	};

	if (root < 0) {
		root = own_root = open_root();
		if (root < 0)
			return root;
	}
	int rc = check_root(root);
	if (rc < 0)
		return rc;
	for (;;) {
		int fd = sl_openat2(root, path, &how);
		if (fd >= 0)
			return fd;
		/* EAGAIN: a rename or mount elsewhere raced with the check of RESOLVE_BENEATH (openat2(2)). */
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
	}
}

int procfs_write(const struct launch *launch, const char *path, const char *value)
{
	CLEANUP_CLOSE int fd = procfs_open(launch, path, O_WRONLY);
	size_t length = strlen(value);
	ssize_t written;

	if (fd < 0)
		return fd;
	/* Kernel files take a value in one call; a second one would be another value. */
	do
		written = write(fd, value, length);
	while (written < 0 && errno == EINTR);
	if (written < 0)
		return -errno;
	return (size_t)written == length ? 0 : -EIO;
}
