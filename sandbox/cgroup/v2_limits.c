/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "resources" for cgroup v2, with the numbers of v1 converted as runc does. */
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

static const struct cgroup_knob memory_knobs[] = {
    KNOB(MEMORY, limit, CGROUP_KNOB_I64, "memory.limit", "memory.max", .group = CGROUP_WRITE_MEMORY),
    KNOB(MEMORY, reservation, CGROUP_KNOB_I64, "memory.reservation", "memory.low"),
};

static const struct cgroup_knob idle_knob[] = {
    KNOB(CPU, idle, CGROUP_KNOB_I64, "cpu.idle", "cpu.idle", .group = CGROUP_WRITE_CPU, .flags = CGROUP_KNOB_ZERO),
};

static const struct cgroup_knob burst_knob[] = {
    KNOB(CPU, burst, CGROUP_KNOB_U64, "cpu.burst", "cpu.max.burst", .group = CGROUP_WRITE_CPU,
	 .flags = CGROUP_KNOB_ZERO),
};

static const struct cgroup_knob cpuset_knobs[] = {
    KNOB(CPU, cpus, CGROUP_KNOB_TEXT, "cpu.cpus", "cpuset.cpus", .group = CGROUP_WRITE_CPUSET),
    KNOB(CPU, mems, CGROUP_KNOB_TEXT, "cpu.mems", "cpuset.mems", .group = CGROUP_WRITE_CPUSET),
};

static const struct {
	size_t offset;
	const char *field;
	const char *key;
} throttles[] = {
    {BLKIO(read_bps), "blockIO.throttleReadBpsDevice", "rbps"},
    {BLKIO(write_bps), "blockIO.throttleWriteBpsDevice", "wbps"},
    {BLKIO(read_iops), "blockIO.throttleReadIOPSDevice", "riops"},
    {BLKIO(write_iops), "blockIO.throttleWriteIOPSDevice", "wiops"},
};

static void add(struct cgroup_writes *writes, enum cgroup_controller controller, const char *field, const char *file,
		const char *value, enum cgroup_write_group group, unsigned int flags)
{
	cgroup_writes_add(writes, (struct cgroup_write){.controller = controller,
							.v2 = true,
							.field = field,
							.file = file,
							.value = value,
							.group = group,
							.flags = flags});
}

/* What v2 has no equal of. */
static int refuse(const char *field, struct error *err)
{
	return error_set(err, EINVAL, "linux.resources.%s can't be set on cgroup v2, which has nothing like it", field);
}

static int refuse_memory(const struct oci_memory *memory, struct error *err)
{
	/* -1 and 0 ask for what holds anyhow. */
	if (memory->kernel.set && memory->kernel.value > 0)
		return refuse("memory.kernel", err);
	if (memory->kernel_tcp.set && memory->kernel_tcp.value > 0)
		return refuse("memory.kernelTCP", err);
	if (memory->swappiness.set && memory->swappiness.value != UINT64_MAX)
		return refuse("memory.swappiness", err);
	if (memory->disable_oom_killer.set && memory->disable_oom_killer.value)
		return refuse("memory.disableOOMKiller", err);
	if (memory->use_hierarchy.set && !memory->use_hierarchy.value)
		return refuse("memory.useHierarchy", err);
	return 0;
}

static int refuse_network(const struct oci_network *network, struct error *err)
{
	if (network->class_id.set && network->class_id.value != 0)
		return refuse("network.classID", err);
	if (network->priorities_count > 0)
		return refuse("network.priorities", err);
	return 0;
}

