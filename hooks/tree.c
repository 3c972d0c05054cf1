/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "sandbox/common/syscalls.h"

/* Room for the lines up to NSpid; the longest is that of the supplementary groups. */
#define STATUS_MAXIMUM 16384

/* The values of "NSpid:" in /proc/PROCESS/status: the process's numbers, from the procfs's pid namespace down to its
 * own. Returns how many there are. */
static size_t namespace_pids(const char *process, pid_t *pids, size_t size)
{
	char path[64], text[STATUS_MAXIMUM];
	size_t count = 0;

	snprintf(path, sizeof path, "/proc/%s/status", process);
	ssize_t length = file_read_at(AT_FDCWD, path, text, sizeof text);
	if (length < 0)
		return 0;
	char *line = strstr(text, "\nNSpid:");
	if (line == NULL)
		return 0;
	line += strlen("\nNSpid:");
	line[strcspn(line, "\n")] = '\0';
	for (char *save = NULL, *word = strtok_r(line, " \t", &save); word != NULL && count < size;
	     word = strtok_r(NULL, " \t", &save)) {
		int pid;
		if (number_parse_int(word, 1, INT32_MAX, &pid) < 0)
			return 0;
		pids[count++] = pid;
	}
	return count;
}

static int64_t now_milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Kills and reaps one process if it is a child of the caller. Returns whether it was. */
static bool kill_child(pid_t pid, int64_t deadline)
{
	siginfo_t info = {0};

	/* A child that is not reaped keeps its number, so from here on it is safe to use. */
	if (pid <= 1 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		return false;
	CLEANUP_CLOSE int pidfd = sl_pidfd_open(pid, 0);
	kill(pid, SIGKILL);
	int64_t left = deadline - now_milliseconds();
	struct pollfd entry = {.fd = pidfd, .events = POLLIN};
	if (pidfd < 0 || poll(&entry, 1, left > 0 ? (int)left : 0) > 0)
		while (waitpid(pid, NULL, pidfd < 0 ? 0 : WNOHANG) < 0 && errno == EINTR)
			;
	return true;
}

/* Kills the children that procfs lists. Returns how many there were. */
static size_t kill_listed(int64_t deadline)
{
	char text[8192];
	pid_t own[32];
	size_t depth = namespace_pids("self", own, ARRAY_SIZE(own));
	size_t killed = 0;

	if (depth == 0)
		return 0;
	/* The procfs may be one of an outer pid namespace; its numbers are translated with NSpid. */
	char path[64];
	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)own[0]);
	ssize_t length = file_read_at(AT_FDCWD, path, text, sizeof text);
	if (length < 0 && length != -EFBIG)
		return 0;
	if (length == -EFBIG) {
		/* The first of many; the next round sees the others. */
		text[sizeof text - 1] = '\0';
		char *last = strrchr(text, ' ');
		if (last != NULL)
			*last = '\0';
	}
	for (char *save = NULL, *word = strtok_r(text, " \n", &save); word != NULL;
	     word = strtok_r(NULL, " \n", &save)) {
		pid_t pids[ARRAY_SIZE(own)];
		if (namespace_pids(word, pids, ARRAY_SIZE(pids)) >= depth && kill_child(pids[depth - 1], deadline))
			killed++;
	}
	return killed;
}

void tree_kill(int milliseconds)
{
	int64_t deadline = now_milliseconds() + milliseconds;

	while (kill_listed(deadline) > 0 && now_milliseconds() < deadline)
		;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}
