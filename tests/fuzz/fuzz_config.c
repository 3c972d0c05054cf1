/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: whatever the text, the parsers give a result or one error, and what the program writes about an
 * accepted configuration is JSON that reads back the same. Built for libFuzzer by `make fuzz`; with replay.c it
 * runs a corpus as a test. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spec/parse.h"
#include "spec/record.h"
#include "spec/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Exactly one of success and a message. */
static void expect_result(int rc, const struct error *err)
{
	if ((rc == 0) != (err->message[0] == '\0') || rc != -err->code)
		abort();
}

static void try_config(const char *text, size_t size)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct config_notes notes = {0};
	struct oci_config *config = NULL, *again = NULL;
	struct error err = {0}, other = {0};
	int rc = config_parse(&arena, text, size, &notes, &config, &err);

	expect_result(rc, &err);
	/* Notes change nothing. */
	if (config_parse(&arena, text, size, NULL, &again, &other) != rc || strcmp(err.message, other.message) != 0)
		abort();
	if (rc < 0)
		return;
	const struct session_record record = {
	    .oci_version = config->oci_version,
	    .id = "id",
	    .bundle = "/bundle",
	    .rootfs = "/rootfs",
	    .owner = "root",
	    .annotations = config->annotations,
	    .annotations_count = config->annotations_count,
	};
	struct session_record read = {0};
	const char *written = record_write(&arena, &record);
	if (record_parse(&arena, written, strlen(written), &read, &err) < 0 ||
	    strcmp(record_write(&arena, &read), written) != 0 ||
	    strcmp(state_prefix(&arena, &read), state_prefix(&arena, &record)) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	CLEANUP_ARENA struct arena arena = {0};
	struct oci_process *process = NULL;
	struct oci_resources *resources = NULL;
	struct session_record record = {0};
	struct error err = {0};

	try_config(text, size);
	expect_result(process_parse(&arena, text, size, NULL, &process, &err), &err);
	error_clear(&err);
	expect_result(resources_parse(&arena, text, size, NULL, &resources, &err), &err);
	error_clear(&err);
	int rc = record_parse(&arena, text, size, &record, &err);
	expect_result(rc, &err);
	return 0;
}
