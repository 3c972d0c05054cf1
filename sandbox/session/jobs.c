/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/session/jobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "sandbox/cgroup/kill.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "sandbox/common/syscalls.h"

/* Pidfds held at once: far below the usual limit of 1024. */
#define BATCH 256
/* How long the freezer may take before the processes are killed running. */
#define FREEZE_TIMEOUT_MS 2000

static void cleanup_closedir(DIR **directory)
{
	if (*directory != NULL)
		closedir(*directory);
}

/* A pid namespace by its inode; all of them are on the one nsfs. */
static bool namespace_inode(int proc, const char *pid, ino_t *inode)
{
	char path[NAME_MAX + 16];
	struct stat status;

	snprintf(path, sizeof path, "%s/ns/pid", pid);
	if (fstatat(proc, path, &status, 0) < 0)
		return false;
	*inode = status.st_ino;
	return true;
}

/* Whether the process lives in a namespace below `wanted`: containers may nest. */
static bool is_below(int proc, const char *pid, ino_t wanted)
{
	char path[NAME_MAX + 16];
	struct stat status;

	snprintf(path, sizeof path, "%s/ns/pid", pid);
	CLEANUP_CLOSE int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0) {
		int parent = ioctl(fd, NS_GET_PARENT);
		close(fd);
		fd = parent;
		if (fd >= 0 && fstat(fd, &status) == 0 && status.st_ino == wanted)
			return true;
	}
	return false;
}

/* Whether the number is the reaper's still: it was all the time then. */
static bool has_reaper(const struct session_members *members)
{
	return sl_pidfd_send_signal(members->reaper_pidfd, 0) == 0;
}

