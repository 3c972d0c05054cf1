/* SPDX-License-Identifier: Apache-2.0 */
/* Which cgroup hierarchies this machine has, where they are mounted and where the caller is in them. */
#ifndef SANDLOCK_CGROUP_LAYOUT_H
#define SANDLOCK_CGROUP_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/cgroup/paths.h"
#include "sandbox/common/arena.h"
#include "sandbox/common/error.h"

/* Controllers by their v1 name; bit N of a mask is controller N. */
enum cgroup_controller {
	CGROUP_CPU,
	CGROUP_CPUACCT, /* v1 only; on v2 part of every cgroup */
	CGROUP_CPUSET,
	CGROUP_MEMORY,
	CGROUP_BLKIO, /* v2: io */
	CGROUP_PIDS,
	CGROUP_HUGETLB,
	CGROUP_RDMA,
	CGROUP_MISC,
	CGROUP_DEVICES,  /* v2: a BPF program */
	CGROUP_FREEZER,  /* v2: part of every cgroup */
	CGROUP_NET_CLS,  /* v1 only */
	CGROUP_NET_PRIO, /* v1 only */
	CGROUP_PERF_EVENT,
	CGROUP_DMEM, /* v2 only */
	CGROUP_CONTROLLERS,
};

/* The name in /proc/PID/cgroup (v1) or cgroup.controllers (v2); NULL when that version has none of this name. */
const char *cgroup_controller_name(enum cgroup_controller controller, bool v2);

/* The mask of a list of names that are separated by one of `separators`; unknown ones are left out. */
uint32_t cgroup_controllers_parse(const char *names, const char *separators, bool v2);

/* One hierarchy. */
struct cgroup_hierarchy {
	const char *controllers; /* as struct cgroup_path has it */
	const char *mount;       /* mount point */
	const char *root;        /* which cgroup of the hierarchy is visible at the mount point */
	const char *own;         /* the caller's cgroup as an absolute path in the hierarchy */
	uint32_t mask;           /* v1: its controllers; v2: 0 here */
	bool v2;
};

struct cgroup_layout {
	enum cgroup_mode mode;
	struct cgroup_hierarchy hierarchies[CGROUP_PATHS_MAX];
	size_t count;
};

/* Reads /proc/self/mountinfo and /proc/self/cgroup. Hierarchies without a controller other than name=systemd are
 * left out, as are all v1 ones when none of them has a controller. The strings belong to the arena. */
int cgroup_layout_detect(struct arena *arena, struct cgroup_layout *layout, struct error *err);

/* The same from the text of the two files. */
void cgroup_layout_parse(struct arena *arena, const char *mountinfo, const char *self_cgroup,
			 struct cgroup_layout *layout);

/* Host path of `cgroup`, an absolute path in the hierarchy as /proc/PID/cgroup shows it. */
const char *cgroup_hierarchy_path(struct arena *arena, const struct cgroup_hierarchy *hierarchy, const char *cgroup);

#endif
