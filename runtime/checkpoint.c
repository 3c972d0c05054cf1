/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint and restore are known, so that callers get a clear answer, but not supported. */
#include <errno.h>
#include <string.h>

#include "runtime/command.h"

/* podman takes the exit status of `checkpoint --help` for the answer to whether it is supported. */
#define EXIT_NOT_SUPPORTED 1

static int refuse(const struct command *command, int argc, char **argv, struct error *err)
{
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-help") == 0 || strcmp(argv[i], "-h") == 0) {
			command_help(command, NULL, 0);
			return EXIT_NOT_SUPPORTED;
		}
	return error_set(err, EOPNOTSUPP, "%s is not supported by this build", command->name);
}

int command_checkpoint(const struct command *command, struct global_options *global, int argc, char **argv,
		       struct error *err)
{
	(void)global;
	return refuse(command, argc, argv, err);
}

int command_restore(const struct command *command, struct global_options *global, int argc, char **argv,
		    struct error *err)
{
	(void)global;
	return refuse(command, argc, argv, err);
}
