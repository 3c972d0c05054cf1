/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process", translated. */
#ifndef SANDLOCK_LINUX_PROCESS_PLAN_H
#define SANDLOCK_LINUX_PROCESS_PLAN_H

#include <stdbool.h>

#include "sandbox/plan_builder.h"
#include "spec/config.h"

struct process_plan_options {
	bool exec;   /* a further process of a container: process.execCPUAffinity applies */
	bool userns; /* the container has a user namespace of its own, where every capability can be granted */
	/* exec: the container's plan. What the process leaves out (capabilities, rlimits, labels, scheduler,
	 * ioPriority, execCPUAffinity, oomScoreAdj, umask) is as for the main process. */
	const struct plan *container;
	bool keep_groups;         /* the caller's groups stay; exec: as for the main process */
	uint32_t listen_fds;      /* LISTEN_FDS for the process, 0: none */
	const char *listen_names; /* LISTEN_FDNAMES, or NULL */
	const char *sysfs;        /* where to look for security modules; NULL: "/sys" */
	/* Gets what the specification wants logged as a warning; NULL: nobody does. */
	void (*warn)(void *context, const char *message);
	void *warn_context;
};

/* Fills *out, which may be builder->plan.process; what it refers to is added to the builder. Errors: EINVAL with the
 * name of the field, ENOTSUP for a security module that is not there. */
int process_plan(struct plan_builder *builder, const struct oci_process *process, struct plan_process *out,
		 const struct process_plan_options *options, struct error *err);

#endif
