/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start.h"

#include <errno.h>
#include <signal.h>

#include "hooks/hooks.h"
#include "runtime/context.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"

/* config.md "poststart": an error ends the container. */
static int run_poststart(const struct session_answer *answer, struct error *err)
{
	const struct plan *plan;
	CLEANUP_FREE char *state = NULL;
	size_t length;

	if (plan_map(answer->plan_fd, &plan, err) < 0 ||
	    hooks_state(plan, "running", answer->reply.main_pid, &state, &length, err) < 0 ||
	    hooks_run(plan, plan->hooks_poststart, "poststart", state, length, err) < 0) {
		if (answer->main_pidfd >= 0)
			sl_pidfd_send_signal(answer->main_pidfd, SIGKILL);
		return -err->code;
	}
	return 0;
}

int start_container(struct session_client *client, struct error *err)
{
	CLEANUP_SESSION_ANSWER struct session_answer answer;

	/* startContainer hooks may take their time. */
	int rc = session_request(client, REQUEST_START, 0, NULL, 0, -1, &answer, err);
	if (rc == 0 && (answer.reply.flags & REPLY_POSTSTART) != 0)
		rc = run_poststart(&answer, err);
	return rc;
}

int command_start(const struct command *command, struct global_options *global, int argc, char **argv, struct error *err)
{
	CLEANUP_CONTEXT struct context context;
	CLEANUP_SESSION_CLIENT struct session_client client = SESSION_CLIENT_NONE;

	int rc = context_open_container(&context, global, command, NULL, 0, &argc, argv, 1, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (session_connect(&context.place, argv[0], &client, err) < 0)
		return -err->code;
	return start_container(&client, err);
}
