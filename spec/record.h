/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a session for its whole life: held by the supervisor, and written to the state directory for
 * people and for cleaning up after a crash. */
#ifndef SANDLOCK_SPEC_RECORD_H
#define SANDLOCK_SPEC_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/error.h"
#include "spec/config.h"

/* A session. Strings belong to whoever made the record; record_parse puts them into its arena. */
struct session_record {
	const char *oci_version; /* of config.json */
	const char *id;
	const char *bundle;      /* absolute */
	const char *rootfs;      /* absolute */
	struct timespec created; /* CLOCK_REALTIME */
	uint32_t owner_uid;      /* who called create */
	const char *owner;       /* its name, or the number as text */
	struct oci_pair *annotations;
	size_t annotations_count;
	struct oci_pair *cgroups; /* key: controllers ("cpu,cpuacct"; "" for version 2), value: absolute host path */
	size_t cgroups_count;
};

/* The record as JSON on one line. */
const char *record_write(struct arena *arena, const struct session_record *record);

/* Reads what record_write wrote; properties that are not known are ignored. Errors: EINVAL, EFBIG. */
int record_parse(struct arena *arena, const char *text, size_t length, struct session_record *record,
		 struct error *err);

/* Bytes that record_time_text needs. */
#define RECORD_TIME_SIZE 64

/* Time in UTC as RFC 3339 has it, with as many digits as there are ("2026-01-31T12:00:00.5Z"). */
void record_time_text(const struct timespec *time, char text[RECORD_TIME_SIZE]);

#endif
