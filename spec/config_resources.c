/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "resources", also the file given to `update --resources`. */
#include "spec/checks.h"
#include "spec/tables.h"

#define DEVICE_NUMBER_MAX UINT32_MAX

/* -1, which v1 users write for "all", is the wildcard here as well. */
static const struct field device_fields[] = {
    FIELD("allow", oci_device_cgroup, allow, .required = true),
    FIELD("type", oci_device_cgroup, type, .words = device_rule_type_words),
    FIELD("major", oci_device_cgroup, major, BOUNDS(-1, DEVICE_NUMBER_MAX)),
    FIELD("minor", oci_device_cgroup, minor, BOUNDS(-1, DEVICE_NUMBER_MAX)),
    FIELD("access", oci_device_cgroup, access, .check = check_device_access),
};

static int device_finish(const struct table_reader *reader, const struct json_value *object,
			 const struct table_path *path, void *target)
{
	struct oci_device_cgroup *rule = target;

	if (rule->type == '\0')
		rule->type = 'a';
	if (rule->major.value == -1)
		rule->major = (struct opt_i64){0};
	if (rule->minor.value == -1)
		rule->minor = (struct opt_i64){0};
	return 0;
}
static const struct table device_table = TABLE(oci_device_cgroup, device_fields, .finish = device_finish);

/* -1 is "unlimited". */
#define MEMORY_BOUNDS BOUNDS(-1, INT64_MAX)

static const struct field memory_fields[] = {
    FIELD("limit", oci_memory, limit, MEMORY_BOUNDS),
    FIELD("reservation", oci_memory, reservation, MEMORY_BOUNDS),
    FIELD("swap", oci_memory, swap, MEMORY_BOUNDS),
    FIELD("kernel", oci_memory, kernel, MEMORY_BOUNDS),
    FIELD("kernelTCP", oci_memory, kernel_tcp, MEMORY_BOUNDS),
    FIELD("swappiness", oci_memory, swappiness, BOUNDS(0, 100)),
    FIELD("disableOOMKiller", oci_memory, disable_oom_killer),
    FIELD("useHierarchy", oci_memory, use_hierarchy),
    FIELD("checkBeforeUpdate", oci_memory, check_before_update),
};
static const struct table memory_table = TABLE(oci_memory, memory_fields);

static int cpu_finish(const struct table_reader *reader, const struct json_value *object, const struct table_path *path,
		      void *target)
{
	struct oci_cpu *cpu = target;
	struct table_path burst = {.parent = path, .name = "burst"};

	if (cpu->burst.set && cpu->quota.set && cpu->quota.value > 0 && cpu->burst.value > (uint64_t)cpu->quota.value)
		return table_error(reader, &burst, "is larger than quota");
	return 0;
}

static const struct field cpu_fields[] = {
    FIELD("shares", oci_cpu, shares),
    FIELD("quota", oci_cpu, quota),
    FIELD("burst", oci_cpu, burst, .since = "5.14"),
    FIELD("period", oci_cpu, period),
    FIELD("realtimeRuntime", oci_cpu, realtime_runtime),
    FIELD("realtimePeriod", oci_cpu, realtime_period),
    FIELD("cpus", oci_cpu, cpus, .check = check_cpuset, .applied = "sandbox/cgroup/writes.c"),
    FIELD("mems", oci_cpu, mems, .check = check_cpuset, .applied = "sandbox/cgroup/writes.c"),
    FIELD("idle", oci_cpu, idle, BOUNDS(0, 1), .since = "5.15"),
};
static const struct table cpu_table = TABLE(oci_cpu, cpu_fields, .finish = cpu_finish);

static const struct field pids_fields[] = {
    FIELD("limit", oci_resources, pids_limit),
};
static const struct table pids_table = TABLE(oci_resources, pids_fields);

#define BLOCK_DEVICE(object)                                                           \
	FIELD("major", object, major, .required = true, BOUNDS(0, DEVICE_NUMBER_MAX)), \
	    FIELD("minor", object, minor, .required = true, BOUNDS(0, DEVICE_NUMBER_MAX))

static int weight_device_finish(const struct table_reader *reader, const struct json_value *object,
				const struct table_path *path, void *target)
{
	struct oci_weight_device *device = target;

	if (!device->weight.set && !device->leaf_weight.set)
		return table_error(reader, path, "needs weight or leafWeight");
	return 0;
}

static const struct field weight_device_fields[] = {
    BLOCK_DEVICE(oci_weight_device),
    FIELD("weight", oci_weight_device, weight),
    FIELD("leafWeight", oci_weight_device, leaf_weight),
};
static const struct table weight_device_table =
    TABLE(oci_weight_device, weight_device_fields, .finish = weight_device_finish);

