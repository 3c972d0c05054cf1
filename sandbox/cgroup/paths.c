/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/cgroup/paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"

/* cgroup namespaces and containers nest; the kernel's own default is unlimited, a path is not. */
#define DEPTH_MAX 256

bool cgroup_path_has(const struct cgroup_path *path, const char *name)
{
	size_t length = strlen(name);

	for (const char *item = path->controllers; *item != '\0';) {
		size_t item_length = strcspn(item, ",");
		if (item_length == length && memcmp(item, name, length) == 0)
			return true;
		item += item_length;
		item += *item == ',';
	}
	return false;
}

size_t cgroup_paths_from_plan(const struct plan *plan, struct cgroup_path paths[CGROUP_PATHS_MAX])
{
	const struct plan_pair *pairs = plan_items(plan, plan->cgroup_paths);
	size_t count = 0;

	for (; count < plan->cgroup_paths.count && count < CGROUP_PATHS_MAX; count++) {
		/* An empty string may be stored as absent. */
		const char *controllers = plan_text(plan, pairs[count].key);
		paths[count].controllers = controllers == NULL ? "" : controllers;
		paths[count].path = plan_text(plan, pairs[count].value);
	}
	return count;
}

/* The file that moves the writer: v2 knows no threads that move alone between domains. */
static int join_file_open(const struct cgroup_path *path)
{
	CLEANUP_CLOSE int dirfd = open(path->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dirfd < 0)
		return -errno;
	int fd = openat(dirfd, cgroup_path_is_v2(path) ? "cgroup.procs" : "tasks", O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int cgroup_join_open(const struct cgroup_path *paths, size_t count, bool without_v2, int *fds, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		fds[i] = -1;
		if (without_v2 && cgroup_path_is_v2(&paths[i]))
			continue;
		int fd = join_file_open(&paths[i]);
		if (fd < 0) {
			while (i > 0)
				if (fds[--i] >= 0)
					close(fds[i]);
			return error_errno(err, -fd, "cannot join the cgroup %s", paths[i].path);
		}
		fds[i] = fd;
	}
	return 0;
}

int cgroup_join_fds(const int *fds, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (fds[i] < 0)
			continue;
		ssize_t written;
		do
			written = write(fds[i], "0", 1);
		while (written < 0 && errno == EINTR);
		if (written != 1)
			return error_errno(err, written < 0 ? errno : EIO, "cannot join the cgroup of hierarchy %zu",
					   i);
	}
	return 0;
}

int cgroup_join_self(const struct cgroup_path *paths, size_t count, bool without_v2, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		int fd;
		int rc = cgroup_join_open(&paths[i], 1, without_v2, &fd, err);
		if (rc < 0)
			return rc;
		rc = cgroup_join_fds(&fd, 1, err);
		if (fd >= 0)
			close(fd);
		if (rc < 0)
			return error_set(err, -rc, "cannot join the cgroup %s: %s", paths[i].path, strerror(-rc));
	}
	return 0;
}

int cgroup_open_v2_dir(const struct cgroup_path *paths, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!cgroup_path_is_v2(&paths[i]))
			continue;
		int fd = open(paths[i].path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return error_errno(err, errno, "cannot open the cgroup %s", paths[i].path);
		return fd;
	}
	return -ENOENT;
}

void cgroup_pids_free(struct cgroup_pids *pids)
{
	free(pids->items);
	*pids = (struct cgroup_pids){0};
}

static int pids_add(struct cgroup_pids *pids, pid_t pid)
{
	if (pids->count == pids->capacity) {
		size_t capacity = pids->capacity == 0 ? 64 : pids->capacity * 2;
		pid_t *items = reallocarray(pids->items, capacity, sizeof *items);
		if (items == NULL)
			return -ENOMEM;
		pids->items = items;
		pids->capacity = capacity;
	}
	pids->items[pids->count++] = pid;
	return 0;
}

/* Gone between listing and reading: as good as empty. */
static bool is_gone(int error_code)
{
	return error_code == ENOENT || error_code == ENODEV;
}

static int pids_parse(int fd, struct cgroup_pids *pids)
{
	char buffer[4096];
	pid_t pid = 0;
	bool digits = false;

	for (;;) {
		ssize_t length = read(fd, buffer, sizeof buffer);
		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return is_gone(errno) ? 0 : -errno;
		if (length == 0)
			return 0;
		for (ssize_t i = 0; i < length; i++) {
			if (buffer[i] >= '0' && buffer[i] <= '9') {
				pid = pid * 10 + (buffer[i] - '0');
				digits = true;
				continue;
			}
			/* 0: a process of a pid namespace that is not visible from here. */
			if (digits && pid > 0) {
				int rc = pids_add(pids, pid);
				if (rc < 0)
					return rc;
			}
			digits = false;
			pid = 0;
		}
	}
}

static int pids_in(int dirfd, struct cgroup_pids *pids)
{
	CLEANUP_CLOSE int fd = openat(dirfd, "cgroup.procs", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return is_gone(errno) ? 0 : -errno;
	int rc = pids_parse(fd, pids);
	if (rc != -EOPNOTSUPP)
		return rc;
	/* Threaded cgroups (Linux 4.14) list their processes in the root of the threaded subtree only. */
	CLEANUP_CLOSE int threads = openat(dirfd, "cgroup.threads", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (threads < 0)
		return is_gone(errno) ? 0 : -errno;
	return pids_parse(threads, pids);
}

static int pids_walk(int dirfd, const char *path, struct cgroup_pids *pids, unsigned int depth)
{
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (depth > 0 ? O_NOFOLLOW : 0));
	if (fd < 0)
		return is_gone(errno) ? 0 : -errno;
	int rc = pids_in(fd, pids);
	DIR *directory = rc < 0 || depth >= DEPTH_MAX ? NULL : fdopendir(fd);
	if (directory == NULL) {
		close(fd);
		return rc < 0 ? rc : -ELOOP;
	}
	struct dirent *entry;
	while (rc >= 0 && (entry = readdir(directory)) != NULL) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		rc = pids_walk(fd, entry->d_name, pids, depth + 1);
	}
	closedir(directory);
	return rc;
}

int cgroup_pids_below(int dirfd, const char *path, struct cgroup_pids *pids)
{
	return pids_walk(dirfd, path, pids, 0);
}
