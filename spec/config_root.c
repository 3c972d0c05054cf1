/* SPDX-License-Identifier: Apache-2.0 */
/* config.md: the outermost object, root, mounts, hooks. */
#include "spec/checks.h"
#include "spec/tables.h"

static const struct field root_fields[] = {
    FIELD("path", oci_root, path, .required = true),
    FIELD("readonly", oci_root, readonly),
};
static const struct table root_table = TABLE(oci_root, root_fields);

static const struct field id_mapping_fields[] = {
    FIELD("containerID", oci_id_mapping, container_id, .required = true),
    FIELD("hostID", oci_id_mapping, host_id, .required = true),
    FIELD("size", oci_id_mapping, size, .required = true, BOUNDS(1, UINT32_MAX)),
};
const struct table id_mapping_table = TABLE(oci_id_mapping, id_mapping_fields);

static const struct field mount_fields[] = {
    FIELD("destination", oci_mount, destination, .required = true),
    FIELD("type", oci_mount, type),
    FIELD("source", oci_mount, source),
    FIELD_LIST("options", oci_mount, options, .applied = "sandbox/linux/mount_options.c"),
    FIELD_ARRAY("uidMappings", oci_mount, uid_mappings, &id_mapping_table, .applied = "sandbox/linux/idmap.c",
		.since = "5.12"),
    FIELD_ARRAY("gidMappings", oci_mount, gid_mappings, &id_mapping_table, .applied = "sandbox/linux/idmap.c",
		.since = "5.12"),
};
const struct table mount_table = TABLE(oci_mount, mount_fields);

static const struct field hook_fields[] = {
    FIELD("path", oci_hook, path, .required = true, .check = check_absolute),
    FIELD_LIST("args", oci_hook, args),
    FIELD_LIST("env", oci_hook, env, .present = offsetof(struct oci_hook, env_set)),
    FIELD("timeout", oci_hook, timeout, BOUNDS(1, INT32_MAX)),
};
static const struct table hook_table = TABLE(oci_hook, hook_fields);

#define HOOKS(json, member) FIELD_ARRAY_AT(json, FIELD_OBJECTS, oci_hooks, member.items, member.count, &hook_table)
static const struct field hooks_fields[] = {
    HOOKS("prestart", prestart),
    HOOKS("createRuntime", create_runtime),
    HOOKS("createContainer", create_container),
    HOOKS("startContainer", start_container),
    HOOKS("poststart", poststart),
    HOOKS("poststop", poststop),
};
const struct table hooks_table = TABLE(oci_hooks, hooks_fields);

static const struct field config_fields[] = {
    FIELD("ociVersion", oci_config, oci_version, .required = true, .applied = "spec/validate.c",
	  .test = "tests/unit/test_spec_config.c"),
    FIELD_POINTER_TO("root", oci_config, root, &root_table, .required = true, .applied = "sandbox/linux/rootfs.c",
		     .test = "tests/mounts.bats"),
    FIELD_ARRAY("mounts", oci_config, mounts, &mount_table, .applied = "sandbox/linux/mount.c",
		.test = "tests/mounts.bats"),
    FIELD_POINTER_TO("process", oci_config, process, &process_table),
    FIELD("hostname", oci_config, hostname, .check = check_uts_name, .applied = "sandbox/linux/uts.c",
	  .test = "tests/namespaces.bats"),
    FIELD("domainname", oci_config, domainname, .check = check_uts_name, .applied = "sandbox/linux/uts.c",
	  .test = "tests/namespaces.bats"),
    FIELD_PART("hooks", oci_config, hooks, &hooks_table, .applied = "hooks/run.c", .test = "tests/hooks.bats"),
    FIELD_LIST("annotations", oci_config, annotations, .applied = "spec/state.c", .test = "tests/state_list.bats"),
    FIELD_PART("linux", oci_config, linux_, &linux_table),
    FIELD_OTHER("solaris"),
    FIELD_OTHER("windows"),
    FIELD_OTHER("vm"),
    FIELD_OTHER("zos"),
    FIELD_OTHER("freebsd"),
};
const struct table config_table = TABLE(oci_config, config_fields);
