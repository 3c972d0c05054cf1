/* SPDX-License-Identifier: Apache-2.0 */
/* Moving network devices, between two network namespaces that belong to the test. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/netlink.h"
#include "sandbox/linux/network_devices.h"
#include "tests/unit/linux_support.h"

static char reason[256];

/* Makes a device of the first kind this kernel has. */
static bool make_device(int fd, const char *name)
{
	static const char *const kinds[] = {"dummy", "ifb", "bridge", "veth"};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct netlink_request request;
		struct ifinfomsg fixed = {.ifi_family = AF_UNSPEC};
		char info[64] = {0};
		struct rtattr *kind = (struct rtattr *)info;

		kind->rta_type = IFLA_INFO_KIND;
		kind->rta_len = (unsigned short)RTA_LENGTH(strlen(kinds[i]));
		memcpy(RTA_DATA(kind), kinds[i], strlen(kinds[i]));
		netlink_begin(&request, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &fixed, sizeof fixed);
		netlink_add(&request, IFLA_IFNAME, name, strlen(name) + 1);
		netlink_add(&request, IFLA_LINKINFO, info, RTA_ALIGN(kind->rta_len));
		if (netlink_exchange(fd, &request, NULL, NULL, reason, sizeof reason) == 0)
			return true;
	}
	return false;
}

static int add_address(int fd, const char *name, int family, const char *text, unsigned char prefix,
		       unsigned char scope, uint32_t lifetime)
{
	struct netlink_request request;
	struct ifaddrmsg fixed = {.ifa_family = (unsigned char)family,
				  .ifa_prefixlen = prefix,
				  .ifa_scope = scope,
				  .ifa_index = if_nametoindex(name)};
	unsigned char address[16];
	size_t size = family == AF_INET ? 4 : 16;

	inet_pton(family, text, address);
	netlink_begin(&request, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &fixed, sizeof fixed);
	netlink_add(&request, IFA_LOCAL, address, size);
	netlink_add(&request, IFA_ADDRESS, address, size);
	if (lifetime > 0) {
		struct ifa_cacheinfo info = {.ifa_valid = lifetime, .ifa_prefered = lifetime};
		netlink_add(&request, IFA_CACHEINFO, &info, sizeof info);
	}
	return netlink_exchange(fd, &request, NULL, NULL, reason, sizeof reason);
}

static void set_up(const char *name)
{
	struct ifreq request = {0};
	CLEANUP_CLOSE int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
	CHECK(ioctl(fd, SIOCGIFFLAGS, &request) == 0);
	request.ifr_flags |= IFF_UP;
	CHECK(ioctl(fd, SIOCSIFFLAGS, &request) == 0);
}

static bool has_address(const char *name, const char *wanted)
{
	struct ifaddrs *list = NULL;
	bool found = false;

	if (getifaddrs(&list) < 0)
		return false;
	for (struct ifaddrs *item = list; item != NULL; item = item->ifa_next) {
		char text[INET6_ADDRSTRLEN] = "";
		if (item->ifa_addr == NULL || strcmp(item->ifa_name, name) != 0)
			continue;
		if (item->ifa_addr->sa_family == AF_INET)
			inet_ntop(AF_INET, &((struct sockaddr_in *)item->ifa_addr)->sin_addr, text, sizeof text);
		if (item->ifa_addr->sa_family == AF_INET6)
			inet_ntop(AF_INET6, &((struct sockaddr_in6 *)item->ifa_addr)->sin6_addr, text, sizeof text);
		found = found || strcmp(text, wanted) == 0;
	}
	freeifaddrs(list);
	return found;
}

static bool is_up(const char *name)
{
	struct ifreq request = {0};
	CLEANUP_CLOSE int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
	return ioctl(fd, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_UP);
}