static const struct field throttle_device_fields[] = {
    BLOCK_DEVICE(oci_throttle_device),
    FIELD("rate", oci_throttle_device, rate, .required = true),
};
static const struct table throttle_device_table = TABLE(oci_throttle_device, throttle_device_fields);

#define THROTTLE(json, member) \
	FIELD_ARRAY_AT(json, FIELD_OBJECTS, oci_block_io, member.items, member.count, &throttle_device_table)
static const struct field block_io_fields[] = {
    FIELD("weight", oci_block_io, weight),
    FIELD("leafWeight", oci_block_io, leaf_weight),
    FIELD_ARRAY("weightDevice", oci_block_io, weight_devices, &weight_device_table),
    THROTTLE("throttleReadBpsDevice", read_bps),
    THROTTLE("throttleWriteBpsDevice", write_bps),
    THROTTLE("throttleReadIOPSDevice", read_iops),
    THROTTLE("throttleWriteIOPSDevice", write_iops),
};
static const struct table block_io_table = TABLE(oci_block_io, block_io_fields);

static const struct field hugepage_fields[] = {
    FIELD("pageSize", oci_hugepage_limit, page_size, .required = true, .check = check_page_size),
    FIELD("limit", oci_hugepage_limit, limit, .required = true),
};
static const struct table hugepage_table = TABLE(oci_hugepage_limit, hugepage_fields);

static const struct field priority_fields[] = {
    FIELD("name", oci_interface_priority, name, .required = true, .check = check_net_device),
    FIELD("priority", oci_interface_priority, priority, .required = true),
};
static const struct table priority_table = TABLE(oci_interface_priority, priority_fields);

static const struct field network_fields[] = {
    FIELD("classID", oci_network, class_id),
    FIELD_ARRAY("priorities", oci_network, priorities, &priority_table),
};
static const struct table network_table = TABLE(oci_network, network_fields);

static int rdma_finish(const struct table_reader *reader, const struct json_value *object,
		       const struct table_path *path, void *target)
{
	struct oci_rdma *rdma = target;

	if (!rdma->hca_handles.set && !rdma->hca_objects.set)
		return table_error(reader, path, "needs hcaHandles or hcaObjects");
	return 0;
}

static const struct field rdma_fields[] = {
    FIELD("hcaHandles", oci_rdma, hca_handles),
    FIELD("hcaObjects", oci_rdma, hca_objects),
};
static const struct table rdma_table =
    TABLE(oci_rdma, rdma_fields, .keyed = true, .key = offsetof(struct oci_rdma, device), .finish = rdma_finish);

static const struct field resources_fields[] = {
    FIELD_LIST("unified", oci_resources, unified, .check = check_file_name, .applied = "sandbox/cgroup/v2_limits.c",
	       .since = "4.5", .test = "tests/cgroup.bats"),
    FIELD_ARRAY("devices", oci_resources, devices, &device_table, .applied = "sandbox/cgroup/devices.c",
		.test = "tests/devices.bats"),
    FIELD_POINTER_TO("memory", oci_resources, memory, &memory_table, .applied = "sandbox/cgroup/writes.c",
		     .test = "tests/cgroup.bats"),
    FIELD_POINTER_TO("cpu", oci_resources, cpu, &cpu_table, .applied = "sandbox/cgroup/writes.c",
		     .test = "tests/cgroup.bats"),
    FIELD_FLAT("pids", oci_resources, &pids_table, .applied = "sandbox/cgroup/writes.c", .since = "4.3",
	       .test = "tests/cgroup.bats"),
    FIELD_POINTER_TO("blockIO", oci_resources, block_io, &block_io_table, .applied = "sandbox/cgroup/writes.c",
		     .test = "tests/cgroup.bats"),
    FIELD_ARRAY("hugepageLimits", oci_resources, hugepage_limits, &hugepage_table, .applied = "sandbox/cgroup/writes.c",
		.test = "tests/cgroup.bats"),
    FIELD_POINTER_TO("network", oci_resources, network, &network_table, .applied = "sandbox/cgroup/writes.c",
		     .test = "tests/cgroup.bats"),
    FIELD_OBJECT_MAP("rdma", oci_resources, rdma, &rdma_table, .applied = "sandbox/cgroup/writes.c", .since = "4.11",
		     .test = "tests/cgroup.bats"),
};
const struct table resources_table = TABLE(oci_resources, resources_fields);
