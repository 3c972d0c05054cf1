/* SPDX-License-Identifier: Apache-2.0 */
/* Limits, devices, statistics and out of memory on real cgroups, read back from the kernel. What a machine's kernel
 * or layout does not have is looked for before it is tested. Exits with 77 (skipped) without the privilege. */
#include <poll.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "sandbox/cgroup/devices.h"
#include "sandbox/cgroup/oom.h"
#include "sandbox/cgroup/stats.h"
#include "tests/unit/cgroup_support.h"

#define MIB (1LL << 20)

/* A file of the hierarchy that has the controller, without the line break; "" if there is none. */
static const char *value(const struct cgroup *cgroup, enum cgroup_controller controller, const char *v1, const char *v2)
{
	static char text[4096];
	char path[4096];
	int node = cgroup_find(cgroup, controller);
	if (node < 0)
		node = cgroup_find_v2(cgroup);
	const char *file = node < 0 ? NULL : cgroup->nodes[node].v2 ? v2 : v1;

	text[0] = '\0';
	if (file == NULL)
		return text;
	snprintf(path, sizeof path, "%s/%s", cgroup->paths[node].path, file);
	if (file_read_at(AT_FDCWD, path, text, sizeof text) < 0)
		text[0] = '\0';
	size_t length = strlen(text);
	if (length > 0 && text[length - 1] == '\n')
		text[length - 1] = '\0';
	return text;
}

static bool has(const struct cgroup *cgroup, enum cgroup_controller controller)
{
	return cgroup_find(cgroup, controller) >= 0;
}

static bool is_v2(const struct cgroup *cgroup, enum cgroup_controller controller)
{
	int node = cgroup_find(cgroup, controller);
	return node >= 0 && cgroup->nodes[node].v2;
}

static const char *memory_limit(const struct cgroup *cgroup)
{
	return value(cgroup, CGROUP_MEMORY, "memory.limit_in_bytes", "memory.max");
}

static const char *swap_limit(const struct cgroup *cgroup)
{
	return value(cgroup, CGROUP_MEMORY, "memory.memsw.limit_in_bytes", "memory.swap.max");
}

static void update(struct cgroup *cgroup, const struct oci_resources *resources)
{
	struct error err = {0};

	CHECK(ok(cgroup_update(cgroup, resources, &err), &err));
}

