/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "hooks/tree.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/syscalls.h"

/* The keeper's descriptors, above the standard streams so that those of the hook can be put into place. */
#define RESULT_FD 3
#define CALLER_FD 4
#define FIRST_FREE_FD 5

/* How long to wait for killed processes that are stuck in the kernel. */
#define KILL_MILLISECONDS 10000

_Static_assert(sizeof(struct keeper_result) <= PIPE_BUF, "a result is written in one piece");

/* What is polled; the order of struct keeper.fds. */
enum { HOOK, CALLER, INPUT, OUTPUT, ERRORS, EXEC_ERROR, WATCHED };

struct keeper {
	const struct keeper_hook *hook;
	struct pollfd fds[WATCHED];
	pid_t pid;
	size_t state_written;
	int exec_error;
	struct keeper_result result;
};

/* A hook starts with what a login shell would: engines ignore SIGPIPE, and block or ignore others. */
static void reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < _NSIG; number++)
		sl_signal_default(number);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Keeps the two descriptors and nothing else of the caller, its standard streams included. */
static int keep_only(int result_fd, int caller)
{
	int result_copy = fcntl(result_fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	int caller_copy = fcntl(caller, F_DUPFD_CLOEXEC, FIRST_FREE_FD);

	if (result_copy < 0 || caller_copy < 0)
		return -errno;
	if (dup3(result_copy, RESULT_FD, O_CLOEXEC) < 0 || dup3(caller_copy, CALLER_FD, O_CLOEXEC) < 0)
		return -errno;
	/* The numbers below stay taken, with something that can neither be read nor written. */
	for (int fd = 0; fd <= 2; fd++)
		if (dup3(caller_copy, fd, O_CLOEXEC) < 0)
			return -errno;
	return file_close_from(FIRST_FREE_FD);
}

_Noreturn static void run_hook(const struct keeper_hook *hook, int input, int output, int errors, int exec_error)
{
	reset_signals();
	setsid();
	if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(errors, 2) < 0 || dup3(exec_error, 3, O_CLOEXEC) < 0 ||
	    file_close_from(4) < 0)
		goto failed;
	/* A bundle that is gone (poststop) or out of reach (user namespaces) is no reason to skip the hook. */
	if (hook->directory != NULL && chdir(hook->directory) < 0 && chdir("/") < 0)
		goto failed;
	execve(hook->path, hook->arguments, hook->environment);
failed:;
	int code = errno;
	(void)file_write_all(3, &code, sizeof code);
	_exit(127);
}

static int make_pipes(int pipes[4][2])
{
	for (int i = 0; i < 4; i++)
		if (pipe2(pipes[i], O_CLOEXEC) < 0)
			return -errno;
	return 0;
}

/* Starts the hook and fills keeper->fds. */
static int start(struct keeper *keeper)
{
	int pipes[4][2];
	int rc = make_pipes(pipes);

	if (rc < 0)
		return rc;
	keeper->pid = fork();
	if (keeper->pid < 0)
		return -errno;
	if (keeper->pid == 0)
		run_hook(keeper->hook, pipes[0][0], pipes[1][1], pipes[2][1], pipes[3][1]);
	close(pipes[0][0]);
	for (int i = 1; i < 4; i++)
		close(pipes[i][1]);
	int pidfd = sl_pidfd_open(keeper->pid, 0);
	if (pidfd < 0)
		return -errno;
	keeper->fds[HOOK] = (struct pollfd){.fd = pidfd, .events = POLLIN};
	keeper->fds[CALLER] = (struct pollfd){.fd = CALLER_FD, .events = POLLIN};
	keeper->fds[INPUT] = (struct pollfd){.fd = pipes[0][1], .events = POLLOUT};
	keeper->fds[OUTPUT] = (struct pollfd){.fd = pipes[1][0], .events = POLLIN};
	keeper->fds[ERRORS] = (struct pollfd){.fd = pipes[2][0], .events = POLLIN};
	keeper->fds[EXEC_ERROR] = (struct pollfd){.fd = pipes[3][0], .events = POLLIN};
	for (int i = INPUT; i < WATCHED; i++)
		if (fcntl(keeper->fds[i].fd, F_SETFL, O_NONBLOCK) < 0)
			return -errno;
	return 0;
}

static void close_watched(struct pollfd *entry)
{
	close(entry->fd);
	entry->fd = -1; /* poll(2) passes it over */
}

/* Writes as much of the state as the pipe takes. A hook need not read it. */
static void feed(struct keeper *keeper)
{
	struct pollfd *input = &keeper->fds[INPUT];

	while (input->fd >= 0 && keeper->state_written < keeper->hook->state_length) {
		ssize_t count = write(input->fd, keeper->hook->state + keeper->state_written,
				      keeper->hook->state_length - keeper->state_written);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0 && errno == EAGAIN)
			return;
		if (count < 0)
			break;
		keeper->state_written += (size_t)count;
	}
	if (input->fd >= 0)
		close_watched(input);
}

