/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/record.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/common/number.h"
#include "spec/checks.h"
#include "spec/json_write.h"
#include "spec/table.h"

#define NANOSECONDS 1000000000L
/* The end of the year 9999: later ones do not fit the format. */
#define SECONDS_MAX INT64_C(253402300799)

void record_time_text(const struct timespec *time, char text[RECORD_TIME_SIZE])
{
	struct tm parts = {0};
	char fraction[16];

	gmtime_r(&time->tv_sec, &parts);
	size_t length = strftime(text, RECORD_TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(fraction, sizeof fraction, ".%09ld", time->tv_nsec % NANOSECONDS);
	size_t digits = strlen(fraction);
	while (digits > 0 && (fraction[digits - 1] == '0' || fraction[digits - 1] == '.'))
		digits--;
	snprintf(text + length, RECORD_TIME_SIZE - length, "%.*sZ", (int)digits, fraction);
}

static bool time_parse(const char *text, struct timespec *time)
{
	struct tm parts = {0};
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
	uint64_t nanoseconds = 0;

	if (rest == NULL)
		return false;
	if (*rest == '.') {
		size_t digits = strspn(rest + 1, "0123456789");
		char fraction[10] = "000000000";
		if (digits == 0 || digits > 9)
			return false;
		memcpy(fraction, rest + 1, digits);
		if (number_parse_u64(fraction, 0, NANOSECONDS - 1, &nanoseconds) < 0)
			return false;
		rest += 1 + digits;
	}
	if (strcmp(rest, "Z") != 0)
		return false;
	*time = (struct timespec){.tv_sec = timegm(&parts), .tv_nsec = (long)nanoseconds};
	return time->tv_sec >= 0 && time->tv_sec <= SECONDS_MAX;
}

const char *record_write(struct arena *arena, const struct session_record *record)
{
	CLEANUP_JSON_WRITER struct json_writer writer = JSON_WRITER(0);
	char created[RECORD_TIME_SIZE];

	record_time_text(&record->created, created);
	json_begin_object(&writer);
	json_key_string(&writer, "ociVersion", record->oci_version);
	json_key_string(&writer, "id", record->id);
	json_key_string(&writer, "bundle", record->bundle);
	json_key_string(&writer, "rootfs", record->rootfs);
	json_key_string(&writer, "created", created);
	json_key_u64(&writer, "ownerUid", record->owner_uid);
	json_key_string(&writer, "owner", record->owner);
	json_key(&writer, "annotations");
	json_begin_object(&writer);
	for (size_t i = 0; i < record->annotations_count; i++)
		json_key_string(&writer, record->annotations[i].key, record->annotations[i].value);
	json_end_object(&writer);
	json_key(&writer, "cgroups");
	json_begin_array(&writer);
	for (size_t i = 0; i < record->cgroups_count; i++) {
		json_begin_object(&writer);
		json_key_string(&writer, "controllers", record->cgroups[i].key);
		json_key_string(&writer, "path", record->cgroups[i].value);
		json_end_object(&writer);
	}
	json_end_array(&writer);
	json_end_object(&writer);
	return arena_strndup(arena, writer.data, writer.length);
}

/* The record with the time as text. */
struct record_json {
	struct session_record record;
	const char *created;
};

static int cgroup_finish(const struct table_reader *reader, const struct json_value *object,
			 const struct table_path *path, void *target)
{
	struct oci_pair *cgroup = target;

	if (cgroup->key == NULL)
		cgroup->key = "";
	return 0;
}

static const struct field cgroup_fields[] = {
    FIELD("controllers", oci_pair, key),
    FIELD("path", oci_pair, value, .required = true, .check = check_absolute),
};
static const struct table cgroup_table = TABLE(oci_pair, cgroup_fields, .finish = cgroup_finish);

static int record_finish(const struct table_reader *reader, const struct json_value *object,
			 const struct table_path *path, void *target)
{
	struct record_json *record = target;
	struct table_path created = {.parent = path, .name = "created"};

	if (!time_parse(record->created, &record->record.created))
		return table_error(reader, &created, "is not a time like 2026-01-31T12:00:00.5Z");
	return 0;
}

static const struct field record_fields[] = {
    FIELD("ociVersion", record_json, record.oci_version, .required = true),
    FIELD("id", record_json, record.id, .required = true),
    FIELD("bundle", record_json, record.bundle, .required = true, .check = check_absolute),
    FIELD("rootfs", record_json, record.rootfs, .required = true, .check = check_absolute),
    FIELD("created", record_json, created, .required = true),
    FIELD("ownerUid", record_json, record.owner_uid, .required = true),
    FIELD("owner", record_json, record.owner, .required = true),
    FIELD_LIST("annotations", record_json, record.annotations),
    FIELD_ARRAY("cgroups", record_json, record.cgroups, &cgroup_table),
};
static const struct table record_table = TABLE(record_json, record_fields, .finish = record_finish);

int record_parse(struct arena *arena, const char *text, size_t length, struct session_record *record, struct error *err)
{
	const struct table_reader reader = {.arena = arena, .err = err};
	const struct json_value *value = NULL;
	struct record_json parsed = {0};
	int rc = json_parse(arena, text, length, &value, err);

	if (rc == 0)
		rc = table_read(&reader, &record_table, value, NULL, &parsed);
	if (rc == 0)
		*record = parsed.record;
	return rc;
}
