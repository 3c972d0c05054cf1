/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/network_devices.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/linux/netlink.h"

/* A dump that changes under way is begun again; a name that was taken meanwhile is chosen again. */
#define ATTEMPTS 16
#define TEMPLATE_MAXIMUM 4096

/* The flags of an address that its owner chose (linux/if_addr.h); the others are the kernel's account of it. */
#define CHOSEN_FLAGS (IFA_F_NODAD | IFA_F_HOMEADDRESS | IFA_F_MANAGETEMPADDR | IFA_F_NOPREFIXROUTE | IFA_F_MCAUTOJOIN)

struct address {
	struct address *next;
	struct ifaddrmsg fixed;
	uint32_t flags;
	const struct nlmsghdr *message;
};

struct address_list {
	struct arena *arena;
	int index;
	struct address *first;
	struct address **end;
};

/* A device on its way. */
struct device {
	const char *host_name;
	const char *name; /* inside, maybe a template */
	int source;       /* netlink sockets */
	int target;
	int netns_fd;
	int index; /* in the source, then in the target */
	char chosen[IFNAMSIZ];
	char reason[256];
};

bool network_device_name_valid(const char *name)
{
	size_t length = strlen(name);
	const char *percent = strchr(name, '%');

	if (length == 0 || length >= IFNAMSIZ || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return false;
	for (const char *c = name; *c != '\0'; c++)
		if (*c == '/' || *c == ':' || isspace((unsigned char)*c))
			return false;
	return percent == NULL || (percent[1] == 'd' && strchr(percent + 1, '%') == NULL);
}

static int device_error(const struct device *device, int code, const char *what, struct error *err)
{
	return error_errno(err, code, "linux.netDevices[\"%s\"]: %s%s%s%s", device->host_name, what,
			   device->reason[0] != '\0' ? " (" : "", device->reason, device->reason[0] != '\0' ? ")" : "");
}

static int receive_index(const struct nlmsghdr *message, void *context)
{
	if (message->nlmsg_type == RTM_NEWLINK)
		*(int *)context = ((const struct ifinfomsg *)NLMSG_DATA(message))->ifi_index;
	return 0;
}

/* The index of a device by name, or a negative errno value (-ENODEV: there is none). */
static int find_index(struct device *device, int fd, const char *name)
{
	struct netlink_request request;
	struct ifinfomsg fixed = {.ifi_family = AF_UNSPEC};
	int index = -ENODEV;

	netlink_begin(&request, RTM_GETLINK, 0, &fixed, sizeof fixed);
	int rc = netlink_add(&request, IFLA_IFNAME, name, strlen(name) + 1);
	if (rc == 0)
		rc = netlink_exchange(fd, &request, receive_index, &index, device->reason, sizeof device->reason);
	return rc < 0 ? rc : index;
}

static int receive_address(const struct nlmsghdr *message, void *context)
{
	struct address_list *list = context;
	const struct ifaddrmsg *fixed = NLMSG_DATA(message);

	if (message->nlmsg_type != RTM_NEWADDR || (int)fixed->ifa_index != list->index)
		return 0;
	/* The 32-bit attribute has more than the byte in the fixed part. */
	const struct rtattr *flags_attribute = netlink_attribute(message, sizeof *fixed, IFA_FLAGS);
	uint32_t flags = fixed->ifa_flags;
	if (flags_attribute != NULL)
		memcpy(&flags, RTA_DATA(flags_attribute), sizeof flags);
	if (!(flags & IFA_F_PERMANENT) || fixed->ifa_scope != RT_SCOPE_UNIVERSE)
		return 0;
	struct address *address = arena_alloc(list->arena, sizeof *address);
	void *copy = arena_alloc(list->arena, message->nlmsg_len);
	memcpy(copy, message, message->nlmsg_len);
	*address = (struct address){.fixed = *fixed, .flags = flags & CHOSEN_FLAGS, .message = copy};
	*list->end = address;
	list->end = &address->next;
	return 0;
}

/* The addresses to keep, in their order: the first of a network is its primary one. */
static int read_addresses(struct device *device, struct arena *arena, struct address **addresses, struct error *err)
{
	struct ifaddrmsg fixed = {.ifa_family = AF_UNSPEC, .ifa_index = (unsigned int)device->index};
	int rc = -EINTR;

	for (int attempt = 0; rc == -EINTR && attempt < ATTEMPTS; attempt++) {
		struct address_list list = {.arena = arena, .index = device->index};
		struct netlink_request request;
		list.end = &list.first;
		netlink_begin(&request, RTM_GETADDR, NLM_F_DUMP, &fixed, sizeof fixed);
		rc = netlink_exchange(device->source, &request, receive_address, &list, device->reason,
				      sizeof device->reason);
		*addresses = list.first;
	}
	return rc < 0 ? device_error(device, -rc, "read its addresses", err) : 0;
}

/* Chooses the name inside. A template is filled with the lowest free number, as the kernel would: with the name known
 * the device can be found again, whose index may change on the way. */
static int choose_name(struct device *device, struct error *err)
{
	const char *percent = strchr(device->name, '%');
	int rc = 0;

	if (percent == NULL) {
		snprintf(device->chosen, sizeof device->chosen, "%s", device->name);
		rc = find_index(device, device->target, device->chosen);
		if (rc >= 0)
			return error_set(
			    err, EEXIST,
			    "linux.netDevices[\"%s\"]: the container's network namespace has a device %s already",
			    device->host_name, device->chosen);
		return rc == -ENODEV ? 0 : device_error(device, -rc, "look for its name in the container", err);
	}
	for (int number = 0; number < TEMPLATE_MAXIMUM; number++) {
		char name[IFNAMSIZ + 16];
		snprintf(name, sizeof name, "%.*s%d%s", (int)(percent - device->name), device->name, number,
			 percent + 2);
		if (strlen(name) >= IFNAMSIZ)
			break;
		snprintf(device->chosen, sizeof device->chosen, "%.*s", IFNAMSIZ - 1, name);
		rc = find_index(device, device->target, device->chosen);
		if (rc == -ENODEV)
			return 0;
		if (rc < 0)
			return device_error(device, -rc, "look for a name in the container", err);
	}
	return error_set(err, EEXIST, "linux.netDevices[\"%s\"]: no name is left for the template %s",
			 device->host_name, device->name);
}

/* Moves and renames in one request, so that the old name need not be free inside. */
static int move(struct device *device, struct error *err)
{
	struct ifinfomsg fixed = {.ifi_family = AF_UNSPEC, .ifi_index = device->index};
	int rc = -EEXIST;

	for (int attempt = 0; rc == -EEXIST && attempt < ATTEMPTS; attempt++) {
		struct netlink_request request;
		rc = choose_name(device, err);
		if (rc < 0)
			return rc;
		netlink_begin(&request, RTM_NEWLINK, 0, &fixed, sizeof fixed);
		rc = netlink_add(&request, IFLA_NET_NS_FD, &device->netns_fd, sizeof device->netns_fd);
		if (rc == 0)
			rc = netlink_add(&request, IFLA_IFNAME, device->chosen, strlen(device->chosen) + 1);
		if (rc == 0)
			rc = netlink_exchange(device->source, &request, NULL, NULL, device->reason,
					      sizeof device->reason);
	}
	if (rc == -EPERM)
		return error_set(
		    err, EPERM,
		    "linux.netDevices[\"%s\"]: move it to the container: operation not permitted: it needs "
		    "CAP_NET_ADMIN over both network namespaces",
		    device->host_name);
	if (rc == -EINVAL && device->reason[0] == '\0')
		snprintf(device->reason, sizeof device->reason, "such a device stays in its network namespace");
	return rc < 0 ? device_error(device, -rc, "move it to the container", err) : 0;
}

static int add_address(struct device *device, const struct address *address, struct error *err)
{
	static const uint16_t kept[] = {IFA_LOCAL, IFA_ADDRESS, IFA_BROADCAST, IFA_ANYCAST, IFA_RT_PRIORITY};
	struct ifaddrmsg fixed = address->fixed;
	struct netlink_request request;
	int rc = 0;

	fixed.ifa_index = (unsigned int)device->index;
	fixed.ifa_flags = (unsigned char)address->flags;
	netlink_begin(&request, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, &fixed, sizeof fixed);
	for (size_t i = 0; i < ARRAY_SIZE(kept) && rc == 0; i++) {
		const struct rtattr *attribute = netlink_attribute(address->message, sizeof fixed, kept[i]);
		if (attribute != NULL)
			rc = netlink_add(&request, kept[i], RTA_DATA(attribute), RTA_PAYLOAD(attribute));
	}
	if (rc == 0)
		rc = netlink_add(&request, IFA_FLAGS, &address->flags, sizeof address->flags);
	if (rc == 0)
		rc = netlink_exchange(device->target, &request, NULL, NULL, device->reason, sizeof device->reason);
	return rc < 0 ? device_error(device, -rc, "give it its address back in the container", err) : 0;
}

static int bring_up(struct device *device, struct error *err)
{
	struct ifinfomsg fixed = {
	    .ifi_family = AF_UNSPEC, .ifi_index = device->index, .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
	struct netlink_request request;

	netlink_begin(&request, RTM_NEWLINK, 0, &fixed, sizeof fixed);
	int rc = netlink_exchange(device->target, &request, NULL, NULL, device->reason, sizeof device->reason);
	return rc < 0 ? device_error(device, -rc, "bring it up in the container", err) : 0;
}

static int move_device(struct device *device, struct error *err)
{
	struct arena arena CLEANUP_ARENA = {0};
	struct address *addresses;

	device->index = find_index(device, device->source, device->host_name);
	if (device->index == -ENODEV)
		return error_set(err, ENODEV,
				 "linux.netDevices[\"%s\"]: link not found on the host: there is no such device",
				 device->host_name);
	if (device->index < 0)
		return device_error(device, -device->index, "look for it on the host", err);
	/* Before the move, which takes the device down and with that its addresses. */
	int rc = read_addresses(device, &arena, &addresses, err);
	if (rc < 0)
		return rc;
	rc = move(device, err);
	if (rc < 0)
		return rc;
	device->index = find_index(device, device->target, device->chosen);
	if (device->index < 0)
		return device_error(device, -device->index, "find it in the container", err);
	for (const struct address *address = addresses; address != NULL; address = address->next) {
		rc = add_address(device, address, err);
		if (rc < 0)
			return rc;
	}
	return bring_up(device, err);
}

/* A netlink socket stays in the namespace it was opened in. */
static int open_inside(int netns_fd, struct error *err)
{
	CLEANUP_CLOSE int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	if (home < 0)
		return error_errno(err, errno, "linux.netDevices: open /proc/self/ns/net");
	if (setns(netns_fd, CLONE_NEWNET) < 0)
		return error_errno(err, errno, "linux.netDevices: enter the container's network namespace");
	int fd = netlink_open();
	if (setns(home, CLONE_NEWNET) < 0) {
		int code = errno;
		if (fd >= 0)
			close(fd);
		return error_errno(err, code, "linux.netDevices: come back from the container's network namespace");
	}
	return fd < 0 ? error_errno(err, -fd, "linux.netDevices: open a netlink socket") : fd;
}

int net_devices_move(const struct oci_config *config, pid_t pid, struct error *err)
{
	const struct oci_linux *linux_ = &config->linux_;
	CLEANUP_CLOSE int netns_fd = -1;
	CLEANUP_CLOSE int source = -1;
	CLEANUP_CLOSE int target = -1;
	char path[64];

	if (linux_->net_devices_count == 0)
		return 0;
	snprintf(path, sizeof path, "/proc/%d/ns/net", (int)pid);
	netns_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (netns_fd < 0)
		return error_errno(err, errno, "linux.netDevices: open %s", path);
	source = netlink_open();
	if (source < 0)
		return error_errno(err, -source, "linux.netDevices: open a netlink socket");
	target = open_inside(netns_fd, err);
	if (target < 0)
		return target;
	for (size_t i = 0; i < linux_->net_devices_count; i++) {
		const struct oci_net_device *item = &linux_->net_devices[i];
		struct device device = {
		    .host_name = item->host_name,
		    .name = item->name != NULL && item->name[0] != '\0' ? item->name : item->host_name,
		    .source = source,
		    .target = target,
		    .netns_fd = netns_fd,
		};
		int rc = move_device(&device, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
