/* SPDX-License-Identifier: Apache-2.0 */
/* linux.resources to writes: no cgroup needed. */
#include <errno.h>
#include <stdlib.h>

#include "sandbox/cgroup/writes.h"
#include "tests/unit/check.h"

#define ALL ((1u << CGROUP_CONTROLLERS) - 1)

static struct arena arena;

/* "file=value file=value ..."; "?" behind a file that may be missing. */
static const char *show(const struct cgroup_writes *writes)
{
	const char *text = "";

	for (size_t i = 0; i < writes->count; i++) {
		const struct cgroup_write *write = &writes->items[i];
		text = arena_printf(&arena, "%s%s%s%s=%s", text, i == 0 ? "" : "|", write->file,
				    write->flags & CGROUP_WRITE_MAY_LACK ? "?" : "", write->value);
		if (write->other_file != NULL && strcmp(write->other_value, write->value) != 0)
			text = arena_printf(&arena, "%s or %s=%s", text, write->other_file, write->other_value);
	}
	return text;
}

static const char *v1(const struct oci_resources *resources)
{
	struct cgroup_writes writes = {.arena = &arena};
	struct error err = {0};

	if (cgroup_v1_limits(&writes, resources, ALL, &err) < 0)
		return arena_printf(&arena, "error: %s", err.message);
	return show(&writes);
}

static const char *v2_with(const struct oci_resources *resources, const struct cgroup_v2_current *current)
{
	struct cgroup_writes writes = {.arena = &arena};
	struct error err = {0};

	if (cgroup_v2_limits(&writes, resources, ALL, current, &err) < 0)
		return arena_printf(&arena, "error: %s", err.message);
	return show(&writes);
}

static const char *v2(const struct oci_resources *resources)
{
	return v2_with(resources, NULL);
}

static bool is_error(const char *text, const char *wanted)
{
	if (strncmp(text, "error: ", 7) == 0 && strstr(text, wanted) != NULL)
		return true;
	printf("# %s\n", text);
	return false;
}

static void test_weight(void)
{
	static const struct {
		uint64_t shares;
		uint64_t weight;
	} known[] = {
	    {0, 0},      {1, 1},          {2, 1},          {512, 59},           {1024, 100},
	    {2048, 174}, {262143, 10000}, {262144, 10000}, {UINT64_MAX, 10000},
	};
	uint64_t last = 1;

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (!CHECK(cgroup_shares_to_weight(known[i].shares) == known[i].weight))
			printf("# %llu: %llu\n", (unsigned long long)known[i].shares,
			       (unsigned long long)cgroup_shares_to_weight(known[i].shares));
	/* Never outside of what the kernel takes, never falling. */
	for (uint64_t shares = 2; shares <= 262144; shares += shares < 5000 ? 1 : 97) {
		uint64_t weight = cgroup_shares_to_weight(shares);
		if (weight < last || weight < 1 || weight > 10000)
			CHECK(!"a weight that falls or is out of range");
		last = weight;
	}
	CHECK(cgroup_blkio_to_io_weight(0) == 0);
	CHECK(cgroup_blkio_to_io_weight(10) == 1);
	CHECK(cgroup_blkio_to_io_weight(500) == 4950);
	CHECK(cgroup_blkio_to_io_weight(1000) == 10000);
}

static void test_swap(void)
{
	static const struct {
		int64_t swap, limit;
		int rc;
		bool set;
		int64_t value;
	} known[] = {
	    {0, 0, 0, false, 0},          {0, 100, 0, false, 0},  {0, -1, 0, true, -1},    {-1, 100, 0, true, -1},
	    {300, 100, 0, true, 200},     {100, 100, 0, true, 0}, {300, -1, 0, true, 300}, {300, 0, -EINVAL, false, 0},
	    {50, 100, -EINVAL, false, 0}, {-1, 0, 0, true, -1},
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		struct error err = {0};
		bool set = false;
		int64_t value = 0;
		int rc = cgroup_swap_v2(known[i].swap, known[i].limit, &set, &value, &err);
		CHECK(rc == known[i].rc);
		if (rc == 0)
			CHECK(set == known[i].set && (!set || value == known[i].value));
	}
}

