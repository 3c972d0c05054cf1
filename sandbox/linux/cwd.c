/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/cwd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"

#define BREAKOUT                                                                                                 \
	"current working directory is outside of container mount namespace root -- possible container breakout " \
	"detected"

/* Opens a directory of the container. A magic link of /proc could lead to a directory of the host through a
 * descriptor of the launcher (CVE-2024-21626), so none is followed: -ELOOP. */
static int open_directory(int root, const char *path)
{
	struct sl_open_how how = {
	    .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
	    .resolve = SL_RESOLVE_IN_ROOT | SL_RESOLVE_NO_MAGICLINKS,
	};

	for (;;) {
		int fd = sl_openat2(root, path, &how);
		if (fd >= 0)
			return fd;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
	}
}

/* mkdir -p: opens one prefix after the other and makes what is missing. `path` is changed and put back. */
static int make_directories(int root, char *path, struct error *err)
{
	CLEANUP_CLOSE int parent = open_directory(root, "/");

	if (parent < 0)
		return error_errno(err, -parent, "open the root of the container");
	for (char *next = path + strspn(path, "/"); *next != '\0';) {
		char *end = next + strcspn(next, "/");
		char *after = end + strspn(end, "/");
		char saved = *end;
		int made = 0;

		*end = '\0';
		int fd = open_directory(root, path);
		if (fd == -ENOENT) {
			made = mkdirat(parent, next, 0755) < 0 && errno != EEXIST ? -errno : 0;
			fd = made < 0 ? made : open_directory(root, path);
		}
		if (fd < 0)
			error_errno(err, -fd, "create %s for process.cwd", path);
		*end = saved;
		if (fd < 0)
			return fd;
		close(parent);
		parent = fd;
		next = after;
	}
	return 0;
}

int cwd_create(struct launch *launch, struct error *err)
{
	const char *path = launch_process_text(launch, launch->process->cwd);
	CLEANUP_CLOSE int own_root = -1;
	CLEANUP_FREE char *copy = NULL;
	int root = launch->root_fd;

	if (path == NULL)
		return 0;
	if (root < 0) {
		root = own_root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (root < 0)
			return error_errno(err, errno, "open the root of the container");
	}
	/* What is there already is for cwd_enter to judge. */
	int fd = open_directory(root, path);
	if (fd >= 0)
		close(fd);
	if (fd != -ENOENT)
		return 0;
	copy = strdup(path);
	if (copy == NULL)
		return error_errno(err, ENOMEM, "create process.cwd");
	mode_t previous = umask(0);
	int rc = make_directories(root, copy, err);
	umask(previous);
	return rc;
}

static int enter(const char *path)
{
	CLEANUP_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_CLOSE int fd = -1;

	if (root < 0)
		return -errno;
	fd = open_directory(root, path);
	if (fd < 0)
		return fd;
	return fchdir(fd) < 0 ? -errno : 0;
}

static int enter_error(const char *path, int code, struct error *err)
{
	if (code == ELOOP)
		return error_set(
		    err, code,
		    "chdir to cwd (\"%s\") set in config.json failed: it leads through a magic link of procfs or "
		    "too many links: " BREAKOUT,
		    path);
	return error_errno(err, code, "chdir to cwd (\"%s\") set in config.json failed", path);
}

int cwd_enter(struct launch *launch, struct error *err)
{
	const char *path = launch_process_text(launch, launch->process->cwd);

	if (path == NULL)
		path = "/";
	int rc = enter(path);
	launch->cwd_entered = rc == 0;
	if (rc < 0 && rc != -EACCES && rc != -EPERM)
		return enter_error(path, -rc, err);
	return 0;
}

int cwd_verify(struct launch *launch, struct error *err)
{
	const char *path = launch_process_text(launch, launch->process->cwd);
	char where[PATH_MAX];

	if (!launch->cwd_entered) {
		if (path == NULL)
			path = "/";
		int rc = enter(path);
		if (rc < 0)
			return enter_error(path, -rc, err);
		launch->cwd_entered = true;
	}
	/* The raw call says "(unreachable)/..." for a directory that is not below this root; libc hides it. */
	if (syscall(SYS_getcwd, where, sizeof where) < 0) {
		if (errno == ENOENT)
			return error_set(err, ENOENT, "the directory of process.cwd was removed meanwhile");
		if (errno == ERANGE || errno == ENAMETOOLONG)
			return 0; /* longer than a page, and so not unreachable: that is told first */
		return error_errno(err, errno, "failed to verify if current working directory is safe");
	}
	if (where[0] != '/')
		return error_set(err, EXDEV, BREAKOUT);
	return 0;
}
