/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/duration.h"
#include "runtime/report.h"
#include "sandbox/common/cleanup.h"
#include "spec/json_write.h"

/* The exit status of a wait that timed out, as timeout(1) has it; its word is "timeout" (design S2). */
#define EXIT_TIMED_OUT 124
/* The main process ended, but how is not known. */
#define EXIT_STATUS_UNKNOWN 125

static void print_json(const struct session_answer *answer)
{
	CLEANUP_JSON_WRITER struct json_writer text = JSON_WRITER(0);

	json_begin_object(&text);
	if (answer == NULL) {
		json_key_string(&text, "result", "timeout");
	} else {
		json_key_string(&text, "result", "exited");
		report_exit(&answer->reply, &text);
	}
	json_end_object(&text);
	printf("%s\n", text.data);
}

int command_wait(const struct command *command, struct global_options *global, int argc, char **argv, struct error *err)
{
	CLEANUP_CONTEXT struct context context;
	CLEANUP_SESSION_CLIENT struct session_client client = SESSION_CLIENT_NONE;
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;
	const char *timeout = NULL;
	bool json = false;
	int milliseconds = -1;
	const struct option_row rows[] = {
	    {"timeout", 't', OPTION_STRING, &timeout, "DURATION",
	     "give up after this time (10s, 500ms, 2m); exit status 124"},
	    {"json", 0, OPTION_FLAG, &json, NULL, "print the result as JSON"},
	};

	int rc = context_open_container(&context, global, command, rows, ARRAY_SIZE(rows), &argc, argv, 1, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (timeout != NULL && duration_parse(timeout, &milliseconds) < 0)
		return error_set(err, EINVAL, "--timeout: \"%s\" is not a duration such as 10s, 500ms or 2m", timeout);
	if (session_connect(&context.place, argv[0], &client, err) < 0)
		return -err->code;
	/* What has happened already is told however short the time is. */
	if (milliseconds >= 0) {
		rc = session_request(&client, REQUEST_STATE, 0, NULL, 0, SESSION_ANSWER_TIMEOUT_MS, &answer, err);
		if (rc < 0)
			return rc;
	}
	if (answer.reply.exit_kind == EXIT_NOT_YET || (answer.reply.flags & REPLY_EXIT_PENDING) != 0) {
		session_answer_close(&answer);
		rc = session_request(&client, REQUEST_WAIT, 0, NULL, 0, milliseconds, &answer, err);
	}
	if (rc == -ETIMEDOUT) {
		if (json)
			print_json(NULL);
		else
			puts("timeout");
		return EXIT_TIMED_OUT;
	}
	if (rc < 0)
		return rc;
	if (json)
		print_json(&answer);
	if (answer.reply.exit_kind == EXIT_UNKNOWN) {
		if (!json)
			puts("unknown: the main process exited, but its parent took the status, and kernels before "
			     "6.15 do not keep it");
		return EXIT_STATUS_UNKNOWN;
	}
	int status = answer.reply.exit_kind == EXIT_CODE ? answer.reply.exit_value : 128 + answer.reply.exit_value;
	if (!json)
		printf("%d\n", status);
	return 0;
}