static int each_in_namespace(const struct session_members *members, int (*visit)(pid_t pid, int pidfd, void *data),
			     void *data, struct error *err)
{
	__attribute__((cleanup(cleanup_closedir))) DIR *proc = opendir("/proc");
	char reaper[16];
	ino_t wanted, ours, found;

	if (proc == NULL)
		return error_errno(err, errno, "open /proc");
	snprintf(reaper, sizeof reaper, "%d", members->reaper_pid);
	if (!namespace_inode(dirfd(proc), reaper, &wanted) || !has_reaper(members))
		return 0; /* the reaper is gone, and with it all others */
	if (!namespace_inode(dirfd(proc), "self", &ours))
		return error_errno(err, errno, "stat /proc/self/ns/pid");

	struct dirent *entry;
	while ((entry = readdir(proc)) != NULL) {
		int pid;
		if (number_parse_int(entry->d_name, 1, INT32_MAX, &pid) < 0 || pid == members->reaper_pid)
			continue;
		if (!namespace_inode(dirfd(proc), entry->d_name, &found) || found == ours)
			continue;
		CLEANUP_CLOSE int pidfd = sl_pidfd_open(pid, 0);
		/* Asked again now that the pidfd keeps the number from being somebody else's, if it still lives. */
		if (pidfd < 0 || !namespace_inode(dirfd(proc), entry->d_name, &found) ||
		    (found != wanted && !is_below(dirfd(proc), entry->d_name, wanted)) ||
		    sl_pidfd_send_signal(pidfd, 0) < 0)
			continue;
		int rc = visit(pid, pidfd, data);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* A number that is in the cgroup before and after its pidfd was opened is a member's. */
static int each_in_cgroup(const struct cgroup_path *path, int (*visit)(pid_t pid, int pidfd, void *data), void *data,
			  struct error *err)
{
	struct cgroup_pids before = {0}, after = {0};
	int *pidfds = NULL;
	int rc = cgroup_pids_below(AT_FDCWD, path->path, &before);

	if (rc == 0 && before.count > 0) {
		pidfds = calloc(before.count, sizeof *pidfds);
		rc = pidfds == NULL ? -ENOMEM : 0;
	}
	for (size_t i = 0; rc == 0 && i < before.count; i++)
		pidfds[i] = sl_pidfd_open(before.items[i], 0);
	if (rc == 0)
		rc = cgroup_pids_below(AT_FDCWD, path->path, &after);
	if (rc < 0)
		error_errno(err, -rc, "list the processes of %s", path->path);
	for (size_t i = 0; pidfds != NULL && i < before.count; i++) {
		bool member = false;
		for (size_t j = 0; j < after.count && !member; j++)
			member = after.items[j] == before.items[i];
		if (rc == 0 && member && pidfds[i] >= 0)
			rc = visit(before.items[i], pidfds[i], data);
		cleanup_close(&pidfds[i]);
	}
	free(pidfds);
	cgroup_pids_free(&before);
	cgroup_pids_free(&after);
	return rc;
}

int session_jobs_each(const struct session_members *members, int (*visit)(pid_t pid, int pidfd, void *data), void *data,
		      struct error *err)
{
	if (members->reaper_pid > 0)
		return each_in_namespace(members, visit, data, err);
	if (members->paths_count > 0)
		return each_in_cgroup(&members->paths[0], visit, data, err);
	return 0;
}

struct counting {
	struct session_jobs *jobs;
	pid_t *groups;
};

/* Field `state` and `pgrp` of /proc/PID/stat. */
static bool read_stat(pid_t pid, char *state, pid_t *group)
{
	char path[32], text[1024];

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	if (file_read_at(-1, path, text, sizeof text) <= 0)
		return false;
	const char *rest = strrchr(text, ')');
	int parent;
	return rest != NULL && sscanf(rest, ") %c %d %d", state, &parent, group) == 3;
}

static int count(pid_t pid, int pidfd, void *data)
{
	struct counting *counting = data;
	pid_t group;
	char state;

	(void)pidfd;
	if (!read_stat(pid, &state, &group) || state == 'Z' || state == 'X')
		return 0;
	counting->jobs->processes++;
	for (size_t i = 0; i < counting->jobs->groups; i++)
		if (counting->groups[i] == group)
			return 0;
	pid_t *groups = realloc(counting->groups, (counting->jobs->groups + 1) * sizeof *groups);
	if (groups == NULL)
		return -ENOMEM;
	counting->groups = groups;
	groups[counting->jobs->groups++] = group;
	return 0;
}

int session_jobs_count(const struct session_members *members, struct session_jobs *jobs, struct error *err)
{
	struct counting counting = {jobs, NULL};

	*jobs = (struct session_jobs){0};
	int rc = session_jobs_each(members, count, &counting, err);
	free(counting.groups);
	return rc == -ENOMEM ? error_errno(err, ENOMEM, "count the session's processes") : rc;
}

struct signalling {
	int signal_number;
	size_t reached;
	size_t refused;
	pid_t first_refused;
	/* SIGKILL: what is awaited */
	int pidfds[BATCH];
	pid_t pids[BATCH];
	size_t count;
};

static int send_signal(pid_t pid, int pidfd, void *data)
{
	struct signalling *signalling = data;
	pid_t group;
	char state = '?';

	if (read_stat(pid, &state, &group) && (state == 'Z' || state == 'X'))
		return 0;
	if (sl_pidfd_send_signal(pidfd, signalling->signal_number) == 0) {
		signalling->reached++;
	} else {
		if (errno != ESRCH && signalling->refused++ == 0)
			signalling->first_refused = pid;
		return 0;
	}
	int copy =
	    signalling->signal_number == SIGKILL && signalling->count < BATCH ? fcntl(pidfd, F_DUPFD_CLOEXEC, 3) : -1;
	if (copy >= 0) {
		signalling->pids[signalling->count] = pid;
		signalling->pidfds[signalling->count++] = copy;
	}
	return 0;
}

/* One pass. */
static int signal_all(const struct session_members *members, struct signalling *signalling, struct error *err)
{
	if (session_jobs_each(members, send_signal, signalling, err) < 0)
		return -err->code;
	if (signalling->refused > 0)
		return error_set(err, EPERM,
				 "%zu processes could not be signalled (the first is %d): operation not permitted",
				 signalling->refused, signalling->first_refused);
	return 0;
}

/* Waits for the end of what was killed. */
static int await_ends(struct signalling *signalling, long long deadline, struct error *err)
{
	size_t left = 0;
	pid_t first = 0;

	for (size_t i = 0; i < signalling->count; i++) {
		struct pollfd item = {.fd = signalling->pidfds[i], .events = POLLIN};
		int ready;
		do {
			long long time = deadline - cgroup_clock_ms();
			ready = poll(&item, 1, time < 0 ? 0 : (int)time);
		} while (ready < 0 && errno == EINTR);
		if (ready <= 0 && left++ == 0)
			first = signalling->pids[i];
		close(signalling->pidfds[i]);
	}
	signalling->count = 0;
	if (left == 0)
		return 0;
	return error_set(err, EBUSY, "%zu processes have not ended after SIGKILL (the first is %d)", left, first);
}

/* Frozen, a session cannot fork faster than it is killed. Each round leaves only what was forked before it froze. */
static int kill_all(const struct session_members *members, struct error *err)
{
	long long deadline = cgroup_clock_ms() + CGROUP_TIMEOUT_MS;
	int rc;

	for (;;) {
		struct signalling signalling = {.signal_number = SIGKILL};
		struct error ignored = {0};
		bool frozen =
		    cgroup_freeze_paths(members->paths, members->paths_count, FREEZE_TIMEOUT_MS, &ignored) == 0;
		rc = signal_all(members, &signalling, err);
		if (frozen)
			cgroup_thaw_tree_paths(members->paths, members->paths_count, &ignored);
		struct error later = {0};
		int awaited = await_ends(&signalling, deadline, &later);
		if (rc == 0 && awaited < 0)
			*err = later;
		if (rc < 0 || awaited < 0)
			return -err->code;
		if (signalling.reached == 0)
			return 0;
		if (cgroup_clock_ms() > deadline)
			return error_set(
			    err, EAGAIN,
			    "the session forks faster than its processes can be killed; delete it instead");
	}
}

int session_jobs_signal(const struct session_members *members, int signal_number, struct error *err)
{
	struct signalling signalling = {.signal_number = signal_number};

	if (signal_number != SIGKILL)
		return signal_all(members, &signalling, err);
	if (members->reaper_pid <= 0)
		return cgroup_kill_paths(members->paths, members->paths_count, CGROUP_TIMEOUT_MS, err);
	return kill_all(members, err);
}
