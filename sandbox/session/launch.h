/* SPDX-License-Identifier: Apache-2.0 */
/* What the launcher's steps share. Each step is a function `int step(struct launch *, struct error *)` in the
 * file of sandbox/linux/ that is named after the OCI field it applies. */
#ifndef SANDLOCK_SESSION_LAUNCH_H
#define SANDLOCK_SESSION_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sandbox/common/error.h"
#include "sandbox/plan.h"

struct rootfs;

/* The launcher between fork and execve. Single-threaded, in the container's namespaces; before pivot_root it
 * still sees the host's file system below "/", after it only the container's. */
struct launch {
	const struct plan *plan;
	const struct plan_process *process; /* plan->process, or what exec put in its place */
	const struct plan *process_plan;    /* what the offsets in `process` refer to; NULL: plan */
	const int *fds;                     /* what plan_fd indexes */
	size_t fds_count;
	int control; /* SEQPACKET to the program; closed once the launcher is parked */
	int session; /* SEQPACKET to the supervisor; the start order, then exec's outcome */
	int proc_fd; /* O_PATH of a procfs of the container's pid namespace, or -1 */
	int root_fd; /* O_PATH of the container's root, once mounted; -1 before */
	struct rootfs
	    *rootfs;        /* of sandbox/linux/rootfs.h: from rootfs_prepare to rootfs_finish; NULL before and after */
	int console_socket; /* connected socket that wants the pty master, or -1 */
	unsigned int preserve_fds;
	bool exec;          /* a further process of a running session: nothing is built */
	char **environment; /* the program's environment, NULL-terminated; made by environment_apply */
	char **arguments;   /* process.args, NULL-terminated */
	char *executable;   /* what args[0] was found to be */
	bool cwd_entered;   /* cwd_enter got in before the change of user */
	pid_t host_pid;     /* this process as the program sees it; 0: unknown */
	int seccomp_socket; /* exec's own connection to the seccomp agent; 0: plan->seccomp.listener_fd */
	pid_t main_pid;     /* exec: the container's main process as the program sees it; 0: it is gone */
	/* Reports an error of seccomp_apply and ends the process; it is called when the filter is on already, from a
	 * thread that it does not bind. NULL: the process ends with status 1. */
	void (*fail)(const struct launch *, const struct error *);
};

/* A string of launch->process, or NULL when absent. */
static inline const char *launch_process_text(const struct launch *launch, plan_string offset)
{
	return plan_text(launch->process_plan != NULL ? launch->process_plan : launch->plan, offset);
}

/* First element of an array of launch->process. */
static inline const void *launch_process_items(const struct launch *launch, struct plan_array array)
{
	return plan_items(launch->process_plan != NULL ? launch->process_plan : launch->plan, array);
}

#endif
