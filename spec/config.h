/* SPDX-License-Identifier: Apache-2.0 */
/* The parsed config.json: one struct per object of runtime-spec 1.3, for Linux.
 *
 * Everything is owned by the arena it was parsed into. An absent string is NULL,
 * an absent array has count 0, an absent object pointer is NULL; scalars whose
 * absence differs from zero are `opt_*`. Names follow the JSON. Values that the
 * specification spells as words (namespace types, scheduler policies, ...) are
 * translated to the kernel's numbers by the parser's tables.
 */
#ifndef SANDLOCK_SPEC_CONFIG_H
#define SANDLOCK_SPEC_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A scalar that may be absent. */
struct opt_bool {
	bool set;
	bool value;
};
struct opt_u16 {
	bool set;
	uint16_t value;
};
struct opt_i32 {
	bool set;
	int32_t value;
};
struct opt_u32 {
	bool set;
	uint32_t value;
};
struct opt_i64 {
	bool set;
	int64_t value;
};
struct opt_u64 {
	bool set;
	uint64_t value;
};

/* A JSON object whose values are strings (annotations, sysctl, unified). */
struct oci_pair {
	const char *key;
	const char *value;
};

/* config.md "process.user" */
struct oci_user {
	uint32_t uid;
	uint32_t gid;
	struct opt_u32 umask;
	uint32_t *additional_gids;
	size_t additional_gids_count;
	const char *username; /* Windows only, ignored */
};

/* config.md "process.rlimits"; resource is RLIMIT_* */
struct oci_rlimit {
	uint32_t resource;
	const char *type;
	uint64_t soft;
	uint64_t hard;
};

/* config.md "process.capabilities": bit N is capability N. */
struct oci_capabilities {
	uint64_t bounding;
	uint64_t effective;
	uint64_t inheritable;
	uint64_t permitted;
	uint64_t ambient;
};

/* config.md "process.scheduler"; policy is SCHED_*, flags are SCHED_FLAG_* of linux/sched.h */
struct oci_scheduler {
	uint32_t policy;
	struct opt_i32 nice;
	struct opt_i32 priority;
	uint64_t flags;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
};

/* config.md "process.ioPriority"; class is IOPRIO_CLASS_* */
struct oci_io_priority {
	uint32_t class_;
	struct opt_i32 priority;
};

/* config.md "process.execCPUAffinity": CPU lists as text, checked by the parser ("0-3,7"). */
struct oci_cpu_affinity {
	const char *initial;
	const char *final;
};

/* config.md "process"; also the file given to `exec --process` */
struct oci_process {
	bool terminal;
	struct {
		bool set;
		uint32_t height;
		uint32_t width;
	} console_size;
	struct oci_user user;
	const char **args;
	size_t args_count;
	const char **env;
	size_t env_count;
	const char *cwd;
	struct oci_capabilities *capabilities; /* NULL: absent, see sandbox/linux/capability.h */
	struct oci_rlimit *rlimits;
	size_t rlimits_count;
	bool no_new_privileges;
	const char *apparmor_profile;
	const char *selinux_label;
	struct opt_i32 oom_score_adj;
	struct oci_scheduler *scheduler;
	struct oci_io_priority *io_priority;
	struct oci_cpu_affinity *exec_cpu_affinity;
};

/* config.md "root" */
struct oci_root {
	const char *path;
	bool readonly;
};

/* config-linux.md "uidMappings" and "gidMappings" */
struct oci_id_mapping {
	uint32_t container_id;
	uint32_t host_id;
	uint32_t size;
};

/* config.md "mounts" */
struct oci_mount {
	const char *destination;
	const char *type;
	const char *source;
	const char **options;
	size_t options_count;
	struct oci_id_mapping *uid_mappings;
	size_t uid_mappings_count;
	struct oci_id_mapping *gid_mappings;
	size_t gid_mappings_count;
};

/* config.md "POSIX-platform Hooks"; timeout in seconds */
struct oci_hook {
	const char *path;
	const char **args;
	size_t args_count;
	const char **env;
	size_t env_count;
	bool env_set; /* "env" is there, if only as [] */
	struct opt_i32 timeout;
};

struct oci_hook_list {
	struct oci_hook *items;
	size_t count;
};

struct oci_hooks {
	struct oci_hook_list prestart;
	struct oci_hook_list create_runtime;
	struct oci_hook_list create_container;
	struct oci_hook_list start_container;
	struct oci_hook_list poststart;
	struct oci_hook_list poststop;
};

/* config-linux.md "namespaces"; type is CLONE_NEW* */
struct oci_namespace {
	uint32_t type;
	const char *path; /* NULL: new */
};

/* config-linux.md "devices"; type is 'c', 'b', 'u' or 'p' */
struct oci_device {
	const char *path;
	char type;
	int64_t major;
	int64_t minor;
	struct opt_u32 file_mode;
	struct opt_u32 uid;
	struct opt_u32 gid;
};

/* config-linux.md "netDevices": host device name and its name inside */
struct oci_net_device {
	const char *host_name;
	const char *name; /* NULL: unchanged */
};

/* config-linux.md "timeOffsets"; clock is CLOCK_MONOTONIC or CLOCK_BOOTTIME */
struct oci_time_offset {
	int clock;
	int64_t secs;
	uint32_t nanosecs;
};

/* config-linux.md "personality"; domain is PER_LINUX or PER_LINUX32 */
struct oci_personality {
	uint32_t domain;
};