static void test_memory(void)
{
	struct oci_memory memory = {.limit = {true, 1000}, .swap = {true, 3000}, .reservation = {true, 500}};
	struct oci_resources resources = {.memory = &memory};

	CHECK_TEXT(v1(&resources), "memory.limit_in_bytes=1000|memory.memsw.limit_in_bytes=3000|"
				   "memory.soft_limit_in_bytes=500");
	CHECK_TEXT(v2(&resources), "memory.swap.max=2000|memory.max=1000|memory.low=500");
	/* 0 means "not set", null and an absent object too. */
	memory = (struct oci_memory){.limit = {true, 0}, .swap = {true, 0}, .kernel = {true, 0}};
	CHECK_TEXT(v1(&resources), "");
	CHECK_TEXT(v2(&resources), "");
	/* No limit takes the swap's away too. */
	memory = (struct oci_memory){.limit = {true, -1}};
	CHECK_TEXT(v1(&resources), "memory.limit_in_bytes=-1|memory.memsw.limit_in_bytes?=-1");
	CHECK_TEXT(v2(&resources), "memory.swap.max?=max|memory.max=max");
	memory = (struct oci_memory){.limit = {true, -1}, .swap = {true, 5000}};
	CHECK_TEXT(v1(&resources), "memory.limit_in_bytes=-1|memory.memsw.limit_in_bytes=5000");
	CHECK_TEXT(v2(&resources), "memory.swap.max=5000|memory.max=max");
	memory = (struct oci_memory){.swap = {true, 3000}};
	CHECK_TEXT(v1(&resources), "memory.memsw.limit_in_bytes=3000");
	CHECK(is_error(v2(&resources), "unable to set swap limit without memory limit"));
	CHECK_TEXT(v2_with(&resources, &(struct cgroup_v2_current){.memory_limit = 1000}), "memory.swap.max=2000");
	CHECK_TEXT(v2_with(&resources, &(struct cgroup_v2_current){.memory_limit = -1}), "memory.swap.max=3000");
	memory = (struct oci_memory){.limit = {true, 3000}, .swap = {true, 1000}};
	CHECK(is_error(v2(&resources), "memory+swap limit should be >= memory limit"));
	/* Equal values: no swap at all, which also holds without swap accounting. */
	memory = (struct oci_memory){.limit = {true, 1000}, .swap = {true, 1000}};
	CHECK_TEXT(v2(&resources), "memory.swap.max?=0|memory.max=1000");
	/* v1 only. */
	memory = (struct oci_memory){.kernel = {true, 4096},
				     .kernel_tcp = {true, 8192},
				     .swappiness = {true, 0},
				     .disable_oom_killer = {true, true},
				     .use_hierarchy = {true, true}};
	CHECK_TEXT(v1(&resources), "memory.kmem.limit_in_bytes=4096|memory.kmem.tcp.limit_in_bytes=8192|"
				   "memory.use_hierarchy=1|memory.oom_control=1|memory.swappiness=0");
	CHECK(is_error(v2(&resources), "linux.resources.memory.kernel can't be set on cgroup v2"));
	memory = (struct oci_memory){.kernel_tcp = {true, 1}};
	CHECK(is_error(v2(&resources), "memory.kernelTCP"));
	memory = (struct oci_memory){.swappiness = {true, 60}};
	CHECK(is_error(v2(&resources), "memory.swappiness"));
	memory = (struct oci_memory){.disable_oom_killer = {true, true}};
	CHECK(is_error(v2(&resources), "memory.disableOOMKiller"));
	memory = (struct oci_memory){.use_hierarchy = {true, false}};
	CHECK(is_error(v2(&resources), "memory.useHierarchy"));
	/* What asks for nothing else than what v2 does. */
	memory = (struct oci_memory){.kernel = {true, -1},
				     .kernel_tcp = {true, -1},
				     .swappiness = {true, UINT64_MAX},
				     .disable_oom_killer = {true, false},
				     .use_hierarchy = {true, true}};
	CHECK_TEXT(v2(&resources), "");
	memory = (struct oci_memory){.swappiness = {true, 101}};
	CHECK(is_error(v1(&resources), "invalid memory swappiness value: 101"));
}

