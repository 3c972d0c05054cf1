/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/message.h"
#include "sandbox/common/syscalls.h"

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

/* What runc sends with the master; the receivers want a name and look at the descriptor. */
#define MASTER_NAME "/dev/ptmx"

/* A path in the container. Links are followed as the container would, but never out of its root nor to a file that
 * is named by a descriptor. */
static int open_inside(const struct launch *launch, const char *path, uint64_t flags, uint64_t mode)
{
	CLEANUP_CLOSE int opened = -1;
	int root = launch->root_fd;
	struct sl_open_how how = {
	    .flags = flags | O_CLOEXEC, .mode = mode, .resolve = SL_RESOLVE_IN_ROOT | SL_RESOLVE_NO_MAGICLINKS};

	if (root < 0) {
		opened = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (opened < 0)
			return -errno;
		root = opened;
	}
	int fd = sl_openat2(root, path, &how);
	return fd < 0 ? -errno : fd;
}

/* Files in a devpts are made by the kernel alone, so everything below a directory that is known to be one can be
 * opened without a second thought; what an image calls /dev/ptmx may be anything. */
static int open_master(const struct launch *launch, struct error *err)
{
	CLEANUP_CLOSE int directory = open_inside(launch, "dev/pts", O_PATH | O_DIRECTORY, 0);
	struct statfs status;
	struct sl_open_how how = {.flags = O_RDWR | O_NOCTTY | O_CLOEXEC,
				  .resolve = SL_RESOLVE_BENEATH | SL_RESOLVE_NO_XDEV | SL_RESOLVE_NO_SYMLINKS};

	if (directory < 0)
		return error_errno(err, -directory,
				   "open the container's /dev/pts for process.terminal (mount a devpts there)");
	if (fstatfs(directory, &status) < 0)
		return error_errno(err, errno, "statfs the container's /dev/pts");
	if (status.f_type != DEVPTS_SUPER_MAGIC)
		return error_set(err, ENODEV,
				 "process.terminal needs a terminal, but the container's /dev/pts is not a devpts: add "
				 "a mount of type devpts");
	int master = sl_openat2(directory, "ptmx", &how);
	if (master < 0)
		return error_errno(err, errno, "open the container's /dev/pts/ptmx");
	return master;
}

static int open_slave(int master, struct error *err)
{
	int unlock = 0;

	if (ioctl(master, TIOCSPTLCK, &unlock) < 0)
		return error_errno(err, errno, "unlock the container's terminal");
	/* Not by its name, which something else may have in the container (Linux 4.13). */
	int slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return error_errno(err, errno, "open the container's terminal");
	return slave;
}

static int prepare_slave(const struct launch *launch, int slave, struct error *err)
{
	const struct plan_process *process = launch->process;
	const char *label = plan_text(launch->plan, launch->plan->mount_label);

	if (process->console_height != 0 || process->console_width != 0) {
		struct winsize size = {.ws_row = (unsigned short)process->console_height,
				       .ws_col = (unsigned short)process->console_width};
		if (ioctl(slave, TIOCSWINSZ, &size) < 0)
			return error_errno(err, errno, "set the terminal's size (process.consoleSize)");
	}
	/* The group stays what the devpts mount says (gid=5, tty), as with other runtimes. An id that the user
	 * namespace does not map can't own anything; the process will say so itself. */
	if (fchown(slave, process->uid, (gid_t)-1) < 0 && errno != EINVAL && errno != EPERM)
		return error_errno(err, errno, "give the terminal to user %u", process->uid);
	if (label != NULL && *label != '\0' && fsetxattr(slave, "security.selinux", label, strlen(label) + 1, 0) < 0 &&
	    errno != EOPNOTSUPP)
		return error_errno(err, errno, "label the terminal %s (linux.mountLabel)", label);
	return 0;
}

int terminal_open(struct launch *launch, struct error *err)
{
	if (!launch->process->terminal)
		return 0;
	if (launch->console_socket < 0)
		return error_set(err, EINVAL, "process.terminal is set, but there is no console socket");
	CLEANUP_CLOSE int master = open_master(launch, err);
	if (master < 0)
		return -err->code;
	CLEANUP_CLOSE int slave = open_slave(master, err);
	if (slave < 0 || prepare_slave(launch, slave, err) < 0)
		return -err->code;
	/* The controlling terminal first: the reader of the master may type at once. */
	if (ioctl(slave, TIOCSCTTY, 0) < 0)
		return error_errno(err, errno, "make the terminal the controlling one");
	for (int fd = 0; fd <= 2; fd++)
		if (dup2(slave, fd) < 0)
			return error_errno(err, errno, "make the terminal descriptor %d", fd);
	if (slave <= 2)
		take_fd(&slave);
	int rc = message_send(launch->console_socket, MASTER_NAME, strlen(MASTER_NAME), &master, 1);
	if (rc < 0)
		return error_errno(err, -rc, "send the terminal over the console socket");
	close(launch->console_socket);
	launch->console_socket = -1;
	return 0;
}

/* A descriptor of the container's /dev/console, which is made if it is missing. */
static int open_console(const struct launch *launch, struct error *err)
{
	int target = open_inside(launch, "dev/console", O_PATH, 0);

	if (target == -ENOENT) {
		/* Without O_EXCL, since a dangling link leads here too; O_NONBLOCK, should a pipe come between. */
		int created = open_inside(launch, "dev/console", O_RDWR | O_CREAT | O_NOCTTY | O_NONBLOCK, 0600);
		if (created < 0)
			return error_errno(err, -created, "create the container's /dev/console");
		close(created);
		target = open_inside(launch, "dev/console", O_PATH, 0);
	}
	if (target < 0)
		return error_errno(err, -target, "open the container's /dev/console");
	return target;
}

int terminal_mount_console(struct launch *launch, struct error *err)
{
	struct stat status;
	struct statfs file_system;

	if (!launch->process->terminal || (launch->plan->flags & PLAN_NEW_MOUNT_NS) == 0)
		return 0;
	CLEANUP_CLOSE int target = open_console(launch, err);
	if (target < 0)
		return -err->code;
	if (fstat(target, &status) < 0 || fstatfs(target, &file_system) < 0)
		return error_errno(err, errno, "stat the container's /dev/console");
	/* An image may have a link there. A terminal over a kernel file would undo what masked and read-only paths
	 * protect. */
	if (S_ISDIR(status.st_mode) || file_system.f_type == PROC_SUPER_MAGIC || file_system.f_type == SYSFS_MAGIC)
		return error_set(
		    err, EINVAL,
		    "the image's /dev/console is a directory or a link to a kernel file: refusing to mount "
		    "the terminal there");
	/* The descriptor, not the path, so the clone is this terminal for certain; the clone has the flags of the
	 * devpts mount. */
	CLEANUP_CLOSE int clone =
	    sl_open_tree(STDIN_FILENO, "", SL_OPEN_TREE_CLONE | SL_OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
	if (clone < 0)
		return error_errno(err, errno, "clone the terminal's mount");
	if (sl_move_mount(clone, "", target, "", SL_MOVE_MOUNT_F_EMPTY_PATH | SL_MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return error_errno(err, errno, "mount the terminal on the container's /dev/console");
	return 0;
}
