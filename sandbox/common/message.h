/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams with descriptors over SOCK_SEQPACKET sockets. */
#ifndef SANDLOCK_COMMON_MESSAGE_H
#define SANDLOCK_COMMON_MESSAGE_H

#include <stddef.h>
#include <sys/types.h>

/* SCM_MAX_FD of the kernel */
#define MESSAGE_FDS_MAX 253

/* Sends one datagram; the descriptors stay open here. Returns 0 or a negative errno value. No SIGPIPE. */
int message_send(int socket_fd, const void *data, size_t length, const int *fds, size_t fds_count);

/* Receives one datagram of at most `size` bytes. Descriptors arrive close-on-exec; those that do not fit
 * `fds_size` are closed and -EMSGSIZE is returned, as for a datagram that was cut.
 * Returns the length, 0 at end of file, or a negative errno value. */
ssize_t message_receive(int socket_fd, void *data, size_t size, int *fds, size_t fds_size, size_t *fds_count);

#endif