static int memory_limits(struct cgroup_writes *writes, const struct oci_memory *memory,
			 const struct cgroup_v2_current *current, struct error *err)
{
	int64_t limit = memory->limit.set && memory->limit.value != 0 ? memory->limit.value : current->memory_limit;
	bool limit_named = memory->limit.set && memory->limit.value != 0;
	int64_t swap = memory->swap.set ? memory->swap.value : 0;
	int64_t value;
	bool set;

	int rc = refuse_memory(memory, err);
	if (rc < 0)
		return rc;
	rc = cgroup_swap_v2(swap, swap != 0 || limit_named ? limit : 0, &set, &value, err);
	if (rc < 0)
		return rc;
	/* Without swap accounting "none" and "unlimited" are all there is. */
	if (set)
		add(writes, CGROUP_MEMORY, "memory.swap", "memory.swap.max",
		    value < 0 ? "max" : arena_printf(writes->arena, "%" PRId64, value), CGROUP_WRITE_MEMORY,
		    value <= 0 ? CGROUP_WRITE_MAY_LACK : 0);
	cgroup_knobs_add(writes, CGROUP_MEMORY, true, memory, memory_knobs, ARRAY_SIZE(memory_knobs));
	return 0;
}

static int cpu_limits(struct cgroup_writes *writes, const struct oci_cpu *cpu, const struct cgroup_v2_current *current,
		      struct error *err)
{
	struct arena *arena = writes->arena;
	bool quota = cpu->quota.set && cpu->quota.value != 0;
	bool period = cpu->period.set && cpu->period.value != 0;

	if (cpu->realtime_runtime.set && cpu->realtime_runtime.value > 0)
		return refuse("cpu.realtimeRuntime", err);
	if (cpu->realtime_period.set && cpu->realtime_period.value > 0)
		return refuse("cpu.realtimePeriod", err);
	cgroup_knobs_add(writes, CGROUP_CPU, true, cpu, idle_knob, 1);
	if (cpu->shares.set && cpu->shares.value != 0)
		add(writes, CGROUP_CPU, "cpu.shares", "cpu.weight",
		    arena_printf(arena, "%" PRIu64, cgroup_shares_to_weight(cpu->shares.value)), CGROUP_WRITE_CPU, 0);
	if (quota || period) {
		const char *quota_text = current->cpu_quota == NULL ? "max" : current->cpu_quota;
		const char *period_text = current->cpu_period == NULL ? "100000" : current->cpu_period;
		if (quota)
			quota_text = cpu->quota.value < 0 ? "max" : arena_printf(arena, "%" PRId64, cpu->quota.value);
		if (period)
			period_text = arena_printf(arena, "%" PRIu64, cpu->period.value);
		add(writes, CGROUP_CPU, quota ? "cpu.quota" : "cpu.period", "cpu.max",
		    arena_printf(arena, "%s %s", quota_text, period_text), CGROUP_WRITE_CPU, 0);
	}
	cgroup_knobs_add(writes, CGROUP_CPU, true, cpu, burst_knob, 1);
	return 0;
}

