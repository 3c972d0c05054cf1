/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/common/file.h"

/* Root of a user namespace that an engine made for an ordinary user is that user. */
static bool in_user_namespace(void)
{
	char map[256];

	return file_read_at(-1, "/proc/self/uid_map", map, sizeof map) > 0 && strstr(map, "4294967295") == NULL;
}

/* runc's rule: /run for root, $XDG_RUNTIME_DIR for everybody else. */
static const char *default_root(struct arena *arena)
{
	const char *runtime_dir = getenv("XDG_RUNTIME_DIR");
	const char *user = getenv("USER");

	if (runtime_dir != NULL && runtime_dir[0] == '/' &&
	    (geteuid() != 0 || ((user == NULL || strcmp(user, "root") != 0) && in_user_namespace())))
		return arena_printf(arena, "%s/sandlock-oci", runtime_dir);
	if (geteuid() == 0)
		return "/run/sandlock-oci";
	return arena_printf(arena, "/run/user/%u/sandlock-oci", geteuid());
}

int context_open_place(struct context *context, bool create, struct error *err)
{
	const char *root = context->global->root != NULL ? context->global->root : default_root(&context->arena);

	if (session_place_open(&context->place, root, create, err) < 0)
		return -err->code;
	if (create && !context->place.writable)
		log_message(&context->log, LOG_LEVEL_DEBUG, "%s is not writable: containers have no record on disk",
			    root);
	return 0;
}

int context_open(struct context *context, const struct global_options *global, struct error *err)
{
	*context = (struct context){.global = global, .log = {.fd = -1}, .place = {.directory = -1}};
	if (log_open(&context->log, global->log, global->log_format, global->debug, err) < 0)
		return -err->code;
	return context_open_place(context, false, err);
}

void context_close(struct context *context)
{
	session_place_close(&context->place);
	arena_free(&context->arena);
	if (context->log.fd >= 0)
		close(context->log.fd);
	context->log.fd = -1;
}

int context_open_container(struct context *context, const struct global_options *global, const struct command *command,
			   const struct option_row *rows, size_t rows_count, int *argc, char **argv, int maximum,
			   struct error *err)
{
	*context = (struct context){.log = {.fd = -1}, .place = {.directory = -1}};
	int rc = options_parse(command, rows, rows_count, argc, argv, false, err);
	if (rc != 0)
		return rc;
	if (arguments_check(command, *argc, 1, maximum, err) < 0 || session_id_check(argv[0], err) < 0)
		return -err->code;
	return context_open(context, global, err);
}

int context_state(struct context *context, const char *id, struct session_client *client, struct session_answer *answer,
		  struct error *err)
{
	*answer = (struct session_answer)SESSION_ANSWER_NONE;
	int rc = session_connect(&context->place, id, client, err);
	if (rc < 0)
		return rc;
	return session_request(client, REQUEST_STATE, 0, NULL, 0, SESSION_ANSWER_TIMEOUT_MS, answer, err);
}

int context_notes(const struct context *context, const char *what, const struct config_notes *notes, struct error *err)
{
	for (const struct config_note *note = notes->first; note != NULL; note = note->next) {
		const char *unknown = note->kind == NOTE_UNKNOWN ? "unknown property " : "";
		if (config_note_is_strict(note) && context->global->strict)
			return error_set(err, EINVAL, "--strict: %s: %s%s", what, unknown, note->text);
		log_message(&context->log, config_note_is_warning(note) ? LOG_LEVEL_WARNING : LOG_LEVEL_DEBUG,
			    "%s: %s%s", what, unknown, note->text);
	}
	return 0;
}
