/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "runtime/command.h"
#include "runtime/log.h"
#include "sandbox/common/cleanup.h"

const struct command commands[] = {
    {"checkpoint", "CONTAINER", "Not supported by this build.", command_checkpoint},
    {"create", "CONTAINER", "Create a container from a bundle; `start` runs its process.", command_create},
    {"delete", "CONTAINER", "End the session: kill what is left of it and remove every trace.", command_delete},
    {"events", "CONTAINER", "Print statistics and out-of-memory events as JSON lines until the main process ends.",
     command_events},
    {"exec", "CONTAINER COMMAND [ARGUMENT]...", "Run a further process in a container.", command_exec},
    {"features", "", "Print what this runtime supports, as JSON.", command_features},
    {"kill", "CONTAINER [SIGNAL]", "Send a signal (default: TERM) to the container's main process.", command_kill},
    {"list", "", "List the containers of this root.", command_list},
    {"pause", "CONTAINER", "Let all processes of a container stand still.", command_pause},
    {"ps", "CONTAINER [ps OPTION]...",
     "List the processes of a session; options behind its id are for ps(1) (default: -ef).", command_ps},
    {"restore", "CONTAINER", "Not supported by this build.", command_restore},
    {"resume", "CONTAINER", "Let the processes of a paused container go on.", command_resume},
    {"run", "CONTAINER", "Create and start a container; wait for it and delete it, unless --detach or --keep.",
     command_run},
    {"spec", "", "Write an example config.json.", command_spec},
    {"start", "CONTAINER", "Run the process of a created container.", command_start},
    {"state", "CONTAINER", "Print a container's state, as JSON.", command_state},
    {"update", "CONTAINER", "Change limits of a container; what is not named stays as it is.", command_update},
    {"wait", "CONTAINER", "Wait for the end of the main process and print its exit status.", command_wait},
};
const size_t commands_count = ARRAY_SIZE(commands);

static void print_version(void)
{
	printf("%s version %s\nspec: 1.3.0\n", PACKAGE_NAME, PACKAGE_VERSION);
}

static void print_help(const struct option_row *rows, size_t count)
{
	static const struct command program = {"COMMAND", "[ARGUMENT]...",
					       "An OCI runtime whose containers are sessions.", NULL};

	command_help(&program, rows, count);
	printf("\nCommands:\n");
	for (size_t i = 0; i < commands_count; i++)
		printf("  %-12s %s\n", commands[i].name, commands[i].summary);
	printf("\n`sandlock-oci COMMAND --help` describes a command.\n");
}

/* A caller that closed its standard streams must not get our files in their place. */
static void open_standard_streams(void)
{
	for (;;) {
		int fd = open("/dev/null", O_RDWR | O_NOCTTY);
		if (fd < 0 || fd > STDERR_FILENO) {
			cleanup_close(&fd);
			return;
		}
	}
}

/* Values that must be one of a few words; NULL is the default. */
static int check_choice(const char *option, const char *value, const char *const *choices, struct error *err)
{
	if (value == NULL)
		return 0;
	for (size_t i = 0; choices[i] != NULL; i++)
		if (strcmp(choices[i], value) == 0)
			return 0;
	return error_set(err, EINVAL, "--%s: \"%s\" is none of %s, %s, %s", option, value, choices[0], choices[1],
			 choices[2]);
}

static int check_global(const struct global_options *global, struct error *err)
{
	static const char *const managers[] = {"cgroupfs", "systemd", "disabled", NULL};
	static const char *const rootless[] = {"auto", "true", "false", NULL};

	if (check_choice("cgroup-manager", global->cgroup_manager, managers, err) < 0)
		return -err->code;
	return check_choice("rootless", global->rootless, rootless, err);
}

static int run_command(int argc, char **argv, struct global_options *global, struct error *err)
{
	static const struct command program = {"COMMAND", "[ARGUMENT]...", "", NULL};
	bool version = false, help = false;
	const struct option_row rows[] = {
	    {"root", 0, OPTION_STRING, &global->root, "DIR", "where the state of containers is kept"},
	    {"log", 0, OPTION_STRING, &global->log, "FILE", "log file (default: standard error)"},
	    {"log-format", 0, OPTION_STRING, &global->log_format, "FORMAT", "text (default) or json"},
	    {"debug", 0, OPTION_FLAG, &global->debug, NULL, "log more"},
	    {"systemd-cgroup", 0, OPTION_FLAG, &global->systemd_cgroup, NULL, "have systemd manage the cgroups"},
	    {"cgroup-manager", 0, OPTION_STRING, &global->cgroup_manager, "NAME", "cgroupfs, systemd or disabled"},
	    {"rootless", 0, OPTION_STRING, &global->rootless, "auto|true|false", "ignore cgroup permission errors"},
	    {"strict", 0, OPTION_FLAG, &global->strict, NULL,
	     "refuse properties that are unknown or have no effect here"},
	    {"version", 'v', OPTION_FLAG, &version, NULL, "print the version"},
	    {"help", 'h', OPTION_FLAG, &help, NULL, "print this help"},
	};

	/* The program's own help lists the commands, so it is not left to options_parse. */
	if (argc > 0 &&
	    (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0 || strcmp(argv[0], "help") == 0)) {
		print_help(rows, ARRAY_SIZE(rows));
		return 0;
	}
	int rc = options_parse(&program, rows, ARRAY_SIZE(rows), &argc, argv, true, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (check_global(global, err) < 0)
		return -err->code;
	if (version) {
		print_version();
		return 0;
	}
	if (argc == 0) {
		print_help(rows, ARRAY_SIZE(rows));
		return error_set(err, EINVAL, "no command was given");
	}
	for (size_t i = 0; i < commands_count; i++)
		if (strcmp(commands[i].name, argv[0]) == 0)
			return commands[i].run(&commands[i], global, argc - 1, argv + 1, err);
	return error_set(err, EINVAL, "unknown command \"%s\"; `sandlock-oci --help` lists the commands", argv[0]);
}

int main(int argc, char **argv)
{
	struct global_options global = {0};
	struct error err = {0};

	open_standard_streams();
	signal(SIGPIPE, SIG_IGN);
	/* A caller that ignores it would have the kernel throw the status of our children away. */
	signal(SIGCHLD, SIG_DFL);
	const char *strict = getenv("SANDLOCK_STRICT");
	global.strict = strict != NULL && strcmp(strict, "1") == 0;
	int status = run_command(argc > 0 ? argc - 1 : 0, argv + 1, &global, &err);
	if (status < 0) {
		struct log log;
		struct error ignored = {0};
		if (log_open(&log, global.log, global.log_format, global.debug, &ignored) < 0)
			log = (struct log){.fd = -1};
		log_fatal(&log, &err);
		status = 1;
	}
	if (fflush(stdout) != 0 || ferror(stdout))
		status = status == 0 ? 1 : status;
	return status;
}
