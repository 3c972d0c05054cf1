/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/creation.h"
#include "sandbox/common/cleanup.h"

int command_create(const struct command *command, struct global_options *global, int argc, char **argv,
		   struct error *err)
{
	CLEANUP_CONTEXT struct context context;
	CLEANUP_CREATION_PLAN struct creation_plan plan = {.plan_fd = -1,
							   .bundle_fd = -1,
							   .console_socket = -1,
							   .console_ours = -1,
							   .owner_pidfd = -1,
							   .notify_manager = -1};
	struct creation_options options = {.bundle = ".", .detach = true};
	struct session_created created;
	const struct option_row rows[] = {CREATION_OPTION_ROWS(options)};

	int rc = context_open_container(&context, global, command, rows, ARRAY_SIZE(rows), &argc, argv, 1, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (creation_plan_make(&context, &options, argv[0], &plan, err) < 0 ||
	    creation_carry_out(&context, &options, argv[0], &plan, &created, err) < 0)
		return -err->code;
	CLEANUP_NOTIFY struct notify notify = creation_take_notify(&plan, &created);
	rc = creation_hand_over_notify(&created, &notify, err);
	session_created_close(&created);
	return rc;
}
