/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/container.h"

#include <errno.h>

int container_open(struct context *context, const char *id, struct container *container, struct error *err)
{
	*container = (struct container)CONTAINER_NONE;
	if (context_state(context, id, &container->client, &container->answer, err) < 0)
		return -err->code;
	if (container->answer.reply.status == SESSION_CREATING)
		return error_set(err, EAGAIN, "container not running: \"%s\" is being created", id);
	if (plan_map(container->answer.plan_fd, &container->plan, err) < 0 ||
	    cgroup_open(container->plan, &container->cgroup, err) < 0)
		return -err->code;
	return 0;
}

void container_close(struct container *container)
{
	cgroup_freep(&container->cgroup);
	container->cgroup = NULL;
	session_answer_close(&container->answer);
	session_disconnect(&container->client);
}

bool container_is_live(const struct container *container)
{
	uint32_t status = container->answer.reply.status;

	return status == SESSION_CREATED || status == SESSION_RUNNING;
}
