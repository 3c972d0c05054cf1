/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "runtime/report.h"
#include "sandbox/common/cleanup.h"

int command_state(const struct command *command, struct global_options *global, int argc, char **argv,
		  struct error *err)
{
	CLEANUP_CONTEXT struct context context;
	CLEANUP_SESSION_CLIENT struct session_client client = SESSION_CLIENT_NONE;
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;
	CLEANUP_JSON_WRITER struct json_writer text = JSON_WRITER(2);
	struct report report;

	int rc = context_open_container(&context, global, command, NULL, 0, &argc, argv, 1, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (context_state(&context, argv[0], &client, &answer, err) < 0 ||
	    report_make(&context, &answer, &report, err) < 0)
		return -err->code;
	state_write(&text, &report.state);
	printf("%s\n", text.data);
	return 0;
}
