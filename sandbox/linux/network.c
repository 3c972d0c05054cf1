/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/network.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "sandbox/common/cleanup.h"

int network_apply(struct launch *launch, struct error *err)
{
	CLEANUP_CLOSE int fd = -1;
	struct ifreq request = {.ifr_name = "lo"};

	if (!(launch->plan->flags & PLAN_LOOPBACK_UP))
		return 0;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	/* Interface requests work on any socket; a kernel without IPv4 still has these. */
	if (fd < 0 && errno == EAFNOSUPPORT)
		fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return error_errno(err, errno, "bring up lo: open a socket");
	if (ioctl(fd, SIOCGIFFLAGS, &request) < 0)
		return error_errno(err, errno, "bring up lo: read its flags");
	request.ifr_flags |= IFF_UP;
	if (ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		return error_errno(err, errno, "bring up lo%s",
				   errno == EPERM ? " (CAP_NET_ADMIN is missing in the network namespace)" : "");
	return 0;
}
