/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "runtime/report.h"
#include "runtime/signals.h"
#include "sandbox/cgroup/kill.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/session/end.h"
#include "sandbox/session/jobs.h"

/* A supervisor that does not answer can only be killed, and everything dies with it (design N6). */
static int kill_unresponsive(struct context *context, const char *id, struct session_client *client, int signal_number,
			     struct error *err)
{
	if (signal_number != SIGKILL)
		return -err->code;
	error_clear(err);
	return session_end(&context->place, id, client, err);
}

/* First the main process, so that the supervisor knows who killed it; this thaws a paused container, too. What jobs
 * are left of a frozen one could not die either. */
static int kill_main(struct session_client *client, int plan_memfd, struct error *err)
{
	CLEANUP_SESSION_ANSWER struct session_answer answer;
	const struct plan *plan;

	int rc = session_request(client, REQUEST_KILL, SIGKILL, NULL, 0, SESSION_ANSWER_TIMEOUT_MS, &answer, err);
	if (rc != -ESRCH)
		return rc;
	error_clear(err);
	return plan_map(plan_memfd, &plan, err) < 0 ? -err->code : cgroup_thaw_plan(plan, err);
}

static int kill_all(struct context *context, const char *id, struct session_client *client, int signal_number,
		    struct error *err)
{
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;

	int rc = session_request(client, REQUEST_STATE, 0, NULL, 0, SESSION_ANSWER_TIMEOUT_MS, &answer, err);
	if (rc == -ETIMEDOUT)
		return kill_unresponsive(context, id, client, signal_number, err);
	if (rc < 0)
		return rc;
	if (answer.reply.reach == REACH_PIDNS || answer.reply.reach == REACH_CGROUP) {
		struct report report;
		struct session_members members;
		if (report_make(context, &answer, &report, err) < 0)
			return -err->code;
		report_members(&answer, &report.record, &members);
		if (signal_number == SIGKILL && kill_main(client, answer.plan_fd, err) < 0)
			return -err->code;
		return session_jobs_signal(&members, signal_number, err);
	}
	/* What left the main process's hands cannot be named: say so (S7). */
	session_answer_close(&answer);
	rc = session_request(client, REQUEST_KILL, signal_number, NULL, 0, SESSION_ANSWER_TIMEOUT_MS, &answer, err);
	if (rc < 0)
		return rc;
	return error_set(
	    err, EPERM,
	    "container \"%s\" has neither a pid namespace nor a cgroup of its own: only the main process was signalled",
	    id);
}

int command_kill(const struct command *command, struct global_options *global, int argc, char **argv, struct error *err)
{
	CLEANUP_CONTEXT struct context context;
	CLEANUP_SESSION_CLIENT struct session_client client = SESSION_CLIENT_NONE;
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;
	bool all = false;
	const struct option_row rows[] = {
	    {"all", 'a', OPTION_FLAG, &all, NULL, "signal all processes, also after the main process ended"},
	};

	int rc = context_open_container(&context, global, command, rows, ARRAY_SIZE(rows), &argc, argv, 2, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	int signal_number = signal_parse(argc > 1 ? argv[1] : "TERM");
	if (signal_number < 0)
		return error_set(err, EINVAL, "unknown signal \"%s\"", argv[1]);
	if (session_connect(&context.place, argv[0], &client, err) < 0)
		return -err->code;
	if (all)
		return kill_all(&context, argv[0], &client, signal_number, err);
	rc = session_request(&client, REQUEST_KILL, signal_number, NULL, 0, SESSION_ANSWER_TIMEOUT_MS, &answer, err);
	return rc == -ETIMEDOUT ? kill_unresponsive(&context, argv[0], &client, signal_number, err) : rc;
}