static void test_memory(void)
{
	struct oci_memory memory = {
	    .limit = {true, 64 * MIB}, .swap = {true, 96 * MIB}, .reservation = {true, 32 * MIB}};
	struct oci_resources resources = {.memory = &memory};
	struct cgroup *cgroup = make(NULL, &resources);
	bool v2 = is_v2(cgroup, CGROUP_MEMORY);

	CHECK_TEXT(memory_limit(cgroup), "67108864");
	CHECK_TEXT(value(cgroup, CGROUP_MEMORY, "memory.soft_limit_in_bytes", "memory.low"), "33554432");
	bool swap = swap_limit(cgroup)[0] != '\0';
	if (swap)
		CHECK_TEXT(swap_limit(cgroup), v2 ? "33554432" : "100663296");
	/* Both up, both down: on v1 each order is wrong for one of them. */
	memory = (struct oci_memory){.limit = {true, 128 * MIB}, .swap = {true, 256 * MIB}};
	update(cgroup, &resources);
	CHECK_TEXT(memory_limit(cgroup), "134217728");
	if (swap)
		CHECK_TEXT(swap_limit(cgroup), v2 ? "134217728" : "268435456");
	memory = (struct oci_memory){.limit = {true, 16 * MIB}, .swap = {true, 16 * MIB}};
	update(cgroup, &resources);
	CHECK_TEXT(memory_limit(cgroup), "16777216");
	if (swap)
		CHECK_TEXT(swap_limit(cgroup), v2 ? "0" : "16777216");
	/* What is not named stays. */
	CHECK_TEXT(value(cgroup, CGROUP_MEMORY, "memory.soft_limit_in_bytes", "memory.low"), "33554432");
	memory = (struct oci_memory){.swap = {true, 32 * MIB}};
	update(cgroup, &resources);
	CHECK_TEXT(memory_limit(cgroup), "16777216");
	if (swap)
		CHECK_TEXT(swap_limit(cgroup), v2 ? "16777216" : "33554432");
	memory = (struct oci_memory){.limit = {true, -1}};
	update(cgroup, &resources);
	CHECK_TEXT(memory_limit(cgroup), v2 ? "max" : "9223372036854771712");
	if (swap)
		CHECK_TEXT(swap_limit(cgroup), v2 ? "max" : "9223372036854771712");
	if (!v2) {
		memory = (struct oci_memory){.swappiness = {true, 17}, .disable_oom_killer = {true, true}};
		update(cgroup, &resources);
		CHECK_TEXT(value(cgroup, CGROUP_MEMORY, "memory.swappiness", NULL), "17");
		CHECK(strncmp(value(cgroup, CGROUP_MEMORY, "memory.oom_control", NULL), "oom_kill_disable 1", 18) == 0);
		memory = (struct oci_memory){.disable_oom_killer = {true, false}};
		update(cgroup, &resources);
		CHECK(strncmp(value(cgroup, CGROUP_MEMORY, "memory.oom_control", NULL), "oom_kill_disable 0", 18) == 0);
		CHECK_TEXT(value(cgroup, CGROUP_MEMORY, "memory.swappiness", NULL), "17");
	}
	remove_and_check(cgroup);
}

static void test_cpu(void)
{
	struct oci_cpu cpu = {
	    .shares = {true, 512}, .quota = {true, 50000}, .period = {true, 100000}, .burst = {true, 10000}};
	struct oci_resources resources = {.cpu = &cpu};
	struct cgroup *cgroup = make(NULL, &resources);
	bool v2 = is_v2(cgroup, CGROUP_CPU);

	CHECK_TEXT(value(cgroup, CGROUP_CPU, "cpu.shares", "cpu.weight"), v2 ? "59" : "512");
	CHECK_TEXT(value(cgroup, CGROUP_CPU, "cpu.cfs_quota_us", "cpu.max"), v2 ? "50000 100000" : "50000");
	CHECK_TEXT(value(cgroup, CGROUP_CPU, "cpu.cfs_burst_us", "cpu.max.burst"), "10000");
	/* A quota below the burst of before, a burst above the quota of before. */
	cpu = (struct oci_cpu){.quota = {true, 5000}, .burst = {true, 4000}};
	update(cgroup, &resources);
	CHECK_TEXT(value(cgroup, CGROUP_CPU, "cpu.cfs_quota_us", "cpu.max"), v2 ? "5000 100000" : "5000");
	CHECK_TEXT(value(cgroup, CGROUP_CPU, "cpu.cfs_burst_us", "cpu.max.burst"), "4000");
	cpu = (struct oci_cpu){.quota = {true, 80000}, .burst = {true, 70000}};
	update(cgroup, &resources);
	CHECK_TEXT(value(cgroup, CGROUP_CPU, "cpu.cfs_burst_us", "cpu.max.burst"), "70000");
	cpu = (struct oci_cpu){.period = {true, 200000}};
	update(cgroup, &resources);
	CHECK_TEXT(value(cgroup, CGROUP_CPU, "cpu.cfs_period_us", "cpu.max"), v2 ? "80000 200000" : "200000");
	CHECK_TEXT(value(cgroup, CGROUP_CPU, "cpu.shares", "cpu.weight"), v2 ? "59" : "512");
	cpu = (struct oci_cpu){.burst = {true, 0}, .quota = {true, -1}};
	update(cgroup, &resources);
	CHECK_TEXT(value(cgroup, CGROUP_CPU, "cpu.cfs_quota_us", "cpu.max"), v2 ? "max 200000" : "-1");
	/* An idle cgroup takes no shares: whichever is refused first comes last. */
	cpu = (struct oci_cpu){.idle = {true, 1}};
	update(cgroup, &resources);
	CHECK_TEXT(value(cgroup, CGROUP_CPU, "cpu.idle", "cpu.idle"), "1");
	cpu = (struct oci_cpu){.idle = {true, 0}, .shares = {true, 1024}};
	update(cgroup, &resources);
	CHECK_TEXT(value(cgroup, CGROUP_CPU, "cpu.idle", "cpu.idle"), "0");
	CHECK_TEXT(value(cgroup, CGROUP_CPU, "cpu.shares", "cpu.weight"), v2 ? "100" : "1024");
	remove_and_check(cgroup);
}

