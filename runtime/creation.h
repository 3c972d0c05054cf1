/* SPDX-License-Identifier: Apache-2.0 */
/* What `create` and `run` have in common: options, from bundle to launch plan, the session. */
#ifndef SANDLOCK_RUNTIME_CREATION_H
#define SANDLOCK_RUNTIME_CREATION_H

#include <stdbool.h>

#include "runtime/context.h"
#include "sandbox/plan_builder.h"
#include "sandbox/session/create.h"
#include "sandbox/session/notify.h"

/* The options of create and run. */
struct creation_options {
	const char *bundle;
	const char *config; /* NULL: config.json in the bundle */
	const char *pid_file;
	const char *console_socket;
	const char *pidfd_socket;
	const char *owner; /* pid */
	bool no_pivot;
	bool no_new_keyring;
	int preserve_fds;
	bool detach; /* run: --detach; create: always */
	bool keep;   /* run: --keep */
};

#define CREATION_OPTION_ROWS(options)                                                                                   \
	{                                                                                                               \
	    "bundle",          'b',   OPTION_STRING,                                                                    \
	    &(options).bundle, "DIR", "directory of the bundle (default: the current one)"},                            \
	    {"config", 'f', OPTION_STRING, &(options).config, "FILE", "read FILE instead of the bundle's config.json"}, \
	    {"pid-file", 0, OPTION_STRING, &(options).pid_file, "FILE", "write the main process's pid there"},          \
	    {"console-socket",          0,      OPTION_STRING,                                                          \
	     &(options).console_socket, "PATH", "Unix socket that gets the terminal's master"},                         \
	    {"pidfd-socket",          0,      OPTION_STRING,                                                            \
	     &(options).pidfd_socket, "PATH", "Unix socket that gets a pidfd of the main process"},                     \
	    {"no-pivot", 0, OPTION_FLAG, &(options).no_pivot, NULL, "change the root without pivot_root (ramdisks)"},   \
	    {"preserve-fds", 0, OPTION_NUMBER, &(options).preserve_fds, "N", "pass N descriptors from 3 on"},           \
	    {"no-new-keyring", 0, OPTION_FLAG, &(options).no_new_keyring, NULL, "keep the caller's session keyring"},   \
	    {"owner", 0, OPTION_STRING, &(options).owner, "PID", "end the session when this process ends"},             \
	{                                                                                                               \
		"keep", 0, OPTION_FLAG, &(options).keep, NULL, "run: keep the session after the main process ended"     \
	}

/* Everything between the bundle and the created session. */
struct creation_plan {
	struct oci_config *config;
	struct plan_builder builder;
	const struct plan *plan;
	int plan_fd;
	int bundle_fd;
	int console_socket; /* connected; for a foreground run with a terminal: the launcher's end of a socket pair */
	int console_ours;   /* our end of that pair */
	int owner_pidfd;
	int notify_manager; /* connected to NOTIFY_SOCKET; -1: none, or handed over */
	struct cgroup *cgroup;
	char *record;
	size_t record_length;
};

/* Parses, checks and plans; descriptors of socket activation are added to options->preserve_fds. No effect outside this
 * process but opened files. */
int creation_plan_make(struct context *context, struct creation_options *options, const char *id,
		       struct creation_plan *plan, struct error *err);
/* Takes the ends of the notification socket from both; NOTIFY_NONE's when there is none. */
struct notify creation_take_notify(struct creation_plan *plan, struct session_created *created);
/* Lets the supervisor pass notifications on from now on. */
int creation_hand_over_notify(struct session_created *created, struct notify *notify, struct error *err);
void creation_plan_free(struct creation_plan *plan);

/* Creates the session and writes the pid file. On failure nothing is left. */
int creation_carry_out(struct context *context, const struct creation_options *options, const char *id,
		       struct creation_plan *plan, struct session_created *created, struct error *err);

#define CLEANUP_CREATION_PLAN __attribute__((cleanup(creation_plan_free)))

#endif
