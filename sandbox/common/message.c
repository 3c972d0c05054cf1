/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/common/message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

union control {
	struct cmsghdr header;
	char buffer[CMSG_SPACE(MESSAGE_FDS_MAX * sizeof(int))];
};

int message_send(int socket_fd, const void *data, size_t length, const int *fds, size_t fds_count)
{
	union control control;
	struct iovec iov = {.iov_base = (void *)data, .iov_len = length};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fds_count > MESSAGE_FDS_MAX)
		return -EMSGSIZE;
	if (fds_count > 0) {
		size_t size = fds_count * sizeof(int);
		message.msg_control = control.buffer;
		message.msg_controllen = CMSG_SPACE(size);
		memset(control.buffer, 0, CMSG_SPACE(size));
		struct cmsghdr *header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(size);
		memcpy(CMSG_DATA(header), fds, size);
	}
	for (;;) {
		ssize_t sent = sendmsg(socket_fd, &message, MSG_NOSIGNAL);
		if (sent >= 0)
			return (size_t)sent == length ? 0 : -EMSGSIZE;
		if (errno != EINTR)
			return -errno;
	}
}

/* Moves the descriptors of one control message to `fds`; those that do not fit are closed. */
static int collect_fds(struct cmsghdr *header, int *fds, size_t fds_size, size_t *fds_count)
{
	size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		int fd;
		memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
		if (*fds_count < fds_size) {
			fds[(*fds_count)++] = fd;
		} else {
			close(fd);
			rc = -EMSGSIZE;
		}
	}
	return rc;
}

ssize_t message_receive(int socket_fd, void *data, size_t size, int *fds, size_t fds_size, size_t *fds_count)
{
	union control control;
	struct iovec iov = {.iov_base = data, .iov_len = size};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
	size_t count = 0;
	ssize_t received;
	int rc = 0;

	message.msg_control = control.buffer;
	message.msg_controllen = sizeof control.buffer;
	do
		received = recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC);
	while (received < 0 && errno == EINTR);
	if (received < 0)
		return -errno;
	for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header))
		if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
			int collected = collect_fds(header, fds, fds_size, &count);
			if (collected < 0)
				rc = collected;
		}
	if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
		rc = -EMSGSIZE;
	if (rc < 0) {
		while (count > 0)
			close(fds[--count]);
		return rc;
	}
	if (fds_count != NULL)
		*fds_count = count;
	return received;
}
