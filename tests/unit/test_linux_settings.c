/* SPDX-License-Identifier: Apache-2.0 */
/* The launcher's steps for settings of the process and its namespaces, each in a child, read back from the kernel. */
#include <fcntl.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/affinity.h"
#include "sandbox/linux/io_priority.h"
#include "sandbox/linux/keyring.h"
#include "sandbox/linux/lsm.h"
#include "sandbox/linux/memory_policy.h"
#include "sandbox/linux/network.h"
#include "sandbox/linux/no_new_privileges.h"
#include "sandbox/linux/oom_score.h"
#include "sandbox/linux/personality.h"
#include "sandbox/linux/procfs.h"
#include "sandbox/linux/rlimit.h"
#include "sandbox/linux/scheduler.h"
#include "sandbox/linux/sysctl.h"
#include "sandbox/linux/uts.h"
#include "tests/unit/linux_support.h"

static void test_procfs(void *context)
{
	struct launch launch = {.proc_fd = -1};
	CLEANUP_CLOSE int fd = procfs_open(&launch, "self/status", O_RDONLY);

	(void)context;
	CHECK(fd >= 0);
	CHECK(procfs_open(&launch, "self/nothing", O_RDONLY) == -ENOENT);
	int rc = procfs_open(&launch, "self/cwd/etc", O_PATH);
	CHECK(rc == -ELOOP || rc == -EXDEV);
	CHECK(procfs_open(&launch, "../etc/passwd", O_RDONLY) == -EXDEV);
	/* What an image or a mount may have put there. */
	CHECK(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	CHECK(mount("/etc/passwd", "/proc/sys/kernel/domainname", NULL, MS_BIND, NULL) == 0);
	CHECK(procfs_open(&launch, "sys/kernel/domainname", O_RDONLY) == -EXDEV);
	/* No procfs at all: a private one takes its place while there is the privilege. */
	CHECK(mount("/proc/sys", "/proc", NULL, MS_BIND, NULL) == 0);
	for (int i = 0; i < 2; i++) {
		struct stat fake, found;
		CLEANUP_CLOSE int private = procfs_open(&launch, "sys/kernel/ostype", O_RDONLY);
		CHECK(private >= 0 && fstat(private, &found) == 0);
		CHECK(stat("/proc/kernel/ostype", &fake) < 0 || fake.st_dev != found.st_dev);
		CHECK(i == 1 || mount("x", "/proc", "tmpfs", 0, NULL) == 0);
	}
	CHECK(setresuid(99, 99, 99) == 0);
	CHECK(procfs_open(&launch, "self/status", O_RDONLY) == -EXDEV);
}

static void test_uts_and_sysctl(void *context)
{
	struct setup setup;
	char name[65];

	(void)context;
	setup_begin(&setup);
	setup.builder.plan.hostname = plan_add_string(&setup.builder, "some-host");
	setup.builder.plan.domainname = plan_add_string(&setup.builder, "some-domain");
	struct plan_pair pairs[] = {
	    {plan_add_string(&setup.builder, "kernel/shmmax"), plan_add_string(&setup.builder, "123456")},
	    {plan_add_string(&setup.builder, "net/ipv4/ip_forward"), plan_add_string(&setup.builder, "1")},
	};
	setup.builder.plan.sysctl = plan_add_array(&setup.builder, pairs, 2, sizeof *pairs);
	struct launch *launch = setup_launch(&setup);
	CHECK_OK(uts_apply(launch, &setup.err), &setup.err);
	CHECK_OK(sysctl_apply(launch, &setup.err), &setup.err);
	CHECK(gethostname(name, sizeof name) == 0);
	CHECK_TEXT(name, "some-host");
	CHECK(getdomainname(name, sizeof name) == 0);
	CHECK_TEXT(name, "some-domain");
	CHECK_TEXT(support_content("/proc/sys/kernel/shmmax"), "123456");
	CHECK_TEXT(support_content("/proc/sys/net/ipv4/ip_forward"), "1");

	setup_begin(&setup);
	pairs[0].key = plan_add_string(&setup.builder, "net/ipv4/ip_forward");
	pairs[0].value = plan_add_string(&setup.builder, "many");
	setup.builder.plan.sysctl = plan_add_array(&setup.builder, pairs, 1, sizeof *pairs);
	CHECK(sysctl_apply(setup_launch(&setup), &setup.err) == -EINVAL);
	CHECK_MESSAGE(&setup.err, "failed to write sysctl net/ipv4/ip_forward = \"many\": invalid argument");
	setup_begin(&setup);
	pairs[0].key = plan_add_string(&setup.builder, "net/ipv4/no_such");
	pairs[0].value = plan_add_string(&setup.builder, "1");
	setup.builder.plan.sysctl = plan_add_array(&setup.builder, pairs, 1, sizeof *pairs);
	CHECK(sysctl_apply(setup_launch(&setup), &setup.err) == -ENOENT);
	CHECK_MESSAGE(&setup.err, "net/ipv4/no_such");
}

static void test_network(void *context)
{
	struct setup setup;
	struct ifreq request = {.ifr_name = "lo"};
	CLEANUP_CLOSE int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)context;
	setup_begin(&setup);
	CHECK_OK(network_apply(setup_launch(&setup), &setup.err), &setup.err);
	CHECK(ioctl(fd, SIOCGIFFLAGS, &request) == 0 && !(request.ifr_flags & IFF_UP));
	setup_begin(&setup);
	setup.builder.plan.flags = PLAN_LOOPBACK_UP;
	CHECK_OK(network_apply(setup_launch(&setup), &setup.err), &setup.err);
	CHECK(ioctl(fd, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_UP));
}

