/* SPDX-License-Identifier: Apache-2.0 */
/* A further process in a session: the launcher again, with the plan and the image that the supervisor keeps. */
#ifndef SANDLOCK_SESSION_EXEC_H
#define SANDLOCK_SESSION_EXEC_H

#include <sys/types.h>

#include "sandbox/common/error.h"
#include "sandbox/session/client.h"

/* What to run. Nothing is owned. */
struct session_exec_order {
	struct session_client *client;
	const struct session_answer *session; /* the answer to REQUEST_JOIN */
	const struct plan *plan;              /* the container's, mapped from it */
	const char *id;
	int process_fd;     /* sealed plan with `process` */
	int console_socket; /* connected, -1: none */
	const char *cgroup; /* --cgroup: below the container's, NULL: there */
	unsigned int preserve_fds;
};

/* A job that is parked: it runs once session_exec_start says so. */
struct session_job {
	pid_t pid; /* our child */
	int pidfd;
	int session; /* our end of its session socket */
};

/* Makes the job and has the supervisor record it. On failure nothing is left. */
int session_exec_create(const struct session_exec_order *order, struct session_job *job, struct error *err);

/* Lets it execute its program. Returns after execve; its failure ends the job, which is reaped. */
int session_exec_start(struct session_job *job, struct error *err);

void session_job_close(struct session_job *job);

#endif
