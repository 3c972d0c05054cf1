/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "resources" for cgroup v1 controllers. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "sandbox/cgroup/writes.h"
#include "sandbox/common/cleanup.h"

#define MEMORY(member) offsetof(struct oci_memory, member)
#define CPU(member) offsetof(struct oci_cpu, member)
#define KNOB(base, member, kind, field_name, file_name, ...)                                              \
	{                                                                                                 \
		.offset = base(member), .type = kind, .field = field_name, .file = file_name, __VA_ARGS__ \
	}
#define BLKIO(member) offsetof(struct oci_block_io, member)

/* In the order that suits a new cgroup: limit before memory + swap. */
static const struct cgroup_knob memory_knobs[] = {
    KNOB(MEMORY, limit, CGROUP_KNOB_I64, "memory.limit", "memory.limit_in_bytes", .group = CGROUP_WRITE_MEMORY),
    KNOB(MEMORY, swap, CGROUP_KNOB_I64, "memory.swap", "memory.memsw.limit_in_bytes", .group = CGROUP_WRITE_MEMORY),
    KNOB(MEMORY, reservation, CGROUP_KNOB_I64, "memory.reservation", "memory.soft_limit_in_bytes"),
    KNOB(MEMORY, kernel, CGROUP_KNOB_I64, "memory.kernel", "memory.kmem.limit_in_bytes"),
    KNOB(MEMORY, kernel_tcp, CGROUP_KNOB_I64, "memory.kernelTCP", "memory.kmem.tcp.limit_in_bytes"),
    KNOB(MEMORY, use_hierarchy, CGROUP_KNOB_BOOL, "memory.useHierarchy", "memory.use_hierarchy"),
    KNOB(MEMORY, disable_oom_killer, CGROUP_KNOB_BOOL, "memory.disableOOMKiller", "memory.oom_control"),
};

static const struct cgroup_knob swappiness_knob[] = {
    KNOB(MEMORY, swappiness, CGROUP_KNOB_U64, "memory.swappiness", "memory.swappiness", .flags = CGROUP_KNOB_ZERO),
};

static const struct cgroup_knob cpu_knobs[] = {
    KNOB(CPU, shares, CGROUP_KNOB_U64, "cpu.shares", "cpu.shares", .group = CGROUP_WRITE_CPU),
    KNOB(CPU, period, CGROUP_KNOB_U64, "cpu.period", "cpu.cfs_period_us", .group = CGROUP_WRITE_CPU),
    KNOB(CPU, quota, CGROUP_KNOB_I64, "cpu.quota", "cpu.cfs_quota_us", .group = CGROUP_WRITE_CPU),
    KNOB(CPU, burst, CGROUP_KNOB_U64, "cpu.burst", "cpu.cfs_burst_us", .group = CGROUP_WRITE_CPU,
	 .flags = CGROUP_KNOB_ZERO),
    KNOB(CPU, idle, CGROUP_KNOB_I64, "cpu.idle", "cpu.idle", .group = CGROUP_WRITE_CPU, .flags = CGROUP_KNOB_ZERO),
    KNOB(CPU, realtime_period, CGROUP_KNOB_U64, "cpu.realtimePeriod", "cpu.rt_period_us",
	 .group = CGROUP_WRITE_REALTIME),
    KNOB(CPU, realtime_runtime, CGROUP_KNOB_I64, "cpu.realtimeRuntime", "cpu.rt_runtime_us",
	 .group = CGROUP_WRITE_REALTIME),
};

static const struct cgroup_knob cpuset_knobs[] = {
    KNOB(CPU, cpus, CGROUP_KNOB_TEXT, "cpu.cpus", "cpuset.cpus", .other_file = "cpus", .group = CGROUP_WRITE_CPUSET),
    KNOB(CPU, mems, CGROUP_KNOB_TEXT, "cpu.mems", "cpuset.mems", .other_file = "mems", .group = CGROUP_WRITE_CPUSET),
};

