/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of a session, seen from the host: those in the reaper's pid namespace and the namespaces below it, or,
 * where there is no reaper, those in the container's cgroup. */
#ifndef SANDLOCK_SESSION_JOBS_H
#define SANDLOCK_SESSION_JOBS_H

#include <stddef.h>
#include <sys/types.h>

#include "sandbox/cgroup/paths.h"
#include "sandbox/common/error.h"

/* Whose processes are meant: those of the reaper's pid namespace, or without a reaper those of the cgroup. With neither
 * it is nobody's. */
struct session_members {
	pid_t reaper_pid;                           /* in our numbering, 0: none */
	int reaper_pidfd;                           /* vouches for the number; -1: there is no reaper */
	struct cgroup_path paths[CGROUP_PATHS_MAX]; /* the container's cgroup, also where there is a reaper */
	size_t paths_count;
};

/* What session_jobs_count found; the reaper is not counted, zombies are not. */
struct session_jobs {
	size_t processes;
	size_t groups;
};

/* Calls `visit` for each process, with a pidfd that was opened while the process was known to be a member; the reaper
 * itself is left out. Stops when `visit` returns a negative value, which is returned. */
int session_jobs_each(const struct session_members *members, int (*visit)(pid_t pid, int pidfd, void *data), void *data,
		      struct error *err);

/* Counts live processes and process groups. */
int session_jobs_count(const struct session_members *members, struct session_jobs *jobs, struct error *err);

/* Sends a signal to every process, main process included. After SIGKILL returns when all have ended, those that were
 * forked meanwhile, too. Errors: EPERM, EBUSY name how many could not be reached or have not ended (design S7). */
int session_jobs_signal(const struct session_members *members, int signal_number, struct error *err);

#endif
