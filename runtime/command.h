/* SPDX-License-Identifier: Apache-2.0 */
/* Commands and their options, as tables: parsing, help and completions follow from them. */
#ifndef SANDLOCK_RUNTIME_COMMAND_H
#define SANDLOCK_RUNTIME_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/common/error.h"

/* Options before the command. */
struct global_options {
	const char *root;
	const char *log;
	const char *log_format;
	bool debug;
	bool systemd_cgroup;
	const char *cgroup_manager;
	const char *rootless; /* "true", "false", "auto" */
	bool strict;
};

enum option_kind {
	OPTION_FLAG,    /* bool *: present or `=true|false` */
	OPTION_STRING,  /* const char ** */
	OPTION_NUMBER,  /* int *, not negative */
	OPTION_STRINGS, /* struct string_list *: may be given again */
};

/* Values of an option that may be given several times. */
struct string_list {
	const char **items;
	size_t count;
};

/* One option; `target` says where the value goes. */
struct option_row {
	const char *name;
	char short_name; /* 0: none */
	enum option_kind kind;
	void *target;
	const char *argument; /* what the help calls the value; NULL for flags */
	const char *help;
};

/* A command: `run` gets the arguments behind the command's name and returns the program's exit status. Errors are
 * returned with status < 0 and `err` filled. */
struct command {
	const char *name;
	const char *arguments; /* usage, "CONTAINER" */
	const char *summary;
	int (*run)(const struct command *command, struct global_options *global, int argc, char **argv,
		   struct error *err);
};

extern const struct command commands[];
extern const size_t commands_count;

/* Parses options; the rest (positional arguments) is moved to argv[0..*argc-1]. Options may stand before and behind
 * positional arguments, as with runc, up to "--"; with `stop_at_positional` the first positional argument ends them.
 * Returns 0, 1 when help was printed, or a negative errno value. */
int options_parse(const struct command *command, const struct option_row *rows, size_t rows_count, int *argc,
		  char **argv, bool stop_at_positional, struct error *err);

/* Checks the number of positional arguments; the error has the usage line. */
int arguments_check(const struct command *command, int argc, int minimum, int maximum, struct error *err);

/* Prints a command's help to standard output. */
void command_help(const struct command *command, const struct option_row *rows, size_t rows_count);

int command_checkpoint(const struct command *, struct global_options *, int, char **, struct error *);
int command_create(const struct command *, struct global_options *, int, char **, struct error *);
int command_delete(const struct command *, struct global_options *, int, char **, struct error *);
int command_events(const struct command *, struct global_options *, int, char **, struct error *);
int command_exec(const struct command *, struct global_options *, int, char **, struct error *);
int command_features(const struct command *, struct global_options *, int, char **, struct error *);
int command_kill(const struct command *, struct global_options *, int, char **, struct error *);
int command_list(const struct command *, struct global_options *, int, char **, struct error *);
int command_pause(const struct command *, struct global_options *, int, char **, struct error *);
int command_ps(const struct command *, struct global_options *, int, char **, struct error *);
int command_restore(const struct command *, struct global_options *, int, char **, struct error *);
int command_resume(const struct command *, struct global_options *, int, char **, struct error *);
int command_run(const struct command *, struct global_options *, int, char **, struct error *);
int command_spec(const struct command *, struct global_options *, int, char **, struct error *);
int command_start(const struct command *, struct global_options *, int, char **, struct error *);
int command_state(const struct command *, struct global_options *, int, char **, struct error *);
int command_update(const struct command *, struct global_options *, int, char **, struct error *);
int command_wait(const struct command *, struct global_options *, int, char **, struct error *);

#endif
