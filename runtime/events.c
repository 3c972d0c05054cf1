/* SPDX-License-Identifier: Apache-2.0 */
/* events: statistics and out of memory, one JSON object a line, in runc's form; at the end how the main process ended,
 * which runc does not tell. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "runtime/container.h"
#include "runtime/duration.h"
#include "runtime/report.h"
#include "sandbox/cgroup/oom.h"
#include "sandbox/cgroup/rdt.h"
#include "sandbox/cgroup/stats.h"
#include "sandbox/common/cleanup.h"

/* A call of events. */
struct watching {
	struct context *context;
	const char *id;
	struct container *container;
	struct cgroup_oom oom; /* oom.fd is -1: not watched */
	int timer;
};

/* Whoever reads wants each line as it comes, and nobody is told for ever when the reader is gone. */
static int print_line(const struct json_writer *text, struct error *err)
{
	if (puts(text->data) < 0 || fflush(stdout) != 0)
		return error_errno(err, errno, "write an event");
	return 0;
}

static int print_stats(const struct watching *watching, struct error *err)
{
	CLEANUP_CGROUP_STATS struct cgroup_stats stats = {0};
	CLEANUP_JSON_WRITER struct json_writer text = JSON_WRITER(0);

	if (cgroup_stats_read(watching->container->cgroup, &stats, err) < 0)
		return -err->code;
	const char *rdt = rdt_stats_json(&stats.arena, watching->container->plan);
	cgroup_event_json("stats", watching->id, &stats, rdt, &text);
	return print_line(&text, err);
}

static int print_oom(const struct watching *watching, struct error *err)
{
	CLEANUP_JSON_WRITER struct json_writer text = JSON_WRITER(0);

	cgroup_event_json("oom", watching->id, NULL, NULL, &text);
	return print_line(&text, err);
}

static int print_exit(const struct watching *watching, const struct reply *reply, struct error *err)
{
	CLEANUP_JSON_WRITER struct json_writer text = JSON_WRITER(0);

	json_begin_object(&text);
	json_key_string(&text, "type", "exit");
	json_key_string(&text, "id", watching->id);
	json_key(&text, "data");
	json_begin_object(&text);
	report_exit(reply, &text);
	json_end_object(&text);
	json_end_object(&text);
	return print_line(&text, err);
}

static int handle_oom(struct watching *watching, struct error *err)
{
	int happened = cgroup_oom_read(&watching->oom);

	/* The end of the main process, which is near, is told by the supervisor. */
	if (happened < 0)
		cgroup_oom_close(&watching->oom);
	return happened > 0 ? print_oom(watching, err) : 0;
}

/* The main process ended, or the session did. */
static int handle_end(struct watching *watching, struct error *err)
{
	CLEANUP_SESSION_ANSWER struct session_answer answer;

	int rc = session_receive(&watching->container->client, -1, &answer, err);
	if (rc == 0 && watching->oom.fd >= 0 && cgroup_oom_pending(&watching->oom))
		rc = print_oom(watching, err);
	return rc < 0 ? rc : print_exit(watching, &answer.reply, err);
}

static void handle_tick(const struct watching *watching)
{
	uint64_t expirations;
	struct error err = {0};

	if (read(watching->timer, &expirations, sizeof expirations) != sizeof expirations)
		return;
	/* Once more or less does not matter: the cgroup may be going away just now. */
	if (print_stats(watching, &err) < 0)
		log_message(&watching->context->log, LOG_LEVEL_ERROR, "%s", err.message);
}

static int watch(struct watching *watching, struct error *err)
{
	for (;;) {
		struct pollfd fds[] = {
		    {.fd = watching->container->client.fd, .events = POLLIN},
		    {.fd = watching->oom.fd, .events = POLLIN},
		    {.fd = watching->timer, .events = POLLIN},
		};
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
			continue;
		if (fds[1].revents != 0 && handle_oom(watching, err) < 0)
			return -err->code;
		if (fds[0].revents != 0)
			return handle_end(watching, err);
		if (fds[2].revents != 0)
			handle_tick(watching);
		if (ferror(stdout))
			return error_set(err, EPIPE, "write an event: the reader is gone");
	}
}

static int start_watching(struct watching *watching, int interval, struct error *err)
{
	const struct timespec span = {interval / 1000, (long)(interval % 1000) * 1000000};
	const struct itimerspec ticks = {.it_interval = span, .it_value = span};
	size_t count;
	const struct cgroup_path *paths = cgroup_paths(watching->container->cgroup, &count);

	if (cgroup_oom_watch(paths, count, &watching->oom, err) == -ENODEV) {
		log_message(&watching->context->log, LOG_LEVEL_WARNING, "out of memory will not be told: %s",
			    err->message);
		error_clear(err);
	}
	if (err->code != 0)
		return -err->code;
	watching->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (watching->timer < 0 || timerfd_settime(watching->timer, 0, &ticks, NULL) < 0)
		return error_errno(err, errno, "start the timer of events");
	return session_send(&watching->container->client, REQUEST_WAIT, 0, NULL, 0, err);
}

int command_events(const struct command *command, struct global_options *global, int argc, char **argv,
		   struct error *err)
{
	CLEANUP_CONTEXT struct context context;
	CLEANUP_CONTAINER struct container container = CONTAINER_NONE;
	const char *interval = "5s";
	bool stats = false;
	int milliseconds;
	const struct option_row rows[] = {
	    {"interval", 0, OPTION_STRING, &interval, "DURATION", "how often statistics are printed (default: 5s)"},
	    {"stats", 0, OPTION_FLAG, &stats, NULL, "print the statistics once and exit"},
	};

	int rc = context_open_container(&context, global, command, rows, ARRAY_SIZE(rows), &argc, argv, 1, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (duration_parse(interval, &milliseconds) < 0)
		return error_set(err, EINVAL, "--interval: \"%s\" is not a duration such as 10s, 500ms or 1m30s",
				 interval);
	if (milliseconds == 0)
		return error_set(err, EINVAL, "duration interval must be greater than 0");
	if (container_open(&context, argv[0], &container, err) < 0)
		return -err->code;
	if (!container_is_live(&container))
		return error_set(err, ESRCH, "container with id %s is not running", argv[0]);
	struct watching watching = {
	    .context = &context, .id = argv[0], .container = &container, .oom = CGROUP_OOM_NONE, .timer = -1};
	if (stats)
		return print_stats(&watching, err);
	rc = start_watching(&watching, milliseconds, err);
	if (rc == 0)
		rc = watch(&watching, err);
	cgroup_oom_close(&watching.oom);
	cleanup_close(&watching.timer);
	return rc;
}