/* A parent whose limits are narrower than what one order of writes would need in between. */
static void test_cpu_below_parent(void)
{
	struct oci_cpu cpu = {.quota = {true, 50000}, .period = {true, 100000}};
	struct oci_resources resources = {.cpu = &cpu};
	struct cgroup *parent = make("/sandlock-test-parent", &resources);
	struct cgroup *cgroup = make("/sandlock-test-parent/child", &resources);

	if (!is_v2(cgroup, CGROUP_CPU)) {
		/* Half of a processor each: the smaller period alone would be more than the parent has. */
		cpu = (struct oci_cpu){.quota = {true, 5000}, .period = {true, 10000}};
		update(cgroup, &resources);
		CHECK_TEXT(value(cgroup, CGROUP_CPU, "cpu.cfs_period_us", NULL), "10000");
		CHECK_TEXT(value(cgroup, CGROUP_CPU, "cpu.cfs_quota_us", NULL), "5000");
		struct error err = {0};
		cpu = (struct oci_cpu){.quota = {true, 90000}};
		CHECK(cgroup_update(cgroup, &resources, &err) == -EINVAL);
		CHECK(strstr(err.message, "linux.resources.cpu.quota") != NULL);
	}
	remove_and_check(cgroup);
	remove_and_check(parent);
}

