/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"

/* As the kernel: path_resolution(7) */
#define LINKS_MAXIMUM 40
/* openat2(2) gives EAGAIN when something is renamed meanwhile */
#define RACES_MAXIMUM 1000

int resolve_open(int root_fd, const char *path, int flags, uint64_t resolve)
{
	struct sl_open_how how = {
	    .flags = (uint64_t)(unsigned int)(flags | O_CLOEXEC),
	    .resolve = SL_RESOLVE_IN_ROOT | resolve,
	};

	for (int races = 0;; races++) {
		int fd = sl_openat2(root_fd, path[0] == '\0' ? "/" : path, &how);
		if (fd >= 0)
			return fd;
		if (errno != EINTR && (errno != EAGAIN || races == RACES_MAXIMUM))
			return -errno;
	}
}

/* A walk: `done` is the path behind us, without links; `rest` lies ahead. */
struct walk {
	int root_fd;
	int links;
	char done[PATH_MAX];
	char rest[PATH_MAX];
};

static void up(struct walk *walk)
{
	char *slash = strrchr(walk->done, '/');

	if (slash != NULL)
		*slash = '\0';
}

/* Puts the text of a link in front of the rest. */
static int follow(struct walk *walk, int link_fd, const char *rest)
{
	char text[PATH_MAX], joined[PATH_MAX];

	ssize_t length = readlinkat(link_fd, "", text, sizeof text);
	if (length < 0)
		return -errno;
	if ((size_t)length == sizeof text)
		return -ENAMETOOLONG;
	text[length] = '\0';
	if (++walk->links > LINKS_MAXIMUM)
		return -ELOOP;
	if (text[0] == '/')
		walk->done[0] = '\0';
	if ((size_t)snprintf(joined, sizeof joined, "%s/%s", text, rest) >= sizeof joined)
		return -ENAMETOOLONG;
	memcpy(walk->rest, joined, sizeof joined);
	return 0;
}

static int make(struct walk *walk, const char *name, int directory)
{
	CLEANUP_CLOSE int parent = resolve_open(walk->root_fd, walk->done, O_PATH | O_DIRECTORY, 0);

	if (parent < 0)
		return parent;
	if ((directory ? mkdirat(parent, name, 0755) : mknodat(parent, name, S_IFREG | 0644, 0)) < 0)
		return -errno;
	return 0;
}

/* One step; `name` is a part of the path, `rest` what follows it. */
static int step(struct walk *walk, const char *name, const char *rest, int directory)
{
	char next[PATH_MAX];
	struct stat status;

	if ((size_t)snprintf(next, sizeof next, "%s/%s", walk->done, name) >= sizeof next)
		return -ENAMETOOLONG;
	CLEANUP_CLOSE int fd = resolve_open(walk->root_fd, next, O_PATH | O_NOFOLLOW, 0);
	if (fd == -ENOENT) {
		int result = make(walk, name, rest[strspn(rest, "/")] != '\0' || directory);
		if (result < 0)
			return result;
	} else if (fd < 0) {
		return fd;
	} else {
		if (fstat(fd, &status) < 0)
			return -errno;
		if (S_ISLNK(status.st_mode))
			return follow(walk, fd, rest);
	}
	memcpy(walk->done, next, sizeof next);
	memmove(walk->rest, rest, strlen(rest) + 1);
	return 0;
}

int resolve_create(int root_fd, const char *path, int directory)
{
	struct walk walk = {.root_fd = root_fd};

	int fd = resolve_open(root_fd, path, O_PATH, 0);
	if (fd != -ENOENT)
		return fd;
	if (strlen(path) >= sizeof walk.rest)
		return -ENAMETOOLONG;
	memcpy(walk.rest, path, strlen(path) + 1);
	for (;;) {
		char name[NAME_MAX + 1];
		char *start = walk.rest + strspn(walk.rest, "/");
		size_t length = strcspn(start, "/");
		int result = 0;
		if (length == 0)
			break;
		if (length > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, start, length);
		name[length] = '\0';
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
			if (name[1] == '.')
				up(&walk);
			memmove(walk.rest, start + length, strlen(start + length) + 1);
		} else {
			result = step(&walk, name, start + length, directory);
		}
		if (result < 0)
			return result;
	}
	return resolve_open(root_fd, walk.done, O_PATH | O_NOFOLLOW, 0);
}
