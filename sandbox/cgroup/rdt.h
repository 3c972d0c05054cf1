/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "intelRdt": cache and memory bandwidth through the resctrl file system. */
#ifndef SANDLOCK_CGROUP_RDT_H
#define SANDLOCK_CGROUP_RDT_H

#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/error.h"
#include "sandbox/plan_builder.h"
#include "spec/config.h"

/* Where the container's processes belong. */
struct rdt {
	const struct oci_intel_rdt *config;
	const char *root;    /* mount point of resctrl */
	const char *group;   /* directory of the class of service */
	const char *monitor; /* directory of the monitoring group, or NULL */
	bool own;            /* the group is named after the container and removed with it */
	bool made_group;     /* by rdt_create */
	bool made_monitor;
};

/* Checks the settings and works out the directories; changes nothing. ENODEV without a mounted resctrl. The strings
 * belong to the arena, the configuration must outlive the result. */
int rdt_plan(struct arena *arena, const struct oci_intel_rdt *config, const char *id, struct rdt *rdt,
	     struct error *err);

/* The same with resctrl at `root`. */
int rdt_plan_at(struct arena *arena, const struct oci_intel_rdt *config, const char *id, const char *root,
		struct rdt *rdt, struct error *err);

/* Fills plan.rdt_*. */
void rdt_fill_plan(struct plan_builder *builder, const struct rdt *rdt);

/* Makes the groups and writes or compares the schemata. On an error what it made is removed again. */
int rdt_create(struct rdt *rdt, struct error *err);

/* Removes what rdt_create made, while no process is in it. */
void rdt_undo(struct rdt *rdt);

/* Moves a process (a single thread, whose later children follow) to the groups of a plan; nothing to do without. */
int rdt_join(const struct plan *plan, pid_t pid, struct error *err);

/* Changes the schemata of the container's class of service; NULL leaves a line alone. ENODEV: it has no class. */
int rdt_update(const struct plan *plan, const char *l3_cache_schema, const char *mem_bw_schema, struct error *err);

/* What `events --stats` has as intel_rdt, a JSON object; NULL without groups. */
const char *rdt_stats_json(struct arena *arena, const struct plan *plan);

/* Whether each domain of `wanted` ("L3:0=7f;1=1f", lines) has the same value in `schemata`. */
bool rdt_schemata_match(const char *schemata, const char *wanted);

#endif