static void test_cpuset(void)
{
	struct oci_cpu cpu = {.cpus = "0", .mems = "0"};
	struct oci_resources resources = {.cpu = &cpu};
	struct cgroup *cgroup = make("/sandlock-test-set/a/b", &resources);

	if (has(cgroup, CGROUP_CPUSET)) {
		CHECK_TEXT(value(cgroup, CGROUP_CPUSET, "cpuset.cpus", "cpuset.cpus"), "0");
		CHECK_TEXT(value(cgroup, CGROUP_CPUSET, "cpuset.mems", "cpuset.mems"), "0");
	}
	pid_t pid = spawn(cgroup, sleeper);
	await_ready(1);
	cpu_set_t set;
	CHECK(sched_getaffinity(pid, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1 && CPU_ISSET(0, &set));
	struct error err = {0};
	CHECK(ok(cgroup_kill(cgroup, &err), &err));
	waitpid(pid, NULL, 0);
	cpu.cpus = "4000";
	CHECK(cgroup_update(cgroup, &resources, &err) < 0);
	CHECK(strstr(err.message, "linux.resources.cpu.cpus") != NULL);
	char parents[CGROUP_PATHS_MAX][4096];
	size_t count = cgroup->count;
	for (size_t i = 0; i < count; i++)
		snprintf(parents[i], sizeof parents[i], "%s", cgroup->paths[i].path);
	remove_and_check(cgroup);
	for (size_t i = 0; i < count; i++)
		for (int k = 0; k < 2; k++) {
			*strrchr(parents[i], '/') = '\0';
			CHECK(rmdir(parents[i]) == 0);
		}
}

static void test_others(void)
{
	struct oci_hugepage_limit huge = {"2MB", 6 * MIB};
	struct oci_throttle_device rate = {0, 0, 1048576};
	struct oci_block_io io = {.read_bps = {&rate, 1}};
	struct oci_resources resources = {.pids_limit = {true, 77}};
	struct cgroup *cgroup = make(NULL, &resources);
	struct stat status;

	CHECK_TEXT(value(cgroup, CGROUP_PIDS, "pids.max", "pids.max"), "77");
	resources.pids_limit.value = -1;
	update(cgroup, &resources);
	CHECK_TEXT(value(cgroup, CGROUP_PIDS, "pids.max", "pids.max"), "max");
	if (stat("/sys/dev/block", &status) == 0 && stat("/dev/vda", &status) == 0 && S_ISBLK(status.st_mode) &&
	    has(cgroup, CGROUP_BLKIO)) {
		char wanted[64];
		rate.major = major(status.st_rdev);
		rate.minor = minor(status.st_rdev);
		resources = (struct oci_resources){.block_io = &io};
		update(cgroup, &resources);
		snprintf(wanted, sizeof wanted, "%u:%u %s1048576", major(status.st_rdev), minor(status.st_rdev),
			 is_v2(cgroup, CGROUP_BLKIO) ? "rbps=" : "");
		CHECK(strncmp(value(cgroup, CGROUP_BLKIO, "blkio.throttle.read_bps_device", "io.max"), wanted,
			      strlen(wanted)) == 0);
	}
	remove_and_check(cgroup);
	/* In a hybrid layout hugetlb may be a v2 controller that nobody has enabled. */
	resources = (struct oci_resources){.hugepage_limits = &huge, .hugepage_limits_count = 1};
	struct cgroup_settings settings = settings_for(NULL);
	struct error err = {0};
	if (stat("/sys/kernel/mm/hugepages/hugepages-2048kB", &status) == 0 &&
	    cgroup_plan(&settings, &resources, &cgroup, &err) == 0) {
		if (CHECK(ok(cgroup_create(cgroup, &err), &err)) &&
		    CHECK(ok(cgroup_apply(cgroup, &resources, &err), &err)))
			CHECK_TEXT(value(cgroup, CGROUP_HUGETLB, "hugetlb.2MB.limit_in_bytes", "hugetlb.2MB.max"),
				   "6291456");
		remove_and_check(cgroup);
	}
}

/* What can't be had is told by the name of the field. */
static void test_refused(void)
{
	struct oci_network network = {.class_id = {true, 5}};
	struct oci_pair pair = {"nonsense.max", "1"};
	struct oci_resources resources = {.network = &network};
	struct cgroup_settings settings = settings_for(NULL);
	struct cgroup *cgroup = NULL;
	struct error err = {0};

	if (access("/sys/fs/cgroup/net_cls", F_OK) < 0) {
		CHECK(cgroup_plan(&settings, &resources, &cgroup, &err) < 0);
		CHECK(strstr(err.message, "linux.resources.network.classID") != NULL);
	}
	network.class_id.value = 0;
	CHECK(ok(cgroup_plan(&settings, &resources, &cgroup, &err), &err));
	bool v2 = cgroup_find_v2(cgroup) >= 0;
	cgroup_free(cgroup);
	resources = (struct oci_resources){.unified = &pair, .unified_count = 1};
	int rc = cgroup_plan(&settings, &resources, &cgroup, &err);
	if (!v2) {
		CHECK(rc < 0 && strstr(err.message, "cannot use unified on cgroup v1") != NULL);
		return;
	}
	CHECK(ok(rc, &err) && ok(cgroup_create(cgroup, &err), &err));
	CHECK(cgroup_apply(cgroup, &resources, &err) < 0);
	CHECK(strstr(err.message, "controller \"nonsense\" not available") != NULL);
	remove_and_check(cgroup);
}

static int device_result;

static void open_full(void)
{
	int fd = open("/dev/full", O_RDONLY | O_CLOEXEC);
	_exit(fd >= 0 ? 0 : errno == EPERM ? 1 : 2);
}

static int run_open(struct cgroup *cgroup)
{
	int status = 0;
	pid_t pid = spawn(cgroup, open_full);

	waitpid(pid, &status, 0);
	device_result = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return device_result;
}

static void test_devices(void)
{
	struct oci_device_cgroup devices[] = {{.allow = false, .type = 'a', .access = "rwm"}};
	struct oci_resources resources = {.devices = devices, .devices_count = 1};
	struct cgroup *cgroup = make(NULL, &resources);
	struct error err = {0};

	/* One of the usual devices. */
	CHECK(run_open(cgroup) == 0);
	int node = cgroup_find(cgroup, CGROUP_DEVICES);
	if (node >= 0) {
		char path[4096], list[4096];
		snprintf(path, sizeof path, "%s/devices.list", cgroup->paths[node].path);
		CHECK(file_read_at(AT_FDCWD, path, list, sizeof list) > 0);
		CHECK(strstr(list, "a *:*") == NULL && strstr(list, "c 1:3 rwm\n") != NULL &&
		      strstr(list, "c 1:7 rwm\n") != NULL);
		/* An update replaces the list. */
		struct oci_device_cgroup more[] = {
		    {.allow = true, .type = 'c', .major = {true, 10}, .minor = {true, 200}, .access = "rw"}};
		struct oci_resources changed = {.devices = more, .devices_count = 1};
		update(cgroup, &changed);
		CHECK(file_read_at(AT_FDCWD, path, list, sizeof list) > 0);
		CHECK(strstr(list, "c 10:200 rw\n") != NULL && strstr(list, "c 1:7 rwm\n") != NULL);
		update(cgroup, &resources);
		CHECK(file_read_at(AT_FDCWD, path, list, sizeof list) > 0);
		CHECK(strstr(list, "c 10:200") == NULL);
		const struct cgroup_device_rule none[] = {{true, 'c', 1, 3, CGROUP_DEVICE_ALL}};
		CHECK(ok(cgroup_devices_v1_apply(cgroup->paths[node].path, none, 1, true, &err), &err));
		CHECK(run_open(cgroup) == 1);
		CHECK(ok(cgroup_devices_apply(cgroup, &resources, true, &err), &err));
		CHECK(run_open(cgroup) == 0);
	}
	node = cgroup_find_v2(cgroup);
	if (node >= 0) {
		const struct cgroup_device_rule null_only[] = {{true, 'c', 1, 3, CGROUP_DEVICE_ALL}};
		const struct cgroup_device_rule all[] = {{true, 'a', -1, -1, CGROUP_DEVICE_ALL}};
		const struct cgroup_device_rule write_only[] = {{true, 'a', -1, -1, CGROUP_DEVICE_ALL},
								{false, 'c', 1, 7, CGROUP_DEVICE_READ}};
		/* Each takes the place of the one before: programs that pile up would all have to agree. */
		for (int round = 0; round < 3; round++) {
			CHECK(ok(cgroup_devices_v2_apply(cgroup->paths[node].path, null_only, 1, &err), &err));
			CHECK(run_open(cgroup) == 1);
			CHECK(ok(cgroup_devices_v2_apply(cgroup->paths[node].path, all, 1, &err), &err));
			CHECK(run_open(cgroup) == 0);
			CHECK(ok(cgroup_devices_v2_apply(cgroup->paths[node].path, write_only, 2, &err), &err));
			CHECK(run_open(cgroup) == 1);
		}
	}
	remove_and_check(cgroup);
}

static void eat_memory(void)
{
	ready();
	for (;;) {
		char *memory = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			_exit(3);
		memset(memory, 1, MIB);
	}
}

static void test_oom(void)
{
	struct oci_memory memory = {.limit = {true, 16 * MIB}, .swap = {true, 16 * MIB}};
	struct oci_resources resources = {.memory = &memory};
	struct cgroup *cgroup = make(NULL, &resources);
	struct cgroup_oom oom;
	struct error err = {0};
	int status = 0;

	CHECK(cgroup_oom_killed(cgroup->paths, cgroup->count) == 0);
	if (!CHECK(ok(cgroup_oom_watch(cgroup->paths, cgroup->count, &oom, &err), &err)))
		return;
	struct pollfd item = {.fd = oom.fd, .events = POLLIN};
	CHECK(poll(&item, 1, 0) == 0);
	pid_t pid = spawn(cgroup, eat_memory);
	await_ready(1);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	int happened = 0;
	while (happened == 0 && poll(&item, 1, 5000) > 0)
		happened = cgroup_oom_read(&oom);
	CHECK(happened == 1);
	CHECK(cgroup_oom_killed(cgroup->paths, cgroup->count) == 1);
	/* The end of the cgroup wakes the watcher too. */
	remove_and_check(cgroup);
	while (happened >= 0 && poll(&item, 1, 5000) > 0)
		happened = cgroup_oom_read(&oom);
	CHECK(happened == -ENODEV);
	cgroup_oom_close(&oom);
	CHECK(oom.fd == -1);
}

/* Small amounts are charged in advance, not when they are used. */
static void use_memory(void)
{
	char *memory = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory != MAP_FAILED)
		memset(memory, 1, 4 * MIB);
	sleeper();
}

