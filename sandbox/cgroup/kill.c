/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/cgroup/kill.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/cgroup/freezer.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/syscalls.h"

/* Descriptors held at once: far below the usual limit of 1024. */
#define BATCH 256

static int compare_pids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a;
	pid_t y = *(const pid_t *)b;
	return (x > y) - (x < y);
}

static bool pids_contain(const struct cgroup_pids *pids, pid_t pid)
{
	return pids->count > 0 && bsearch(&pid, pids->items, pids->count, sizeof pid, compare_pids) != NULL;
}

static int list_sorted(const char *path, struct cgroup_pids *pids)
{
	pids->count = 0;
	int rc = cgroup_pids_below(AT_FDCWD, path, pids);
	if (rc == 0 && pids->count > 0)
		qsort(pids->items, pids->count, sizeof *pids->items, compare_pids);
	return rc;
}

/* Kills up to BATCH processes and leaves their pidfds in `fds`, -1 for those that are gone.
 *
 * A number can be reused between the listing and pidfd_open. So the cgroup is listed again afterwards: a process
 * that is listed then and whose pidfd still takes a signal is the one the descriptor refers to. */
static int kill_batch(const char *path, const pid_t *pids, size_t count, int fds[BATCH])
{
	CLEANUP_CGROUP_PIDS struct cgroup_pids now = {0};
	int result = 0;

	for (size_t i = 0; i < count; i++) {
		fds[i] = pids[i] == getpid() ? -1 : sl_pidfd_open(pids[i], 0);
		/* EINVAL, ENOENT: a thread's number, from a threaded cgroup; its process has its own. */
		if (fds[i] < 0 && errno != ESRCH && errno != EINVAL && errno != ENOENT && pids[i] != getpid())
			result = -errno;
	}
	int rc = list_sorted(path, &now);
	if (rc < 0)
		result = rc;
	for (size_t i = 0; i < count; i++) {
		if (fds[i] < 0)
			continue;
		if (!pids_contain(&now, pids[i])) {
			close(fds[i]);
			fds[i] = -1;
			continue;
		}
		if (sl_pidfd_send_signal(fds[i], SIGKILL) < 0 && errno != ESRCH)
			result = -errno;
	}
	return result;
}

