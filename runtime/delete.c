/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/delete.h"

#include <errno.h>
#include <poll.h>

#include "hooks/hooks.h"
#include "runtime/report.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/session/end.h"

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

/* No answer in time. A supervisor that answers other questions waits for processes that SIGKILL does not end. */
static int end_silent(struct context *context, const char *id, struct session_client *client, struct error *err)
{
	CLEANUP_SESSION_CLIENT struct session_client second = SESSION_CLIENT_NONE;
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;
	struct report report;

	error_clear(err);
	int rc = context_state(context, id, &second, &answer, err);
	if (rc == -ETIMEDOUT) {
		error_clear(err);
		return session_end(&context->place, id, client, err);
	}
	if (rc < 0) /* it ended after all */
		return session_await_end(&context->place, id, client, err);
	size_t left = report_make(context, &answer, &report, err) == 0 ? report.session.processes : 0;
	return error_set(
	    err, EBUSY,
	    "container \"%s\" is being deleted, but its processes (%zu at least) have not ended after SIGKILL", id,
	    left > 0 ? left : 1);
}

int delete_container(struct context *context, const char *id, struct session_client *client, bool force,
		     struct error *err)
{
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;
	struct log *log = &context->log;

	int rc = session_request(client, REQUEST_DELETE, force, NULL, 0, SESSION_ANSWER_TIMEOUT_MS, &answer, err);
	/* Gone, which is what was wanted, if it is true. */
	if (rc == -EPIPE) {
		error_clear(err);
		return session_await_end(&context->place, id, client, err);
	}
	if (rc == -ETIMEDOUT)
		return end_silent(context, id, client, err);
	if (rc < 0)
		return rc;
	if ((answer.reply.flags & REPLY_ZOMBIE_HELD) != 0)
		log_message(log, LOG_LEVEL_DEBUG,
			    "everything is dead, but a parent outside the container has not reaped its child yet");
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
	return rc < 0 ? rc : delete_container(&context, argv[0], &client, force, err);
}
