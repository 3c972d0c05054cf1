/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/state.h"

/* The specification lets "annotations" be absent. */
static void write_annotations(struct json_writer *writer, const struct session_record *record)
{
	if (record->annotations_count == 0)
		return;
	json_key(writer, "annotations");
	json_begin_object(writer);
	for (size_t i = 0; i < record->annotations_count; i++)
		json_key_string(writer, record->annotations[i].key, record->annotations[i].value);
	json_end_object(writer);
}

const char *state_prefix(struct arena *arena, const struct session_record *record)
{
	CLEANUP_JSON_WRITER struct json_writer writer = JSON_WRITER(0);

	json_begin_object(&writer);
	json_key_string(&writer, "ociVersion", record->oci_version);
	json_key_string(&writer, "id", record->id);
	json_key_string(&writer, "bundle", record->bundle);
	write_annotations(&writer, record);
	return arena_strndup(arena, writer.data, writer.length);
}

static void write_session(struct json_writer *writer, const struct state_session *session)
{
	json_key(writer, "session");
	json_begin_object(writer);
	json_key(writer, "main");
	json_begin_object(writer);
	json_key_bool(writer, "exited", session->exited);
	if (session->exited && session->exit_signal != 0)
		json_key_i64(writer, "signal", session->exit_signal);
	else if (session->exited && session->exit_known)
		json_key_i64(writer, "exitCode", session->exit_code);
	json_end_object(writer);
	json_key_u64(writer, "groups", session->groups);
	json_key_u64(writer, "processes", session->processes);
	json_key_string(writer, "reach", session->reach);
	json_key_bool(writer, "oom", session->oom);
	json_end_object(writer);
}

void state_write(struct json_writer *writer, const struct state *state)
{
	const struct session_record *record = state->record;
	bool exited = state->session != NULL && state->session->exited;
	char created[RECORD_TIME_SIZE];

	record_time_text(&record->created, created);
	json_begin_object(writer);
	json_key_string(writer, "ociVersion", record->oci_version);
	json_key_string(writer, "id", record->id);
	json_key_i64(writer, "pid", exited ? 0 : state->pid);
	json_key_string(writer, "status", state->status);
	json_key_string(writer, "bundle", record->bundle);
	json_key_string(writer, "rootfs", record->rootfs);
	json_key_string(writer, "created", created);
	write_annotations(writer, record);
	json_key_string(writer, "owner", record->owner);
	if (state->session != NULL)
		write_session(writer, state->session);
	json_end_object(writer);
}
