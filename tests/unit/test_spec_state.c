/* SPDX-License-Identifier: Apache-2.0 */
/* What the program writes about itself and its containers: state, records, features, the example configuration. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "sandbox/common/cleanup.h"
#include "spec/features.h"
#include "spec/generate.h"
#include "spec/json.h"
#include "spec/parse.h"
#include "spec/record.h"
#include "spec/reference.h"
#include "spec/state.h"
#include "spec/tables.h"
#include "tests/unit/check.h"

static struct oci_pair annotations[] = {{"a", "x\"y"}, {"b", ""}};
static struct oci_pair cgroups[] = {{"cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct/c1"},
				    {"", "/sys/fs/cgroup/unified/c1"}};

static const struct session_record record = {
    .oci_version = "1.3.0",
    .id = "c1",
    .bundle = "/b",
    .rootfs = "/b/rootfs",
    .created = {.tv_sec = 1769860800, .tv_nsec = 120000000},
    .owner_uid = 1000,
    .owner = "user",
    .annotations = annotations,
    .annotations_count = ARRAY_SIZE(annotations),
    .cgroups = cgroups,
    .cgroups_count = ARRAY_SIZE(cgroups),
};

static void test_prefix(void)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct session_record plain = record;

	CHECK_TEXT(state_prefix(&arena, &record), "{\"ociVersion\":\"1.3.0\",\"id\":\"c1\",\"bundle\":\"/b\","
						  "\"annotations\":{\"a\":\"x\\\"y\",\"b\":\"\"}");
	plain.annotations_count = 0;
	CHECK_TEXT(state_prefix(&arena, &plain), "{\"ociVersion\":\"1.3.0\",\"id\":\"c1\",\"bundle\":\"/b\"");

	/* What the launcher makes of it is JSON. */
	const struct json_value *value = NULL;
	struct error err = {0};
	const char *text = arena_printf(&arena, "%s,\"status\":\"creating\",\"pid\":7}", state_prefix(&arena, &record));
	CHECK(json_parse(&arena, text, strlen(text), &value, &err) == 0);
	CHECK_TEXT(json_member_string(value, "status"), "creating");
}

static void test_state(void)
{
	CLEANUP_JSON_WRITER struct json_writer writer = JSON_WRITER(2);
	const struct state running = {.record = &record, .status = "running", .pid = 42};

	state_write(&writer, &running);
	CHECK_TEXT(writer.data, "{\n"
				"  \"ociVersion\": \"1.3.0\",\n"
				"  \"id\": \"c1\",\n"
				"  \"pid\": 42,\n"
				"  \"status\": \"running\",\n"
				"  \"bundle\": \"/b\",\n"
				"  \"rootfs\": \"/b/rootfs\",\n"
				"  \"created\": \"2026-01-31T12:00:00.12Z\",\n"
				"  \"annotations\": {\n"
				"    \"a\": \"x\\\"y\",\n"
				"    \"b\": \"\"\n"
				"  },\n"
				"  \"owner\": \"user\"\n"
				"}");
}

static void check_session(const struct state_session *session, int pid, const char *main_text)
{
	CLEANUP_JSON_WRITER struct json_writer writer = JSON_WRITER(0);
	CLEANUP_ARENA struct arena arena = {0};
	const struct state state = {.record = &record, .status = "stopped", .pid = 42, .session = session};
	const struct json_value *value = NULL;
	struct error err = {0};

	state_write(&writer, &state);
	if (!CHECK(json_parse(&arena, writer.data, writer.length, &value, &err) == 0))
		return;
	CHECK_TEXT(json_member(value, "pid")->text, arena_printf(&arena, "%d", pid));
	CHECK_TEXT(strstr(writer.data, "\"session\""), main_text);
}

static void test_session(void)
{
	check_session(
	    &(struct state_session){
		.exited = true, .exit_known = true, .exit_code = 3, .groups = 1, .processes = 2, .reach = "pidns"},
	    0,
	    "\"session\":{\"main\":{\"exited\":true,\"exitCode\":3},\"groups\":1,\"processes\":2,\"reach\":"
	    "\"pidns\",\"oom\":false}}");
	check_session(
	    &(struct state_session){
		.exited = true, .exit_known = true, .exit_signal = SIGKILL, .reach = "none", .oom = true},
	    0,
	    "\"session\":{\"main\":{\"exited\":true,\"signal\":9},\"groups\":0,\"processes\":0,\"reach\":"
	    "\"none\",\"oom\":true}}");
	check_session(&(struct state_session){.exited = true, .reach = "groups"}, 0,
		      "\"session\":{\"main\":{\"exited\":true},\"groups\":0,\"processes\":0,\"reach\":\"groups\","
		      "\"oom\":false}}");
	check_session(&(struct state_session){.processes = 1, .reach = "cgroup"}, 42,
		      "\"session\":{\"main\":{\"exited\":false},\"groups\":0,\"processes\":1,\"reach\":\"cgroup\","
		      "\"oom\":false}}");
}

