/* SPDX-License-Identifier: Apache-2.0 */
/* The options of exec, and the process they describe. */
#ifndef SANDLOCK_RUNTIME_EXEC_PROCESS_H
#define SANDLOCK_RUNTIME_EXEC_PROCESS_H

#include "runtime/context.h"
#include "sandbox/plan.h"
#include "spec/config.h"

struct exec_options {
	const char *process; /* file with a process object */
	const char *pid_file;
	const char *console_socket;
	const char *pidfd_socket;
	const char *cwd;
	const char *user;
	const char *apparmor;
	const char *label;
	const char *cgroup;
	struct string_list env;
	struct string_list additional_gids;
	struct string_list capabilities;
	bool detach;
	bool tty;
	bool no_new_privs;
	bool ignore_paused;
	bool session;
	int preserve_fds;
};

#define EXEC_OPTION_ROWS(o)                                                                                 \
	{"process", 'p', OPTION_STRING, &(o).process, "FILE", "JSON of the process to run"},                \
	    {"pid-file", 0, OPTION_STRING, &(o).pid_file, "FILE", "write the process's pid there"},         \
	    {"detach", 'd', OPTION_FLAG, &(o).detach, NULL, "return when the process was started"},         \
	    {"tty", 't', OPTION_FLAG, &(o).tty, NULL, "give it a terminal"},                                \
	    {"console-socket",    0,      OPTION_STRING,                                                    \
	     &(o).console_socket, "PATH", "Unix socket that gets the terminal's master"},                   \
	    {"pidfd-socket", 0, OPTION_STRING, &(o).pidfd_socket, "PATH", "Unix socket that gets a pidfd"}, \
	    {"cwd", 0, OPTION_STRING, &(o).cwd, "DIR", "working directory"},                                \
	    {"env", 'e', OPTION_STRINGS, &(o).env, "NAME=VALUE", "set a variable"},                         \
	    {"user", 'u', OPTION_STRING, &(o).user, "UID[:GID]", "run as this user"},                       \
	    {"additional-gids", 'g', OPTION_STRINGS, &(o).additional_gids, "GID", "add a group"},           \
	    {"cap", 'c', OPTION_STRINGS, &(o).capabilities, "CAP", "add a capability"},                     \
	    {"no-new-privs", 0, OPTION_FLAG, &(o).no_new_privs, NULL, "set no_new_privs"},                  \
	    {"apparmor", 0, OPTION_STRING, &(o).apparmor, "PROFILE", "AppArmor profile"},                   \
	    {"process-label", 0, OPTION_STRING, &(o).label, "LABEL", "SELinux label"},                      \
	    {"preserve-fds", 0, OPTION_NUMBER, &(o).preserve_fds, "N", "pass N descriptors from 3 on"},     \
	    {"ignore-paused", 0, OPTION_FLAG, &(o).ignore_paused, NULL, "also into a paused container"},    \
	    {"cgroup", 0, OPTION_STRING, &(o).cgroup, "PATH", "cgroup below the container's"},              \
	{                                                                                                   \
		"session", 0, OPTION_FLAG, &(o).session, NULL, "also after the main process ended"          \
	}

/* The process: from --process FILE, or the container's with what options and arguments change. In the context's
 * arena. */
int exec_process_make(struct context *context, const struct exec_options *options, const struct plan *container,
		      int argc, char **argv, struct oci_process **process, struct error *err);

#endif
