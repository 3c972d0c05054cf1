/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "runtime/context.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "spec/generate.h"

int command_spec(const struct command *command, struct global_options *global, int argc, char **argv, struct error *err)
{
	const char *bundle = ".";
	CLEANUP_CLOSE int directory = -1;
	CLEANUP_CLOSE int file = -1;
	CLEANUP_JSON_WRITER struct json_writer text = JSON_WRITER(4);
	struct generate_options options = generate_defaults();
	const struct option_row rows[] = {
	    {"bundle", 'b', OPTION_STRING, &bundle, "DIR", "directory to write to (default: the current one)"},
	    {"rootless", 0, OPTION_FLAG, &options.rootless, NULL, "for a caller without privileges"},
	};

	(void)global;
	int rc = options_parse(command, rows, ARRAY_SIZE(rows), &argc, argv, false, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (arguments_check(command, argc, 0, 0, err) < 0)
		return -err->code;
	directory = open(bundle, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	if (directory < 0)
		return error_errno(err, errno, "--bundle: open %s", bundle);
	generate_write(&text, &options);
	json_raw(&text, "\n");
	file = openat(directory, "config.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (file < 0 && errno == EEXIST)
		return error_set(err, EEXIST, "file config.json exists in %s; remove it first", bundle);
	rc = file < 0 ? -errno : file_write_all(file, text.data, text.length);
	return rc < 0 ? error_errno(err, -rc, "write config.json in %s", bundle) : 0;
}
