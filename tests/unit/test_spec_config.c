/* SPDX-License-Identifier: Apache-2.0 */
/* Every property of config.json arrives where config.h says, and wrong ones are refused by their name. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <time.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/syscalls.h"
#include "spec/parse.h"
#include "spec/tables.h"
#include "spec/validate.h"
#include "tests/unit/check.h"

#define BIT(capability) (UINT64_C(1) << (capability))

/* The text of a file in tests/unit/data. */
static char *read_data(const char *name, size_t *length)
{
	const char *source = getenv("srcdir");
	char path[4096], *text = NULL;

	snprintf(path, sizeof path, "%s/tests/unit/data/%s", source != NULL ? source : ".", name);
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || file_read_all(fd, JSON_SIZE_MAX, &text, length) < 0) {
		printf("not ok - cannot read %s\n", path);
		exit(1);
	}
	return text;
}

static void check_process(const struct oci_process *process)
{
	CHECK(process->terminal && process->no_new_privileges);
	CHECK(process->console_size.set && process->console_size.height == 25 && process->console_size.width == 80);
	CHECK(process->user.uid == 1000 && process->user.gid == 1001);
	CHECK(process->user.umask.set && process->user.umask.value == 022);
	CHECK(process->user.additional_gids_count == 3 && process->user.additional_gids[2] == 4294967294u);
	CHECK_TEXT(process->user.username, "x");
	CHECK(process->args_count == 3);
	CHECK_TEXT(process->args[2], "");
	CHECK(process->env_count == 3);
	CHECK_TEXT(process->env[0], "PATH=/bin");
	CHECK_TEXT(process->env[1], "B=");
	CHECK_TEXT(process->env[2], "A=3=3");
	CHECK_TEXT(process->cwd, "/work");
	CHECK(process->capabilities->bounding == (BIT(CAP_CHOWN) | BIT(CAP_CHECKPOINT_RESTORE)));
	CHECK(process->capabilities->effective == BIT(CAP_CHOWN));
	CHECK(process->capabilities->inheritable == BIT(CAP_CHOWN));
	CHECK(process->capabilities->permitted == (BIT(CAP_CHOWN) | BIT(CAP_NET_RAW)));
	CHECK(process->capabilities->ambient == BIT(CAP_CHOWN));
	CHECK(process->rlimits_count == 2 && process->rlimits[0].resource == RLIMIT_NOFILE);
	CHECK(process->rlimits[0].soft == 1024 && process->rlimits[0].hard == 4096);
	CHECK(process->rlimits[1].hard == UINT64_MAX);
	CHECK_TEXT(process->rlimits[1].type, "RLIMIT_CORE");
	CHECK_TEXT(process->apparmor_profile, "profile");
	CHECK_TEXT(process->selinux_label, "system_u:system_r:container_t:s0");
	CHECK(process->oom_score_adj.set && process->oom_score_adj.value == -500);
	CHECK(process->scheduler->policy == 6 && process->scheduler->flags == (1 | 4));
	CHECK(process->scheduler->nice.value == -20 && process->scheduler->priority.set);
	CHECK(process->scheduler->runtime == 10000000 && process->scheduler->deadline == 20000000 &&
	      process->scheduler->period == 30000000);
	CHECK(process->io_priority->class_ == 2 && process->io_priority->priority.value == 7);
	CHECK_TEXT(process->exec_cpu_affinity->initial, "0-3, 7");
	CHECK_TEXT(process->exec_cpu_affinity->final, "1");
}

static void check_mounts_and_hooks(const struct oci_config *config)
{
	CHECK(config->mounts_count == 3);
	CHECK_TEXT(config->mounts[0].type, "proc");
	CHECK(config->mounts[0].options == NULL && config->mounts[0].options_count == 0);
	CHECK_TEXT(config->mounts[1].destination, "/data/x");
	CHECK(config->mounts[1].options_count == 3);
	CHECK(config->mounts[1].uid_mappings_count == 1 && config->mounts[1].uid_mappings[0].host_id == 5000);
	CHECK(config->mounts[1].gid_mappings_count == 1 && config->mounts[1].gid_mappings[0].size == 10);
	CHECK(config->mounts[2].type == NULL && config->mounts[2].source == NULL);
	const struct oci_hook *hook = config->hooks.prestart.items;
	CHECK(config->hooks.prestart.count == 1 && hook->args_count == 2 && hook->env_count == 1);
	CHECK(hook->timeout.set && hook->timeout.value == 30);
	CHECK(config->hooks.create_runtime.count == 2 && !config->hooks.create_runtime.items[0].timeout.set);
	CHECK_TEXT(config->hooks.create_runtime.items[1].path, "/bin/second");
	CHECK_TEXT(config->hooks.create_container.items[0].path, "/bin/create-container");
	CHECK_TEXT(config->hooks.start_container.items[0].path, "/bin/start-container");
	CHECK_TEXT(config->hooks.poststart.items[0].path, "/bin/poststart");
	CHECK_TEXT(config->hooks.poststop.items[0].path, "/bin/poststop");
}