static void close_batch(int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Waits for the end of all of them. */
static int await_batch(int *fds, size_t count, long long deadline)
{
	for (size_t i = 0; i < count; i++) {
		struct pollfd item = {.fd = fds[i], .events = POLLIN};
		int ready;
		if (fds[i] < 0)
			continue;
		do {
			long long left = deadline - cgroup_clock_ms();
			ready = poll(&item, 1, left < 0 ? 0 : (int)left);
		} while (ready < 0 && errno == EINTR);
		if (ready < 0)
			return -errno;
		if (ready == 0)
			return -ETIMEDOUT;
	}
	return 0;
}

/* Signals everything while nothing can run: a process that was just being forked shows up in the next listing,
 * frozen, so the list of processes that have not been signalled yet gets empty soon. */
static int kill_frozen(const char *path)
{
	CLEANUP_CGROUP_PIDS struct cgroup_pids done = {0};
	CLEANUP_CGROUP_PIDS struct cgroup_pids listed = {0};

	for (;;) {
		bool fresh = false;
		int rc = list_sorted(path, &listed);
		for (size_t i = 0; rc == 0 && i < listed.count; i += BATCH) {
			int fds[BATCH];
			size_t count = listed.count - i < BATCH ? listed.count - i : BATCH;
			bool batch_fresh = false;
			for (size_t k = 0; k < count; k++)
				batch_fresh = batch_fresh || !pids_contain(&done, listed.items[i + k]);
			if (!batch_fresh)
				continue;
			fresh = true;
			rc = kill_batch(path, listed.items + i, count, fds);
			close_batch(fds, count);
		}
		if (rc < 0 || !fresh)
			return rc;
		struct cgroup_pids swap = done;
		done = listed;
		listed = swap;
	}
}

/* Kills what is listed and waits for its end, until nothing is listed. */
static int kill_and_await(const char *path, long long deadline)
{
	CLEANUP_CGROUP_PIDS struct cgroup_pids listed = {0};

	for (;;) {
		int fds[BATCH];
		int rc = list_sorted(path, &listed);
		if (rc < 0 || listed.count == 0)
			return rc;
		if (cgroup_clock_ms() > deadline)
			return -ETIMEDOUT;
		size_t count = listed.count < BATCH ? listed.count : BATCH;
		rc = kill_batch(path, listed.items, count, fds);
		if (rc == 0)
			rc = await_batch(fds, count, deadline);
		close_batch(fds, count);
		if (rc < 0)
			return rc;
	}
}

static int kill_v1(const struct cgroup_path *path, long long deadline)
{
	struct error ignored;
	CLEANUP_CLOSE int dirfd = open(path->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (dirfd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (cgroup_path_has(path, "freezer") && file_write_at(dirfd, "freezer.state", "FROZEN") == 0) {
		rc = kill_frozen(path->path);
		cgroup_thaw_tree_paths(path, 1, &ignored);
	}
	return rc < 0 ? rc : kill_and_await(path->path, deadline);
}

static int kill_v2(const struct cgroup_path *path, bool last, long long deadline)
{
	CLEANUP_CLOSE int dirfd = open(path->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct error ignored;

	if (dirfd < 0)
		return errno == ENOENT ? 0 : -errno;
	/* Not in threaded cgroups. */
	int rc = last ? file_write_at(dirfd, "cgroup.kill", "1") : -ENOENT;
	if (rc == -ENOENT || rc == -EOPNOTSUPP) {
		if (file_write_at(dirfd, "cgroup.freeze", "1") == 0)
			cgroup_await_event(dirfd, "frozen", 1, (int)(deadline - cgroup_clock_ms()));
		rc = kill_frozen(path->path);
		cgroup_thaw_tree_paths(path, 1, &ignored);
		if (rc == 0)
			rc = kill_and_await(path->path, deadline);
	}
	if (rc < 0)
		return rc;
	long long left = deadline - cgroup_clock_ms();
	return cgroup_await_event(dirfd, "populated", 0, left < 0 ? 0 : (int)left);
}

static int kill_failed(const struct cgroup_path *path, int code, struct error *err)
{
	CLEANUP_CGROUP_PIDS struct cgroup_pids left = {0};

	if (code != -ETIMEDOUT)
		return error_errno(err, -code, "cannot kill the processes of the cgroup %s", path->path);
	cgroup_pids_below(AT_FDCWD, path->path, &left);
	return error_set(err, EBUSY, "%zu processes of the cgroup %s have not ended after SIGKILL (pid %d%s)",
			 left.count, path->path, left.count > 0 ? (int)left.items[0] : 0,
			 left.count > 1 ? ", ..." : "");
}

static int kill_paths(const struct cgroup_path *paths, size_t count, bool last, int timeout_ms, struct error *err)
{
	long long deadline = cgroup_clock_ms() + timeout_ms;
	const struct cgroup_path *v2 = NULL;
	struct error ignored;
	int rc;

	for (size_t i = 0; i < count; i++)
		if (cgroup_path_is_v2(&paths[i]))
			v2 = &paths[i];
	if (v2 != NULL) {
		/* What the v1 freezer holds does not even die. */
		cgroup_thaw_tree_paths(paths, count, &ignored);
		rc = kill_v2(v2, last, deadline);
		if (rc < 0)
			return kill_failed(v2, rc, err);
	}
	/* The freezer's hierarchy first; the others are usually empty then. */
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < count; i++) {
			if (cgroup_path_is_v2(&paths[i]) || cgroup_path_has(&paths[i], "freezer") != (pass == 0))
				continue;
			CLEANUP_CGROUP_PIDS struct cgroup_pids listed = {0};
			rc = cgroup_pids_below(AT_FDCWD, paths[i].path, &listed);
			if (rc == 0 && listed.count > 0)
				rc = kill_v1(&paths[i], deadline);
			if (rc < 0)
				return kill_failed(&paths[i], rc, err);
		}
	}
	return 0;
}

int cgroup_kill_paths(const struct cgroup_path *paths, size_t count, int timeout_ms, struct error *err)
{
	return kill_paths(paths, count, false, timeout_ms, err);
}

int cgroup_end_paths(const struct cgroup_path *paths, size_t count, int timeout_ms, struct error *err)
{
	return kill_paths(paths, count, true, timeout_ms, err);
}