static void test_cpu(void)
{
	struct oci_cpu cpu = {.shares = {true, 1024},
			      .quota = {true, 50000},
			      .period = {true, 100000},
			      .burst = {true, 1000},
			      .cpus = "0-1",
			      .mems = "0",
			      .idle = {true, 0}};
	struct oci_resources resources = {.cpu = &cpu};

	CHECK_TEXT(v1(&resources), "cpuset.cpus=0-1|cpuset.mems=0|cpu.shares=1024|cpu.cfs_period_us=100000|"
				   "cpu.cfs_quota_us=50000|cpu.cfs_burst_us=1000|cpu.idle=0");
	CHECK_TEXT(v2(&resources), "cpu.idle=0|cpu.weight=100|cpu.max=50000 100000|cpu.max.burst=1000|"
				   "cpuset.cpus=0-1|cpuset.mems=0");
	cpu = (struct oci_cpu){.quota = {true, -1}};
	CHECK_TEXT(v1(&resources), "cpu.cfs_quota_us=-1");
	CHECK_TEXT(v2(&resources), "cpu.max=max 100000");
	/* An update leaves alone what it does not name. */
	CHECK_TEXT(v2_with(&resources, &(struct cgroup_v2_current){.cpu_quota = "7", .cpu_period = "20000"}),
		   "cpu.max=max 20000");
	cpu = (struct oci_cpu){.period = {true, 50000}};
	CHECK_TEXT(v1(&resources), "cpu.cfs_period_us=50000");
	CHECK_TEXT(v2_with(&resources, &(struct cgroup_v2_current){.cpu_quota = "7000", .cpu_period = "20000"}),
		   "cpu.max=7000 50000");
	CHECK_TEXT(v2(&resources), "cpu.max=max 50000");
	cpu = (struct oci_cpu){.realtime_runtime = {true, 950000}, .realtime_period = {true, 1000000}};
	CHECK_TEXT(v1(&resources), "cpu.rt_period_us=1000000|cpu.rt_runtime_us=950000");
	CHECK(is_error(v2(&resources), "cpu.realtimeRuntime"));
	cpu = (struct oci_cpu){.shares = {true, 0},
			       .quota = {true, 0},
			       .period = {true, 0},
			       .realtime_runtime = {true, 0},
			       .realtime_period = {true, 0},
			       .cpus = "",
			       .mems = NULL};
	CHECK_TEXT(v1(&resources), "");
	CHECK_TEXT(v2(&resources), "");
	cpu = (struct oci_cpu){.shares = {true, 1}};
	CHECK(is_error(v1(&resources), "the minimum allowed cpu-shares is 2"));
	cpu = (struct oci_cpu){.shares = {true, 262145}};
	CHECK(is_error(v1(&resources), "the maximum allowed cpu-shares is 262144"));
}

static void test_io(void)
{
	struct oci_weight_device weights[] = {{.major = 8, .minor = 0, .weight = {true, 500}},
					      {.major = 8, .minor = 16, .weight = {true, 0}}};
	struct oci_throttle_device rates[] = {{8, 0, 600}, {8, 16, 0}};
	struct oci_block_io io = {.weight = {true, 10},
				  .weight_devices = weights,
				  .weight_devices_count = 2,
				  .read_bps = {rates, 2},
				  .write_bps = {rates, 1},
				  .read_iops = {rates, 1},
				  .write_iops = {rates, 1}};
	struct oci_resources resources = {.block_io = &io};

	CHECK_TEXT(v1(&resources), "blkio.weight=10|blkio.weight_device=8:0 500|blkio.throttle.read_bps_device=8:0 600|"
				   "blkio.throttle.read_bps_device=8:16 0|blkio.throttle.write_bps_device=8:0 600|"
				   "blkio.throttle.read_iops_device=8:0 600|blkio.throttle.write_iops_device=8:0 600");
	CHECK_TEXT(v2(&resources), "io.bfq.weight=10 or io.weight=1|io.bfq.weight=8:0 500 or io.weight=8:0 4950|"
				   "io.max=8:0 rbps=600|io.max=8:16 rbps=max|io.max=8:0 wbps=600|io.max=8:0 riops=600|"
				   "io.max=8:0 wiops=600");
	io = (struct oci_block_io){.weight = {true, 1001}};
	CHECK(is_error(v2(&resources), "1001 is not in the range 10-1000"));
	io = (struct oci_block_io){.leaf_weight = {true, 20}};
	CHECK_TEXT(v1(&resources), "blkio.leaf_weight=20");
	CHECK(is_error(v2(&resources), "blockIO.leafWeight"));
	weights[0].leaf_weight = (struct opt_u16){true, 30};
	io = (struct oci_block_io){.weight_devices = weights, .weight_devices_count = 1};
	CHECK_TEXT(v1(&resources), "blkio.weight_device=8:0 500|blkio.leaf_weight_device=8:0 30");
	CHECK(is_error(v2(&resources), "leafWeight"));
}

