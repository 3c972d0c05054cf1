/* SPDX-License-Identifier: Apache-2.0 */
/* What most commands begin with: the log, the state root, a connection. */
#ifndef SANDLOCK_RUNTIME_CONTEXT_H
#define SANDLOCK_RUNTIME_CONTEXT_H

#include "runtime/command.h"
#include "runtime/log.h"
#include "sandbox/common/arena.h"
#include "sandbox/session/client.h"
#include "sandbox/session/place.h"
#include "spec/notes.h"

/* A command's surroundings. */
struct context {
	const struct global_options *global;
	struct log log;
	struct session_place place;
	struct arena arena;
	const char *ineffective; /* the first part of the configuration that turned out to have no effect; NULL: none */
};

/* Opens log and root. */
int context_open(struct context *context, const struct global_options *global, struct error *err);
/* Opens the root alone; with `create` it is made when it is missing. */
int context_open_place(struct context *context, bool create, struct error *err);
void context_close(struct context *context);

/* Parses options and the id of a command that takes exactly one container. Returns 0, 1 after --help, or an error. */
int context_open_container(struct context *context, const struct global_options *global, const struct command *command,
			   const struct option_row *rows, size_t rows_count, int *argc, char **argv, int maximum,
			   struct error *err);

/* Connects to a session and asks for its state. */
int context_state(struct context *context, const char *id, struct session_client *client, struct session_answer *answer,
		  struct error *err);

/* What parsing noted about the JSON text that is called `what`: unknown properties are told, or with --strict refused;
 * warnings are told. */
int context_notes(const struct context *context, const char *what, const struct config_notes *notes, struct error *err);

#define CLEANUP_CONTEXT __attribute__((cleanup(context_close)))

#endif
