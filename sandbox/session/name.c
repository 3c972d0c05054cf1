/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/session/name.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"

static socklen_t make_address(const struct session_name *name, struct sockaddr_un *address)
{
	memset(address, 0, sizeof *address);
	address->sun_family = AF_UNIX;
	memcpy(address->sun_path + 1, name->bytes, name->length);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + name->length);
}

int session_name_bind(const struct session_name *name)
{
	struct sockaddr_un address;
	socklen_t length = make_address(name, &address);
	CLEANUP_CLOSE int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, length) < 0 || listen(fd, SOMAXCONN) < 0)
		return -errno;
	return take_fd(&fd);
}

int session_name_connect(const struct session_name *name)
{
	struct sockaddr_un address;
	socklen_t length = make_address(name, &address);
	CLEANUP_CLOSE int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	while (connect(fd, (struct sockaddr *)&address, length) < 0)
		if (errno != EINTR)
			return -errno;
	return take_fd(&fd);
}

int session_peer_get(int socket_fd, struct session_peer *peer)
{
	struct {
		pid_t pid;
		uid_t uid;
		gid_t gid;
	} credentials;
	socklen_t length = sizeof credentials;

	peer->pidfd = -1;
	if (getsockopt(socket_fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0)
		return -errno;
	peer->pid = credentials.pid;
	peer->uid = credentials.uid;

	length = sizeof peer->pidfd;
	if (getsockopt(socket_fd, SOL_SOCKET, SO_PEERPIDFD, &peer->pidfd, &length) == 0)
		return 0;
	peer->pidfd = -1;
	if (errno != ENOPROTOOPT && errno != EINVAL)
		return 0;
	/* A listener that lives keeps the connection open: if that is so after pidfd_open, the pid was its. */
	peer->pidfd = peer->pid > 0 ? sl_pidfd_open(peer->pid, 0) : -1;
	struct pollfd poll_fd = {.fd = socket_fd, .events = POLLRDHUP};
	if (peer->pidfd >= 0 && (poll(&poll_fd, 1, 0) != 0)) {
		if ((poll_fd.revents & (POLLHUP | POLLERR | POLLRDHUP)) != 0) {
			close(peer->pidfd);
			peer->pidfd = -1;
		}
	}
	return 0;
}
