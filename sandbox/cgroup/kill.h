/* SPDX-License-Identifier: Apache-2.0 */
/* Ends and removes cgroups, no library. */
#ifndef SANDLOCK_CGROUP_KILL_H
#define SANDLOCK_CGROUP_KILL_H

#include "sandbox/cgroup/freezer.h"
#include "sandbox/cgroup/paths.h"

/* How long ends are awaited before the call fails: a process can sit in the kernel uninterruptibly. */
#define CGROUP_TIMEOUT_MS 10000

/* SIGKILL for every process below the cgroup in any hierarchy, frozen ones too, those that keep forking included.
 * Returns 0 when all have ended; -EBUSY with their number when some have not within `timeout_ms`. A cgroup that
 * does not exist is empty. The caller must not be in it. The cgroup can be used on. */
int cgroup_kill_paths(const struct cgroup_path *paths, size_t count, int timeout_ms, struct error *err);

/* The same for a cgroup that will not be used again, so that cgroup.kill (Linux 5.14) may be. Kernels since 6.14, and
 * stable ones of that time, kill whatever is cloned with CLONE_INTO_CGROUP from outside into a cgroup that was once
 * told to kill: they compare the counters of two different cgroups. */
int cgroup_end_paths(const struct cgroup_path *paths, size_t count, int timeout_ms, struct error *err);

/* Removes the directories and all cgroups below them in all hierarchies. Processes that are about to end are
 * awaited, for at most CGROUP_TIMEOUT_MS; live ones are not touched: -EBUSY. Missing directories are fine. */
int cgroup_remove_paths(const struct cgroup_path *paths, size_t count, struct error *err);

/* The same for the container of a launch plan, for the supervisor. A container without a cgroup is fine. */
int cgroup_end_plan(const struct plan *plan, struct error *err);
int cgroup_thaw_plan(const struct plan *plan, struct error *err); /* cgroup_thaw_tree_paths */
int cgroup_remove_plan(const struct plan *plan, struct error *err);

#endif
