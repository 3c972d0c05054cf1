/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start.h"

#include <errno.h>

#include "hooks/hooks.h"
#include "runtime/context.h"
#include "runtime/delete.h"
#include "sandbox/common/cleanup.h"

static int run_poststart(const struct session_answer *answer, struct error *err)
{
	const struct plan *plan;
	CLEANUP_FREE char *state = NULL;
	size_t length;

	if (plan_map(answer->plan_fd, &plan, err) < 0 ||
	    hooks_state(plan, "running", answer->reply.main_pid, &state, &length, err) < 0)
		return -err->code;
	return hooks_run(plan, plan->hooks_poststart, "poststart", state, length, err);
}

int start_container(struct context *context, const char *id, struct session_client *client, struct error *err)
{
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;
	struct error ignored = {0};

	/* startContainer hooks may take their time, a supervisor that does not answer at all may not. */
	int rc = session_request(client, REQUEST_STATE, 0, NULL, 0, SESSION_ANSWER_TIMEOUT_MS, &answer, err);
	if (rc < 0)
		return rc;
	session_answer_close(&answer);
	rc = session_request(client, REQUEST_START, 0, NULL, 0, -1, &answer, err);
	bool hook_failed = rc == -ECANCELED;
	if (rc == 0 && (answer.reply.flags & REPLY_POSTSTART) != 0) {
		rc = run_poststart(&answer, err);
		hook_failed = rc < 0;
	}
	/* runtime.md "Lifecycle": the container is stopped and destroyed when such a hook fails. */
	if (hook_failed)
		delete_container(context, id, client, true, &ignored);
	return rc;
}

int command_start(const struct command *command, struct global_options *global, int argc, char **argv,
		  struct error *err)
{
	CLEANUP_CONTEXT struct context context;
	CLEANUP_SESSION_CLIENT struct session_client client = SESSION_CLIENT_NONE;

	int rc = context_open_container(&context, global, command, NULL, 0, &argc, argv, 1, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (session_connect(&context.place, argv[0], &client, err) < 0)
		return -err->code;
	return start_container(&context, argv[0], &client, err);
}
