/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "hooks/hooks.h"
#include "hooks/keeper.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"

/* A NULL-terminated array of the strings, malloc'ed; `first` stands in for an empty one when it is not NULL. The
 * strings stay in the plan. */
static char **string_array(const struct plan *plan, struct plan_array array, const char *first)
{
	const plan_string *items = plan_items(plan, array);
	char **strings = calloc((size_t)array.count + 2, sizeof *strings);

	if (strings == NULL)
		return NULL;
	for (uint32_t i = 0; i < array.count; i++)
		strings[i] = (char *)(uintptr_t)plan_text(plan, items[i]);
	if (array.count == 0)
		strings[0] = (char *)(uintptr_t)first;
	return strings;
}

/* Reads the whole result. Returns 0, or -EPIPE when the keeper ended without one. */
static int read_result(int fd, struct keeper_result *result)
{
	size_t length = 0;

	while (length < sizeof *result) {
		ssize_t count = read(fd, (char *)result + length, sizeof *result - length);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -errno;
		if (count == 0)
			return -EPIPE;
		length += (size_t)count;
	}
	return 0;
}

static int run_keeper(const struct keeper_hook *hook, struct keeper_result *result)
{
	CLEANUP_CLOSE int caller = sl_pidfd_open(getpid(), 0);
	CLEANUP_CLOSE int receive = -1;
	CLEANUP_CLOSE int send = -1;
	int ends[2];

	if (caller < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	receive = ends[0];
	send = ends[1];
	pid_t pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		keeper_main(hook, send, caller);
	close(take_fd(&send));
	int rc = read_result(receive, result);
	/* Nothing to learn from the status; ECHILD when the caller ignores SIGCHLD. */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return rc;
}

static void trim(char *text)
{
	size_t length = strlen(text);

	while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
		text[--length] = '\0';
}

static int judge(const struct keeper_hook *hook, struct keeper_result *result, const char *kind, uint32_t index,
		 struct error *err)
{
	char how[64];

	switch (result->outcome) {
	case KEEPER_EXITED:
		if (result->value == 0)
			return 0;
		snprintf(how, sizeof how, "exit status %d", result->value);
		break;
	case KEEPER_SIGNALLED:
		snprintf(how, sizeof how, "signal: %s", strsignal(result->value));
		break;
	case KEEPER_TIMED_OUT:
		return error_set(err, ETIMEDOUT,
				 "error running %s hook #%u: hook ran past specified timeout of %d.0s (%s)", kind,
				 index, hook->timeout, hook->path);
	case KEEPER_NOT_EXECUTED:
		return error_errno(err, result->value, "error running %s hook #%u: exec %s", kind, index, hook->path);
	default:
		return error_errno(err, result->value, "error running %s hook #%u: %s can't be watched", kind, index,
				   hook->path);
	}
	result->output[sizeof result->output - 1] = '\0';
	result->errors[sizeof result->errors - 1] = '\0';
	trim(result->output);
	trim(result->errors);
	return error_set(err, ECANCELED, "error running %s hook #%u: %s, stdout: %s, stderr: %s (%s)", kind, index, how,
			 result->output, result->errors, hook->path);
}

static int run_one(const struct plan *plan, const struct plan_hook *planned, const char *kind, uint32_t index,
		   const char *state, size_t state_length, struct error *err)
{
	const char *path = plan_text(plan, planned->path);
	CLEANUP_FREE char **arguments = string_array(plan, planned->args, path);
	CLEANUP_FREE char **environment = string_array(plan, planned->env, NULL);
	struct keeper_result result = {0};
	struct keeper_hook hook = {
	    .path = path,
	    .arguments = arguments,
	    .environment = environment,
	    .directory = strcmp(kind, "startContainer") == 0 ? NULL : plan_text(plan, plan->bundle),
	    .state = state,
	    .state_length = state_length,
	    .timeout = planned->timeout,
	};

	if (arguments == NULL || environment == NULL)
		return error_errno(err, ENOMEM, "error running %s hook #%u", kind, index);
	int rc = run_keeper(&hook, &result);
	if (rc == -EPIPE)
		return error_set(err, EPIPE, "error running %s hook #%u: the process that watches %s was killed", kind,
				 index, path);
	if (rc < 0)
		return error_errno(err, -rc, "error running %s hook #%u: %s", kind, index, path);
	return judge(&hook, &result, kind, index, err);
}

int hooks_run(const struct plan *plan, struct plan_array hooks, const char *kind, const char *state,
	      size_t state_length, struct error *err)
{
	const struct plan_hook *items = plan_items(plan, hooks);

	for (uint32_t i = 0; i < hooks.count; i++) {
		int rc = run_one(plan, &items[i], kind, i, state, state_length, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

void hooks_run_all(const struct plan *plan, struct plan_array hooks, const char *kind, const char *state,
		   size_t state_length, void (*warn)(void *context, const char *message), void *context)
{
	const struct plan_hook *items = plan_items(plan, hooks);

	for (uint32_t i = 0; i < hooks.count; i++) {
		struct error err = {0};
		if (run_one(plan, &items[i], kind, i, state, state_length, &err) < 0 && warn != NULL)
			warn(context, err.message);
	}
}
