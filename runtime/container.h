/* SPDX-License-Identifier: Apache-2.0 */
/* A container as commands that look at it or change it find it: its supervisor's answer, its plan, its cgroup. */
#ifndef SANDLOCK_RUNTIME_CONTAINER_H
#define SANDLOCK_RUNTIME_CONTAINER_H

#include "runtime/context.h"
#include "sandbox/cgroup/cgroup.h"
#include "sandbox/plan.h"

/* Closed with container_close. The client stays connected meanwhile. */
struct container {
	struct session_client client;
	struct session_answer answer; /* to REQUEST_STATE */
	const struct plan *plan;
	struct cgroup *cgroup;
};

#define CONTAINER_NONE                                                       \
	{                                                                    \
		.client = SESSION_CLIENT_NONE, .answer = SESSION_ANSWER_NONE \
	}
#define CLEANUP_CONTAINER __attribute__((cleanup(container_close)))

/* Connects, asks for the state and opens the cgroup; a container without one is fine. Errors: as session_connect;
 * EAGAIN while it is being created. */
int container_open(struct context *context, const char *id, struct container *container, struct error *err);
void container_close(struct container *container);

/* Whether the container has a main process that has not ended: created, running or paused. */
bool container_is_live(const struct container *container);

#endif