static void test_rlimits(void *context)
{
	struct setup setup;
	struct rlimit limit;
	struct plan_rlimit limits[] = {{.resource = RLIMIT_CORE, .soft = 3, .hard = 5},
				       {.resource = RLIMIT_STACK, .soft = UINT64_MAX, .hard = UINT64_MAX}};

	(void)context;
	CHECK(setrlimit(RLIMIT_CORE, &(struct rlimit){4, 10}) == 0);
	setup_begin(&setup);
	setup_process(&setup)->rlimits = plan_add_array(&setup.builder, limits, 1, sizeof *limits);
	struct launch *launch = setup_launch(&setup);
	CHECK_OK(rlimits_raise(launch, &setup.err), &setup.err);
	CHECK(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 4 && limit.rlim_max == 10);
	CHECK_OK(rlimits_apply(launch, &setup.err), &setup.err);
	CHECK(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 3 && limit.rlim_max == 5);
	/* Without CAP_SYS_RESOURCE a hard limit stays. */
	CHECK(setresuid(99, 99, 99) == 0);
	limits[0].hard = 6;
	setup_begin(&setup);
	setup_process(&setup)->rlimits = plan_add_array(&setup.builder, limits, 1, sizeof *limits);
	CHECK(rlimits_raise(setup_launch(&setup), &setup.err) == -EPERM);
	CHECK_MESSAGE(&setup.err, "error setting rlimit type RLIMIT_CORE to soft 3, hard 6 (hard limit now: 5)");
	CHECK_MESSAGE(&setup.err, "CAP_SYS_RESOURCE");
	CHECK_MESSAGE(&setup.err, "operation not permitted");
	CHECK(rlimits_apply(&setup.launch, &setup.err) == -EPERM);
	CHECK_TEXT(rlimit_name(RLIMIT_RTTIME), "RLIMIT_RTTIME");
	CHECK(rlimit_name(16) == NULL);
}

static void test_oom_score(void *context)
{
	struct setup setup;
	char before[16];

	(void)context;
	snprintf(before, sizeof before, "%s", support_content("/proc/self/oom_score_adj"));
	setup_begin(&setup);
	CHECK_OK(oom_score_apply(setup_launch(&setup), &setup.err), &setup.err);
	CHECK_TEXT(support_content("/proc/self/oom_score_adj"), before);
	setup_begin(&setup);
	setup_process(&setup)->oom_score_adj_set = 1;
	setup_process(&setup)->oom_score_adj = 900;
	CHECK_OK(oom_score_apply(setup_launch(&setup), &setup.err), &setup.err);
	CHECK_TEXT(support_content("/proc/self/oom_score_adj"), "900");
	CHECK(setresuid(99, 99, 99) == 0);
	prctl(PR_SET_DUMPABLE, 1);
	setup_begin(&setup);
	setup_process(&setup)->oom_score_adj_set = 1;
	setup_process(&setup)->oom_score_adj = -1000;
	CHECK(oom_score_apply(setup_launch(&setup), &setup.err) == -EACCES);
	CHECK_MESSAGE(&setup.err, "failed to update /proc/self/oom_score_adj to -1000: permission denied");
}

