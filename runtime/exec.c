/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/context.h"
#include "runtime/exec_process.h"
#include "runtime/output.h"
#include "sandbox/cgroup/cgroup.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/process_plan.h"
#include "sandbox/plan_builder.h"
#include "sandbox/session/console.h"
#include "sandbox/session/exec.h"

/* runc's exit status for an exec that could not be done. */
#define EXIT_EXEC_FAILED 255

/* An exec from options to job; descriptors are -1 when absent. */
struct execution {
	struct context *context;
	const char *id;
	struct exec_options options;
	struct session_client client;
	struct session_answer session;
	const struct plan *plan;
	int process_fd;
	int console_socket;
	int console_ours;
	bool terminal;
};

static void warn(void *data, const char *message)
{
	const struct context *context = data;

	log_message(&context->log, LOG_LEVEL_WARNING, "%s", message);
}

/* A frozen process never answers: refuse, unless the caller knows (runc's rule). */
static int check_paused(const struct execution *execution, struct error *err)
{
	__attribute__((cleanup(cgroup_freep))) struct cgroup *cgroup = NULL;

	if (execution->options.ignore_paused || execution->plan->cgroup_paths.count == 0)
		return 0;
	if (cgroup_open(execution->plan, &cgroup, err) < 0)
		return -err->code;
	int frozen = cgroup_frozen(cgroup, err);
	if (frozen > 0)
		return error_set(err, EBUSY, "cannot exec in a paused container (use --ignore-paused to override)");
	return frozen;
}

static int plan_process(struct execution *execution, int argc, char **argv, struct error *err)
{
	CLEANUP_PLAN_BUILDER struct plan_builder builder;
	struct oci_process *process;
	const struct process_plan_options options = {
	    .exec = true,
	    .userns = execution->plan->userns,
	    .container = execution->plan,
	    .warn = warn,
	    .warn_context = execution->context,
	};

	plan_builder_init(&builder);
	if (exec_process_make(execution->context, &execution->options, execution->plan, argc, argv, &process, err) <
		0 ||
	    process_plan(&builder, process, &builder.plan.process, &options, err) < 0)
		return -err->code;
	/* The console socket alone says "terminal" when the process file leaves it out (podman 5). */
	execution->terminal = process->terminal;
	execution->process_fd = plan_seal(&builder, err);
	return execution->process_fd < 0 ? -err->code : 0;
}

