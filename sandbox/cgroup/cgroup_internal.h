/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share. */
#ifndef SANDLOCK_CGROUP_INTERNAL_H
#define SANDLOCK_CGROUP_INTERNAL_H

#include "sandbox/cgroup/cgroup.h"
#include "sandbox/cgroup/layout.h"
#include "sandbox/cgroup/rdt.h"
#include "sandbox/cgroup/writes.h"

/* The cgroup in one hierarchy. */
struct cgroup_node {
	uint32_t mask; /* controllers that limits can be set with */
	bool v2;
	bool created;        /* by cgroup_create */
	size_t scope_length; /* systemd: of the path of the unit, of which the rest is below; 0 otherwise */
	size_t mount_length; /* of the path: what belongs to the mount point; 0 when not known */
	const char *root;    /* struct cgroup_hierarchy.root; NULL when not known */
};

struct cgroup {
	struct arena arena;
	enum cgroup_mode mode;
	enum cgroup_manager manager;
	bool rootless;
	bool path_given;
	uint32_t owner_uid;
	const char *id;
	size_t count;
	struct cgroup_path paths[CGROUP_PATHS_MAX];
	struct cgroup_node nodes[CGROUP_PATHS_MAX];
	struct cgroup_writes writes;
	bool devices_set;          /* the device rules are to be applied */
	const char *force_v1;      /* annotation run.oci.systemd.force_cgroup_v1 */
	const char *unit;          /* systemd */
	const char *slice;         /* systemd */
	const char *properties;    /* systemd: lines for the helper, from annotations */
	const char *delegate;      /* directory below the container's that its processes are moved to, or NULL */
	const char *delegate_path; /* the same as a path on the host */
	struct rdt rdt;            /* config NULL: none */
	pid_t helper_pid;          /* systemd; 0: none */
	int helper_fd;
};

/* Index of the hierarchy that has the controller, -1 if there is none. */
int cgroup_find(const struct cgroup *cgroup, enum cgroup_controller controller);
/* Index of the v2 hierarchy, -1 if there is none. */
int cgroup_find_v2(const struct cgroup *cgroup);

/* The field of a limit that needs the hierarchy, or NULL. */
const char *cgroup_limit_in(const struct cgroup *cgroup, size_t index);
/* The container has no cgroup in this hierarchy after all. */
void cgroup_drop_node(struct cgroup *cgroup, size_t index);

/* Translates the resources to writes for the hierarchies the cgroup has. `current` is NULL for a new cgroup. */
int cgroup_translate(struct cgroup *cgroup, const struct oci_resources *resources, struct cgroup_writes *writes,
		     bool update, struct error *err);

/* Adds the directory of `path`, an absolute path in the hierarchy. */
void cgroup_add_node(struct cgroup *cgroup, const struct cgroup_hierarchy *hierarchy, const char *path);

/* "/a/../b//c" -> "/b/c", never above the root; "" and "." give "". Absolute paths stay absolute. */
const char *cgroup_clean_path(struct arena *arena, const char *path);

#endif
