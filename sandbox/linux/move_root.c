/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/move_root.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/linux/mount.h"

/* A mount namespace has at most 100000 mounts (fs.mount-max) */
#define MOUNTINFO_MAXIMUM (64 << 20)

/* Blank, tab, newline and backslash are octal numbers in mountinfo. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from != '\0'; to++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] != '\0' && from[3] != '\0') {
			*to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

static int hide(const char *path, struct error *err)
{
	/* The caller's namespace may be a peer. */
	if (mount(NULL, path, NULL, MS_SLAVE | MS_REC, NULL) < 0 && errno != EINVAL && errno != ENOENT)
		return error_errno(err, errno, "make the mount %s a slave", path);
	if (umount2(path, MNT_DETACH) == 0 || errno == ENOENT)
		return 0;
	/* Locked by a user namespace, or covered by another mount (then it is no mount point). */
	if (errno != EINVAL && errno != EPERM)
		return error_errno(err, errno, "unmount %s", path);
	if (mount("tmpfs", path, "tmpfs", 0, "size=0,nr_inodes=1") < 0)
		return error_errno(err, errno, "cover %s with a tmpfs", path);
	return 0;
}

/* ID PARENT MAJOR:MINOR ROOT MOUNTPOINT OPTIONS [FIELDS...] - TYPE SOURCE OPTIONS */
static int hide_if_kernel_made(char *line, const char *root, struct error *err)
{
	char *position = NULL, *mount_point = NULL, *type = strstr(line, " - ");
	size_t length = strlen(root);

	if (type == NULL)
		return 0;
	type += 3;
	if (strncmp(type, "proc ", 5) != 0 && strncmp(type, "sysfs ", 6) != 0)
		return 0;
	char *field = strtok_r(line, " ", &position);
	for (int i = 0; i < 4 && field != NULL; i++)
		field = strtok_r(NULL, " ", &position);
	mount_point = field;
	if (mount_point == NULL)
		return 0;
	unescape(mount_point);
	if (strncmp(mount_point, root, length) == 0 && (mount_point[length] == '/' || mount_point[length] == '\0'))
		return 0;
	return hide(mount_point, err);
}

int move_root(struct launch *launch, struct error *err)
{
	const char *root = plan_text(launch->plan, launch->plan->rootfs);
	CLEANUP_CLOSE int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	CLEANUP_FREE char *text = NULL;
	char *position = NULL;
	size_t length;

	if (fd < 0)
		return error_errno(err, errno, "open /proc/self/mountinfo");
	int result = file_read_all(fd, MOUNTINFO_MAXIMUM, &text, &length);
	if (result < 0)
		return error_errno(err, -result, "read /proc/self/mountinfo");
	for (char *line = strtok_r(text, "\n", &position); line != NULL; line = strtok_r(NULL, "\n", &position)) {
		result = hide_if_kernel_made(line, root, err);
		if (result < 0)
			return result;
	}
	CLEANUP_CLOSE int slash = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (slash < 0)
		return error_errno(err, errno, "open /");
	result = mount_attach(launch->root_fd, slash, "");
	if (result < 0)
		return error_errno(err, -result, "move the root filesystem to /");
	if (fchdir(launch->root_fd) < 0 || chroot(".") < 0)
		return error_errno(err, errno, "change into the root filesystem");
	return 0;
}
