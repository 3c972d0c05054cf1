/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/parse.h"

#include <errno.h>
#include <fcntl.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "spec/json.h"
#include "spec/tables.h"
#include "spec/validate.h"

/* Text to a new struct by a table. */
static int parse(const struct table_reader *reader, const char *text, size_t length, const struct table *table,
		 void **target)
{
	const struct json_value *value = NULL;
	int rc = json_parse(reader->arena, text, length, &value, reader->err);

	if (rc < 0)
		return rc;
	void *object = arena_alloc(reader->arena, table->size);
	rc = table_read(reader, table, value, NULL, object);
	if (rc == 0)
		*target = object;
	return rc;
}

int config_parse(struct arena *arena, const char *text, size_t length, struct config_notes *notes,
		 struct oci_config **config, struct error *err)
{
	const struct table_reader reader = {.arena = arena, .notes = notes, .err = err};
	const struct validation validation = {.arena = arena, .notes = notes, .err = err};
	void *target = NULL;
	int rc = parse(&reader, text, length, &config_table, &target);

	if (rc == 0)
		rc = config_validate(&validation, target);
	if (rc == 0)
		*config = target;
	return rc;
}

int config_load_file(struct arena *arena, int dirfd, const char *path, struct config_notes *notes,
		     struct oci_config **config, struct error *err)
{
	CLEANUP_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	CLEANUP_FREE char *text = NULL;
	size_t length = 0;

	/* Engines and people know this sentence. */
	if (fd < 0 && errno == ENOENT)
		return error_set(err, ENOENT, "JSON specification file %s not found", path);
	if (fd < 0)
		return error_errno(err, errno, "cannot open %s", path);
	int rc = file_read_all(fd, JSON_SIZE_MAX, &text, &length);
	if (rc == -EFBIG)
		return error_set(err, EFBIG, "%s: larger than %u bytes", path, JSON_SIZE_MAX);
	if (rc < 0)
		return error_errno(err, -rc, "cannot read %s", path);
	rc = config_parse(arena, text, length, notes, config, err);
	return rc < 0 ? error_wrap(err, "%s", path) : 0;
}

int config_load(struct arena *arena, int bundle_fd, struct config_notes *notes, struct oci_config **config,
		struct error *err)
{
	return config_load_file(arena, bundle_fd, "config.json", notes, config, err);
}

int process_parse(struct arena *arena, const char *text, size_t length, struct config_notes *notes,
		  struct oci_process **process, struct error *err)
{
	const struct table_reader reader = {.arena = arena, .notes = notes, .err = err};
	const struct validation validation = {.arena = arena, .notes = notes, .err = err};
	void *target = NULL;
	int rc = parse(&reader, text, length, &process_table, &target);

	if (rc == 0)
		rc = process_validate(&validation, "", target);
	if (rc == 0)
		*process = target;
	return rc;
}

int resources_parse(struct arena *arena, const char *text, size_t length, struct config_notes *notes,
		    struct oci_resources **resources, struct error *err)
{
	const struct table_reader reader = {.arena = arena, .notes = notes, .err = err};
	void *target = NULL;
	int rc = parse(&reader, text, length, &resources_table, &target);

	if (rc == 0)
		*resources = target;
	return rc;
}
