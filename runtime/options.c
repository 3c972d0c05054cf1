/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/command.h"
#include "sandbox/common/number.h"

static int usage_error(const struct command *command, struct error *err, const char *what, const char *argument)
{
	return error_set(err, EINVAL, "%s%s; usage: sandlock-oci %s [OPTION]... %s", what, argument, command->name,
			 command->arguments);
}

static const struct option_row *find(const struct option_row *rows, size_t count, const char *name, size_t length)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0)
			return &rows[i];
		if (length == 1 && rows[i].short_name == name[0])
			return &rows[i];
	}
	return NULL;
}

static int store(const struct command *command, const struct option_row *row, const char *value, struct error *err)
{
	switch (row->kind) {
	case OPTION_FLAG:
		if (value != NULL && strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
			return usage_error(command, err, "--", row->name);
		*(bool *)row->target = value == NULL || strcmp(value, "true") == 0;
		return 0;
	case OPTION_STRING:
		*(const char **)row->target = value;
		return 0;
	case OPTION_NUMBER:
		if (number_parse_int(value, 0, INT_MAX, row->target) < 0)
			return error_set(err, EINVAL, "--%s: \"%s\" is not a number from 0 to %d", row->name, value,
					 INT_MAX);
		return 0;
	case OPTION_STRINGS: {
		struct string_list *list = row->target;
		const char **items = realloc(list->items, (list->count + 1) * sizeof *items);
		if (items == NULL)
			return error_errno(err, ENOMEM, "--%s", row->name);
		list->items = items;
		items[list->count++] = value;
		return 0;
	}
	}
	return 0;
}

int options_parse(const struct command *command, const struct option_row *rows, size_t rows_count, int *argc,
		  char **argv, bool stop_at_positional, struct error *err)
{
	int positional = 0;
	int i = 0;

	for (; i < *argc; i++) {
		char *word = argv[i];
		if (word[0] != '-' || word[1] == '\0') {
			if (stop_at_positional)
				break;
			argv[positional++] = word;
			continue;
		}
		if (strcmp(word, "--") == 0) {
			i++;
			break;
		}
		/* Go's flag packages take one dash for long options too. */
		const char *name = word + (word[1] == '-' ? 2 : 1);
		const char *equals = strchr(name, '=');
		size_t length = equals == NULL ? strlen(name) : (size_t)(equals - name);
		if (equals == NULL && (strcmp(name, "help") == 0 || strcmp(name, "h") == 0)) {
			command_help(command, rows, rows_count);
			return 1;
		}
		const struct option_row *row = find(rows, rows_count, name, length);
		if (row == NULL)
			return usage_error(command, err, "unknown option ", word);
		const char *value = equals == NULL ? NULL : equals + 1;
		bool takes_value = row->kind != OPTION_FLAG;
		if (takes_value && value == NULL) {
			if (i + 1 >= *argc)
				return usage_error(command, err, "missing value of option ", word);
			value = argv[++i];
		}
		int rc = store(command, row, value, err);
		if (rc < 0)
			return rc;
	}
	while (i < *argc)
		argv[positional++] = argv[i++];
	argv[positional] = NULL;
	*argc = positional;
	return 0;
}

int arguments_check(const struct command *command, int argc, int minimum, int maximum, struct error *err)
{
	if (argc < minimum)
		return usage_error(command, err, "missing argument", "");
	if (maximum >= 0 && argc > maximum)
		return usage_error(command, err, "too many arguments", "");
	return 0;
}

void command_help(const struct command *command, const struct option_row *rows, size_t rows_count)
{
	printf("Usage: sandlock-oci [GLOBAL OPTION]... %s [OPTION]... %s\n\n%s\n", command->name, command->arguments,
	       command->summary);
	if (rows_count > 0)
		printf("\nOptions:\n");
	for (size_t i = 0; i < rows_count; i++) {
		char left[64];
		snprintf(left, sizeof left, "%c%c%s--%s%s%s", rows[i].short_name != 0 ? '-' : ' ',
			 rows[i].short_name != 0 ? rows[i].short_name : ' ', rows[i].short_name != 0 ? ", " : "  ",
			 rows[i].name, rows[i].argument != NULL ? " " : "",
			 rows[i].argument != NULL ? rows[i].argument : "");
		printf("  %-32s %s\n", left, rows[i].help);
	}
}