static void check_linux(const struct oci_linux *linux_config)
{
	CHECK(linux_config->namespaces_count == 8 && linux_config->namespaces[7].type == CLONE_NEWTIME);
	CHECK_TEXT(linux_config->namespaces[1].path, "/run/netns/a");
	CHECK(linux_config->namespaces[3].type == CLONE_NEWIPC && linux_config->namespaces[3].path == NULL);
	CHECK(linux_config->uid_mappings_count == 2 && linux_config->uid_mappings[1].container_id == 1000);
	CHECK(linux_config->gid_mappings[0].host_id == 4294901760u);
	CHECK(linux_config->time_offsets_count == 2 && linux_config->time_offsets[0].clock == CLOCK_MONOTONIC);
	CHECK(linux_config->time_offsets[0].secs == -5 && linux_config->time_offsets[0].nanosecs == 999999999);
	CHECK(linux_config->time_offsets[1].clock == CLOCK_BOOTTIME && linux_config->time_offsets[1].secs == INT64_MAX);
	const struct oci_device *device = linux_config->devices;
	CHECK(linux_config->devices_count == 2 && device->type == 'c' && device->major == 10 && device->minor == 229);
	CHECK(device->file_mode.set && device->file_mode.value == 0666 && device->uid.set && device->gid.value == 7);
	CHECK(device[1].type == 'p' && !device[1].file_mode.set && !device[1].uid.set);
	CHECK(linux_config->net_devices_count == 2);
	CHECK_TEXT(linux_config->net_devices[0].host_name, "eth0");
	CHECK_TEXT(linux_config->net_devices[0].name, "inner%d");
	CHECK_TEXT(linux_config->net_devices[1].name, NULL);
	CHECK_TEXT(linux_config->cgroups_path, "/sandbox/x");
	CHECK_TEXT(linux_config->intel_rdt->clos_id, "guaranteed");
	CHECK(linux_config->intel_rdt->schemata_count == 2 && linux_config->intel_rdt->enable_monitoring);
	CHECK_TEXT(linux_config->intel_rdt->l3_cache_schema, "L3:0=ff");
	CHECK_TEXT(linux_config->intel_rdt->mem_bw_schema, "MB:0=20;1=70");
	CHECK(linux_config->memory_policy->mode == MPOL_INTERLEAVE);
	CHECK(linux_config->memory_policy->flags == MPOL_F_STATIC_NODES);
	CHECK_TEXT(linux_config->memory_policy->nodes, "0-1");
	CHECK(linux_config->sysctl_count == 4);
	CHECK_TEXT(linux_config->sysctl[1].key, "kernel/shmmax");
	CHECK(linux_config->rootfs_propagation == (MS_SLAVE | MS_REC));
	CHECK(linux_config->masked_paths_count == 1 && linux_config->readonly_paths_count == 2);
	CHECK_TEXT(linux_config->mount_label, "system_u:object_r:container_file_t:s0");
	CHECK(linux_config->personality->domain == PER_LINUX32);
}

static void check_seccomp(const struct oci_seccomp *seccomp)
{
	CHECK_TEXT(seccomp->default_action, "SCMP_ACT_ERRNO");
	CHECK(seccomp->default_errno_ret.set && seccomp->default_errno_ret.value == 38);
	CHECK(seccomp->architectures_count == 2 && seccomp->flags_count == 1 && seccomp->flags_set);
	CHECK_TEXT(seccomp->listener_path, "/run/agent.sock");
	CHECK_TEXT(seccomp->listener_metadata, "meta");
	CHECK(seccomp->syscalls_count == 3 && seccomp->syscalls[0].names_count == 2);
	CHECK(!seccomp->syscalls[0].errno_ret.set && seccomp->syscalls[2].errno_ret.value == 38);
	const struct oci_seccomp_arg *arg = seccomp->syscalls[1].args;
	CHECK(seccomp->syscalls[1].args_count == 1 && arg->index == 5 && arg->value == UINT64_MAX &&
	      arg->value_two == 1);
	CHECK_TEXT(arg->op, "SCMP_CMP_MASKED_EQ");
}

