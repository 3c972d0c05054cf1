/* SPDX-License-Identifier: Apache-2.0 */
/* Builds root file systems in namespaces of their own: from config.json's text to checks inside the container. */
#ifndef SANDLOCK_TESTS_ROOTFS_HARNESS_H
#define SANDLOCK_TESTS_ROOTFS_HARNESS_H

#include <stdbool.h>
#include <stddef.h>

/* One case. Everything happens below the work directory, a tmpfs in a mount namespace of the case's own. */
struct rootfs_case {
	const char *name;
	/* Parts of config.json; each '%' becomes the path of the work directory. */
	const char *mounts; /* what is between the brackets of "mounts" */
	const char *linux_; /* members of "linux" beside "namespaces" and the mappings */
	const char *root;   /* members of "root"; NULL: "path": "rootfs" */
	/* Makes files below the work directory, which is the current one and the bundle; rootfs/ exists. NULL: none. */
	void (*before)(void);
	/* Checks, in the container, current directory "/". NULL: none. */
	void (*inside)(void);
	/* Checks in the caller's namespaces while the container's are alive, current directory: the work directory. */
	void (*outside)(void);
	int kernel;          /* 603: needs Linux 6.3, otherwise skipped */
	const char *error;   /* part of the message that planning or preparing fails with; NULL: success */
	bool user_namespace; /* ids 0..65535 of the container are 100000.. of the caller */
	bool host_network;   /* no network namespace of its own */
	bool host_pids;      /* no pid namespace of its own */
	bool no_pivot;
	bool no_mount_namespace;
	bool old_kernel; /* mount_setattr(2) is not there: Linux 5.10 and 5.11 */
	bool shared;     /* the caller's mounts are shared, as systemd has it */
};

/* Runs one case in a child. Returns the number of failed checks; prints them. */
int rootfs_case_run(const struct rootfs_case *test);

/* Counts a failure and prints `text` unless `ok`. */
void check_that(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Helpers: they count a failure when they fail. Paths are relative to the current directory. */
void make_file(const char *path, const char *text);
void make_directory(const char *path);
void make_link(const char *target, const char *path);

/* The options (field 6), optional fields and super block options of the topmost mount at `path` from
 * /proc/self/mountinfo: "OPTIONS FIELDS - TYPE SOURCE SUPER"; "" when there is none. */
const char *mount_line(const char *path);
/* Whether a comma separated list that ends at a blank has the word. */
bool has_word(const char *list, const char *word);
/* Whether the file can be read and has exactly this text. */
bool file_is(const char *path, const char *text);

#endif
