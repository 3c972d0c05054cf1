/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md, without resources and seccomp. */
#include "spec/checks.h"
#include "spec/tables.h"

static const struct field namespace_fields[] = {
    FIELD("type", oci_namespace, type, .required = true, .words = namespace_words),
    FIELD("path", oci_namespace, path, .check = check_absolute),
};
static const struct table namespace_table = TABLE(oci_namespace, namespace_fields);

/* Engines written in Go put the type bits of S_IFMT or of os.FileMode beside the permissions. */
static int device_finish(const struct table_reader *reader, const struct json_value *object,
			 const struct table_path *path, void *target)
{
	struct oci_device *device = target;

	device->file_mode.value &= 07777;
	if (device->type == 'p')
		return 0;
	if (json_member(object, "major") == NULL || json_member(object, "minor") == NULL)
		return table_error(reader, path, "a device of type %c needs major and minor", device->type);
	return 0;
}

/* The kernel's dev_t has 12 and 20 bits; more would be another device. */
#define MAJOR_MAX 0xfff
#define MINOR_MAX 0xfffff

static const struct field device_fields[] = {
    FIELD("type", oci_device, type, .required = true, .words = device_type_words),
    FIELD("path", oci_device, path, .required = true, .check = check_absolute),
    FIELD("major", oci_device, major, BOUNDS(0, MAJOR_MAX)),
    FIELD("minor", oci_device, minor, BOUNDS(0, MINOR_MAX)),
    FIELD("fileMode", oci_device, file_mode),
    FIELD("uid", oci_device, uid, BOUNDS(0, UINT32_MAX - 1)),
    FIELD("gid", oci_device, gid, BOUNDS(0, UINT32_MAX - 1)),
};
static const struct table device_table = TABLE(oci_device, device_fields, .finish = device_finish);

static const struct field net_device_fields[] = {
    FIELD("name", oci_net_device, name, .check = check_net_device),
};
static const struct table net_device_table =
    TABLE(oci_net_device, net_device_fields, .keyed = true, .key = offsetof(struct oci_net_device, host_name),
	  .key_check = check_net_device);

static const struct field time_offset_fields[] = {
    FIELD("secs", oci_time_offset, secs),
    FIELD("nanosecs", oci_time_offset, nanosecs, BOUNDS(0, 999999999)),
};
static const struct table time_offset_table =
    TABLE(oci_time_offset, time_offset_fields, .keyed = true, .key = offsetof(struct oci_time_offset, clock),
	  .key_words = clock_words);

static int personality_finish(const struct table_reader *reader, const struct json_value *object,
			      const struct table_path *path, void *target)
{
	const struct json_value *flags = json_member(object, "flags");
	struct table_path name = {.parent = path, .name = "flags"};

	if (flags == NULL)
		return 0;
	if (flags->type != JSON_ARRAY || flags->length > 0)
		return table_error(reader, &name, "must be an empty array: there are no flags");
	return 0;
}

static const struct field personality_fields[] = {
    FIELD("domain", oci_personality, domain, .required = true, .words = personality_words),
    FIELD_OTHER("flags"),
};
static const struct table personality_table = TABLE(oci_personality, personality_fields, .finish = personality_finish);

static const struct field memory_policy_fields[] = {
    FIELD("mode", oci_memory_policy, mode, .required = true, .words = memory_policy_mode_words),
    FIELD("nodes", oci_memory_policy, nodes, .check = check_list),
    FIELD("flags", oci_memory_policy, flags, .words = memory_policy_flag_words, .list = true),
};
static const struct table memory_policy_table = TABLE(oci_memory_policy, memory_policy_fields);

/* Versions 1.1 and 1.2 had two switches, which 1.3 took out again. */
static int intel_rdt_finish(const struct table_reader *reader, const struct json_value *object,
			    const struct table_path *path, void *target)
{
	if (json_member(object, "enableCMT") != NULL || json_member(object, "enableMBM") != NULL)
		config_note(reader->arena, reader->notes, NOTE_IGNORED,
			    "linux.intelRdt: enableCMT and enableMBM are ignored, enableMonitoring replaced them");
	return 0;
}