static int open_console(struct execution *execution, struct error *err)
{
	int pair[2];

	if (console_check(execution->terminal, execution->options.detach, execution->options.console_socket, err) < 0)
		return -err->code;
	if (!execution->terminal)
		return 0;
	if (execution->options.console_socket != NULL) {
		execution->console_socket = console_socket_connect(execution->options.console_socket, err);
		return execution->console_socket < 0 ? -err->code : 0;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return error_errno(err, errno, "make a socket pair for the terminal");
	execution->console_ours = pair[0];
	execution->console_socket = pair[1];
	return 0;
}

/* Relays terminal and signals until the job ended. Returns its exit status. */
static int attend(struct session_job *job, struct console_relay *console, int signals)
{
	int status;

	for (;;) {
		struct pollfd fds[2 + CONSOLE_POLL_FDS] = {
		    {.fd = job->pidfd, .events = POLLIN},
		    {.fd = signals, .events = POLLIN},
		};
		size_t count = 2;
		if (console != NULL)
			count += console_relay_poll(console, fds + 2);
		if (poll(fds, (nfds_t)count, -1) < 0)
			continue;
		if (console != NULL)
			console_relay_handle(console, fds + 2, count - 2);
		if (fds[1].revents != 0)
			output_forward_signal(signals, job->pidfd, console);
		if (fds[0].revents != 0)
			break;
	}
	while (waitpid(job->pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_EXEC_FAILED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_job(struct execution *execution, struct session_job *job, struct error *err)
{
	CLEANUP_CONSOLE_RELAY struct console_relay console = CONSOLE_RELAY_NONE;
	CLEANUP_CLOSE int signals = -1;
	bool relay = execution->console_ours >= 0;

	if (!execution->options.detach) {
		signals = output_block_signals(err);
		if (signals < 0)
			return -err->code;
	}
	cleanup_close(&execution->console_socket);
	execution->console_socket = -1;
	if (relay && console_relay_init(&console, execution->console_ours, err) < 0)
		return -err->code;
	if (execution->options.pid_file != NULL && output_pid_file(execution->options.pid_file, job->pid, err) < 0)
		return -err->code;
	if (execution->options.pidfd_socket != NULL &&
	    output_pidfd_socket(execution->options.pidfd_socket, job->pidfd, err) < 0)
		return -err->code;
	if (session_exec_start(job, err) < 0)
		return -err->code;
	if (execution->options.detach)
		return 0;
	int status = attend(job, relay ? &console : NULL, signals);
	if (relay)
		console_relay_drain(&console);
	return status;
}

/* Whoever describes a process in a file, detaches from it and wants its pid is an engine that waits for it, and does
 * not let go of the container before it is gone: elsewhere it ends with the pid namespace. Not so with --session. */
static bool is_watched(const struct exec_options *options)
{
	return options->process != NULL && options->pid_file != NULL && options->detach && !options->session;
}

static int carry_out(struct execution *execution, int argc, char **argv, struct error *err)
{
	struct session_job job;

	if (session_connect(&execution->context->place, execution->id, &execution->client, err) < 0 ||
	    session_request(&execution->client, REQUEST_JOIN, execution->options.session, NULL, 0,
			    SESSION_ANSWER_TIMEOUT_MS, &execution->session, err) < 0 ||
	    plan_map(execution->session.plan_fd, &execution->plan, err) < 0 || check_paused(execution, err) < 0 ||
	    plan_process(execution, argc, argv, err) < 0 || open_console(execution, err) < 0)
		return -err->code;
	const struct session_exec_order order = {
	    .client = &execution->client,
	    .session = &execution->session,
	    .plan = execution->plan,
	    .id = execution->id,
	    .process_fd = execution->process_fd,
	    .console_socket = execution->console_socket,
	    .cgroup = execution->options.cgroup,
	    .preserve_fds = (unsigned int)execution->options.preserve_fds,
	    .ends_with_main = is_watched(&execution->options),
	};
	if (session_exec_create(&order, &job, err) < 0)
		return -err->code;
	int rc = run_job(execution, &job, err);
	if (rc < 0) {
		sl_pidfd_send_signal(job.pidfd, SIGKILL);
		while (waitpid(job.pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	session_job_close(&job);
	return rc;
}

int command_exec(const struct command *command, struct global_options *global, int argc, char **argv, struct error *err)
{
	CLEANUP_CONTEXT struct context context = {.log = {.fd = -1}, .place = {.directory = -1}};
	struct execution execution = {
	    .context = &context,
	    .client = SESSION_CLIENT_NONE,
	    .session = SESSION_ANSWER_NONE,
	    .process_fd = -1,
	    .console_socket = -1,
	    .console_ours = -1,
	};
	const struct option_row rows[] = {EXEC_OPTION_ROWS(execution.options)};

	/* What stands behind the container's id is the program and its options. */
	int rc = options_parse(command, rows, ARRAY_SIZE(rows), &argc, argv, true, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (arguments_check(command, argc, 1, -1, err) < 0 || session_id_check(argv[0], err) < 0 ||
	    context_open(&context, global, err) < 0 || output_check_preserved(execution.options.preserve_fds, err) < 0)
		return -err->code;
	execution.id = argv[0];
	rc = carry_out(&execution, argc - 1, argv + 1, err);
	session_disconnect(&execution.client);
	session_answer_close(&execution.session);
	cleanup_close(&execution.process_fd);
	cleanup_close(&execution.console_socket);
	cleanup_close(&execution.console_ours);
	if (rc < 0) {
		error_wrap(err, "exec failed");
		log_fatal(&context.log, err);
		return EXIT_EXEC_FAILED;
	}
	return rc;
}
