/* SPDX-License-Identifier: Apache-2.0 */
/* Unix sockets in the file system. */
#ifndef SANDLOCK_COMMON_UNIX_SOCKET_H
#define SANDLOCK_COMMON_UNIX_SOCKET_H

/* Connects to the socket at `path`, which may be longer than the 107 bytes that sockaddr_un holds; `type` is
 * SOCK_STREAM and so on. Returns a descriptor (close-on-exec) or a negative errno value. */
int unix_socket_connect(const char *path, int type);

#endif