static void check_resources(const struct oci_resources *resources)
{
	CHECK(resources->unified_count == 2);
	CHECK_TEXT(resources->unified[0].value, "259:0 rbps=1");
	CHECK(resources->devices_count == 2 && !resources->devices[0].allow && resources->devices[0].type == 'a');
	CHECK(!resources->devices[0].major.set && resources->devices[1].major.value == 10);
	CHECK(resources->devices[1].allow && !resources->devices[1].minor.set && resources->devices[1].type == 'c');
	const struct oci_memory *memory = resources->memory;
	CHECK(memory->limit.value == INT64_MAX && memory->reservation.value == -1);
	CHECK(memory->swap.set && memory->swap.value == 0 && memory->kernel.value == 1 &&
	      memory->kernel_tcp.value == 2);
	CHECK(memory->swappiness.value == 100 && memory->disable_oom_killer.set && !memory->disable_oom_killer.value);
	CHECK(memory->use_hierarchy.value && memory->check_before_update.value);
	const struct oci_cpu *cpu = resources->cpu;
	CHECK(cpu->shares.value == UINT64_MAX && cpu->quota.value == INT64_MIN && cpu->burst.value == 10);
	CHECK(cpu->period.value == 100000 && cpu->realtime_runtime.value == 950000);
	CHECK(cpu->realtime_period.value == 1000000 && cpu->idle.value == 1);
	CHECK_TEXT(cpu->cpus, "0-3,7");
	CHECK_TEXT(cpu->mems, "0");
	CHECK(resources->pids_limit.set && resources->pids_limit.value == 0);
	const struct oci_block_io *io = resources->block_io;
	CHECK(io->weight.value == 65535 && io->leaf_weight.value == 10);
	CHECK(io->weight_devices_count == 1 && io->weight_devices[0].leaf_weight.value == 300);
	CHECK(io->read_bps.count == 1 && io->read_bps.items[0].rate == 600);
	CHECK(io->write_bps.count == 1 && io->write_bps.items[0].rate == 601);
	CHECK(io->read_iops.count == 1 && io->read_iops.items[0].rate == 602);
	CHECK(io->write_iops.count == 2 && io->write_iops.items[1].rate == 604 && io->write_iops.items[1].major == 9);
	CHECK(resources->hugepage_limits_count == 1 && resources->hugepage_limits[0].limit == 9223372036854772000);
	CHECK_TEXT(resources->hugepage_limits[0].page_size, "2MB");
	CHECK(resources->network->class_id.value == UINT32_MAX && resources->network->priorities_count == 1);
	CHECK_TEXT(resources->network->priorities[0].name, "eth0");
	CHECK(resources->rdma_count == 1 && resources->rdma[0].hca_handles.value == 3);
	CHECK_TEXT(resources->rdma[0].device, "mlx5_1");
}

/* Whether the row is used somewhere in the value (an object, or arrays and maps of them). */
static bool has_member(const struct json_value *value, const char *name)
{
	if (value->type == JSON_OBJECT && json_member(value, name) != NULL)
		return true;
	for (const struct json_value *item = value->first; item != NULL; item = item->next)
		if (item->type == JSON_OBJECT && json_member(item, name) != NULL)
			return true;
	return false;
}

/* The tables fit the structs, and the example has each property. */
static void check_table(const struct table *table, const struct json_value *value, const char *name)
{
	static const struct table *seen[64];
	static size_t seen_count;

	for (size_t i = 0; i < seen_count; i++)
		if (seen[i] == table)
			return;
	seen[seen_count++] = table;
	CHECK(table->count <= TABLE_FIELDS_MAX);
	for (size_t row = 0; row < table->count; row++) {
		const struct field *field = &table->fields[row];
		for (size_t other = 0; other < row; other++)
			CHECK(strcmp(field->name, table->fields[other].name) != 0);
		CHECK(field->kind == FIELD_IGNORED || field->offset < table->size);
		if (field->table != NULL)
			CHECK(field->size == field->table->size);
		if (!CHECK(has_member(value, field->name)))
			printf("# %s.%s is not in the example\n", name, field->name);
		else if (field->table != NULL) {
			const struct json_value *inner = json_member(value, field->name);
			for (const struct json_value *item = value->first; inner == NULL && item != NULL;
			     item = item->next)
				inner = json_member(item, field->name);
			check_table(field->table, inner, field->name);
		}
	}
}

