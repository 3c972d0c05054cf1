/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/session/launch_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/message.h"
#include "sandbox/common/syscalls.h"

int launch_cgroup_open(struct launch_cgroup *cgroup, const struct cgroup_path *paths, size_t count, struct error *err)
{
	int fds[CGROUP_PATHS_MAX];

	cgroup->v2 = count == 0 ? -ENOENT : cgroup_open_v2_dir(paths, count, err);
	if (cgroup->v2 < 0 && cgroup->v2 != -ENOENT)
		return -err->code;
	if (cgroup_join_open(paths, count, true, fds, err) < 0)
		return -err->code;
	for (size_t i = 0; i < count; i++)
		if (fds[i] >= 0)
			cgroup->fds[cgroup->count++] = fds[i];
	return 0;
}

void launch_cgroup_close(struct launch_cgroup *cgroup)
{
	cleanup_close(&cgroup->v2);
	cgroup->v2 = -1;
	while (cgroup->count > 0)
		close(cgroup->fds[--cgroup->count]);
}

int launch_pair(int *ours, int *theirs, struct error *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return error_errno(err, errno, "make a socket pair");
	*ours = pair[0];
	*theirs = pair[1];
	return 0;
}

int launch_open_namespace(pid_t pid, const char *name, struct error *err)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/ns/%s", pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? error_errno(err, errno, "open %s", path) : fd;
}

int launch_send_order(int control, struct launch_order *order, const struct launch_descriptor *descriptors,
		      size_t descriptors_count, const struct launch_cgroup *cgroup, const int *plan_fds,
		      size_t plan_fds_count, struct error *err)
{
	int fds[LAUNCH_FD_COUNT];
	size_t count = 0;

	for (size_t i = 0; i < descriptors_count; i++)
		if (descriptors[i].fd >= 0) {
			order->fds |= descriptors[i].bit;
			fds[count++] = descriptors[i].fd;
		}
	order->cgroup_fds = (uint32_t)cgroup->count;
	order->plan_fds = (uint32_t)plan_fds_count;
	int rc = message_send(control, order, sizeof *order, fds, count);
	if (rc == 0 && cgroup->count > 0)
		rc = message_send(control, "", 1, cgroup->fds, cgroup->count);
	for (size_t sent = 0; rc == 0 && sent < plan_fds_count;) {
		size_t part = plan_fds_count - sent;
		part = part > MESSAGE_FDS_MAX ? MESSAGE_FDS_MAX : part;
		rc = message_send(control, "", 1, plan_fds + sent, part);
		sent += part;
	}
	return rc < 0 ? error_errno(err, -rc, "reach the launcher") : 0;
}

int launch_receive(int control, struct launch_event *event, int *fd, struct error *err)
{
	size_t count = 0;

	*fd = -1;
	ssize_t length = message_receive(control, event, sizeof *event, fd, 1, &count);
	if (length != sizeof *event)
		return error_set(
		    err, EPIPE,
		    "the container's launcher ended unexpectedly (killed, or out of memory or of processes)");
	event->error.message[sizeof event->error.message - 1] = '\0';
	if (event->kind != LAUNCH_ERROR)
		return 0;
	*err = event->error;
	return -err->code;
}

/* The announcement that nobody has read yet. */
static int find_launcher(int control)
{
	for (;;) {
		struct pollfd poll_fd = {.fd = control, .events = POLLIN};
		struct launch_event event;
		size_t count = 0;
		int fd = -1;
		if (poll(&poll_fd, 1, 0) <= 0 || message_receive(control, &event, sizeof event, &fd, 1, &count) <= 0)
			return -1;
		if (fd >= 0)
			return fd;
	}
}

void launch_end(int control, pid_t joiner, int *launcher)
{
	siginfo_t info;

	/* Whoever waits for an order ends; what was said can still be read. */
	if (control >= 0)
		shutdown(control, SHUT_WR);
	if (joiner > 0)
		while (waitpid(joiner, NULL, 0) < 0 && errno == EINTR)
			;
	if (*launcher < 0 && control >= 0)
		*launcher = find_launcher(control);
	if (*launcher < 0)
		return;
	sl_pidfd_send_signal(*launcher, SIGKILL);
	while (waitid((idtype_t)P_PIDFD, (id_t)*launcher, &info, WEXITED | __WALL) < 0 && errno == EINTR)
		;
}
