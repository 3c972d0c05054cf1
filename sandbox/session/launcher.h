/* SPDX-License-Identifier: Apache-2.0 */
/* From the joiner's order to the user's execve. */
#ifndef SANDLOCK_SESSION_LAUNCHER_H
#define SANDLOCK_SESSION_LAUNCHER_H

#include "sandbox/cgroup/paths.h"
#include "sandbox/session/launch.h"
#include "sandbox/session/protocol.h"

/* What the joiner received; descriptors are -1 when absent. */
struct joining {
	struct launch launch;
	struct launch_order order;
	int plan_fd;
	int holder;
	int reaper;
	int time_ns;
	int cgroup_ns;
	int process_fd;
	int cgroup;
	int root;      /* exec: the container's root where the mount namespace's is another */
	int seccomp;   /* exec: connection to the seccomp agent */
	int host_proc; /* the caller's /proc, if our number in it is needed */
	int cgroup_fds[CGROUP_PATHS_MAX];
};

/* Runs all steps, parks, and executes the user's program. */
_Noreturn void launcher_main(struct joining *joining);

/* Reports the error to the program and ends the process. */
_Noreturn void launcher_fail(const struct launch *launch, const struct error *err);

/* "pid", "network", ... for a CLONE_NEW* flag. */
const char *launcher_namespace_name(uint32_t type);

#endif
