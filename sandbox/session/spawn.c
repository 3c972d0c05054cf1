/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/session/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/syscalls.h"

extern const char sandlock_init_image[];
extern const char sandlock_init_image_end[];

int spawn_image(struct error *err)
{
	size_t size = (size_t)(sandlock_init_image_end - sandlock_init_image);
	int fd = file_sealed_memfd("sandlock-init", sandlock_init_image, size, 1);

	return fd < 0 ? error_errno(err, -fd, "make the sealed copy of sandlock-init") : fd;
}

/* What the child does between vfork and exec; only system calls. */
struct execution {
	int image;
	int control;
	unsigned int preserve_fds;
	const char *role;
	const char *id;
	char number[16];
};

_Noreturn static void execute(const struct execution *execution)
{
	char *argv[] = {"sandlock-init", (char *)execution->role, (char *)execution->number, (char *)execution->id,
			NULL};
	char *environment[] = {NULL};
	int target = 3 + (int)execution->preserve_fds;

	if (execution->control == target ? fcntl(target, F_SETFD, 0) < 0 : dup2(execution->control, target) < 0)
		_exit(125);
	/* CLOSE_RANGE_CLOEXEC: Linux 5.11 */
	if (sl_close_range((unsigned int)target + 1, ~0U, CLOSE_RANGE_CLOEXEC) < 0)
		file_close_except((unsigned int)target + 1, &execution->image, 1);
	sl_execveat(execution->image, "", argv, environment, AT_EMPTY_PATH);
	_exit(125);
}

static int prepare(struct execution *execution, struct error *err)
{
	int target = 3 + (int)execution->preserve_fds;

	snprintf(execution->number, sizeof execution->number, "%d", target);
	if (execution->image == target) {
		int higher = fcntl(execution->image, F_DUPFD_CLOEXEC, target + 1);
		if (higher < 0)
			return error_errno(err, errno, "duplicate a descriptor");
		execution->image = higher;
	}
	return 0;
}

#ifdef __SANITIZE_ADDRESS__
/* AddressSanitizer's vfork keeps the return address in one place of the thread: a nested one returns twice to the
 * inner call. */
#define outer_vfork fork
#else
#define outer_vfork vfork
#endif

/* A child of a child that ends at once: no child of ours, and it knows its parent from the start. */
static pid_t fork_orphan(const struct execution *execution)
{
	pid_t middle = outer_vfork();

	if (middle == 0) {
		pid_t child = vfork();
		if (child == 0)
			execute(execution);
		_exit(child < 0 ? 1 : 0);
	}
	return middle;
}

static pid_t fork_child(const struct execution *execution)
{
	pid_t child = vfork();

	if (child == 0)
		execute(execution);
	return child;
}

int spawn_supervisor(int image, unsigned int preserve_fds, const char *id, struct error *err)
{
	CLEANUP_CLOSE int ours = -1;
	CLEANUP_CLOSE int theirs = -1;
	int pair[2], status;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return error_errno(err, errno, "make a socket pair");
	ours = pair[0];
	theirs = pair[1];
	struct execution execution = {image, theirs, preserve_fds, "supervisor", id, ""};
	if (prepare(&execution, err) < 0)
		return -err->code;
	pid_t middle = fork_orphan(&execution);
	int saved = errno;
	if (execution.image != image)
		close(execution.image);
	if (middle < 0)
		return error_errno(err, saved, "fork");
	while (waitpid(middle, &status, 0) < 0)
		if (errno != EINTR)
			return error_errno(err, errno, "wait for the supervisor's start");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return error_set(err, EAGAIN, "fork the supervisor: resource temporarily unavailable");
	return take_fd(&ours);
}

pid_t spawn_joiner(int image, unsigned int preserve_fds, int control, const char *id, struct error *err)
{
	struct execution execution = {image, control, preserve_fds, "launcher", id, ""};

	if (prepare(&execution, err) < 0)
		return -err->code;
	pid_t child = fork_child(&execution);
	int saved = errno;
	if (execution.image != image)
		close(execution.image);
	return child < 0 ? error_errno(err, saved, "fork the launcher") : child;
}