static void test_scheduling(void *context)
{
	struct setup setup;

	(void)context;
	setup_begin(&setup);
	setup_process(&setup)->scheduler = (struct plan_scheduler){.set = 1, .policy = SCHED_BATCH, .nice = 5};
	setup_process(&setup)->io_priority = 3 << 13 | 2;
	struct launch *launch = setup_launch(&setup);
	CHECK_OK(scheduler_apply(launch, &setup.err), &setup.err);
	CHECK(sched_getscheduler(0) == SCHED_BATCH && getpriority(PRIO_PROCESS, 0) == 5);
	CHECK_OK(io_priority_apply(launch, &setup.err), &setup.err);
	CHECK(syscall(SYS_ioprio_get, 1, 0) == (3 << 13 | 2));
	setup_begin(&setup);
	setup_process(&setup)->scheduler = (struct plan_scheduler){.set = 1, .policy = 77};
	CHECK(scheduler_apply(setup_launch(&setup), &setup.err) == -EINVAL);
	CHECK_MESSAGE(&setup.err, "error setting scheduler (policy 77");
	CHECK(setresuid(99, 99, 99) == 0);
	setup_begin(&setup);
	setup_process(&setup)->scheduler = (struct plan_scheduler){.set = 1, .policy = SCHED_OTHER, .nice = -5};
	setup_process(&setup)->io_priority = 1 << 13;
	CHECK(scheduler_apply(setup_launch(&setup), &setup.err) == -EPERM);
	CHECK_MESSAGE(&setup.err, "operation not permitted");
	CHECK(io_priority_apply(&setup.launch, &setup.err) == -EPERM);
	CHECK_MESSAGE(&setup.err, "failed to set io priority: operation not permitted");
}

static void test_affinity(void *context)
{
	struct setup setup, container;
	cpu_set_t all, now;
	uint64_t first = 1, beyond[16] = {[15] = UINT64_C(1) << 63};

	(void)context;
	CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
	CPU_ZERO(&now);
	CPU_SET(0, &now);
	if (!CPU_ISSET(0, &all))
		return;
	CHECK(sched_setaffinity(0, sizeof now, &now) == 0);
	/* The main process does not inherit its caller's confinement, and has none of its own. */
	setup_begin(&container);
	setup_process(&container)->affinity_final = plan_add_array(&container.builder, &first, 1, sizeof first);
	CHECK_OK(affinity_final_apply(setup_launch(&container), &container.err), &container.err);
	CHECK(sched_getaffinity(0, sizeof now, &now) == 0 && CPU_COUNT(&now) >= CPU_COUNT(&all));
	/* An exec'ed one. */
	setup_begin(&setup);
	setup_process(&setup)->affinity_initial = plan_add_array(&setup.builder, &first, 1, sizeof first);
	struct launch *launch = setup_launch(&setup);
	launch->process_plan = launch->plan;
	launch->plan = container.launch.plan;
	CHECK_OK(affinity_initial_apply(launch, &setup.err), &setup.err);
	CHECK(sched_getaffinity(0, sizeof now, &now) == 0 && CPU_COUNT(&now) == 1 && CPU_ISSET(0, &now));
	CHECK_OK(affinity_final_apply(launch, &setup.err), &setup.err);
	CHECK(sched_getaffinity(0, sizeof now, &now) == 0 && CPU_COUNT(&now) == 1);
	setup_begin(&setup);
	setup_process(&setup)->affinity_final = plan_add_array(&setup.builder, beyond, 16, sizeof *beyond);
	launch = setup_launch(&setup);
	launch->process_plan = launch->plan;
	launch->plan = container.launch.plan;
	CHECK(affinity_final_apply(launch, &setup.err) == -EINVAL);
	CHECK_MESSAGE(&setup.err, "process.execCPUAffinity.final");
}

