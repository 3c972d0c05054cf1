/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/cgroup/freezer.h"
#include "sandbox/cgroup/kill.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"

/* A path can't be deeper. */
#define DEPTH_MAX 2048
/* Tries after the last process is known to have ended, see await_empty. */
#define YIELDS_MAX 1000

/* rmdir from the bottom up. -EBUSY: there are processes, or a cgroup was made meanwhile. */
static int remove_tree(int dirfd, const char *path, unsigned int depth)
{
	if (unlinkat(dirfd, path, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	/* A read-only mount gives EROFS even for what does not exist. */
	int reason = -errno;
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT ? 0 : reason;
	if (reason != -EBUSY || depth >= DEPTH_MAX) {
		close(fd);
		return reason;
	}
	DIR *directory = fdopendir(fd);
	if (directory == NULL) {
		close(fd);
		return -ENOMEM;
	}
	struct dirent *entry;
	int rc = 0;
	bool nested = false;
	while ((entry = readdir(directory)) != NULL) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		nested = true;
		int below = remove_tree(fd, entry->d_name, depth + 1);
		if (below < 0)
			rc = below;
	}
	closedir(directory);
	if (rc < 0 || !nested)
		return rc < 0 ? rc : reason;
	return unlinkat(dirfd, path, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : -errno;
}

/* Waits for the end of one process that is listed in the cgroup. Returns 1 if there was one. */
static int await_listed(const char *path, long long deadline)
{
	CLEANUP_CGROUP_PIDS struct cgroup_pids listed = {0};
	int rc = cgroup_pids_below(AT_FDCWD, path, &listed);

	for (size_t i = 0; rc == 0 && i < listed.count; i++) {
		CLEANUP_CLOSE int fd = sl_pidfd_open(listed.items[i], 0);
		if (fd < 0)
			continue;
		long long left = deadline - cgroup_clock_ms();
		struct pollfd item = {.fd = fd, .events = POLLIN};
		int ready = poll(&item, 1, left < 0 ? 0 : (int)left);
		if (ready == 0)
			return -ETIMEDOUT;
		return 1;
	}
	return rc;
}

/* Waits until an rmdir that failed with EBUSY may succeed. The v2 hierarchy tells; a v1 hierarchy does not, so its
 * processes are awaited one after the other. Since Linux 6.19 a process leaves its cgroup a moment after its end
 * is visible: the rest is a matter of the scheduler. */
static int await_empty(const struct cgroup_path *paths, size_t count, size_t index, int *yields, long long deadline)
{
	int rc = await_listed(paths[index].path, deadline);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	for (size_t i = 0; i < count; i++) {
		if (!cgroup_path_is_v2(&paths[i]))
			continue;
		CLEANUP_CLOSE int dirfd = open(paths[i].path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		long long left = deadline - cgroup_clock_ms();
		if (dirfd >= 0)
			rc = cgroup_await_event(dirfd, "populated", 0, left < 0 ? 0 : (int)left);
	}
	if (rc < 0)
		return rc;
	sched_yield();
	return ++*yields > YIELDS_MAX ? -ETIMEDOUT : 0;
}

static int remove_one(const struct cgroup_path *paths, size_t count, size_t index, struct error *err)
{
	const char *path = paths[index].path;
	long long deadline = 0;
	int yields = 0;
	int rc;

	while ((rc = remove_tree(AT_FDCWD, path, 0)) == -EBUSY) {
		if (deadline == 0)
			deadline = cgroup_clock_ms() + CGROUP_TIMEOUT_MS;
		rc = await_empty(paths, count, index, &yields, deadline);
		if (rc < 0)
			break;
	}
	if (rc == 0)
		return 0;
	if (rc == -ETIMEDOUT) {
		CLEANUP_CGROUP_PIDS struct cgroup_pids left = {0};
		cgroup_pids_below(AT_FDCWD, path, &left);
		return error_set(err, EBUSY, "cannot remove the cgroup %s: %zu processes are left in it", path,
				 left.count);
	}
	return error_errno(err, -rc, "cannot remove the cgroup %s", path);
}

int cgroup_remove_paths(const struct cgroup_path *paths, size_t count, struct error *err)
{
	struct error later;
	int result = 0;

	/* v2 last: its cgroup.events is what tells the others' emptiness. */
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < count; i++) {
			if (cgroup_path_is_v2(&paths[i]) != (pass == 1))
				continue;
			int rc = remove_one(paths, count, i, result < 0 ? &later : err);
			if (rc < 0 && result == 0)
				result = rc;
		}
	}
	return result;
}

int cgroup_end_plan(const struct plan *plan, struct error *err)
{
	struct cgroup_path paths[CGROUP_PATHS_MAX];
	size_t count = cgroup_paths_from_plan(plan, paths);

	return cgroup_end_paths(paths, count, CGROUP_TIMEOUT_MS, err);
}

int cgroup_thaw_plan(const struct plan *plan, struct error *err)
{
	struct cgroup_path paths[CGROUP_PATHS_MAX];
	size_t count = cgroup_paths_from_plan(plan, paths);

	return cgroup_thaw_tree_paths(paths, count, err);
}

int cgroup_remove_plan(const struct plan *plan, struct error *err)
{
	struct cgroup_path paths[CGROUP_PATHS_MAX];
	size_t count = cgroup_paths_from_plan(plan, paths);

	return cgroup_remove_paths(paths, count, err);
}
