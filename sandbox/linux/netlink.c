/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/netlink.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "sandbox/common/cleanup.h"

/* The kernel's dumps come in pieces of at most this size (NLMSG_GOODSIZE is smaller). */
#define RECEIVE_SIZE 65536

int netlink_open(void)
{
	CLEANUP_CLOSE int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int on = 1;

	if (fd < 0)
		return -errno;
	/* Texts with errors; without them the number has to do. Attribute checks on dumps, so that they filter. */
	(void)setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof on);
	(void)setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof on);
	return take_fd(&fd);
}

void netlink_begin(struct netlink_request *request, uint16_t type, uint16_t flags, const void *fixed, size_t size)
{
	*request = (struct netlink_request){.header = {
						.nlmsg_len = (uint32_t)NLMSG_LENGTH(size),
						.nlmsg_type = type,
						.nlmsg_flags = NLM_F_REQUEST | flags,
						.nlmsg_seq = 1, /* a socket carries one exchange at a time */
					    }};
	memcpy(NLMSG_DATA(&request->header), fixed, size);
}

int netlink_add(struct netlink_request *request, uint16_t type, const void *value, size_t size)
{
	size_t offset = NLMSG_ALIGN(request->header.nlmsg_len);
	struct rtattr *attribute = (struct rtattr *)((char *)request + offset);

	if (offset + RTA_SPACE(size) > sizeof *request)
		return -EMSGSIZE;
	attribute->rta_type = type;
	attribute->rta_len = (unsigned short)RTA_LENGTH(size);
	memcpy(RTA_DATA(attribute), value, size);
	request->header.nlmsg_len = (uint32_t)(offset + RTA_LENGTH(size));
	return 0;
}

const struct rtattr *netlink_attribute(const struct nlmsghdr *message, size_t fixed_size, uint16_t type)
{
	const struct rtattr *attribute =
	    (const struct rtattr *)((const char *)NLMSG_DATA(message) + NLMSG_ALIGN(fixed_size));
	ssize_t left = (ssize_t)message->nlmsg_len - (ssize_t)NLMSG_SPACE(fixed_size);

	while (RTA_OK(attribute, left)) {
		if ((attribute->rta_type & NLA_TYPE_MASK) == type)
			return attribute;
		ssize_t step = (ssize_t)RTA_ALIGN(attribute->rta_len);
		left -= step;
		attribute = (const struct rtattr *)((const char *)attribute + step);
	}
	return NULL;
}

/* NLMSGERR_ATTR_MSG of the extended acknowledgement. */
static void read_reason(const struct nlmsghdr *message, char *reason, size_t size)
{
	const struct nlmsgerr *error = NLMSG_DATA(message);
	size_t fixed = sizeof *error;

	if (!(message->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(message->nlmsg_flags & NLM_F_CAPPED))
		fixed += error->msg.nlmsg_len - sizeof error->msg;
	const struct rtattr *text = netlink_attribute(message, fixed, NLMSGERR_ATTR_MSG);
	if (text != NULL)
		snprintf(reason, size, "%.*s", (int)RTA_PAYLOAD(text), (const char *)RTA_DATA(text));
}

/* Handles one datagram. Returns 1 when the exchange goes on, 0 at its end, or a negative value. */
static int handle(const char *data, size_t length, netlink_receiver *receiver, void *context, char *reason,
		  size_t reason_size)
{
	const struct nlmsghdr *message = (const struct nlmsghdr *)data;
	ssize_t left = (ssize_t)length;

	while (NLMSG_OK(message, (size_t)left)) {
		if (message->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *error = NLMSG_DATA(message);
			if (message->nlmsg_len < NLMSG_LENGTH(sizeof *error))
				return -EBADMSG;
			if (error->error != 0)
				read_reason(message, reason, reason_size);
			return error->error;
		}
		if (message->nlmsg_flags & NLM_F_DUMP_INTR)
			return -EINTR;
		if (message->nlmsg_type == NLMSG_DONE)
			return 0;
		int rc = receiver != NULL ? receiver(message, context) : 0;
		if (rc < 0)
			return rc;
		ssize_t step = (ssize_t)NLMSG_ALIGN(message->nlmsg_len);
		left -= step;
		if (left <= 0)
			break;
		message = (const struct nlmsghdr *)((const char *)message + step);
	}
	return 1;
}

int netlink_exchange(int fd, struct netlink_request *request, netlink_receiver *receiver, void *context, char *reason,
		     size_t reason_size)
{
	CLEANUP_FREE char *buffer = malloc(RECEIVE_SIZE);
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	int rc = 1;

	reason[0] = '\0';
	if (buffer == NULL)
		return -ENOMEM;
	/* NLM_F_DUMP is two bits, each of which means something else in requests that change. */
	if ((request->header.nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP)
		request->header.nlmsg_flags |= NLM_F_ACK;
	if (sendto(fd, request, request->header.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0)
		return -errno;
	while (rc == 1) {
		struct sockaddr_nl sender = {0};
		socklen_t sender_length = sizeof sender;
		ssize_t length =
		    recvfrom(fd, buffer, RECEIVE_SIZE, MSG_TRUNC, (struct sockaddr *)&sender, &sender_length);
		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return -errno;
		if ((size_t)length > RECEIVE_SIZE)
			return -EMSGSIZE;
		if (sender.nl_pid != 0) /* not the kernel: anybody may send to a netlink port */
			continue;
		rc = handle(buffer, (size_t)length, receiver, context, reason, reason_size);
	}
	return rc;
}