static void test_full(void)
{
	static const char *const notes[] = {
	    "linux.future",
	    "unknown",
	    "windows: has no effect here",
	    "process.commandLine: has no effect here",
	    "process.user.username: has no effect on Linux",
	    "process.scheduler.nice: has no effect, since the policy is neither SCHED_OTHER nor SCHED_BATCH",
	    "linux.intelRdt.enableCMT: has no effect here",
	    "linux.intelRdt.enableMBM: has no effect here",
	    "process.capabilities.bounding[2]: \"CAP_FUTURE\" is unknown, ignored",
	    "linux.intelRdt: enableCMT and enableMBM are ignored, enableMonitoring replaced them",
	    "mounts[1].destination: \"data/x\" is relative, which is deprecated: taken as \"/data/x\"",
	    "process.capabilities.effective: ignored, since not in permitted: CAP_KILL",
	    "process.capabilities.ambient: ignored, since not in inheritable: CAP_NET_RAW",
	};
	CLEANUP_ARENA struct arena arena = {0};
	struct config_notes found = {0};
	struct oci_config *config = NULL;
	struct error err = {0};
	size_t length = 0, number = 0;
	CLEANUP_FREE char *text = read_data("full.json", &length);
	const struct json_value *value = NULL;

	if (!CHECK(config_parse(&arena, text, length, &found, &config, &err) == 0)) {
		printf("# %s\n", err.message);
		return;
	}
	CHECK_TEXT(config->oci_version, "1.3.0");
	CHECK_TEXT(config->root->path, "rootfs");
	CHECK(config->root->readonly);
	CHECK_TEXT(config->hostname, "host");
	CHECK_TEXT(config->domainname, "example.test");
	CHECK(config->annotations_count == 2);
	CHECK_TEXT(config->annotations[0].key, "com.example.b");
	CHECK_TEXT(config->annotations[1].value, "");
	check_process(config->process);
	check_mounts_and_hooks(config);
	check_linux(&config->linux_);
	check_seccomp(config->linux_.seccomp);
	check_resources(config->linux_.resources);
	CHECK(config_namespace(config, CLONE_NEWNET)->path != NULL);
	/* Which of two tables comes first is of no interest: the set of notes is. */
	for (size_t i = 0; i < ARRAY_SIZE(notes); i++) {
		bool there = false;
		for (const struct config_note *note = found.first; note != NULL; note = note->next)
			there = there || strcmp(note->text, notes[i]) == 0;
		if (!CHECK(there))
			printf("# missing: %s\n", notes[i]);
	}
	for (const struct config_note *note = found.first; note != NULL; note = note->next)
		number++;
	CHECK(number == ARRAY_SIZE(notes));
	CHECK(json_parse(&arena, text, length, &value, &err) == 0);
	check_table(&config_table, value, "config.json");
}

/* Without notes to fill, and cut off at each byte: an error or a result, never a crash. */
static void test_prefixes(void)
{
	size_t length = 0, accepted = 0;
	CLEANUP_FREE char *text = read_data("full.json", &length);

	for (size_t end = 0; end <= length; end++) {
		CLEANUP_ARENA struct arena arena = {0};
		struct oci_config *config = NULL;
		struct error err = {0};
		CLEANUP_FREE char *copy = malloc(end + 1);
		memcpy(copy, text, end);
		if (config_parse(&arena, copy, end, NULL, &config, &err) == 0)
			accepted++;
		else if (err.message[0] == '\0')
			CHECK(false);
	}
	/* The text ends with one newline. */
	CHECK(accepted == 2);
}

