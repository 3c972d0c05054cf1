/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/message.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/common/unix_socket.h"

int output_pid_file(const char *path, pid_t pid, struct error *err)
{
	char temporary[PATH_MAX], text[16];
	const char *slash = strrchr(path, '/');
	int directory = slash == NULL ? 0 : (int)(slash - path) + 1;

	if (snprintf(temporary, sizeof temporary, "%.*s.%s.%d", directory, path, path + directory, getpid()) >=
	    (int)sizeof temporary)
		return error_errno(err, ENAMETOOLONG, "--pid-file %s", path);
	CLEANUP_CLOSE int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return error_errno(err, errno, "--pid-file: create %s", path);
	int length = snprintf(text, sizeof text, "%d", pid);
	int rc = file_write_all(fd, text, (size_t)length);
	if (rc == 0 && rename(temporary, path) < 0)
		rc = -errno;
	if (rc < 0) {
		unlink(temporary);
		return error_errno(err, -rc, "--pid-file: write %s", path);
	}
	return 0;
}

int output_pidfd_socket(const char *path, int pidfd, struct error *err)
{
	CLEANUP_CLOSE int fd = unix_socket_connect(path, SOCK_STREAM);

	if (fd < 0)
		return error_errno(err, -fd, "--pidfd-socket: connect to %s", path);
	int rc = message_send(fd, "pidfd", 5, &pidfd, 1);
	return rc < 0 ? error_errno(err, -rc, "--pidfd-socket: send to %s", path) : 0;
}

/* What follows the last one that is passed: a place for a socket, and one to spare. */
#define DESCRIPTORS_BEHIND 2

int output_check_preserved(int count, struct error *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return error_errno(err, errno, "--preserve-fds: read the limit of open files");
	if (count > 0 && (rlim_t)count + 3 + DESCRIPTORS_BEHIND > limit.rlim_cur)
		return error_set(err, EBADF,
				 "--preserve-fds %d: this process may have %llu descriptors (RLIMIT_NOFILE)", count,
				 (unsigned long long)limit.rlim_cur);
	return 0;
}

int output_block_signals(struct error *err)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	int fd = signalfd(-1, &all, SFD_CLOEXEC);
	return fd < 0 ? error_errno(err, errno, "signalfd") : fd;
}

void output_forward_signal(int signals, int pidfd, struct console_relay *console)
{
	struct signalfd_siginfo info;

	if (read(signals, &info, sizeof info) != sizeof info || info.ssi_signo == SIGCHLD)
		return;
	if (info.ssi_signo == SIGWINCH && console != NULL)
		console_relay_resize(console);
	else if (info.ssi_signo == SIGCONT && console != NULL)
		console_relay_resume(console);
	else
		sl_pidfd_send_signal(pidfd, (int)info.ssi_signo);
}