/* The names of CFQ, gone with Linux 5.0, then those of its successor. */
static const struct cgroup_knob blkio_knobs[] = {
    KNOB(BLKIO, weight, CGROUP_KNOB_U16, "blockIO.weight", "blkio.weight", .other_file = "blkio.bfq.weight"),
    KNOB(BLKIO, leaf_weight, CGROUP_KNOB_U16, "blockIO.leafWeight", "blkio.leaf_weight"),
};

static const struct {
	size_t offset;
	const char *field;
	const char *file;
} throttles[] = {
    {BLKIO(read_bps), "blockIO.throttleReadBpsDevice", "blkio.throttle.read_bps_device"},
    {BLKIO(write_bps), "blockIO.throttleWriteBpsDevice", "blkio.throttle.write_bps_device"},
    {BLKIO(read_iops), "blockIO.throttleReadIOPSDevice", "blkio.throttle.read_iops_device"},
    {BLKIO(write_iops), "blockIO.throttleWriteIOPSDevice", "blkio.throttle.write_iops_device"},
};

static void add(struct cgroup_writes *writes, enum cgroup_controller controller, const char *field, const char *file,
		const char *other_file, const char *value, unsigned int flags)
{
	cgroup_writes_add(writes, (struct cgroup_write){.controller = controller,
							.field = field,
							.file = file,
							.value = value,
							.other_file = other_file,
							.other_value = value,
							.flags = flags});
}

static int memory_limits(struct cgroup_writes *writes, const struct oci_memory *memory, struct error *err)
{
	/* -1 means "leave it", from before it could be left out. */
	bool swappiness = memory->swappiness.set && memory->swappiness.value != UINT64_MAX;

	if (swappiness && memory->swappiness.value > 100)
		return error_set(err, EINVAL,
				 "linux.resources.memory.swappiness: invalid memory swappiness value: %" PRIu64
				 " (valid range is 0-100)",
				 memory->swappiness.value);
	cgroup_knobs_add(writes, CGROUP_MEMORY, false, memory, memory_knobs, ARRAY_SIZE(memory_knobs));
	/* No limit on memory is none on memory + swap either, which can't be the smaller one. */
	if (memory->limit.set && memory->limit.value < 0 && !(memory->swap.set && memory->swap.value != 0))
		cgroup_writes_add(writes, (struct cgroup_write){.controller = CGROUP_MEMORY,
								.field = "memory.limit",
								.file = "memory.memsw.limit_in_bytes",
								.value = "-1",
								.group = CGROUP_WRITE_MEMORY,
								.flags = CGROUP_WRITE_MAY_LACK});
	if (swappiness)
		cgroup_knobs_add(writes, CGROUP_MEMORY, false, memory, swappiness_knob, 1);
	return 0;
}

static int cpu_limits(struct cgroup_writes *writes, const struct oci_cpu *cpu, struct error *err)
{
	/* The kernel would take the nearest value without a word. */
	if (cpu->shares.set && cpu->shares.value == 1)
		return error_set(err, EINVAL, "linux.resources.cpu.shares: the minimum allowed cpu-shares is 2");
	if (cpu->shares.set && cpu->shares.value > 262144)
		return error_set(err, EINVAL, "linux.resources.cpu.shares: the maximum allowed cpu-shares is 262144");
	cgroup_knobs_add(writes, CGROUP_CPU, false, cpu, cpu_knobs, ARRAY_SIZE(cpu_knobs));
	return 0;
}