/* config-linux.md "memoryPolicy"; mode and flags as in linux/mempolicy.h, nodes as list text */
struct oci_memory_policy {
	uint32_t mode;
	const char *nodes;
	uint32_t flags;
};

/* config-linux.md "intelRdt" */
struct oci_intel_rdt {
	const char *clos_id;
	const char **schemata;
	size_t schemata_count;
	const char *l3_cache_schema;
	const char *mem_bw_schema;
	bool enable_monitoring;
};

/* config-linux.md "seccomp.syscalls[].args"; op is an index into the operator table */
struct oci_seccomp_arg {
	uint32_t index;
	uint64_t value;
	uint64_t value_two;
	const char *op; /* SCMP_CMP_*, checked by the parser */
};

struct oci_seccomp_syscall {
	const char **names;
	size_t names_count;
	const char *action; /* SCMP_ACT_*, checked by the parser */
	struct opt_u32 errno_ret;
	struct oci_seccomp_arg *args;
	size_t args_count;
};

/* config-linux.md "seccomp"; the words are checked by the parser against its tables */
struct oci_seccomp {
	const char *default_action;
	struct opt_u32 default_errno_ret;
	const char **architectures;
	size_t architectures_count;
	const char **flags;
	size_t flags_count;
	bool flags_set; /* "flags" is there, if only as [] */
	const char *listener_path;
	const char *listener_metadata;
	struct oci_seccomp_syscall *syscalls;
	size_t syscalls_count;
};

/* config-linux.md "resources" and what is in it */
struct oci_device_cgroup {
	bool allow;
	char type; /* 'a', 'b', 'c'; 'a' when absent */
	struct opt_i64 major;
	struct opt_i64 minor;
	const char *access; /* NULL: rwm */
};

struct oci_memory {
	struct opt_i64 limit;
	struct opt_i64 reservation;
	struct opt_i64 swap;
	struct opt_i64 kernel;
	struct opt_i64 kernel_tcp;
	struct opt_u64 swappiness;
	struct opt_bool disable_oom_killer;
	struct opt_bool use_hierarchy;
	struct opt_bool check_before_update;
};

struct oci_cpu {
	struct opt_u64 shares;
	struct opt_i64 quota;
	struct opt_u64 burst;
	struct opt_u64 period;
	struct opt_i64 realtime_runtime;
	struct opt_u64 realtime_period;
	const char *cpus;
	const char *mems;
	struct opt_i64 idle;
};

struct oci_weight_device {
	int64_t major;
	int64_t minor;
	struct opt_u16 weight;
	struct opt_u16 leaf_weight;
};

struct oci_throttle_device {
	int64_t major;
	int64_t minor;
	uint64_t rate;
};

struct oci_throttle_list {
	struct oci_throttle_device *items;
	size_t count;
};

struct oci_block_io {
	struct opt_u16 weight;
	struct opt_u16 leaf_weight;
	struct oci_weight_device *weight_devices;
	size_t weight_devices_count;
	struct oci_throttle_list read_bps;
	struct oci_throttle_list write_bps;
	struct oci_throttle_list read_iops;
	struct oci_throttle_list write_iops;
};

struct oci_hugepage_limit {
	const char *page_size;
	uint64_t limit;
};

struct oci_interface_priority {
	const char *name;
	uint32_t priority;
};

struct oci_network {
	struct opt_u32 class_id;
	struct oci_interface_priority *priorities;
	size_t priorities_count;
};

struct oci_rdma {
	const char *device;
	struct opt_u32 hca_handles;
	struct opt_u32 hca_objects;
};

struct oci_resources {
	struct oci_device_cgroup *devices;
	size_t devices_count;
	struct oci_memory *memory;
	struct oci_cpu *cpu;
	struct opt_i64 pids_limit;
	struct oci_block_io *block_io;
	struct oci_hugepage_limit *hugepage_limits;
	size_t hugepage_limits_count;
	struct oci_network *network;
	struct oci_rdma *rdma;
	size_t rdma_count;
	struct oci_pair *unified;
	size_t unified_count;
};

/* config-linux.md */
struct oci_linux {
	struct oci_id_mapping *uid_mappings;
	size_t uid_mappings_count;
	struct oci_id_mapping *gid_mappings;
	size_t gid_mappings_count;
	struct oci_pair *sysctl;
	size_t sysctl_count;
	struct oci_resources *resources;
	const char *cgroups_path;
	struct oci_namespace *namespaces;
	size_t namespaces_count;
	struct oci_device *devices;
	size_t devices_count;
	struct oci_net_device *net_devices;
	size_t net_devices_count;
	struct oci_seccomp *seccomp;
	uint64_t rootfs_propagation; /* MS_* of sys/mount.h, 0: absent */
	const char **masked_paths;
	size_t masked_paths_count;
	const char **readonly_paths;
	size_t readonly_paths_count;
	const char *mount_label;
	struct oci_intel_rdt *intel_rdt;
	struct oci_memory_policy *memory_policy;
	struct oci_personality *personality;
	struct oci_time_offset *time_offsets;
	size_t time_offsets_count;
};

/* config.md */
struct oci_config {
	const char *oci_version;
	struct oci_process *process;
	struct oci_root *root;
	const char *hostname;
	const char *domainname;
	struct oci_mount *mounts;
	size_t mounts_count;
	struct oci_hooks hooks;
	struct oci_pair *annotations;
	size_t annotations_count;
	struct oci_linux linux_;
};

#endif
