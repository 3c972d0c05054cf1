/* SPDX-License-Identifier: Apache-2.0 */
/* A container's cgroup as the program sees it: where it is, its limits, its processes. What must work without the
 * program is in paths.h, freezer.h and kill.h.
 *
 * create: cgroup_plan, cgroup_create, cgroup_apply, then the processes join (paths.h), cgroup_verify.
 * later commands: cgroup_open with the container's launch plan. */
#ifndef SANDLOCK_CGROUP_CGROUP_H
#define SANDLOCK_CGROUP_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/cgroup/paths.h"
#include "sandbox/common/error.h"
#include "sandbox/plan_builder.h"
#include "spec/config.h"

/* Who makes the cgroup. */
enum cgroup_manager {
	CGROUP_MANAGER_CGROUPFS,
	CGROUP_MANAGER_SYSTEMD,
	CGROUP_MANAGER_DISABLED,
};

/* What decides where the cgroup is. The strings must outlive the call only, intel_rdt the cgroup. */
struct cgroup_settings {
	enum cgroup_manager manager;
	const char *id;
	const char *cgroups_path; /* linux.cgroupsPath, NULL: absent */
	bool rootless;            /* --rootless=true; otherwise found out: not root, or root of a user namespace */
	const struct oci_pair *annotations;
	size_t annotations_count;
	const struct oci_intel_rdt *intel_rdt; /* linux.intelRdt, NULL: absent */
	uint32_t owner_uid;                    /* host uid that gets the v2 cgroup (cgroup_owner), UINT32_MAX: none */
};

/* Opaque; freed with cgroup_free, which leaves the directories alone. */
struct cgroup;

/* Finds the hierarchies, works out the paths and checks the resources (NULL: none), which must outlive the cgroup.
 * Changes nothing. */
int cgroup_plan(const struct cgroup_settings *settings, const struct oci_resources *resources, struct cgroup **cgroup,
		struct error *err);

/* The cgroup of an existing container. The plan must outlive it. */
int cgroup_open(const struct plan *plan, struct cgroup **cgroup, struct error *err);

void cgroup_free(struct cgroup *cgroup);

static inline void cgroup_freep(struct cgroup **cgroup)
{
	if (*cgroup != NULL)
		cgroup_free(*cgroup);
}
#define CLEANUP_CGROUP __attribute__((cleanup(cgroup_freep)))

/* The hierarchies in use; NONE: the container has no cgroup. */
enum cgroup_mode cgroup_mode(const struct cgroup *cgroup);

/* The directories, for the functions of paths.h, freezer.h and kill.h. They live as long as the cgroup. */
const struct cgroup_path *cgroup_paths(const struct cgroup *cgroup, size_t *count);

/* Makes the directories; on an error none is left. EBUSY if the cgroup exists and has processes or is frozen. Where
 * the caller may not make one, nothing asked for one and the caller is rootless, the container gets none.
 * Under systemd it starts the scope, with a helper process in it that stays until cgroup_settle or cgroup_free. */
int cgroup_create(struct cgroup *cgroup, struct error *err);

/* The container's first process is in the cgroup: nothing else has to keep it. */
void cgroup_settle(struct cgroup *cgroup);

/* Sets the limits; `resources` are those that were given to cgroup_plan. To be called before processes join. */
int cgroup_apply(struct cgroup *cgroup, const struct oci_resources *resources, struct error *err);

/* Changes the limits that `resources` names and no others. */
int cgroup_update(struct cgroup *cgroup, const struct oci_resources *resources, struct error *err);

/* Whether the caller may create processes in the cgroup or move them there. A user whose session is not below his own
 * systemd may not (the kernel asks for the right to the nearest cgroup above both); cgroup_join has systemd do it. */
bool cgroup_can_enter(const struct cgroup *cgroup);

/* Moves a process. Slow, see paths.h: for a process that can't move itself. */
int cgroup_join(const struct cgroup *cgroup, pid_t pid, struct error *err);

/* The same for a sub-cgroup. `subpath` (exec --cgroup) is relative; NULL or "" means the container's own cgroup. On
 * v2, where a container has turned its own cgroup into an inner node, which takes no processes, the process goes
 * where `beside` (the main process, or -1) is. */
int cgroup_join_below(const struct cgroup *cgroup, pid_t pid, const char *subpath, pid_t beside, struct error *err);

/* Where a process that is executed in the container goes, for paths.h: the sub-cgroup `subpath` (exec --cgroup; NULL:
 * none) in the hierarchies that have it, otherwise as in cgroup_join_below with `beside`. The paths live as long as the
 * cgroup. EINVAL for a path that leads out, ENOENT if no hierarchy has it. */
int cgroup_exec_paths(struct cgroup *cgroup, const char *subpath, pid_t beside,
		      struct cgroup_path paths[CGROUP_PATHS_MAX], size_t *count, struct error *err);

/* The v2 directory that processes are moved to after the cgroup namespace was made (annotation
 * run.oci.delegate-cgroup), or NULL. cgroup_create has made it. */
const char *cgroup_delegate(const struct cgroup *cgroup);

/* Moves a process to that directory; nothing to do without one. */
int cgroup_join_delegate(const struct cgroup *cgroup, pid_t pid, struct error *err);

/* Moves a process out of the container's v2 cgroup to the caller's own; nothing to do where v2 is not in charge. */
int cgroup_leave(const struct cgroup *cgroup, pid_t pid, struct error *err);

/* Checks with /proc/PID/cgroup that the process is in the cgroup in every hierarchy, or below it. */
int cgroup_verify(const struct cgroup *cgroup, pid_t pid, struct error *err);

/* Fills plan.cgroup_paths, plan.cgroup_mode and what else the cgroup's later users need. */
void cgroup_fill_plan(struct plan_builder *builder, const struct cgroup *cgroup);

/* The host uid that should own the container's v2 cgroup (config-linux.md "Cgroup ownership"), or UINT32_MAX. */
uint32_t cgroup_owner(const struct oci_config *config);

/* All processes in the cgroup and below it, sorted; from the first hierarchy that can tell. */
int cgroup_processes(const struct cgroup *cgroup, struct cgroup_pids *pids, struct error *err);

/* As in freezer.h and kill.h, with their usual time limits. After cgroup_kill the cgroup can be used on. */
int cgroup_freeze(const struct cgroup *cgroup, struct error *err);
int cgroup_thaw(const struct cgroup *cgroup, struct error *err);
int cgroup_frozen(const struct cgroup *cgroup, struct error *err);
int cgroup_kill(const struct cgroup *cgroup, struct error *err);
/* Also ends the systemd unit. */
int cgroup_remove(struct cgroup *cgroup, struct error *err);

#endif
