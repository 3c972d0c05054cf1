/* SPDX-License-Identifier: Apache-2.0 */
/* Session names: abstract Unix sockets (design N1 to N4). */
#ifndef SANDLOCK_SESSION_NAME_H
#define SANDLOCK_SESSION_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sandbox/common/error.h"

/* An abstract address: `length` bytes behind the leading NUL byte. */
struct session_name {
	size_t length;
	char bytes[108];
};

/* Binds and listens. Returns a non-blocking descriptor or a negative errno value (-EADDRINUSE: taken). */
int session_name_bind(const struct session_name *name);

/* Connects. Returns a descriptor or a negative errno value (-ECONNREFUSED: nobody has the name). */
int session_name_connect(const struct session_name *name);

/* Who is at the other end of a connected socket. */
struct session_peer {
	pid_t pid;
	uid_t uid;
	int pidfd; /* opened while the connection proved that the pid is the peer's; -1 if it is gone */
};

/* Reads SO_PEERCRED and opens the pidfd (SO_PEERPIDFD, Linux 6.5, else pidfd_open while the connection lives).
 * The caller closes peer->pidfd. */
int session_peer_get(int socket_fd, struct session_peer *peer);

#endif
