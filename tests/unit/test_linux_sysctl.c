/* SPDX-License-Identifier: Apache-2.0 */
/* linux.sysctl: only what belongs to a namespace of the container reaches the plan, under its path in /proc/sys. */
#include <errno.h>
#include <sched.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/linux/sysctl_plan.h"
#include "sandbox/plan_builder.h"
#include "tests/unit/check.h"

static void test_path(void)
{
	static const struct {
		const char *key;
		const char *path;
	} keys[] = {
	    {"net.ipv4.conf.eth0/1.forwarding", "net/ipv4/conf/eth0.1/forwarding"},
	    {"net/ipv4/conf/eth0.1/forwarding", "net/ipv4/conf/eth0.1/forwarding"},
	    {"net//x", NULL},
	    {"net/../kernel/core_pattern", NULL},
	    {"net.//.kernel.core_pattern", NULL},
	    {"net./.x", NULL},
	    {"/net/x", NULL},
	    {"net.x.", NULL},
	    {"", NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		CLEANUP_ARENA struct arena arena = {0};
		CHECK_TEXT(sysctl_path(&arena, keys[i].key), keys[i].path);
	}
}

/* Whether one setting is accepted in a container with these namespaces. */
static bool accepts(uint32_t type, const char *path, const char *key, const char *value)
{
	CLEANUP_PLAN_BUILDER struct plan_builder builder;
	struct oci_namespace entry = {.type = type, .path = path};
	struct oci_pair sysctl = {key, value};
	struct oci_config config = {.hostname = "h", .domainname = "d"};
	struct error err = {0};

	config.linux_.namespaces = &entry;
	config.linux_.namespaces_count = type != 0;
	config.linux_.sysctl = &sysctl;
	config.linux_.sysctl_count = 1;
	plan_builder_init(&builder);
	int rc = sysctl_plan(&builder, &config, &err);
	CHECK(rc == 0 ? builder.plan.sysctl.count == 1 : rc == -EINVAL && strstr(err.message, key) != NULL);
	return rc == 0;
}

static void test_owners(void)
{
	CHECK(accepts(CLONE_NEWNET, NULL, "net.core.somaxconn", "1"));
	CHECK(!accepts(0, NULL, "net.core.somaxconn", "1"));
	CHECK(!accepts(CLONE_NEWIPC, NULL, "net.core.somaxconn", "1"));
	/* Joining the caller's own namespace by path is not a namespace of the container. */
	CHECK(!accepts(CLONE_NEWNET, "/proc/self/ns/net", "net/core/somaxconn", "1"));
	CHECK(!accepts(CLONE_NEWIPC, "/proc/self/ns/ipc", "kernel.sem", "1"));
	CHECK(accepts(CLONE_NEWIPC, NULL, "kernel.shmmax", "1"));
	CHECK(accepts(CLONE_NEWIPC, NULL, "fs.mqueue.msg_max", "1"));
	CHECK(!accepts(CLONE_NEWIPC, NULL, "kernel.core_pattern", "|/x"));
	CHECK(!accepts(CLONE_NEWIPC, NULL, "kernel.shmmaxx", "1"));
	CHECK(!accepts(CLONE_NEWNET, NULL, "netx.a", "1"));
	CHECK(!accepts(CLONE_NEWNET, NULL, "net.", "1"));
	CHECK(!accepts(CLONE_NEWNET, NULL, "net.//.kernel.core_pattern", "1"));
	CHECK(!accepts(0, NULL, "vm.overcommit_memory", "1"));
	CHECK(accepts(CLONE_NEWUTS, NULL, "kernel.domainname", "d"));
	CHECK(!accepts(CLONE_NEWUTS, NULL, "kernel.domainname", "other"));
	CHECK(!accepts(CLONE_NEWUTS, NULL, "kernel.hostname", "other"));
	CHECK(!accepts(CLONE_NEWIPC, NULL, "kernel.domainname", "d"));
}

int main(void)
{
	test_path();
	test_owners();
	return check_result();
}