static void test_stats(void)
{
	struct oci_memory memory = {.limit = {true, 64 * MIB}};
	struct oci_resources resources = {.memory = &memory, .pids_limit = {true, 50}};
	struct cgroup *cgroup = make(NULL, &resources);
	CLEANUP_CGROUP_STATS struct cgroup_stats stats = {0};
	CLEANUP_JSON_WRITER struct json_writer writer = JSON_WRITER(0);
	struct error err = {0};

	pid_t pid = spawn(cgroup, use_memory);
	await_ready(1);
	CHECK(ok(cgroup_stats_read(cgroup, &stats, &err), &err));
	CHECK(stats.pids.current == 1 && stats.pids.limit == 50);
	CHECK(stats.memory.usage.limit == 64 * MIB);
	CHECK(stats.memory.usage.usage >= 4 * MIB && stats.memory.raw_count > 10);
	CHECK(stats.cpuset.cpus.count > 0 || !has(cgroup, CGROUP_CPUSET));
	CHECK(stats.cpu.total > 0);
	cgroup_event_json("stats", "some \"id\"", &stats, NULL, &writer);
	static const char begin[] =
	    "{\"type\":\"stats\",\"id\":\"some \\\"id\\\"\",\"data\":{\"cpu\":{\"usage\":{\"total\":";
	CHECK(strncmp(writer.data, begin, sizeof begin - 1) == 0);
	static const char *const wanted[] = {
	    "\"pids\":{\"current\":1,\"limit\":50}",
	    "\"usage\":{\"limit\":67108864,\"usage\":",
	    "\"raw\":{\"",
	    "\"hugetlb\":{",
	    "\"intel_rdt\":{}",
	    "\"network_interfaces\":null}}",
	    "\"blkio\":{",
	    "\"sched_relax_domain_level\":",
	};
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!CHECK(strstr(writer.data, wanted[i]) != NULL))
			printf("# %s is missing in %s\n", wanted[i], writer.data);
	CHECK(ok(cgroup_kill(cgroup, &err), &err));
	waitpid(pid, NULL, 0);
	remove_and_check(cgroup);
}

int main(void)
{
	if (!can_test())
		return 77;
	test_memory();
	test_cpu();
	test_cpu_below_parent();
	test_cpuset();
	test_others();
	test_refused();
	test_devices();
	test_oom();
	test_stats();
	return check_result();
}