static int io_limits(struct cgroup_writes *writes, const struct oci_block_io *blkio, struct error *err)
{
	struct arena *arena = writes->arena;

	if (blkio->leaf_weight.set && blkio->leaf_weight.value != 0)
		return refuse("blockIO.leafWeight", err);
	if (blkio->weight.set && blkio->weight.value != 0) {
		if (blkio->weight.value < 10 || blkio->weight.value > 1000)
			return error_set(err, EINVAL, "linux.resources.blockIO.weight: %u is not in the range 10-1000",
					 blkio->weight.value);
		cgroup_writes_add(writes, (struct cgroup_write){
					      .controller = CGROUP_BLKIO,
					      .v2 = true,
					      .field = "blockIO.weight",
					      .file = "io.bfq.weight",
					      .value = arena_printf(arena, "%u", blkio->weight.value),
					      .other_file = "io.weight",
					      .other_value = arena_printf(
						  arena, "%" PRIu64, cgroup_blkio_to_io_weight(blkio->weight.value))});
	}
	for (size_t i = 0; i < blkio->weight_devices_count; i++) {
		const struct oci_weight_device *device = &blkio->weight_devices[i];
		if (device->leaf_weight.set && device->leaf_weight.value != 0)
			return refuse("blockIO.weightDevice leafWeight", err);
		if (!device->weight.set || device->weight.value == 0)
			continue;
		if (device->weight.value < 10 || device->weight.value > 1000)
			return error_set(err, EINVAL,
					 "linux.resources.blockIO.weightDevice: %u is not in the range 10-1000",
					 device->weight.value);
		cgroup_writes_add(writes, (struct cgroup_write){
					      .controller = CGROUP_BLKIO,
					      .v2 = true,
					      .field = "blockIO.weightDevice",
					      .file = "io.bfq.weight",
					      .value = arena_printf(arena, "%" PRId64 ":%" PRId64 " %u", device->major,
								    device->minor, device->weight.value),
					      .other_file = "io.weight",
					      .other_value = arena_printf(
						  arena, "%" PRId64 ":%" PRId64 " %" PRIu64, device->major,
						  device->minor, cgroup_blkio_to_io_weight(device->weight.value))});
	}
	for (size_t i = 0; i < ARRAY_SIZE(throttles); i++) {
		const struct oci_throttle_list *list = (const void *)((const char *)blkio + throttles[i].offset);
		for (size_t k = 0; k < list->count; k++) {
			const struct oci_throttle_device *device = &list->items[k];
			/* v1 takes 0 as "no limit", v2 refuses it. */
			const char *rate = device->rate == 0 ? "max" : arena_printf(arena, "%" PRIu64, device->rate);
			add(writes, CGROUP_BLKIO, throttles[i].field, "io.max",
			    arena_printf(arena, "%" PRId64 ":%" PRId64 " %s=%s", device->major, device->minor,
					 throttles[i].key, rate),
			    CGROUP_WRITE_ALONE, 0);
		}
	}
	return 0;
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
		add(writes, CGROUP_HUGETLB, "hugepageLimits", arena_printf(arena, "hugetlb.%s.max", limit->page_size),
		    value, CGROUP_WRITE_ALONE, 0);
		/* Reservations are counted since Linux 5.7. */
		add(writes, CGROUP_HUGETLB, "hugepageLimits",
		    arena_printf(arena, "hugetlb.%s.rsvd.max", limit->page_size), value, CGROUP_WRITE_ALONE,
		    CGROUP_WRITE_MAY_LACK);
	}
	return 0;
}

int cgroup_v2_limits(struct cgroup_writes *writes, const struct oci_resources *resources, uint32_t has,
		     const struct cgroup_v2_current *current, struct error *err)
{
	static const struct cgroup_v2_current nothing = {0};
	int rc = 0;

	if (current == NULL)
		current = &nothing;
	/* Set by the caller where there is no v1 hierarchy that may have them. */
	if ((has & 1u << CGROUP_NET_CLS) && resources->network != NULL)
		rc = refuse_network(resources->network, err);
	if (rc == 0 && (has & 1u << CGROUP_MEMORY) && resources->memory != NULL)
		rc = memory_limits(writes, resources->memory, current, err);
	if (rc == 0 && (has & 1u << CGROUP_CPU) && resources->cpu != NULL)
		rc = cpu_limits(writes, resources->cpu, current, err);
	if (rc == 0 && (has & 1u << CGROUP_CPUSET) && resources->cpu != NULL)
		cgroup_knobs_add(writes, CGROUP_CPUSET, true, resources->cpu, cpuset_knobs, ARRAY_SIZE(cpuset_knobs));
	if (rc == 0 && (has & 1u << CGROUP_PIDS) && resources->pids_limit.set)
		add(writes, CGROUP_PIDS, "pids.limit", "pids.max",
		    resources->pids_limit.value < 0
			? "max"
			: arena_printf(writes->arena, "%" PRId64, resources->pids_limit.value),
		    CGROUP_WRITE_ALONE, 0);
	if (rc == 0 && (has & 1u << CGROUP_BLKIO) && resources->block_io != NULL)
		rc = io_limits(writes, resources->block_io, err);
	if (rc == 0 && (has & 1u << CGROUP_HUGETLB))
		rc = hugetlb_limits(writes, resources, err);
	return rc;
}
