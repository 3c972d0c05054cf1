/* SPDX-License-Identifier: Apache-2.0 */
/* Stops and continues a container: the v1 freezer and cgroup.freeze (Linux 5.2), no library. */
#ifndef SANDLOCK_CGROUP_FREEZER_H
#define SANDLOCK_CGROUP_FREEZER_H

#include "sandbox/cgroup/paths.h"

/* Freezes all processes below the cgroup and waits until they stand still; idempotent. On an error, also when
 * they don't within `timeout_ms` (ETIMEDOUT), they run again. EOPNOTSUPP: no hierarchy can freeze. */
int cgroup_freeze_paths(const struct cgroup_path *paths, size_t count, int timeout_ms, struct error *err);

/* Lets them run again; idempotent, and no error for a cgroup that is gone or can't freeze. */
int cgroup_thaw_paths(const struct cgroup_path *paths, size_t count, struct error *err);

/* A killed process that somebody moved to another v1 freezer and froze there does not die before it is let go: takes
 * it into the container's, which is not frozen. Nothing for processes that are there, or without such a hierarchy. */
void cgroup_take_back(const struct cgroup_path *paths, size_t count, pid_t pid);

/* Also lets run what was frozen by itself in cgroups below: v1 does not let frozen processes die, and a container that
 * may write to its freezer could keep some for ever. For processes that have been sent SIGKILL. */
int cgroup_thaw_tree_paths(const struct cgroup_path *paths, size_t count, struct error *err);

/* 1 if the cgroup itself (not one above it) is frozen or freezing, 0 if not or gone, or a negative errno value. */
int cgroup_frozen_paths(const struct cgroup_path *paths, size_t count, struct error *err);

/* Waits until cgroup.events in the v2 directory says `key` `value` ("populated" 0, "frozen" 1). Returns 0, also
 * when the cgroup is gone; -ETIMEDOUT; or another negative errno value. */
int cgroup_await_event(int dirfd, const char *key, int value, int timeout_ms);

/* Milliseconds of CLOCK_MONOTONIC, to keep one limit over several waits. */
long long cgroup_clock_ms(void);

#endif
