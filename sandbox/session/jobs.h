/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of a session, seen from the host: those in the reaper's pid namespace and the namespaces below it. */
#ifndef SANDLOCK_SESSION_JOBS_H
#define SANDLOCK_SESSION_JOBS_H

#include <stddef.h>
#include <sys/types.h>

#include "sandbox/common/error.h"

/* What session_jobs_count found; the reaper is not counted, zombies are not. */
struct session_jobs {
	size_t processes;
	size_t groups;
};

/* Calls `visit` for each live process of the pid namespace whose pid 1 is `reaper_pid` (in our numbering), with a pidfd that
 * was opened while the process was known to be in it; the reaper itself is left out. Stops when `visit` returns
 * a negative value, which is returned. */
int session_jobs_each(pid_t reaper_pid, int (*visit)(pid_t pid, int pidfd, void *data), void *data, struct error *err);

/* Counts processes and process groups. */
int session_jobs_count(pid_t reaper_pid, struct session_jobs *jobs, struct error *err);

/* Sends a signal to every process, main process included; SIGKILL is repeated until none is left that can fork.
 * -EPERM names how many could not be reached (design S7). *reached counts those that got it. */
int session_jobs_signal(pid_t reaper_pid, int signal_number, size_t *reached, struct error *err);

#endif
