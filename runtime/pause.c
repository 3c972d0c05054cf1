/* SPDX-License-Identifier: Apache-2.0 */
/* pause and resume: the cgroup's freezer. The texts are those that engines look for. */
#include <errno.h>
#include <stddef.h>

#include "runtime/container.h"
#include "sandbox/common/cleanup.h"

/* Since the state was asked for, the main process may have ended or the session may be about to end, and its dying
 * processes must not stand still: the supervisor thawed them before, or does so after this answer. */
static int check_still_live(struct container *container, struct error *err)
{
	CLEANUP_SESSION_ANSWER struct session_answer now;

	int rc = session_request(&container->client, REQUEST_STATE, 0, NULL, 0, SESSION_ANSWER_TIMEOUT_MS, &now, err);
	if (rc < 0)
		return rc;
	if (now.reply.status == SESSION_STOPPED || (now.reply.flags & REPLY_ENDING) != 0)
		return error_set(err, ESRCH, "container not running: it ended while it was being paused");
	return 0;
}

int command_pause(const struct command *command, struct global_options *global, int argc, char **argv,
		  struct error *err)
{
	CLEANUP_CONTEXT struct context context;
	CLEANUP_CONTAINER struct container container = CONTAINER_NONE;
	struct error ignored = {0};

	int rc = context_open_container(&context, global, command, NULL, 0, &argc, argv, 1, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (container_open(&context, argv[0], &container, err) < 0)
		return -err->code;
	if (!container_is_live(&container))
		return error_set(err, ESRCH, "container not running");
	int frozen = cgroup_frozen(container.cgroup, err);
	if (frozen < 0)
		return frozen;
	if (frozen > 0)
		return error_set(err, EBUSY, "container not running: it is paused already");
	if (cgroup_freeze(container.cgroup, err) < 0)
		return -err->code;
	rc = check_still_live(&container, err);
	if (rc < 0)
		cgroup_thaw(container.cgroup, &ignored);
	return rc;
}

int command_resume(const struct command *command, struct global_options *global, int argc, char **argv,
		   struct error *err)
{
	CLEANUP_CONTEXT struct context context;
	CLEANUP_CONTAINER struct container container = CONTAINER_NONE;

	int rc = context_open_container(&context, global, command, NULL, 0, &argc, argv, 1, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (container_open(&context, argv[0], &container, err) < 0)
		return -err->code;
	int frozen = cgroup_frozen(container.cgroup, err);
	if (frozen < 0)
		return frozen;
	if (frozen == 0)
		return error_set(err, EINVAL, "container not paused");
	return cgroup_thaw(container.cgroup, err);
}
