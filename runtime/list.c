/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/report.h"
#include "sandbox/common/cleanup.h"

/* Ids, each once. */
struct ids {
	const char **items;
	size_t count;
};

static int compare(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static int add(struct context *context, struct ids *ids, const char *id)
{
	const char **items = realloc(ids->items, (ids->count + 1) * sizeof *items);

	if (items == NULL)
		return -ENOMEM;
	ids->items = items;
	items[ids->count++] = arena_strdup(&context->arena, id);
	return 0;
}

static int add_records(struct context *context, struct ids *ids)
{
	struct error ignored = {0};
	int fd = context->place.directory < 0
		     ? -1
		     : openat(context->place.directory, ".", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	int rc = 0;

	if (directory == NULL) {
		cleanup_close(&fd);
		return 0;
	}
	for (struct dirent *entry; rc == 0 && (entry = readdir(directory)) != NULL;)
		if (entry->d_name[0] != '.' && entry->d_type != DT_REG &&
		    session_id_check(entry->d_name, &ignored) == 0)
			rc = add(context, ids, entry->d_name);
	closedir(directory);
	return rc;
}

/* Sessions without a record have a name all the same (N5). */
static int add_names(struct context *context, struct ids *ids)
{
	CLEANUP_FCLOSE FILE *sockets = fopen("/proc/net/unix", "re");
	struct error ignored = {0};
	char line[1024];
	int rc = 0;

	while (sockets != NULL && rc == 0 && fgets(line, sizeof line, sockets) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		const char *name = strchr(line, '@');
		const char *id = name == NULL ? NULL : session_place_id(&context->place, name + 1);
		if (id != NULL && session_id_check(id, &ignored) == 0)
			rc = add(context, ids, id);
	}
	return rc;
}

static int collect(struct context *context, struct ids *ids, struct error *err)
{
	if (add_records(context, ids) < 0 || add_names(context, ids) < 0)
		return error_errno(err, ENOMEM, "list the containers");
	if (ids->count > 0)
		qsort(ids->items, ids->count, sizeof *ids->items, compare);
	size_t kept = 0;
	for (size_t i = 0; i < ids->count; i++)
		if (kept == 0 || strcmp(ids->items[kept - 1], ids->items[i]) != 0)
			ids->items[kept++] = ids->items[i];
	ids->count = kept;
	return 0;
}

/* One container. Returns 1 if it is gone. A broken one does not keep the others from being listed. */
static int examine(struct context *context, const char *id, struct report *report)
{
	CLEANUP_SESSION_CLIENT struct session_client client = SESSION_CLIENT_NONE;
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;
	struct error err = {0};

	int rc = context_state(context, id, &client, &answer, &err);
	if (rc == 0)
		rc = report_make(context, &answer, report, &err);
	if (rc == -ENOENT) {
		error_clear(&err);
		rc = session_place_clear_stale(&context->place, id, &err);
		if (rc < 0 && rc != -ENOENT && rc != -EADDRINUSE)
			log_message(&context->log, LOG_LEVEL_WARNING, "%s", err.message);
		return 1;
	}
	if (rc == -EPIPE || rc == -EAGAIN)
		return 1;
	if (rc < 0)
		log_message(&context->log, LOG_LEVEL_WARNING, "container \"%s\": %s", id, err.message);
	return rc < 0;
}

static void print_row(const struct report *report)
{
	char created[RECORD_TIME_SIZE], pid[16];

	record_time_text(&report->record.created, created);
	snprintf(pid, sizeof pid, "%d", report->state.pid);
	printf("%-20s %-14s %-10s %-30s %-32s %s\n", report->record.id, report->session.exited ? "(main exited)" : pid,
	       report->state.status, report->record.bundle, created, report->record.owner);
}

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_QUIET };

static int print_all(struct context *context, enum format format, struct error *err)
{
	CLEANUP_JSON_WRITER struct json_writer text = JSON_WRITER(0);
	struct ids ids = {0};

	if (collect(context, &ids, err) < 0) {
		free(ids.items);
		return -err->code;
	}
	if (format == FORMAT_JSON)
		json_begin_array(&text);
	else if (format == FORMAT_TABLE)
		printf("%-20s %-14s %-10s %-30s %-32s %s\n", "ID", "PID", "STATUS", "BUNDLE", "CREATED", "OWNER");
	for (size_t i = 0; i < ids.count; i++) {
		struct report report = {0};
		if (examine(context, ids.items[i], &report) != 0)
			continue;
		if (format == FORMAT_JSON)
			state_write(&text, &report.state);
		else if (format == FORMAT_QUIET)
			puts(report.record.id);
		else
			print_row(&report);
	}
	if (format == FORMAT_JSON) {
		json_end_array(&text);
		puts(text.data);
	}
	free(ids.items);
	return 0;
}

int command_list(const struct command *command, struct global_options *global, int argc, char **argv, struct error *err)
{
	CLEANUP_CONTEXT struct context context = {.log = {.fd = -1}, .place = {.directory = -1}};
	const char *format = "table";
	bool quiet = false;
	const struct option_row rows[] = {
	    {"format", 'f', OPTION_STRING, &format, "FORMAT", "table (default) or json"},
	    {"quiet", 'q', OPTION_FLAG, &quiet, NULL, "only the ids"},
	};

	int rc = options_parse(command, rows, ARRAY_SIZE(rows), &argc, argv, false, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (arguments_check(command, argc, 0, 0, err) < 0)
		return -err->code;
	if (strcmp(format, "table") != 0 && strcmp(format, "json") != 0)
		return error_set(err, EINVAL, "--format: \"%s\" is neither table nor json", format);
	if (context_open(&context, global, err) < 0)
		return -err->code;
	return print_all(&context,
			 quiet                         ? FORMAT_QUIET
			 : strcmp(format, "json") == 0 ? FORMAT_JSON
						       : FORMAT_TABLE,
			 err);
}
