/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/session/exit_status.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/session/protocol.h"

struct exit_status exit_status_from_wait(int wait_status)
{
	if (WIFSIGNALED(wait_status))
		return (struct exit_status){EXIT_SIGNAL, WTERMSIG(wait_status)};
	return (struct exit_status){EXIT_CODE, WEXITSTATUS(wait_status)};
}

static bool reap_child(int pidfd, struct exit_status *status)
{
	siginfo_t info = {0};

	if (waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG) < 0 || info.si_pid == 0)
		return false;
	if (info.si_code == CLD_EXITED)
		*status = (struct exit_status){EXIT_CODE, info.si_status};
	else
		*status = (struct exit_status){EXIT_SIGNAL, info.si_status};
	return true;
}

/* Linux 6.15 keeps the status of a reaped process for whoever holds a pidfd. `supported` is cleared by a kernel that
 * will never tell. */
static bool read_from_pidfd(int pidfd, struct exit_status *status, bool *supported)
{
	struct sl_pidfd_info info = {.mask = SL_PIDFD_INFO_EXIT};

	if (ioctl(pidfd, SL_PIDFD_GET_INFO, &info) < 0) {
		*supported = errno == ESRCH;
		return false;
	}
	if ((info.mask & SL_PIDFD_INFO_EXIT) == 0)
		return false;
	*status = exit_status_from_wait(info.exit_code);
	return true;
}

/* Without the right to trace a process the kernel shows 0 where its exit status is. */
static bool may_see_status(pid_t pid)
{
	char path[32], link[64];

	snprintf(path, sizeof path, "/proc/%d/ns/user", pid);
	return readlink(path, link, sizeof link) > 0;
}

/* The last field of /proc/PID/stat, readable while the zombie is there. */
static bool read_from_zombie(int pidfd, pid_t pid, struct exit_status *status)
{
	char path[32], text[1024];
	int wait_status;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	if (file_read_at(-1, path, text, sizeof text) <= 0)
		return false;
	char *newline = strchr(text, '\n');
	if (newline != NULL)
		*newline = '\0';
	/* The name in parentheses may hold anything. */
	char *state = strrchr(text, ')');
	char *last = strrchr(text, ' ');
	if (state == NULL || last == NULL || last <= state + 2 || state[2] != 'Z')
		return false;
	if (number_parse_int(last + 1, 0, 0xffff, &wait_status) < 0)
		return false;
	if (!may_see_status(pid))
		return false;
	/* Still there: so the number was not another process's when the file was read. */
	if (sl_pidfd_send_signal(pidfd, 0) < 0)
		return false;
	*status = exit_status_from_wait(wait_status);
	return true;
}

bool exit_status_read(int pidfd, pid_t pid, bool is_child, struct exit_status *status)
{
	struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};

	status->kind = EXIT_NOT_YET;
	status->value = 0;
	if (poll(&poll_fd, 1, 0) <= 0)
		return false;
	if (is_child)
		return reap_child(pidfd, status);
	bool supported = true;
	if (read_from_pidfd(pidfd, status, &supported) || read_from_zombie(pidfd, pid, status) ||
	    read_from_pidfd(pidfd, status, &supported))
		return true;
	if (!supported || (sl_pidfd_send_signal(pidfd, 0) < 0 && errno == ESRCH))
		status->kind = EXIT_UNKNOWN;
	return false;
}