static void test_minimal(void)
{
	static const char text[] = "{\"ociVersion\":\"1.0.0\",\"root\":{\"path\":\"/r\"}}";
	CLEANUP_ARENA struct arena arena = {0};
	struct oci_config *config = NULL;
	struct config_notes notes = {0};
	struct error err = {0};

	if (!CHECK(config_parse(&arena, text, strlen(text), &notes, &config, &err) == 0))
		return;
	CHECK(config->process == NULL && config->mounts_count == 0 && config->linux_.resources == NULL);
	CHECK(config->linux_.namespaces_count == 0 && config->linux_.seccomp == NULL);
	CHECK(config->hooks.prestart.count == 0 && notes.first == NULL);
}

/* An empty list of seccomp flags says something else than none. */
static void test_empty_flags(void)
{
	static const char *const flags[] = {"\"flags\":[],", "\"flags\":null,", ""};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		CLEANUP_ARENA struct arena arena = {0};
		struct oci_config *config = NULL;
		struct error err = {0};
		const char *text = arena_printf(&arena,
						"{\"ociVersion\":\"1.0.0\",\"root\":{\"path\":\"/r\"},\"linux\":{"
						"\"seccomp\":{%s\"defaultAction\":\"SCMP_ACT_ALLOW\"}}}",
						flags[i]);
		if (!CHECK(config_parse(&arena, text, strlen(text), NULL, &config, &err) == 0))
			return;
		CHECK(config->linux_.seccomp->flags_set == (i == 0) && config->linux_.seccomp->flags_count == 0);
	}
}

