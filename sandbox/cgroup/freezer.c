/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/cgroup/freezer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"

/* A path can't be deeper. */
#define DEPTH_MAX 2048

long long cgroup_clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The number behind `key` in "key number" lines, -1 if it isn't there. */
static int flat_value(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; *line != '\0';) {
		if (strncmp(line, key, length) == 0 && line[length] == ' ')
			return line[length + 1] == '1';
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return -1;
}

int cgroup_await_event(int dirfd, const char *key, int value, int timeout_ms)
{
	CLEANUP_CLOSE int fd = openat(dirfd, "cgroup.events", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	long long deadline = cgroup_clock_ms() + timeout_ms;

	if (fd < 0)
		return errno == ENOENT || errno == ENODEV ? 0 : -errno;
	for (;;) {
		char text[128];
		ssize_t length = pread(fd, text, sizeof text - 1, 0);
		if (length < 0)
			return errno == ENODEV ? 0 : -errno;
		text[length] = '\0';
		int current = flat_value(text, key);
		if (current < 0)
			return -EOPNOTSUPP;
		if (current == value)
			return 0;
		long long left = deadline - cgroup_clock_ms();
		if (left <= 0)
			return -ETIMEDOUT;
		/* The kernel notifies pollers of this file since 4.5; a change after the read is not lost. */
		struct pollfd item = {.fd = fd, .events = POLLPRI};
		if (poll(&item, 1, (int)left) < 0 && errno != EINTR)
			return -errno;
	}
}

static const struct cgroup_path *find_v2(const struct cgroup_path *paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (cgroup_path_is_v2(&paths[i]))
			return &paths[i];
	return NULL;
}

static const struct cgroup_path *find_v1_freezer(const struct cgroup_path *paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (cgroup_path_has(&paths[i], "freezer"))
			return &paths[i];
	return NULL;
}

static int open_dir(const struct cgroup_path *path)
{
	int fd = open(path->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* The v1 freezer marks all processes at once, but says FREEZING until the last of them has stopped, and sends no
 * event for that. Where there is a cgroup2 mount, cgroup.freeze has been awaited before and the first look
 * suffices. Elsewhere the kernel's documentation wants the write repeated; the short pause is the only way. */
static int freeze_v1(int dirfd, long long deadline)
{
	for (;;) {
		char state[32];
		int rc = file_write_at(dirfd, "freezer.state", "FROZEN");
		if (rc < 0)
			return rc;
		ssize_t length = file_read_at(dirfd, "freezer.state", state, sizeof state);
		if (length < 0)
			return (int)length;
		if (strncmp(state, "FROZEN", 6) == 0)
			return 0;
		if (cgroup_clock_ms() >= deadline)
			return -ETIMEDOUT;
		poll(NULL, 0, 1);
	}
}

int cgroup_freeze_paths(const struct cgroup_path *paths, size_t count, int timeout_ms, struct error *err)
{
	const struct cgroup_path *v2 = find_v2(paths, count);
	const struct cgroup_path *v1 = find_v1_freezer(paths, count);
	long long deadline = cgroup_clock_ms() + timeout_ms;
	bool can = false;
	int rc = 0;

	if (v2 != NULL) {
		CLEANUP_CLOSE int dirfd = open_dir(v2);
		rc = dirfd < 0 ? dirfd : file_write_at(dirfd, "cgroup.freeze", "1");
		if (rc == 0) {
			can = true;
			rc = cgroup_await_event(dirfd, "frozen", 1, timeout_ms);
		} else if (rc == -ENOENT && v1 != NULL) {
			rc = 0;
		}
	}
	if (rc == 0 && v1 != NULL) {
		CLEANUP_CLOSE int dirfd = open_dir(v1);
		rc = dirfd < 0 ? dirfd : freeze_v1(dirfd, deadline);
		can = true;
	}
	if (rc == 0 && !can)
		return error_set(err, EOPNOTSUPP, "cannot freeze: the container has no cgroup with a freezer");
	if (rc == 0)
		return 0;
	struct error ignored;
	cgroup_thaw_paths(paths, count, &ignored);
	const char *path = v2 != NULL ? v2->path : v1 != NULL ? v1->path : "";
	if (rc == -ETIMEDOUT)
		return error_set(err, ETIMEDOUT, "unable to freeze: processes of the cgroup %s did not stop in time",
				 path);
	return error_errno(err, -rc, "unable to freeze the cgroup %s", path);
}

/* Missing file or directory: nothing can be frozen there. */
static int thaw_one(const struct cgroup_path *path, const char *file, const char *value)
{
	CLEANUP_CLOSE int dirfd = open_dir(path);
	int rc = dirfd < 0 ? dirfd : file_write_at(dirfd, file, value);
	return rc == -ENOENT || rc == -ENODEV ? 0 : rc;
}

int cgroup_thaw_paths(const struct cgroup_path *paths, size_t count, struct error *err)
{
	const struct cgroup_path *v2 = find_v2(paths, count);
	const struct cgroup_path *v1 = find_v1_freezer(paths, count);
	int rc1 = v1 == NULL ? 0 : thaw_one(v1, "freezer.state", "THAWED");
	int rc2 = v2 == NULL ? 0 : thaw_one(v2, "cgroup.freeze", "0");

	if (rc1 < 0)
		return error_errno(err, -rc1, "cannot thaw the cgroup %s", v1->path);
	if (rc2 < 0)
		return error_errno(err, -rc2, "cannot thaw the cgroup %s", v2->path);
	return 0;
}

/* Asked by every `state`, `list` and `start`: no more system calls than it takes. */
/* Goes on after a failure: what can be thawed shall be. */
static int thaw_below(int dirfd, unsigned int depth)
{
	int rc = file_write_at(dirfd, "freezer.state", "THAWED");
	int copy = depth > DEPTH_MAX ? -1 : openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = copy < 0 ? NULL : fdopendir(copy);

	if (directory == NULL) {
		cleanup_close(&copy);
		return rc;
	}
	for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		CLEANUP_CLOSE int below = openat(dirfd, entry->d_name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int result = below < 0 ? 0 : thaw_below(below, depth + 1);
		if (result < 0 && rc == 0)
			rc = result;
	}
	closedir(directory);
	return rc;
}

int cgroup_thaw_tree_paths(const struct cgroup_path *paths, size_t count, struct error *err)
{
	const struct cgroup_path *v1 = find_v1_freezer(paths, count);
	CLEANUP_CLOSE int dirfd = v1 == NULL ? -1 : open_dir(v1);
	int rc = dirfd < 0 ? 0 : thaw_below(dirfd, 0);

	if (rc < 0 && rc != -ENOENT && rc != -ENODEV)
		return error_errno(err, -rc, "cannot thaw the cgroup %s", v1->path);
	return cgroup_thaw_paths(paths, count, err);
}

static int flag_in(const struct cgroup_path *path, const char *file)
{
	char name[PATH_MAX], flag;

	if (snprintf(name, sizeof name, "%s/%s", path->path, file) >= (int)sizeof name)
		return -ENAMETOOLONG;
	CLEANUP_CLOSE int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t length = fd < 0 ? -1 : read(fd, &flag, 1);

	if (length < 0)
		return errno == ENOENT || errno == ENODEV ? 0 : -errno;
	return length == 1 && flag == '1';
}

int cgroup_frozen_paths(const struct cgroup_path *paths, size_t count, struct error *err)
{
	const struct cgroup_path *v2 = find_v2(paths, count);
	const struct cgroup_path *v1 = find_v1_freezer(paths, count);
	int frozen = v1 == NULL ? 0 : flag_in(v1, "freezer.self_freezing");

	if (frozen < 0)
		return error_errno(err, -frozen, "cannot read the freezer of the cgroup %s", v1->path);
	if (frozen > 0 || v2 == NULL)
		return frozen;
	frozen = flag_in(v2, "cgroup.freeze");
	if (frozen < 0)
		return error_errno(err, -frozen, "cannot read the freezer of the cgroup %s", v2->path);
	return frozen;
}

/* Whether the process's path in this hierarchy, as /proc/PID/cgroup has it, is how `path` ends. */
static bool is_at_home(const struct cgroup_path *path, pid_t pid)
{
	char name[32], text[8192];
	size_t length = strlen(path->path);

	snprintf(name, sizeof name, "/proc/%d/cgroup", (int)pid);
	if (file_read_at(AT_FDCWD, name, text, sizeof text) < 0)
		return true;
	for (char *line = text; *line != '\0';) {
		char *end = line + strcspn(line, "\n"), *next = end + (*end == '\n');
		*end = '\0';
		/* ID:CONTROLLERS:PATH */
		char *controllers = strchr(line, ':');
		char *place = controllers == NULL ? NULL : strchr(controllers + 1, ':');
		if (place != NULL) {
			*place++ = '\0';
			size_t tail = strlen(place);
			if (strcmp(controllers + 1, path->controllers) == 0)
				return tail <= length && strcmp(path->path + length - tail, place) == 0;
		}
		line = next;
	}
	return true;
}

void cgroup_take_back(const struct cgroup_path *paths, size_t count, pid_t pid)
{
	char number[16];

	snprintf(number, sizeof number, "%d", (int)pid);
	for (size_t i = 0; i < count; i++) {
		CLEANUP_CLOSE int directory = -1;
		if (cgroup_path_is_v2(&paths[i]) || !cgroup_path_has(&paths[i], "freezer") ||
		    is_at_home(&paths[i], pid))
			continue;
		directory = open(paths[i].path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (directory >= 0)
			file_write_at(directory, "cgroup.procs", number);
	}
}