/* A process that holds a network namespace of its own. */
static pid_t make_container(void)
{
	int ready[2];
	char byte;

	CHECK(pipe2(ready, O_CLOEXEC) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (unshare(CLONE_NEWNET) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	CHECK(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void enter(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/ns/net", (int)pid);
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(setns(fd, CLONE_NEWNET) == 0);
}

static void test_move(void *context)
{
	int fd = netlink_open();
	pid_t container = make_container();
	struct oci_net_device devices[] = {{"keep0", NULL}, {"old0", "new0"}, {"tmpl0", "cont%d"}, {"tmpl1", "cont%d"}};
	struct oci_config config = {.linux_ = {.net_devices = devices, .net_devices_count = ARRAY_SIZE(devices)}};
	struct error err = {0};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (!CHECK(make_device(fd, devices[i].host_name)))
			printf("#   %s\n", reason);
	set_up("keep0");
	CHECK(add_address(fd, "keep0", AF_INET, "10.77.0.1", 24, RT_SCOPE_UNIVERSE, 0) == 0);
	CHECK(add_address(fd, "keep0", AF_INET, "10.77.0.2", 24, RT_SCOPE_UNIVERSE, 0) == 0);
	CHECK(add_address(fd, "keep0", AF_INET, "169.254.7.7", 16, RT_SCOPE_LINK, 0) == 0);
	CHECK(add_address(fd, "keep0", AF_INET, "10.78.0.1", 24, RT_SCOPE_UNIVERSE, 1000) == 0);
	bool has_ipv6 = add_address(fd, "keep0", AF_INET6, "fd00:7::1", 64, RT_SCOPE_UNIVERSE, 0) == 0;
	CHECK_OK(net_devices_move(&config, container, &err), &err);
	/* The caller is where it was. */
	CHECK(if_nametoindex("keep0") == 0 && if_nametoindex("tmpl1") == 0);
	CHECK(make_device(fd, "still0") && if_nametoindex("still0") != 0);

	enter(container);
	CHECK(is_up("keep0") && is_up("new0") && is_up("cont0") && is_up("cont1"));
	CHECK(if_nametoindex("old0") == 0 && if_nametoindex("tmpl0") == 0);
	CHECK(has_address("keep0", "10.77.0.1") && has_address("keep0", "10.77.0.2"));
	CHECK(!has_address("keep0", "169.254.7.7") && !has_address("keep0", "10.78.0.1"));
	CHECK(!has_ipv6 || has_address("keep0", "fd00:7::1"));
	kill(container, SIGKILL);
	waitpid(container, NULL, 0);
}

static void test_refusals(void *context)
{
	int fd = netlink_open();
	pid_t container = make_container();
	struct oci_net_device device = {"none0", NULL};
	struct oci_config config = {.linux_ = {.net_devices = &device, .net_devices_count = 1}};
	struct error err = {0};

	(void)context;
	CHECK(net_devices_move(&config, container, &err) == -ENODEV);
	CHECK_MESSAGE(&err, "linux.netDevices[\"none0\"]: link not found on the host");
	/* lo can't leave its namespace, and its name is taken inside. */
	device.host_name = "lo";
	CHECK(net_devices_move(&config, container, &err) == -EEXIST);
	CHECK_MESSAGE(&err, "has a device lo already");
	device.name = "lo2";
	CHECK(net_devices_move(&config, container, &err) == -EINVAL);
	CHECK_MESSAGE(&err, "linux.netDevices[\"lo\"]: move it to the container");
	/* A device whose own name is taken inside, but not the new one. */
	CHECK(make_device(fd, "same0"));
	device = (struct oci_net_device){"same0", NULL};
	CHECK_OK(net_devices_move(&config, container, &err), &err);
	CHECK(make_device(fd, "same0"));
	CHECK(net_devices_move(&config, container, &err) == -EEXIST);
	CHECK(if_nametoindex("same0") != 0);
	device.name = "other0";
	CHECK_OK(net_devices_move(&config, container, &err), &err);
	CHECK(if_nametoindex("same0") == 0);
	enter(container);
	CHECK(is_up("same0") && is_up("other0"));
	kill(container, SIGKILL);
	waitpid(container, NULL, 0);
	CHECK(net_devices_move(&config, container, &err) == -ENOENT);
}

int main(void)
{
	if (geteuid() != 0) {
		printf("skipped: needs root\n");
		return 77;
	}
	support_child(CLONE_NEWNET, test_move, NULL, "moving network devices");
	support_child(CLONE_NEWNET, test_refusals, NULL, "network devices that can't be moved");
	return check_result();
}
