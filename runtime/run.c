/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "runtime/creation.h"
#include "runtime/delete.h"
#include "runtime/output.h"
#include "runtime/start.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/session/console.h"

/* A foreground run: what its loop watches. */
struct foreground {
	struct session_created *created;
	struct console_relay *console; /* NULL: no terminal */
	struct notify *notify;
	int signals;
};

/* Waits for the main process; signals are forwarded and a terminal is relayed meanwhile. */
static int attend(const struct foreground *foreground, struct session_answer *answer, struct error *err)
{
	struct session_client *client = &foreground->created->supervisor;

	if (session_send(client, REQUEST_WAIT, 0, NULL, 0, err) < 0)
		return -err->code;
	for (;;) {
		struct pollfd fds[3 + CONSOLE_POLL_FDS] = {
		    {.fd = client->fd, .events = POLLIN},
		    {.fd = foreground->signals, .events = POLLIN},
		    notify_poll(foreground->notify),
		};
		size_t count = 3;
		if (foreground->console != NULL)
			count += console_relay_poll(foreground->console, fds + 3);
		if (poll(fds, (nfds_t)count, -1) < 0)
			continue;
		if (foreground->console != NULL)
			console_relay_handle(foreground->console, fds + 3, count - 3);
		if (fds[2].revents != 0)
			notify_forward(foreground->notify);
		if (fds[1].revents != 0)
			output_forward_signal(foreground->signals, foreground->created->main_pidfd,
					      foreground->console);
		if (fds[0].revents == 0)
			continue;
		/* The last words. */
		notify_forward(foreground->notify);
		return session_receive(client, -1, answer, err);
	}
}

static int exit_status(const struct session_answer *answer)
{
	return answer->reply.exit_kind == EXIT_CODE     ? answer->reply.exit_value
	       : answer->reply.exit_kind == EXIT_SIGNAL ? 128 + answer->reply.exit_value
							: 255;
}

static int run_foreground(struct context *context, const char *id, const struct creation_options *options,
			  struct creation_plan *plan, struct session_created *created, int signals, struct error *err)
{
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;
	CLEANUP_CONSOLE_RELAY struct console_relay console = CONSOLE_RELAY_NONE;
	CLEANUP_NOTIFY struct notify notify = creation_take_notify(plan, created);
	struct foreground foreground = {created, NULL, &notify, signals};
	struct error ignored = {0};

	if (plan->console_ours >= 0) {
		if (console_relay_init(&console, plan->console_ours, err) < 0) {
			delete_container(context, id, &created->supervisor, true, &ignored);
			return -err->code;
		}
		foreground.console = &console;
	}
	int rc = start_container(context, id, &created->supervisor, err);
	if (rc == 0)
		rc = attend(&foreground, &answer, err);
	if (foreground.console != NULL) {
		console_relay_drain(&console);
		console_relay_restore(&console);
	}
	if (rc == 0 && options->keep) {
		creation_hand_over_notify(created, &notify, &ignored);
		return exit_status(&answer);
	}
	int deleted = delete_container(context, id, &created->supervisor, true, rc < 0 ? &ignored : err);
	return rc < 0 ? rc : deleted < 0 ? deleted : exit_status(&answer);
}

/* A service of Type=notify must not lose its main process before it is ready, so this one stays until then, and tells
 * which follows it. */
static int await_ready(struct session_created *created, struct notify *notify, struct error *err)
{
	notify->main_pid = created->main_pid;
	while (notify->inside >= 0 && !notify->ready) {
		struct pollfd fds[2] = {{.fd = created->main_pidfd, .events = POLLIN}, notify_poll(notify)};
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
			continue;
		notify_forward(notify);
		if (fds[0].revents != 0)
			break;
	}
	return creation_hand_over_notify(created, notify, err);
}

int command_run(const struct command *command, struct global_options *global, int argc, char **argv, struct error *err)
{
	CLEANUP_CONTEXT struct context context;
	CLEANUP_CREATION_PLAN struct creation_plan plan = {.plan_fd = -1,
							   .bundle_fd = -1,
							   .console_socket = -1,
							   .console_ours = -1,
							   .owner_pidfd = -1,
							   .notify_manager = -1};
	struct creation_options options = {.bundle = "."};
	struct session_created created;
	const struct option_row rows[] = {
	    {"detach", 'd', OPTION_FLAG, &options.detach, NULL, "return when the process was started"},
	    CREATION_OPTION_ROWS(options),
	};

	int rc = context_open_container(&context, global, command, rows, ARRAY_SIZE(rows), &argc, argv, 1, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (creation_plan_make(&context, &options, argv[0], &plan, err) < 0)
		return -err->code;
	if (plan.config->process == NULL)
		return error_set(err, EINVAL, "process: config.json has no process to run");

	CLEANUP_CLOSE int signals = -1;
	if (!options.detach) {
		/* Before the container exists: no signal may end us and leave it to the supervisor's care. */
		signals = output_block_signals(err);
		if (signals < 0)
			return -err->code;
	}
	if (creation_carry_out(&context, &options, argv[0], &plan, &created, err) < 0)
		return -err->code;
	if (options.detach) {
		rc = start_container(&context, argv[0], &created.supervisor, err);
		CLEANUP_NOTIFY struct notify notify = creation_take_notify(&plan, &created);
		if (rc == 0)
			rc = await_ready(&created, &notify, err);
		if (rc < 0) {
			struct error ignored = {0};
			delete_container(&context, argv[0], &created.supervisor, true, &ignored);
		}
	} else {
		rc = run_foreground(&context, argv[0], &options, &plan, &created, signals, err);
	}
	session_created_close(&created);
	return rc;
}
