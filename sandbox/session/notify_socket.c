/* SPDX-License-Identifier: Apache-2.0 */
/* The container's end of NOTIFY_SOCKET. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/session/launch.h"
#include "sandbox/session/notify.h"

static int open_root(const struct launch *launch)
{
	if (launch->root_fd >= 0)
		return fcntl(launch->root_fd, F_DUPFD_CLOEXEC, 3);
	return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Makes a directory if it is missing. Links are followed, inside the container. */
static int open_directory(int root, int parent, const char *path, const char *name)
{
	struct sl_open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
				  .resolve = SL_RESOLVE_IN_ROOT | SL_RESOLVE_NO_MAGICLINKS};

	if (mkdirat(parent, name, 0755) < 0 && errno != EEXIST)
		return -1;
	return sl_openat2(root, path, &how);
}

/* A tiny file system of its own: the image stays as it is, but for the directory, and it can't be read-only. */
static int make_file_system(const struct launch *launch)
{
	const char *label = plan_text(launch->plan, launch->plan->mount_label);
	CLEANUP_CLOSE int context = sl_fsopen("tmpfs", SL_FSOPEN_CLOEXEC);

	if (context < 0 || sl_fsconfig(context, SL_FSCONFIG_SET_STRING, "mode", "0755", 0) < 0 ||
	    sl_fsconfig(context, SL_FSCONFIG_SET_STRING, "size", "64k", 0) < 0 ||
	    sl_fsconfig(context, SL_FSCONFIG_SET_STRING, "nr_inodes", "8", 0) < 0)
		return -1;
	if (label != NULL && *label != '\0')
		sl_fsconfig(context, SL_FSCONFIG_SET_STRING, "context", label, 0);
	if (sl_fsconfig(context, SL_FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -1;
	return sl_fsmount(context, SL_FSMOUNT_CLOEXEC,
			  SL_MOUNT_ATTR_NOSUID | SL_MOUNT_ATTR_NODEV | SL_MOUNT_ATTR_NOEXEC);
}

/* Binds in the directory, whatever its path. */
static int bind_in(int fd, int directory)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = NOTIFY_SOCKET_NAME};
	CLEANUP_CLOSE int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (before < 0 || fchdir(directory) < 0)
		return -errno;
	int rc = bind(fd, (const struct sockaddr *)&address, sizeof address) < 0 ||
			 fchmodat(AT_FDCWD, NOTIFY_SOCKET_NAME, 0777, 0) < 0
		     ? -errno
		     : 0;
	/* Nobody may be left in a place he did not choose. */
	return fchdir(before) < 0 ? -errno : rc;
}

int notify_socket_make(const struct launch *launch, struct error *err)
{
	struct sl_mount_attr read_only = {.attr_set = SL_MOUNT_ATTR_RDONLY};

	if ((launch->plan->flags & PLAN_NEW_MOUNT_NS) == 0)
		return error_set(err, ENOTSUP, "the container has no mount namespace of its own");
	CLEANUP_CLOSE int root = open_root(launch);
	CLEANUP_CLOSE int run = root < 0 ? -1 : open_directory(root, root, "run", "run");
	CLEANUP_CLOSE int target = run < 0 ? -1 : open_directory(root, run, "run/notify", "notify");
	if (target < 0)
		return error_errno(err, errno, "make the container's " NOTIFY_DIRECTORY);
	CLEANUP_CLOSE int mount = make_file_system(launch);
	if (mount < 0 ||
	    sl_move_mount(mount, "", target, "", SL_MOVE_MOUNT_F_EMPTY_PATH | SL_MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return error_errno(err, errno, "mount a tmpfs on the container's " NOTIFY_DIRECTORY);
	CLEANUP_CLOSE int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int rc = fd < 0 ? -errno : bind_in(fd, mount);
	if (rc < 0)
		return error_errno(err, -rc, "bind the container's " NOTIFY_DIRECTORY "/" NOTIFY_SOCKET_NAME);
	/* Linux 5.12; without it the container can make files there, which harms nobody. */
	sl_mount_setattr(mount, "", AT_EMPTY_PATH, &read_only);
	return take_fd(&fd);
}
