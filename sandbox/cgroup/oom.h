/* SPDX-License-Identifier: Apache-2.0 */
/* Out of memory: events as they happen, and whether a process was killed for it. */
#ifndef SANDLOCK_CGROUP_OOM_H
#define SANDLOCK_CGROUP_OOM_H

#include "sandbox/cgroup/paths.h"

/* A watch; cgroup_oom_close ends it. */
struct cgroup_oom {
	int fd;        /* poll for POLLIN, then call cgroup_oom_read; -1 after cgroup_oom_close */
	int events;    /* v2: memory.events; v1: memory.oom_control */
	int directory; /* v2: for the end of the cgroup */
	int end_watch; /* v2: inotify's number of cgroup.events */
	bool v2;
	uint64_t count; /* v2: how often so far */
};

#define CGROUP_OOM_NONE                                 \
	{                                               \
		.fd = -1, .events = -1, .directory = -1 \
	}

/* Starts to watch. ENODEV: there is no memory controller in the container's cgroup. The descriptors are
 * close-on-exec and non-blocking. */
int cgroup_oom_watch(const struct cgroup_path *paths, size_t count, struct cgroup_oom *oom, struct error *err);

/* After POLLIN: 1: out of memory happened (once or more often), 0: something else, -ENODEV: the cgroup is gone, or
 * (v2) has no process any more. */
int cgroup_oom_read(struct cgroup_oom *oom);

/* Whether out of memory happened that was not told yet, for the end: the kernel holds notices back for some
 * milliseconds. */
bool cgroup_oom_pending(struct cgroup_oom *oom);

void cgroup_oom_close(struct cgroup_oom *oom);

/* How many processes of the cgroup and below were killed for lack of memory. 0 where it can't be told. */
uint64_t cgroup_oom_killed(const struct cgroup_path *paths, size_t count);

#endif
