/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/delete.h"

#include <errno.h>
#include <poll.h>

#include "hooks/hooks.h"
#include "runtime/context.h"
#include "sandbox/common/cleanup.h"

static void warn(void *context, const char *message)
{
	const struct log *log = context;

	log_message(log, LOG_LEVEL_WARNING, "%s", message);
}

static void run_poststop(const struct session_answer *answer, struct log *log)
{
	const struct plan *plan;
	CLEANUP_FREE char *state = NULL;
	struct error err = {0};
	size_t length;

	if (plan_map(answer->plan_fd, &plan, &err) < 0 || hooks_state(plan, "stopped", 0, &state, &length, &err) < 0)
		warn(log, err.message);
	else
		hooks_run_all(plan, plan->hooks_poststop, "poststop", state, length, warn, log);
}

int delete_container(struct session_client *client, bool force, struct log *log, struct error *err)
{
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;

	int rc = session_request(client, REQUEST_DELETE, force, NULL, 0, SESSION_ANSWER_TIMEOUT_MS, &answer, err);
	/* Gone, which is what was wanted; or not answering, which a kill of the supervisor settles (N6). */
	if (rc == -EPIPE)
		return 0;
	if (rc == -ETIMEDOUT) {
		error_clear(err);
		return session_kill_supervisor(client, err);
	}
	if (rc < 0)
		return rc;
	if ((answer.reply.flags & REPLY_ZOMBIE_HELD) != 0)
		log_message(log, LOG_LEVEL_DEBUG, "everything is dead, but a parent outside the container has not reaped its child yet");
	/* The supervisor is the last of the session to go. */
	struct pollfd poll_fd = {.fd = client->peer.pidfd, .events = POLLIN};
	if (client->peer.pidfd >= 0)
		poll(&poll_fd, 1, SESSION_ANSWER_TIMEOUT_MS);
	if ((answer.reply.flags & REPLY_POSTSTOP) != 0)
		run_poststop(&answer, log);
	return 0;
}

int command_delete(const struct command *command, struct global_options *global, int argc, char **argv,
		   struct error *err)
{
	CLEANUP_CONTEXT struct context context;
	CLEANUP_SESSION_CLIENT struct session_client client = SESSION_CLIENT_NONE;
	bool force = false;
	const struct option_row rows[] = {
	    {"force", 'f', OPTION_FLAG, &force, NULL, "kill a running main process; no error if there is no container"},
	};

	int rc = context_open_container(&context, global, command, rows, ARRAY_SIZE(rows), &argc, argv, 1, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = session_connect(&context.place, argv[0], &client, err);
	if (rc == -ENOENT) {
		struct error cleared = {0};
		int found = session_place_clear_stale(&context.place, argv[0], &cleared);
		if (found < 0 && found != -ENOENT)
			log_message(&context.log, LOG_LEVEL_WARNING, "%s", cleared.message);
		/* What a killed supervisor left was there to be deleted. */
		return force || found == 0 ? 0 : rc;
	}
	return rc < 0 ? rc : delete_container(&client, force, &context.log, err);
}