static const struct field intel_rdt_fields[] = {
    FIELD("closID", oci_intel_rdt, clos_id, .check = check_clos_id),
    FIELD_LIST("schemata", oci_intel_rdt, schemata, .check = check_no_newline),
    FIELD("l3CacheSchema", oci_intel_rdt, l3_cache_schema, .check = check_no_newline),
    FIELD("memBwSchema", oci_intel_rdt, mem_bw_schema, .check = check_mem_bw_schema),
    FIELD("enableMonitoring", oci_intel_rdt, enable_monitoring),
    FIELD_OTHER("enableCMT"),
    FIELD_OTHER("enableMBM"),
};
static const struct table intel_rdt_table = TABLE(oci_intel_rdt, intel_rdt_fields, .finish = intel_rdt_finish);

static const struct field linux_fields[] = {
    FIELD_ARRAY("namespaces", oci_linux, namespaces, &namespace_table, .applied = "sandbox/linux/namespaces_plan.c",
		.test = "tests/namespaces.bats"),
    FIELD_ARRAY("uidMappings", oci_linux, uid_mappings, &id_mapping_table, .applied = "sandbox/linux/id_mapping.c",
		.since = "3.8", .test = "tests/namespaces.bats"),
    FIELD_ARRAY("gidMappings", oci_linux, gid_mappings, &id_mapping_table, .applied = "sandbox/linux/id_mapping.c",
		.since = "3.8", .test = "tests/namespaces.bats"),
    FIELD_OBJECT_MAP("timeOffsets", oci_linux, time_offsets, &time_offset_table, .applied = "sandbox/session/holder.c",
		     .since = "5.6", .test = "tests/namespaces.bats"),
    FIELD_ARRAY("devices", oci_linux, devices, &device_table, .applied = "sandbox/linux/device.c",
		.test = "tests/devices.bats"),
    FIELD_OBJECT_MAP("netDevices", oci_linux, net_devices, &net_device_table,
		     .applied = "sandbox/linux/network_devices.c", .test = "tests/namespaces.bats"),
    FIELD("cgroupsPath", oci_linux, cgroups_path, .applied = "sandbox/cgroup/paths.c", .test = "tests/cgroup.bats"),
    FIELD_POINTER_TO("resources", oci_linux, resources, &resources_table),
    FIELD_POINTER_TO("intelRdt", oci_linux, intel_rdt, &intel_rdt_table, .since = "4.10"),
    FIELD_POINTER_TO("memoryPolicy", oci_linux, memory_policy, &memory_policy_table,
		     .applied = "sandbox/linux/memory_policy.c", .test = "tests/process.bats"),
    FIELD_LIST("sysctl", oci_linux, sysctl, .applied = "sandbox/linux/sysctl_plan.c",
	       .test = "tests/unit/test_linux_sysctl.c"),
    FIELD_POINTER_TO("seccomp", oci_linux, seccomp, &seccomp_table, .applied = "sandbox/linux/seccomp.c",
		     .test = "tests/seccomp.bats"),
    FIELD("rootfsPropagation", oci_linux, rootfs_propagation, .words = propagation_words,
	  .applied = "sandbox/linux/rootfs.c", .test = "tests/mounts.bats"),
    FIELD_LIST("maskedPaths", oci_linux, masked_paths, .check = check_absolute, .applied = "sandbox/linux/mask.c",
	       .test = "tests/mounts.bats"),
    FIELD_LIST("readonlyPaths", oci_linux, readonly_paths, .check = check_absolute, .applied = "sandbox/linux/mask.c",
	       .test = "tests/mounts.bats"),
    FIELD("mountLabel", oci_linux, mount_label, .applied = "sandbox/linux/mounts_plan.c", .test = "tests/mounts.bats"),
    FIELD_POINTER_TO("personality", oci_linux, personality, &personality_table,
		     .applied = "sandbox/linux/personality.c", .test = "tests/process.bats"),
};
const struct table linux_table = TABLE(oci_linux, linux_fields);
