/* SPDX-License-Identifier: Apache-2.0 */
/* rtnetlink(7): requests and their answers. */
#ifndef SANDLOCK_LINUX_NETLINK_H
#define SANDLOCK_LINUX_NETLINK_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>

/* A request under construction. */
struct netlink_request {
	struct nlmsghdr header;
	char payload[1024];
};

/* Called for each message of an answer. A negative value ends the exchange with it. */
typedef int netlink_receiver(const struct nlmsghdr *message, void *context);

/* Opens a socket in the current network namespace. Returns it, or a negative errno value. */
int netlink_open(void);

/* Begins a request of this type with its fixed part (struct ifinfomsg, ...). */
void netlink_begin(struct netlink_request *request, uint16_t type, uint16_t flags, const void *fixed, size_t size);
/* Adds an attribute. Returns 0 or -EMSGSIZE. */
int netlink_add(struct netlink_request *request, uint16_t type, const void *value, size_t size);

/* Sends the request and handles the answer up to its acknowledgement or, for a dump, its end. `receiver` may be NULL.
 * `reason` gets the kernel's text for an error, or "". Returns 0, what the receiver returned, the kernel's negative
 * errno value, or -EINTR for a dump that changed under way. */
int netlink_exchange(int fd, struct netlink_request *request, netlink_receiver *receiver, void *context, char *reason,
		     size_t reason_size);

/* The attribute of a message whose fixed part has this size, or NULL. */
const struct rtattr *netlink_attribute(const struct nlmsghdr *message, size_t fixed_size, uint16_t type);

#endif