static void test_record(void)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct session_record read = {0};
	struct error err = {0};
	const char *text = record_write(&arena, &record);

	CHECK_TEXT(text, "{\"ociVersion\":\"1.3.0\",\"id\":\"c1\",\"bundle\":\"/b\",\"rootfs\":\"/b/rootfs\","
			 "\"created\":\"2026-01-31T12:00:00.12Z\",\"ownerUid\":1000,\"owner\":\"user\","
			 "\"annotations\":{\"a\":\"x\\\"y\",\"b\":\"\"},"
			 "\"cgroups\":[{\"controllers\":\"cpu,cpuacct\",\"path\":\"/sys/fs/cgroup/cpu,cpuacct/c1\"},"
			 "{\"controllers\":\"\",\"path\":\"/sys/fs/cgroup/unified/c1\"}]}");
	if (!CHECK(record_parse(&arena, text, strlen(text), &read, &err) == 0)) {
		printf("# %s\n", err.message);
		return;
	}
	CHECK_TEXT(record_write(&arena, &read), text);
	CHECK(read.created.tv_sec == record.created.tv_sec && read.created.tv_nsec == record.created.tv_nsec);
	CHECK_TEXT(read.cgroups[1].key, "");
}

static void test_broken_records(void)
{
	static const struct {
		const char *text;
		const char *message;
	} broken[] = {
	    {"", "line 1, column 1: not valid JSON: premature EOF"},
	    {"{}", "ociVersion: required, but missing"},
	    {"{\"ociVersion\":\"1.0.0\",\"id\":\"x\",\"bundle\":\"b\"}", "bundle: \"b\" is not an absolute path"},
	    {"{\"ociVersion\":\"1.0.0\",\"id\":\"x\",\"bundle\":\"/b\",\"rootfs\":\"/"
	     "r\",\"created\":\"now\",\"ownerUid\":0,"
	     "\"owner\":\"root\"}",
	     "created: is not a time like 2026-01-31T12:00:00.5Z"},
	    {"{\"ociVersion\":\"1.0.0\",\"id\":\"x\",\"bundle\":\"/b\",\"rootfs\":\"/r\",\"created\":"
	     "\"2026-01-31T12:00:00.1234567890Z\",\"ownerUid\":0,\"owner\":\"root\"}",
	     "created: is not a time like 2026-01-31T12:00:00.5Z"},
	    {"{\"ociVersion\":\"1.0.0\",\"id\":\"x\",\"bundle\":\"/b\",\"rootfs\":\"/r\",\"created\":"
	     "\"2026-01-31T12:00:00\",\"ownerUid\":0,\"owner\":\"root\"}",
	     "created: is not a time like 2026-01-31T12:00:00.5Z"},
	    {"{\"ociVersion\":\"1.0.0\",\"id\":\"x\",\"bundle\":\"/b\",\"rootfs\":\"/r\",\"created\":"
	     "\"2026-01-31T12:00:00Z\",\"ownerUid\":0,\"owner\":\"root\",\"cgroups\":[{\"path\":\"x\"}]}",
	     "cgroups[0].path: \"x\" is not an absolute path"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		CLEANUP_ARENA struct arena arena = {0};
		struct session_record read = {0};
		struct error err = {0};
		CHECK(record_parse(&arena, broken[i].text, strlen(broken[i].text), &read, &err) == -EINVAL);
		CHECK_TEXT(err.message, broken[i].message);
		CHECK(read.id == NULL);
	}
}

static void test_time(void)
{
	static const struct {
		struct timespec time;
		const char *text;
	} times[] = {
	    {{0, 0}, "1970-01-01T00:00:00Z"},
	    {{1, 1}, "1970-01-01T00:00:01.000000001Z"},
	    {{951782399, 999999999}, "2000-02-28T23:59:59.999999999Z"},
	    {{253402300799, 100}, "9999-12-31T23:59:59.0000001Z"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		char text[RECORD_TIME_SIZE];
		record_time_text(&times[i].time, text);
		CHECK_TEXT(text, times[i].text);
	}
}

/* Whether an array of strings has this one. */
static bool has_string(const struct json_value *array, const char *text)
{
	for (const struct json_value *item = array->first; item != NULL; item = item->next)
		if (strcmp(item->text, text) == 0)
			return true;
	return false;
}

static void test_features(void)
{
	CLEANUP_JSON_WRITER struct json_writer writer = JSON_WRITER(4);
	CLEANUP_ARENA struct arena arena = {0};
	const struct features_build build = {.version = "0.1.0", .commit = "abc", .systemd = true};
	const struct json_value *value = NULL;
	struct error err = {0};

	features_write(&writer, &build);
	if (!CHECK(json_parse(&arena, writer.data, writer.length, &value, &err) == 0))
		return;
	CHECK_TEXT(json_member_string(value, "ociVersionMin"), "1.0.0");
	CHECK_TEXT(json_member_string(value, "ociVersionMax"), "1.3.0");
	CHECK(json_member(value, "hooks")->length == 6);
	CHECK(has_string(json_member(value, "mountOptions"), "rnosymfollow"));
	const struct json_value *linux_features = json_member(value, "linux");
	CHECK(json_member(linux_features, "namespaces")->length == 8);
	CHECK(json_member(linux_features, "capabilities")->length == 41);
	CHECK(has_string(json_member(linux_features, "capabilities"), "CAP_CHECKPOINT_RESTORE"));
	const struct json_value *seccomp = json_member(linux_features, "seccomp");
	CHECK(has_string(json_member(seccomp, "archs"), "SCMP_ARCH_X86_64"));
	CHECK(json_member(seccomp, "knownFlags")->length == 4);
	CHECK(has_string(json_member(seccomp, "supportedFlags"), "SECCOMP_FILTER_FLAG_LOG"));
	CHECK(json_member(json_member(linux_features, "cgroup"), "systemd")->boolean);
	CHECK_TEXT(json_member_string(json_member(value, "annotations"), "io.sandlock.commit"), "abc");
}

static void check_example(const struct generate_options *options, size_t namespaces)
{
	CLEANUP_JSON_WRITER struct json_writer writer = JSON_WRITER(4);
	CLEANUP_ARENA struct arena arena = {0};
	struct config_notes notes = {0};
	struct oci_config *config = NULL;
	struct error err = {0};

	generate_write(&writer, options);
	if (!CHECK(config_parse(&arena, writer.data, writer.length, &notes, &config, &err) == 0)) {
		printf("# %s\n", err.message);
		return;
	}
	CHECK(notes.first == NULL);
	CHECK(config->linux_.namespaces_count == namespaces);
	CHECK((config->linux_.uid_mappings_count == 1) == options->rootless);
	CHECK((config->linux_.resources != NULL) == !options->rootless);
	CHECK_TEXT(config->mounts[5].type, options->rootless ? "none" : "sysfs");
	CHECK(config->mounts[2].options_count == (options->rootless ? 5 : 6));
	if (options->rootless)
		CHECK(config->linux_.uid_mappings[0].host_id == 1234 && config->linux_.gid_mappings[0].host_id == 5678);
	CHECK(config->process->rlimits_count == 1 && config->process->terminal && config->root->readonly);
	CHECK(config->process->capabilities->bounding == config->process->capabilities->effective);
	CHECK(config->process->capabilities->ambient == 0);
}

static void test_example(void)
{
	check_example(&(struct generate_options){0}, 5);
	check_example(&(struct generate_options){.cgroup_namespace = true}, 6);
	check_example(&(struct generate_options){.rootless = true, .uid = 1234, .gid = 5678}, 5);
	CHECK(!generate_defaults().rootless);
}

/* Rows of the tables without sub-tables; the reference has as many lines, and its two of heading. */
static size_t count_rows(const struct table *table)
{
	size_t rows = 0;

	for (size_t row = 0; row < table->count; row++)
		rows += table->fields[row].table != NULL ? count_rows(table->fields[row].table) : 1;
	return rows;
}

/* The files that the rows name are there. */
static void check_files(const struct table *table)
{
	const char *source = getenv("srcdir");

	for (size_t row = 0; row < table->count; row++) {
		const struct field *field = &table->fields[row];
		char path[4096];
		if (field->table != NULL)
			check_files(field->table);
		if (field->applied == NULL)
			continue;
		snprintf(path, sizeof path, "%s/%s", source != NULL ? source : ".", field->applied);
		if (!CHECK(access(path, F_OK) == 0))
			printf("# %s: no file %s\n", field->name, field->applied);
	}
}

static void test_reference(void)
{
	CLEANUP_FREE char *text = NULL;
	size_t size = 0, lines = 0;
	FILE *out = open_memstream(&text, &size);

	reference_write(out);
	fclose(out);
	for (size_t i = 0; i < size; i++)
		lines += text[i] == '\n';
	check_files(&config_table);
	CHECK(lines == count_rows(&config_table) + 2);
	CHECK(strstr(text, "| `linux.resources.memory.limit` | int64 | sandbox/cgroup/") != NULL);
	CHECK(strstr(text, "| `process.rlimits[].type` | word, required | ") != NULL);
	CHECK(strstr(text, "| `linux.resources.rdma.*.hcaHandles` | uint32 | ") != NULL);
	CHECK(strstr(text, "| `windows` | ignored |  |  |  |") != NULL);
}

int main(void)
{
	test_prefix();
	test_state();
	test_session();
	test_record();
	test_broken_records();
	test_time();
	test_features();
	test_example();
	test_reference();
	return check_result();
}
