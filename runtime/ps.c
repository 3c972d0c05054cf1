/* SPDX-License-Identifier: Apache-2.0 */
/* ps: the processes of a session by their numbers on the host; as a table that ps(1) makes, or as JSON. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/container.h"
#include "runtime/report.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "sandbox/session/jobs.h"

/* ps(1) lists the whole host. */
#define OUTPUT_MAX (64u << 20)

static int compare(const void *left, const void *right)
{
	pid_t a = *(const pid_t *)left, b = *(const pid_t *)right;

	return (a > b) - (a < b);
}

static bool contains(const struct cgroup_pids *pids, pid_t pid)
{
	return pids->count > 0 && bsearch(&pid, pids->items, pids->count, sizeof pid, compare) != NULL;
}

static int add(pid_t pid, int pidfd, void *data)
{
	struct cgroup_pids *pids = data;
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};

	/* A zombie's number is about to be somebody else's. */
	if (poll(&ended, 1, 0) > 0)
		return 0;
	if (pids->count == pids->capacity) {
		size_t capacity = pids->capacity == 0 ? 64 : pids->capacity * 2;
		pid_t *items = reallocarray(pids->items, capacity, sizeof *items);
		if (items == NULL)
			return -ENOMEM;
		pids->items = items;
		pids->capacity = capacity;
	}
	pids->items[pids->count++] = pid;
	return 0;
}

/* The live processes of the session, sorted. */
static int list(struct context *context, const struct container *container, struct cgroup_pids *pids, struct error *err)
{
	const struct reply *reply = &container->answer.reply;
	struct session_members members = {.reaper_pid = reply->reaper_pid,
					  .reaper_pidfd = container->answer.reaper_pidfd};
	int rc;

	pids->count = 0;
	members.paths_count = cgroup_paths_from_plan(container->plan, members.paths);
	if (members.reaper_pid <= 0 && members.paths_count == 0) {
		log_message(&context->log, LOG_LEVEL_WARNING,
			    "the container has neither a pid namespace nor a cgroup of its own: only its main process "
			    "is known");
		rc = reply->main_pid > 0 ? add(reply->main_pid, container->answer.main_pidfd, pids) : 0;
	} else {
		rc = session_jobs_each(&members, add, pids, err);
	}
	if (rc == -ENOMEM)
		return error_errno(err, ENOMEM, "list the session's processes");
	if (rc == 0 && pids->count > 0)
		qsort(pids->items, pids->count, sizeof *pids->items, compare);
	return rc;
}

static void print_json(const struct cgroup_pids *pids)
{
	CLEANUP_JSON_WRITER struct json_writer text = JSON_WRITER(0);

	json_begin_array(&text);
	for (size_t i = 0; i < pids->count; i++)
		json_i64(&text, pids->items[i]);
	json_end_array(&text);
	puts(text.data);
}