static void blkio_limits(struct cgroup_writes *writes, const struct oci_block_io *blkio)
{
	struct arena *arena = writes->arena;

	cgroup_knobs_add(writes, CGROUP_BLKIO, false, blkio, blkio_knobs, ARRAY_SIZE(blkio_knobs));
	for (size_t i = 0; i < blkio->weight_devices_count; i++) {
		const struct oci_weight_device *device = &blkio->weight_devices[i];
		if (device->weight.set && device->weight.value != 0)
			add(writes, CGROUP_BLKIO, "blockIO.weightDevice", "blkio.weight_device",
			    "blkio.bfq.weight_device",
			    arena_printf(arena, "%" PRId64 ":%" PRId64 " %u", device->major, device->minor,
					 device->weight.value),
			    0);
		if (device->leaf_weight.set && device->leaf_weight.value != 0)
			add(writes, CGROUP_BLKIO, "blockIO.weightDevice", "blkio.leaf_weight_device", NULL,
			    arena_printf(arena, "%" PRId64 ":%" PRId64 " %u", device->major, device->minor,
					 device->leaf_weight.value),
			    0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(throttles); i++) {
		const struct oci_throttle_list *list = (const void *)((const char *)blkio + throttles[i].offset);
		for (size_t k = 0; k < list->count; k++)
			add(writes, CGROUP_BLKIO, throttles[i].field, throttles[i].file, NULL,
			    arena_printf(arena, "%" PRId64 ":%" PRId64 " %" PRIu64, list->items[k].major,
					 list->items[k].minor, list->items[k].rate),
			    0);
	}
}

static int hugetlb_limits(struct cgroup_writes *writes, const struct oci_resources *resources, struct error *err)
{
	struct arena *arena = writes->arena;

	for (size_t i = 0; i < resources->hugepage_limits_count; i++) {
		const struct oci_hugepage_limit *limit = &resources->hugepage_limits[i];
		const char *value = arena_printf(arena, "%" PRIu64, limit->limit);
		if (!cgroup_page_size_valid(limit->page_size))
			return error_set(err, EINVAL,
					 "linux.resources.hugepageLimits: invalid pageSize \"%s\" (it looks like "
					 "64KB, 2MB or 1GB)",
					 limit->page_size == NULL ? "" : limit->page_size);
		add(writes, CGROUP_HUGETLB, "hugepageLimits",
		    arena_printf(arena, "hugetlb.%s.limit_in_bytes", limit->page_size), NULL, value, 0);
		/* Reservations are counted since Linux 5.7. */
		add(writes, CGROUP_HUGETLB, "hugepageLimits",
		    arena_printf(arena, "hugetlb.%s.rsvd.limit_in_bytes", limit->page_size), NULL, value,
		    CGROUP_WRITE_MAY_LACK);
	}
	return 0;
}

static void network_limits(struct cgroup_writes *writes, const struct oci_network *network, uint32_t has)
{
	if ((has & 1u << CGROUP_NET_CLS) && network->class_id.set && network->class_id.value != 0)
		add(writes, CGROUP_NET_CLS, "network.classID", "net_cls.classid", NULL,
		    arena_printf(writes->arena, "%" PRIu32, network->class_id.value), 0);
	for (size_t i = 0; (has & 1u << CGROUP_NET_PRIO) && i < network->priorities_count; i++)
		add(writes, CGROUP_NET_PRIO, "network.priorities", "net_prio.ifpriomap", NULL,
		    arena_printf(writes->arena, "%s %" PRIu32, network->priorities[i].name,
				 network->priorities[i].priority),
		    0);
}

int cgroup_v1_limits(struct cgroup_writes *writes, const struct oci_resources *resources, uint32_t has,
		     struct error *err)
{
	int rc = 0;

	if ((has & 1u << CGROUP_CPUSET) && resources->cpu != NULL)
		cgroup_knobs_add(writes, CGROUP_CPUSET, false, resources->cpu, cpuset_knobs, ARRAY_SIZE(cpuset_knobs));
	if ((has & 1u << CGROUP_MEMORY) && resources->memory != NULL)
		rc = memory_limits(writes, resources->memory, err);
	if (rc == 0 && (has & 1u << CGROUP_CPU) && resources->cpu != NULL)
		rc = cpu_limits(writes, resources->cpu, err);
	if (rc == 0 && (has & 1u << CGROUP_PIDS) && resources->pids_limit.set)
		add(writes, CGROUP_PIDS, "pids.limit", "pids.max", NULL,
		    resources->pids_limit.value < 0
			? "max"
			: arena_printf(writes->arena, "%" PRId64, resources->pids_limit.value),
		    0);
	if (rc == 0 && (has & 1u << CGROUP_BLKIO) && resources->block_io != NULL)
		blkio_limits(writes, resources->block_io);
	if (rc == 0 && (has & 1u << CGROUP_HUGETLB))
		rc = hugetlb_limits(writes, resources, err);
	if (rc == 0 && resources->network != NULL)
		network_limits(writes, resources->network, has);
	return rc;
}