/* Reads what is there; `tail` keeps the end of it. */
static void drain(struct pollfd *entry, char *tail, size_t size)
{
	char buffer[4096];
	size_t length = strlen(tail);

	while (entry->fd >= 0) {
		ssize_t count = read(entry->fd, buffer, sizeof buffer);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0 && errno == EAGAIN)
			return;
		if (count <= 0) {
			close_watched(entry);
			return;
		}
		for (ssize_t i = 0; i < count; i++)
			if (buffer[i] == '\0')
				buffer[i] = ' ';
		size_t room = size - 1, new_length = (size_t)count;
		const char *text = buffer;
		if (new_length >= room) {
			text += new_length - room;
			new_length = room;
			length = 0;
		} else if (length + new_length > room) {
			size_t surplus = length + new_length - room;
			memmove(tail, tail + surplus, length - surplus);
			length -= surplus;
		}
		memcpy(tail + length, text, new_length);
		length += new_length;
		tail[length] = '\0';
	}
}

static void drain_all(struct keeper *keeper)
{
	drain(&keeper->fds[OUTPUT], keeper->result.output, sizeof keeper->result.output);
	drain(&keeper->fds[ERRORS], keeper->result.errors, sizeof keeper->result.errors);
}

static void read_exec_error(struct keeper *keeper)
{
	struct pollfd *entry = &keeper->fds[EXEC_ERROR];
	int code;

	if (entry->fd < 0)
		return;
	ssize_t count = read(entry->fd, &code, sizeof code);
	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (count == sizeof code)
		keeper->exec_error = code;
	close_watched(entry);
}

static int64_t now_milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Serves the hook until it ends. Returns 0 then, -ETIMEDOUT, or -ESRCH when the caller died. */
static int serve(struct keeper *keeper)
{
	int64_t deadline = now_milliseconds() + (int64_t)keeper->hook->timeout * 1000;

	for (;;) {
		int wait = -1;
		if (keeper->hook->timeout > 0) {
			int64_t left = deadline - now_milliseconds();
			if (left <= 0)
				return -ETIMEDOUT;
			wait = left > INT_MAX ? INT_MAX : (int)left;
		}
		if (poll(keeper->fds, WATCHED, wait) < 0 && errno != EINTR)
			return -errno;
		if (keeper->fds[INPUT].revents != 0)
			feed(keeper);
		drain_all(keeper);
		read_exec_error(keeper);
		if (keeper->fds[HOOK].revents != 0) {
			drain_all(keeper);
			return 0;
		}
		if (keeper->fds[CALLER].revents != 0)
			return -ESRCH;
	}
}

static void set_result(struct keeper *keeper, int outcome, int value)
{
	keeper->result.outcome = outcome;
	keeper->result.value = value;
}

/* Reaps the hook. */
static void collect(struct keeper *keeper)
{
	int status;
	pid_t pid;

	do
		pid = waitpid(keeper->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	if (pid < 0)
		set_result(keeper, KEEPER_FAILED, errno);
	else if (keeper->exec_error != 0)
		set_result(keeper, KEEPER_NOT_EXECUTED, keeper->exec_error);
	else if (WIFSIGNALED(status))
		set_result(keeper, KEEPER_SIGNALLED, WTERMSIG(status));
	else
		set_result(keeper, KEEPER_EXITED, WEXITSTATUS(status));
}

_Noreturn void keeper_main(const struct keeper_hook *hook, int result_fd, int caller)
{
	struct keeper keeper = {.hook = hook};
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	reset_signals();
	sigaction(SIGPIPE, &ignore, NULL);
	setsid();
	int rc = keep_only(result_fd, caller);
	if (rc < 0)
		_exit(1);
	/* Orphans of the hook come to the keeper, so that none can hide from a timeout. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		rc = -errno;
	if (rc == 0)
		rc = start(&keeper);
	if (rc == 0)
		rc = serve(&keeper);
	if (rc == 0) {
		collect(&keeper);
	} else {
		if (keeper.pid > 0) {
			/* For systems without /proc/PID/task/TID/children, which tree_kill reads. */
			kill(-keeper.pid, SIGKILL);
			kill(keeper.pid, SIGKILL);
			tree_kill(KILL_MILLISECONDS);
		}
		set_result(&keeper, rc == -ETIMEDOUT ? KEEPER_TIMED_OUT : KEEPER_FAILED, -rc);
	}
	(void)file_write_all(RESULT_FD, &keeper.result, sizeof keeper.result);
	_exit(0);
}
