/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/common/unix_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"

int unix_socket_connect(const char *path, int type)
{
	CLEANUP_CLOSE int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	CLEANUP_CLOSE int opened = -1;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);

	if (fd < 0)
		return -errno;
	if (length == 0)
		return -ENOENT;
	if (length < sizeof address.sun_path) {
		memcpy(address.sun_path, path, length + 1);
	} else {
		/* A short name for the socket itself. */
		opened = open(path, O_PATH | O_CLOEXEC);
		if (opened < 0)
			return -errno;
		snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", opened);
	}
	while (connect(fd, (const struct sockaddr *)&address, sizeof address) < 0)
		if (errno != EINTR)
			return -errno;
	return take_fd(&fd);
}
