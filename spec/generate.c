/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/generate.h"

#include <linux/magic.h>
#include <stddef.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "spec/validate.h"

#define OPTIONS_MAX 8

struct mount_entry {
	const char *destination;
	const char *type;
	const char *source;
	const char *options[OPTIONS_MAX];
};

static const struct mount_entry mounts[] = {
    {"/proc", "proc", "proc", {NULL}},
    {"/dev", "tmpfs", "tmpfs", {"nosuid", "strictatime", "mode=755", "size=65536k"}},
    {"/dev/pts", "devpts", "devpts", {"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"}},
    {"/dev/shm", "tmpfs", "shm", {"nosuid", "noexec", "nodev", "mode=1777", "size=65536k"}},
    {"/dev/mqueue", "mqueue", "mqueue", {"nosuid", "noexec", "nodev"}},
    {"/sys", "sysfs", "sysfs", {"nosuid", "noexec", "nodev", "ro"}},
    {"/sys/fs/cgroup", "cgroup", "cgroup", {"nosuid", "noexec", "nodev", "relatime", "ro"}},
};

/* A user namespace without a network namespace of its own may not mount sysfs. */
static const struct mount_entry rootless_sys = {"/sys", "none", "/sys", {"rbind", "nosuid", "noexec", "nodev", "ro"}};

static const char *const capabilities[] = {"CAP_AUDIT_WRITE", "CAP_KILL", "CAP_NET_BIND_SERVICE"};

static const char *const masked_paths[] = {
    "/proc/acpi",       "/proc/asound",      "/proc/kcore",       "/proc/keys", "/proc/latency_stats",
    "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/sys/devices/virtual/tpm",
    "/sys/firmware",
};

static const char *const readonly_paths[] = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"};

struct generate_options generate_defaults(void)
{
	struct statfs status;

	return (struct generate_options){
	    .cgroup_namespace = statfs("/sys/fs/cgroup", &status) == 0 && status.f_type == CGROUP2_SUPER_MAGIC,
	    .uid = geteuid(),
	    .gid = getegid(),
	};
}

static void write_process(struct json_writer *writer)
{
	static const char *const args[] = {"sh"};
	static const char *const env[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
					  "TERM=xterm"};
	static const char *const sets[] = {"bounding", "effective", "permitted"};

	json_key(writer, "process");
	json_begin_object(writer);
	json_key_bool(writer, "terminal", true);
	json_key(writer, "user");
	json_begin_object(writer);
	json_key_u64(writer, "uid", 0);
	json_key_u64(writer, "gid", 0);
	json_end_object(writer);
	json_key_strings(writer, "args", args, ARRAY_SIZE(args));
	json_key_strings(writer, "env", env, ARRAY_SIZE(env));
	json_key_string(writer, "cwd", "/");
	json_key(writer, "capabilities");
	json_begin_object(writer);
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		json_key_strings(writer, sets[i], capabilities, ARRAY_SIZE(capabilities));
	json_end_object(writer);
	json_key(writer, "rlimits");
	json_begin_array(writer);
	json_begin_object(writer);
	json_key_string(writer, "type", "RLIMIT_NOFILE");
	json_key_u64(writer, "hard", 1024);
	json_key_u64(writer, "soft", 1024);
	json_end_object(writer);
	json_end_array(writer);
	json_key_bool(writer, "noNewPrivileges", true);
	json_end_object(writer);
}

static void write_mount(struct json_writer *writer, const struct mount_entry *mount, bool rootless)
{
	json_begin_object(writer);
	json_key_string(writer, "destination", mount->destination);
	json_key_string(writer, "type", mount->type);
	json_key_string(writer, "source", mount->source);
	if (mount->options[0] != NULL) {
		json_key(writer, "options");
		json_begin_array(writer);
		for (size_t i = 0; i < OPTIONS_MAX && mount->options[i] != NULL; i++)
			/* The group is not mapped. */
			if (!rootless || strncmp(mount->options[i], "gid=", 4) != 0)
				json_string(writer, mount->options[i]);
		json_end_array(writer);
	}
	json_end_object(writer);
}

static void write_namespaces(struct json_writer *writer, const struct generate_options *options)
{
	const struct {
		const char *type;
		bool wanted;
	} namespaces[] = {
	    {"pid", true},
	    {"network", !options->rootless},
	    {"ipc", true},
	    {"uts", true},
	    {"mount", true},
	    {"cgroup", options->cgroup_namespace},
	    {"user", options->rootless},
	};

	json_key(writer, "namespaces");
	json_begin_array(writer);
	for (size_t i = 0; i < ARRAY_SIZE(namespaces); i++) {
		if (!namespaces[i].wanted)
			continue;
		json_begin_object(writer);
		json_key_string(writer, "type", namespaces[i].type);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void write_mapping(struct json_writer *writer, const char *key, uint32_t host_id)
{
	json_key(writer, key);
	json_begin_array(writer);
	json_begin_object(writer);
	json_key_u64(writer, "containerID", 0);
	json_key_u64(writer, "hostID", host_id);
	json_key_u64(writer, "size", 1);
	json_end_object(writer);
	json_end_array(writer);
}

static void write_linux(struct json_writer *writer, const struct generate_options *options)
{
	json_key(writer, "linux");
	json_begin_object(writer);
	if (options->rootless) {
		write_mapping(writer, "uidMappings", options->uid);
		write_mapping(writer, "gidMappings", options->gid);
	} else {
		/* A caller without privileges has no cgroup to set limits for. */
		json_key(writer, "resources");
		json_begin_object(writer);
		json_key(writer, "devices");
		json_begin_array(writer);
		json_begin_object(writer);
		json_key_bool(writer, "allow", false);
		json_key_string(writer, "access", "rwm");
		json_end_object(writer);
		json_end_array(writer);
		json_end_object(writer);
	}
	write_namespaces(writer, options);
	json_key_strings(writer, "maskedPaths", masked_paths, ARRAY_SIZE(masked_paths));
	json_key_strings(writer, "readonlyPaths", readonly_paths, ARRAY_SIZE(readonly_paths));
	json_end_object(writer);
}

void generate_write(struct json_writer *writer, const struct generate_options *options)
{
	json_begin_object(writer);
	json_key_string(writer, "ociVersion", OCI_VERSION_MAX);
	write_process(writer);
	json_key(writer, "root");
	json_begin_object(writer);
	json_key_string(writer, "path", "rootfs");
	json_key_bool(writer, "readonly", true);
	json_end_object(writer);
	json_key_string(writer, "hostname", "sandlock");
	json_key(writer, "mounts");
	json_begin_array(writer);
	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		bool is_sys = strcmp(mounts[i].destination, rootless_sys.destination) == 0;
		write_mount(writer, options->rootless && is_sys ? &rootless_sys : &mounts[i], options->rootless);
	}
	json_end_array(writer);
	write_linux(writer, options);
	json_end_object(writer);
}