static int spawn_ps(char **arguments, int output, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t pipe_signal;

	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	int code = posix_spawnp(pid, "ps", &actions, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -code;
}

/* What ps(1) says. */
static int run_ps(struct arena *arena, int argc, char **argv, char **text, struct error *err)
{
	char *standard[] = {(char[]){"ps"}, (char[]){"-ef"}, NULL};
	char **arguments = arena_array(arena, (size_t)argc + 2, sizeof *arguments);
	CLEANUP_CLOSE int reader = -1;
	int pair[2], status;
	size_t length;
	pid_t pid;

	arguments[0] = standard[0];
	memcpy(arguments + 1, argv, (size_t)argc * sizeof *argv);
	if (pipe2(pair, O_CLOEXEC) < 0)
		return error_errno(err, errno, "make a pipe for ps");
	reader = pair[0];
	int rc = spawn_ps(argc == 0 ? standard : arguments, pair[1], &pid);
	close(pair[1]);
	if (rc == -ENOENT)
		return error_set(err, ENOENT, "exec: \"ps\": executable file not found in $PATH");
	if (rc < 0)
		return error_errno(err, -rc, "run ps");
	rc = file_read_all(reader, OUTPUT_MAX, text, &length);
	if (rc < 0)
		kill(pid, SIGKILL); /* our child, not reaped yet */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (rc < 0)
		return error_errno(err, -rc, "read what ps says");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	for (char *c = *text; *c != '\0'; c++)
		if (*c == '\n')
			*c = ' ';
	if (WIFEXITED(status))
		error_set(err, EINVAL, "ps: exit status %d: %s", WEXITSTATUS(status), *text);
	else
		error_set(err, EINVAL, "ps: signal %d: %s", WTERMSIG(status), *text);
	free(*text);
	*text = NULL;
	return -err->code;
}

/* The start of the field with this index. NULL if there are not so many. */
static const char *field(const char *line, size_t index)
{
	line += strspn(line, " \t");
	for (; index > 0 && *line != '\0'; index--) {
		line += strcspn(line, " \t");
		line += strspn(line, " \t");
	}
	return *line == '\0' ? NULL : line;
}

static bool find_pid_field(const char *header, size_t *index)
{
	const char *text;

	for (*index = 0; (text = field(header, *index)) != NULL; (*index)++)
		if (strcspn(text, " \t") == 3 && memcmp(text, "PID", 3) == 0)
			return true;
	return false;
}

static int parse_pid(const char *line, size_t index, int *pid)
{
	const char *text = field(line, index);
	char number[16];

	if (text == NULL ||
	    snprintf(number, sizeof number, "%.*s", (int)strcspn(text, " \t"), text) >= (int)sizeof number)
		return -EINVAL;
	return number_parse_int(number, 0, INT32_MAX, pid);
}

/* Rows of processes that were in the session before and after ps(1) looked: their numbers were theirs meanwhile. */
static int print_rows(char *text, const struct cgroup_pids *before, const struct cgroup_pids *after, struct error *err)
{
	char *position;
	char *line = strtok_r(text, "\n", &position);
	size_t index;
	int pid;

	if (line == NULL || !find_pid_field(line, &index))
		return error_set(err, EINVAL, "couldn't find PID field in ps output");
	puts(line);
	while ((line = strtok_r(NULL, "\n", &position)) != NULL) {
		if (parse_pid(line, index, &pid) < 0)
			return error_set(err, EINVAL, "unable to parse pid in the line \"%s\" of ps", line);
		if (contains(before, pid) && contains(after, pid))
			puts(line);
	}
	return 0;
}

static int print_table(struct context *context, const struct container *container, int argc, char **argv,
		       const struct cgroup_pids *before, struct error *err)
{
	CLEANUP_CGROUP_PIDS struct cgroup_pids after = {0};
	CLEANUP_FREE char *text = NULL;

	if (run_ps(&context->arena, argc, argv, &text, err) < 0 || list(context, container, &after, err) < 0 ||
	    print_rows(text, before, &after, err) < 0)
		return -err->code;
	if (!container_is_live(container))
		puts("(main exited)");
	return 0;
}

int command_ps(const struct command *command, struct global_options *global, int argc, char **argv, struct error *err)
{
	CLEANUP_CONTEXT struct context context = {.log = {.fd = -1}, .place = {.directory = -1}};
	CLEANUP_CONTAINER struct container container = CONTAINER_NONE;
	CLEANUP_CGROUP_PIDS struct cgroup_pids pids = {0};
	const char *format = "table";
	const struct option_row rows[] = {
	    {"format", 'f', OPTION_STRING, &format, "FORMAT", "table (default) or json, an array of process ids"},
	};

	/* What stands behind the container's id is for ps(1). */
	int rc = options_parse(command, rows, ARRAY_SIZE(rows), &argc, argv, true, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (arguments_check(command, argc, 1, -1, err) < 0)
		return -err->code;
	bool json = strcmp(format, "json") == 0;
	if (!json && strcmp(format, "table") != 0)
		return error_set(err, EINVAL, "invalid format option: \"%s\" is neither table nor json", format);
	if (context_open(&context, global, err) < 0 || container_open(&context, argv[0], &container, err) < 0 ||
	    list(&context, &container, &pids, err) < 0)
		return -err->code;
	if (!json)
		return print_table(&context, &container, argc - 1, argv + 1, &pids, err);
	print_json(&pids);
	return 0;
}