static void test_load(void)
{
	CLEANUP_ARENA struct arena arena = {0};
	char directory[] = "/tmp/test_spec_config.XXXXXX";
	struct oci_config *config = NULL;
	struct error err = {0};

	if (!CHECK(mkdtemp(directory) != NULL))
		return;
	CLEANUP_CLOSE int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(config_load(&arena, fd, NULL, &config, &err) == -ENOENT);
	CHECK_TEXT(err.message, "JSON specification file config.json not found");
	CLEANUP_CLOSE int file = openat(fd, "config.json", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(config_load(&arena, fd, NULL, &config, &err) == -EINVAL);
	CHECK_TEXT(err.message, "config.json: line 1, column 1: not valid JSON: premature EOF");
	CHECK(file_write_all(file, "{\"ociVersion\":1}", 16) == 0);
	CHECK(config_load(&arena, fd, NULL, &config, &err) == -EINVAL);
	CHECK_TEXT(err.message, "config.json: ociVersion: must be a string, not the number 1");
	CHECK(ftruncate(file, JSON_SIZE_MAX + 1) == 0);
	CHECK(config_load(&arena, fd, NULL, &config, &err) == -EFBIG);
	CHECK_TEXT(err.message, "config.json: larger than 16777216 bytes");
	unlinkat(fd, "config.json", 0);
	rmdir(directory);
}

static size_t unknown_count(const struct config_notes *notes)
{
	size_t count = 0;

	for (const struct config_note *note = notes->first; note != NULL; note = note->next)
		count += note->kind == NOTE_UNKNOWN;
	return count;
}

/* Each is accepted, told to those who want to know, and refused with --strict. */
static void test_no_effect(void)
{
	static const struct {
		const char *text;
		const char *note;
		bool strict;
	} cases[] = {
	    {"\"windows\":{\"layerFolders\":[]}", "windows: has no effect here", true},
	    {"\"process\":{\"cwd\":\"/\",\"args\":[\"a\"],\"commandLine\":\"a\"}",
	     "process.commandLine: has no effect here", true},
	    {"\"process\":{\"cwd\":\"/\",\"args\":[\"a\"],\"consoleSize\":{\"height\":1,\"width\":2}}",
	     "process.consoleSize: has no effect, since process.terminal is not true", true},
	    {"\"process\":{\"cwd\":\"/"
	     "\",\"args\":[\"a\"],\"terminal\":true,\"consoleSize\":{\"height\":1,\"width\":2}}",
	     NULL, false},
	    {"\"process\":{\"cwd\":\"/\",\"args\":[\"a\"],\"user\":{\"username\":\"x\"}}",
	     "process.user.username: has no effect on Linux", true},
	    {"\"process\":{\"cwd\":\"/"
	     "\",\"args\":[\"a\"],\"ioPriority\":{\"class\":\"IOPRIO_CLASS_IDLE\",\"priority\":3}}",
	     "process.ioPriority.priority: has no effect, since IOPRIO_CLASS_IDLE has one level", true},
	    {"\"process\":{\"cwd\":\"/\",\"args\":[\"a\"],\"scheduler\":{\"policy\":\"SCHED_IDLE\",\"nice\":3}}",
	     "process.scheduler.nice: has no effect, since the policy is neither SCHED_OTHER nor SCHED_BATCH", true},
	    {"\"process\":{\"cwd\":\"/\",\"args\":[\"a\"],\"capabilities\":{\"bounding\":[\"CAP_X\"]}}",
	     "process.capabilities.bounding[0]: \"CAP_X\" is unknown, ignored", true},
	    {"\"mounts\":[{\"destination\":\"/a\",\"type\":\"tmpfs\",\"options\":[\"defaults\",\"nofail\"]}]",
	     "mounts[0].options[1]: nofail has no effect here", true},
	    {"\"mounts\":[{\"destination\":\"a\",\"type\":\"tmpfs\"}]",
	     "mounts[0].destination: \"a\" is relative, which is deprecated: taken as \"/a\"", false},
	    {"\"linux\":{\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"listenerPath\":\"/x\"}}",
	     "linux.seccomp.listenerPath: has no effect, since no action is SCMP_ACT_NOTIFY", true},
	    {"\"linux\":{\"seccomp\":{\"defaultAction\":\"SCMP_ACT_NOTIFY\",\"listenerPath\":\"/x\"}}", NULL, false},
	    {"\"annotations\":{\"run.oci.handler\":\"krun\"}", "annotations[\"run.oci.handler\"]: has no effect here",
	     true},
	    {"\"annotations\":{\"io.sandlock.pid2\":\"main\"}", "annotations[\"io.sandlock.pid2\"]: has no effect here",
	     true},
	    {"\"annotations\":{\"io.sandlock.pid1\":\"main\",\"org.systemd.property.X\":\"1\",\"a.b\":\"c\"}", NULL,
	     false},
	    {"\"a\":1", "a", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP_ARENA struct arena arena = {0};
		struct config_notes notes = {0};
		struct oci_config *config = NULL;
		struct error err = {0};
		char text[512];
		snprintf(text, sizeof text, "{\"ociVersion\":\"1.3.0\",\"root\":{\"path\":\"r\"},%s}", cases[i].text);
		if (!CHECK(config_parse(&arena, text, strlen(text), &notes, &config, &err) == 0))
			printf("# %s\n", err.message);
		if (!CHECK((notes.first != NULL) == (cases[i].note != NULL)) || notes.first == NULL)
			continue;
		CHECK_TEXT(notes.first->text, cases[i].note);
		CHECK(config_note_is_strict(notes.first) == cases[i].strict && notes.first->next == NULL);
	}
}

static void test_process_and_resources(void)
{
	static const char process_text[] = "{\"args\":[\"a\"],\"cwd\":\"/\",\"env\":[\"A=1\"],\"x\":1}";
	static const char resources_text[] = "{\"memory\":{\"limit\":4096},\"pids\":{\"limit\":-1},\"y\":null}";
	CLEANUP_ARENA struct arena arena = {0};
	struct oci_process *process = NULL;
	struct oci_resources *resources = NULL;
	struct config_notes notes = {0};
	struct error err = {0};

	CHECK(process_parse(&arena, process_text, strlen(process_text), &notes, &process, &err) == 0);
	CHECK(process->args_count == 1 && unknown_count(&notes) == 1);
	CHECK(process_parse(&arena, "{\"args\":[],\"cwd\":\"/\"}", 21, NULL, &process, &err) == -EINVAL);
	CHECK_TEXT(err.message, "args: must not be empty");
	CHECK(process_parse(&arena, "[]", 2, NULL, &process, &err) == -EINVAL);
	CHECK_TEXT(err.message, "must be an object, not an array");
	CHECK(resources_parse(&arena, resources_text, strlen(resources_text), &notes, &resources, &err) == 0);
	CHECK(resources->memory->limit.value == 4096 && resources->pids_limit.value == -1 &&
	      unknown_count(&notes) == 2);
	CHECK(resources_parse(&arena, "{\"memory\":{\"limit\":-2}}", 23, NULL, &resources, &err) == -EINVAL);
	CHECK_TEXT(err.message, "memory.limit: -2 is out of range (-1 to 9223372036854775807)");
}

int main(void)
{
	test_full();
	test_prefixes();
	test_minimal();
	test_empty_flags();
	test_load();
	test_process_and_resources();
	test_no_effect();
	return check_result();
}