static void test_kernel_settings(void *context)
{
	struct setup setup;
	uint64_t nodes = 1;

	(void)context;
	setup_begin(&setup);
	setup.builder.plan.personality_set = 1;
	setup.builder.plan.personality = PER_LINUX32;
	setup_process(&setup)->no_new_privileges = 1;
	struct launch *launch = setup_launch(&setup);
	CHECK_OK(personality_apply(launch, &setup.err), &setup.err);
	CHECK(personality(0xffffffff) == PER_LINUX32);
	CHECK(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
	CHECK_OK(no_new_privileges_apply(launch, &setup.err), &setup.err);
	CHECK(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);

	setup_begin(&setup);
	setup.builder.plan.memory_policy_set = 1;
	setup.builder.plan.memory_policy_mode = 2; /* MPOL_BIND */
	setup.builder.plan.memory_policy_nodes = plan_add_array(&setup.builder, &nodes, 1, sizeof nodes);
	int mode = -1;
	int rc = memory_policy_apply(setup_launch(&setup), &setup.err);
	if (syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0) < 0) {
		CHECK(rc == -ENOSYS);
		CHECK_MESSAGE(&setup.err, "no memory policies");
	} else {
		CHECK_OK(rc, &setup.err);
		CHECK(mode == 2);
		setup.builder.plan.memory_policy_mode = 77;
		CHECK(memory_policy_apply(setup_launch(&setup), &setup.err) == -EINVAL);
		CHECK_MESSAGE(&setup.err, "linux.memoryPolicy");
	}
}

/* A key's description, "type;uid;gid;permissions;name". */
static const char *describe_session(void)
{
	static char text[256];
	long length = syscall(SYS_keyctl, 6, -3L, text, sizeof text - 1, 0);

	if (length < 0)
		return NULL;
	text[sizeof text - 1] = '\0';
	return text;
}

static void test_keyring(void *context)
{
	struct setup setup;

	(void)context;
	setup_begin(&setup);
	setup.builder.plan.keyring = plan_add_string(&setup.builder, "_ses.test-of-sandlock");
	setup.builder.plan.flags = PLAN_NO_NEW_KEYRING;
	CHECK_OK(keyring_apply(setup_launch(&setup), &setup.err), &setup.err);
	const char *text = describe_session();
	CHECK(text == NULL || strstr(text, "test-of-sandlock") == NULL);
	setup.builder.plan.flags = 0;
	CHECK_OK(keyring_apply(setup_launch(&setup), &setup.err), &setup.err);
	text = describe_session();
	if (text == NULL && errno == ENOSYS)
		return;
	CHECK(text != NULL && strstr(text, ";_ses.test-of-sandlock") != NULL);
	/* Search for the user: 0x80000 is set in the third field from the end. */
	CHECK(text != NULL && strtoul(strrchr(text, ';') - 8, NULL, 16) & 0x80000);
}

/* Without the modules the kernel takes no label; the program refuses before (process_plan). */
static void test_lsm(void *context)
{
	struct setup setup;

	(void)context;
	setup_begin(&setup);
	CHECK_OK(lsm_apply(setup_launch(&setup), &setup.err), &setup.err);
	if (access("/sys/module/apparmor", F_OK) == 0 || access("/sys/fs/selinux", F_OK) == 0)
		return;
	setup_begin(&setup);
	setup_process(&setup)->apparmor_profile = plan_add_string(&setup.builder, "p");
	CHECK(lsm_apply(setup_launch(&setup), &setup.err) < 0);
	CHECK_MESSAGE(&setup.err, "unable to apply apparmor profile");
	setup_begin(&setup);
	setup_process(&setup)->selinux_label = plan_add_string(&setup.builder, "l");
	CHECK(lsm_apply(setup_launch(&setup), &setup.err) < 0);
	CHECK_MESSAGE(&setup.err, "can't set process label \"l\"");
}

int main(void)
{
	static const struct {
		const char *name;
		int namespaces;
		void (*body)(void *context);
	} tests[] = {
	    {"procfs", CLONE_NEWNS, test_procfs},
	    {"uts and sysctl", CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET, test_uts_and_sysctl},
	    {"network", CLONE_NEWNET, test_network},
	    {"rlimits", 0, test_rlimits},
	    {"oom score", 0, test_oom_score},
	    {"scheduling", 0, test_scheduling},
	    {"affinity", 0, test_affinity},
	    {"kernel settings", 0, test_kernel_settings},
	    {"keyring", 0, test_keyring},
	    {"security modules", 0, test_lsm},
	};

	if (geteuid() != 0) {
		printf("skipped: needs root\n");
		return 77;
	}
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		support_child(tests[i].namespaces, tests[i].body, NULL, tests[i].name);
	return check_result();
}
