/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/copy_up.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "sandbox/common/cleanup.h"

/* Deeper trees run out of descriptors; no image has one. */
#define DEPTH_MAXIMUM 256
#define ATTRIBUTES_SIZE 65536

struct copy {
	dev_t device; /* where the copy started */
	int depth;
};

static int copy_directory(const struct copy *copy, int from, int to, struct error *err);

static int failed(struct error *err, const char *what, const char *name)
{
	return error_errno(err, errno, "%s %s", what, name);
}

/* Attributes that the new file system refuses (user.* on tmpfs before Linux 6.6) are not worth a failure. */
static void copy_attributes(int from, int to)
{
	CLEANUP_FREE char *names = NULL;
	CLEANUP_FREE char *value = NULL;

	ssize_t length = flistxattr(from, NULL, 0);
	if (length <= 0)
		return;
	names = malloc((size_t)length);
	value = malloc(ATTRIBUTES_SIZE);
	if (names == NULL || value == NULL)
		return;
	length = flistxattr(from, names, (size_t)length);
	for (char *name = names; name < names + (length > 0 ? length : 0); name += strlen(name) + 1) {
		ssize_t size = fgetxattr(from, name, value, ATTRIBUTES_SIZE);
		if (size >= 0)
			(void)fsetxattr(to, name, value, (size_t)size, 0);
	}
}

static int copy_metadata(int from, int to, const struct stat *status, const char *name, struct error *err)
{
	struct timespec times[2] = {status->st_atim, status->st_mtim};

	/* chown takes set-id bits and capabilities away: it goes first. */
	if (fchown(to, status->st_uid, status->st_gid) < 0 && errno != EPERM && errno != EINVAL)
		return failed(err, "change the owner of", name);
	if (fchmod(to, status->st_mode & 07777) < 0)
		return failed(err, "change the mode of", name);
	copy_attributes(from, to);
	if (futimens(to, times) < 0)
		return failed(err, "set the times of", name);
	return 0;
}

static int copy_file(int from_directory, int to_directory, const char *name, const struct stat *status,
		     struct error *err)
{
	CLEANUP_CLOSE int from = openat(from_directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (from < 0)
		return failed(err, "open", name);
	CLEANUP_CLOSE int to = openat(to_directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0)
		return failed(err, "create", name);
	for (;;) {
		ssize_t count = sendfile(to, from, NULL, 1 << 30);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return failed(err, "copy", name);
		if (count == 0)
			break;
	}
	return copy_metadata(from, to, status, name, err);
}

static int copy_link(int from_directory, int to_directory, const char *name, const struct stat *status,
		     struct error *err)
{
	struct timespec times[2] = {status->st_atim, status->st_mtim};
	char text[PATH_MAX];

	ssize_t length = readlinkat(from_directory, name, text, sizeof text - 1);
	if (length < 0)
		return failed(err, "read the link", name);
	text[length] = '\0';
	if (symlinkat(text, to_directory, name) < 0)
		return failed(err, "create the link", name);
	if (fchownat(to_directory, name, status->st_uid, status->st_gid, AT_SYMLINK_NOFOLLOW) < 0 && errno != EPERM &&
	    errno != EINVAL)
		return failed(err, "change the owner of", name);
	if (utimensat(to_directory, name, times, AT_SYMLINK_NOFOLLOW) < 0)
		return failed(err, "set the times of", name);
	return 0;
}

static int copy_node(int to_directory, const char *name, const struct stat *status, struct error *err)
{
	if (mknodat(to_directory, name, status->st_mode & (S_IFMT | 07777), status->st_rdev) < 0)
		return errno == EPERM ? 0 : failed(err, "create the node", name);
	if (fchownat(to_directory, name, status->st_uid, status->st_gid, AT_SYMLINK_NOFOLLOW) < 0 && errno != EPERM &&
	    errno != EINVAL)
		return failed(err, "change the owner of", name);
	return fchmodat(to_directory, name, status->st_mode & 07777, 0) < 0 ? failed(err, "change the mode of", name)
									    : 0;
}

static int copy_subdirectory(const struct copy *copy, int from_directory, int to_directory, const char *name,
			     const struct stat *status, struct error *err)
{
	struct copy below = {copy->device, copy->depth + 1};

	CLEANUP_CLOSE int from = openat(from_directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (from < 0)
		return failed(err, "open", name);
	if (mkdirat(to_directory, name, 0700) < 0)
		return failed(err, "create the directory", name);
	CLEANUP_CLOSE int to = openat(to_directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (to < 0)
		return failed(err, "open", name);
	if (status->st_dev == copy->device && below.depth <= DEPTH_MAXIMUM) {
		int result = copy_directory(&below, from, to, err);
		if (result < 0)
			return result;
	} else if (status->st_dev == copy->device) {
		return error_set(err, ELOOP, "%s: directories are nested too deeply", name);
	}
	return copy_metadata(from, to, status, name, err);
}

static int copy_entry(const struct copy *copy, int from, int to, const char *name, struct error *err)
{
	struct stat status;

	if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return failed(err, "examine", name);
	switch (status.st_mode & S_IFMT) {
	case S_IFDIR:
		return copy_subdirectory(copy, from, to, name, &status, err);
	case S_IFREG:
		return copy_file(from, to, name, &status, err);
	case S_IFLNK:
		return copy_link(from, to, name, &status, err);
	default:
		return copy_node(to, name, &status, err);
	}
}

static void cleanup_directory(DIR **directory)
{
	if (*directory != NULL)
		closedir(*directory);
}

static int copy_directory(const struct copy *copy, int from, int to, struct error *err)
{
	__attribute__((cleanup(cleanup_directory))) DIR *directory = NULL;

	/* closedir closes the descriptor, the caller's stays. */
	int duplicate = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (duplicate < 0)
		return error_errno(err, errno, "open a directory");
	directory = fdopendir(duplicate);
	if (directory == NULL) {
		close(duplicate);
		return error_errno(err, errno, "read a directory");
	}
	for (;;) {
		errno = 0;
		struct dirent *entry = readdir(directory);
		if (entry == NULL)
			return errno == 0 ? 0 : error_errno(err, errno, "read a directory");
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		int result = copy_entry(copy, from, to, entry->d_name, err);
		if (result < 0)
			return result;
	}
}

int copy_up(int from, int to, int with_root, struct error *err)
{
	struct stat status;

	if (fstat(from, &status) < 0)
		return error_errno(err, errno, "examine the directory");
	struct copy copy = {status.st_dev, 0};
	int result = copy_directory(&copy, from, to, err);
	return result < 0 || !with_root ? result : copy_metadata(from, to, &status, "the directory", err);
}