static void test_others(void)
{
	struct oci_hugepage_limit huge[] = {{"2MB", 9}};
	struct oci_interface_priority priorities[] = {{"lo", 5}};
	struct oci_network network = {.class_id = {true, 1048577}, .priorities = priorities, .priorities_count = 1};
	struct oci_rdma rdma[] = {{"mlx5_1", {true, 3}, {true, 10000}}, {"mlx4_0", {false, 0}, {true, 1000}}};
	struct oci_resources resources = {.pids_limit = {true, -1}};
	struct cgroup_writes writes = {.arena = &arena};

	CHECK_TEXT(v1(&resources), "pids.max=max");
	CHECK_TEXT(v2(&resources), "pids.max=max");
	/* A limit of its own, see config-linux.md. */
	resources.pids_limit.value = 0;
	CHECK_TEXT(v1(&resources), "pids.max=0");
	CHECK_TEXT(v2(&resources), "pids.max=0");
	resources = (struct oci_resources){.hugepage_limits = huge, .hugepage_limits_count = 1};
	CHECK_TEXT(v1(&resources), "hugetlb.2MB.limit_in_bytes=9|hugetlb.2MB.rsvd.limit_in_bytes?=9");
	CHECK_TEXT(v2(&resources), "hugetlb.2MB.max=9|hugetlb.2MB.rsvd.max?=9");
	static const char *const bad[] = {"", "MB", "2", "2mb", "2MB/../x", "/2MB", "2TB", "12345678901MB", NULL};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		huge[0].page_size = bad[i];
		CHECK(is_error(v1(&resources), "invalid pageSize"));
		CHECK(is_error(v2(&resources), "invalid pageSize"));
	}
	resources = (struct oci_resources){.network = &network};
	CHECK_TEXT(v1(&resources), "net_cls.classid=1048577|net_prio.ifpriomap=lo 5");
	CHECK(is_error(v2(&resources), "network.classID"));
	network.class_id.value = 0;
	CHECK(is_error(v2(&resources), "network.priorities"));
	network.priorities_count = 0;
	CHECK_TEXT(v1(&resources), "");
	CHECK_TEXT(v2(&resources), "");
	resources = (struct oci_resources){.rdma = rdma, .rdma_count = 2};
	cgroup_rdma_limits(&writes, &resources, true);
	CHECK_TEXT(show(&writes), "rdma.max=mlx5_1 hca_handle=3 hca_object=10000|rdma.max=mlx4_0 hca_object=1000");
}

static const char *unified(const char *key, const char *value)
{
	struct oci_pair pair = {key, value};
	struct oci_resources resources = {.unified = &pair, .unified_count = 1};
	struct cgroup_writes writes = {.arena = &arena};
	struct error err = {0};

	if (cgroup_unified_limits(&writes, &resources, &err) < 0)
		return arena_printf(&arena, "error: %s", err.message);
	return show(&writes);
}

static void test_unified(void)
{
	CHECK_TEXT(unified("memory.high", "5000"), "memory.high=5000");
	CHECK_TEXT(unified("io.max", "259:0 rbps=1\n253:0 rbps=2\n"), "io.max=259:0 rbps=1|io.max=253:0 rbps=2");
	CHECK_TEXT(unified("future.thing", "x"), "future.thing=x");
	CHECK_TEXT(unified("memory.high", ""), "");
	CHECK(is_error(unified("../memory.high", "1"), "must be a file name (no slashes)"));
	CHECK(is_error(unified("memory", "1"), "must be in the form CONTROLLER.PARAMETER"));
	CHECK(is_error(unified(".high", "1"), "must be in the form CONTROLLER.PARAMETER"));
}

/* A controller that the list is not for is left out. */
static void test_mask(void)
{
	struct oci_memory memory = {.limit = {true, 1000}};
	struct oci_cpu cpu = {.shares = {true, 1024}, .cpus = "0"};
	struct oci_resources resources = {.memory = &memory, .cpu = &cpu, .pids_limit = {true, 5}};
	struct cgroup_writes writes = {.arena = &arena};
	struct error err = {0};

	CHECK(cgroup_v1_limits(&writes, &resources, 1u << CGROUP_CPUSET, &err) == 0);
	CHECK_TEXT(show(&writes), "cpuset.cpus=0");
	writes.count = 0;
	CHECK(cgroup_v2_limits(&writes, &resources, 1u << CGROUP_PIDS, NULL, &err) == 0);
	CHECK_TEXT(show(&writes), "pids.max=5");
}

int main(void)
{
	test_weight();
	test_swap();
	test_memory();
	test_cpu();
	test_io();
	test_others();
	test_unified();
	test_mask();
	arena_free(&arena);
	return check_result();
}
