/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/context.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/number.h"
#include "spec/json_write.h"

/* The exit status of a wait that timed out, as timeout(1) has it; its word is "timeout" (design S2). */
#define EXIT_TIMED_OUT 124
/* The main process ended, but how is not known. */
#define EXIT_STATUS_UNKNOWN 125

/* "1500ms", "30s", "2m", "1h"; a bare number is seconds. */
static int parse_duration(const char *text, int *milliseconds)
{
	static const struct {
		const char *suffix;
		uint64_t factor;
	} units[] = {{"ms", 1}, {"s", 1000}, {"m", 60 * 1000}, {"h", 3600 * 1000}, {"", 1000}};
	char digits[24];
	size_t length = strspn(text, "0123456789");
	uint64_t value;

	if (length == 0 || length >= sizeof digits)
		return -EINVAL;
	memcpy(digits, text, length);
	digits[length] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcmp(text + length, units[i].suffix) == 0) {
			int rc = number_parse_u64(digits, 0, INT32_MAX / units[i].factor, &value);
			if (rc == 0)
				*milliseconds = (int)(value * units[i].factor);
			return rc;
		}
	return -EINVAL;
}

static void print_json(const struct session_answer *answer)
{
	CLEANUP_JSON_WRITER struct json_writer text = JSON_WRITER(0);

	json_begin_object(&text);
	if (answer == NULL) {
		json_key_string(&text, "result", "timeout");
	} else {
		json_key_string(&text, "result", "exited");
		if (answer->reply.exit_kind == EXIT_CODE)
			json_key_i64(&text, "exitCode", answer->reply.exit_value);
		else if (answer->reply.exit_kind == EXIT_SIGNAL)
			json_key_i64(&text, "signal", answer->reply.exit_value);
		else
			json_key_string(&text, "unknown",
					"its parent took the status, and kernels before 6.15 do not keep it");
		if ((answer->reply.flags & REPLY_OOM) != 0)
			json_key_bool(&text, "oomKilled", true);
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
	    {"timeout", 't', OPTION_STRING, &timeout, "DURATION", "give up after this time (10s, 500ms, 2m); exit status 124"},
	    {"json", 0, OPTION_FLAG, &json, NULL, "print the result as JSON"},
	};

	int rc = context_open_container(&context, global, command, rows, ARRAY_SIZE(rows), &argc, argv, 1, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (timeout != NULL && parse_duration(timeout, &milliseconds) < 0)
		return error_set(err, EINVAL, "--timeout: \"%s\" is not a duration such as 10s, 500ms or 2m", timeout);
	if (session_connect(&context.place, argv[0], &client, err) < 0)
		return -err->code;
	/* What has happened already is told however short the time is. */
	if (milliseconds >= 0) {
		rc = session_request(&client, REQUEST_STATE, 0, NULL, 0, SESSION_ANSWER_TIMEOUT_MS, &answer, err);
		if (rc < 0)
			return rc;
	}
	if (answer.reply.exit_kind == EXIT_NOT_YET) {
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
			puts("unknown: the main process exited, but its parent took the status, and kernels before 6.15 do not keep it");
		return EXIT_STATUS_UNKNOWN;
	}
	int status = answer.reply.exit_kind == EXIT_CODE ? answer.reply.exit_value : 128 + answer.reply.exit_value;
	if (!json)
		printf("%d\n", status);
	return 0;
}
