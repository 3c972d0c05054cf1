/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "config.h"
#include "runtime/context.h"
#include "sandbox/common/cleanup.h"
#include "spec/features.h"

int command_features(const struct command *command, struct global_options *global, int argc, char **argv,
		     struct error *err)
{
	CLEANUP_JSON_WRITER struct json_writer text = JSON_WRITER(2);
	const struct features_build build = {.version = PACKAGE_VERSION};

	(void)global;
	int rc = options_parse(command, NULL, 0, &argc, argv, false, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (arguments_check(command, argc, 0, 0, err) < 0)
		return -err->code;
	features_write(&text, &build);
	printf("%s\n", text.data);
	return 0;
}
