/* SPDX-License-Identifier: Apache-2.0 */
/* A container's cgroup as the launch plan knows it: one directory per hierarchy. Everything here works without a
 * library and without config.json, so that the supervisor can end and remove the cgroup when the program is gone.
 *
 * Joining. Writing a pid to cgroup.procs makes the kernel wait for a grace period: 10 ms and more. Two ways are
 * some hundred times faster, and both leave no moment in which the process runs outside:
 *  - v2: clone3(CLONE_INTO_CGROUP) with cgroup_open_v2_dir().
 *  - v1: a process without other threads moves itself by writing "0" to `tasks` (Linux 5.4), through descriptors
 *    that cgroup_join_open() got: the kernel checks the rights of whoever opened them, so this works in a new user
 *    namespace too.
 */
#ifndef SANDLOCK_CGROUP_PATHS_H
#define SANDLOCK_CGROUP_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sandbox/common/error.h"
#include "sandbox/plan.h"

/* More hierarchies than the kernel has controllers. */
#define CGROUP_PATHS_MAX 24

/* Which hierarchies the machine has. */
enum cgroup_mode {
	CGROUP_MODE_NONE = 0, /* no cgroup file system, or a container without a cgroup */
	CGROUP_MODE_V1,
	CGROUP_MODE_HYBRID, /* v1 controllers and a cgroup2 mount */
	CGROUP_MODE_V2,
};

/* The container's directory in one hierarchy. */
struct cgroup_path {
	const char *controllers; /* as in /proc/PID/cgroup: "cpu,cpuacct", "name=systemd", "" for v2 */
	const char *path;        /* absolute, on the host */
};

/* v2 has no controllers in its name. */
static inline bool cgroup_path_is_v2(const struct cgroup_path *path)
{
	return path->controllers[0] == '\0';
}

/* Whether `name` is one of the hierarchy's controllers. */
bool cgroup_path_has(const struct cgroup_path *path, const char *name);

/* The paths of a plan, pointing into it. Returns their number, 0 for a container without a cgroup. */
size_t cgroup_paths_from_plan(const struct plan *plan, struct cgroup_path paths[CGROUP_PATHS_MAX]);

/* Opens what cgroup_join_fds writes to: fds[i] belongs to paths[i]. With `without_v2`, a v2 path gets -1: its
 * process is cloned into it. The descriptors are close-on-exec; all are closed again on an error. */
int cgroup_join_open(const struct cgroup_path *paths, size_t count, bool without_v2, int *fds, struct error *err);

/* Moves the calling process, which must have one thread only, to all of them. Async-signal-safe but for the error
 * text. Does not close anything. */
int cgroup_join_fds(const int *fds, size_t count, struct error *err);

/* cgroup_join_open, cgroup_join_fds and close in one, for a process that still has the right to do it. */
int cgroup_join_self(const struct cgroup_path *paths, size_t count, bool without_v2, struct error *err);

/* Opens the v2 directory for CLONE_INTO_CGROUP. Returns the descriptor, or -ENOENT without an error text when
 * there is no v2 hierarchy. */
int cgroup_open_v2_dir(const struct cgroup_path *paths, size_t count, struct error *err);

/* A list of process ids; zero-initialised is empty. */
struct cgroup_pids {
	pid_t *items;
	size_t count;
	size_t capacity;
};

void cgroup_pids_free(struct cgroup_pids *pids);
#define CLEANUP_CGROUP_PIDS __attribute__((cleanup(cgroup_pids_free)))

/* Appends the processes in the directory `path` (below `dirfd`) and in all cgroups below it. A cgroup that goes
 * away meanwhile counts as empty. Returns 0 or a negative errno value. */
int cgroup_pids_below(int dirfd, const char *path, struct cgroup_pids *pids);

#endif
