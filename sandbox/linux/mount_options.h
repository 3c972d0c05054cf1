/* SPDX-License-Identifier: Apache-2.0 */
/* The mount options of config.md ("Linux mount options"), with those that runc and crun add. */
#ifndef SANDLOCK_LINUX_MOUNT_OPTIONS_H
#define SANDLOCK_LINUX_MOUNT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/error.h"

/* What the word of an option does with its value. */
enum mount_option_kind {
	MOUNT_OPTION_IGNORED,         /* mount(8) reads it, the kernel does not */
	MOUNT_OPTION_SET,             /* MS_* to set */
	MOUNT_OPTION_CLEAR,           /* MS_* to clear */
	MOUNT_OPTION_RECURSIVE_SET,   /* MOUNT_ATTR_* to set for the mount and all below it */
	MOUNT_OPTION_RECURSIVE_CLEAR, /* MOUNT_ATTR_* to clear for the mount and all below it */
	MOUNT_OPTION_PROPAGATION,     /* MS_SHARED, ... and MS_REC */
	MOUNT_OPTION_PLAN,            /* PLAN_MOUNT_* */
	MOUNT_OPTION_COPY_SYMLINK,    /* crun's copy-symlink: settled by the planner */
};

struct mount_option {
	const char *name;
	enum mount_option_kind kind;
	uint64_t value;
};

/* Every known option, for `features` too. Sorted by name. */
extern const struct mount_option mount_options[];
extern const size_t mount_options_count;

/* The options of one mount, taken together; strings are in the arena. */
struct mount_settings {
	uint64_t flags;
	uint64_t clear_flags;
	uint64_t recursive_set;
	uint64_t recursive_clear;
	uint64_t *propagation;
	size_t propagation_count;
	uint32_t plan_options;
	int copy_symlink;
	const char *data;  /* file system specific words, joined with commas; NULL: none */
	const char *idmap; /* what follows "idmap=" or "ridmap=", NULL: no mapping of its own */
};

/* Translates the words of "options"; later words win over earlier ones. Unknown words are file system data. */
void mount_options_read(struct arena *arena, const char *const *words, size_t count, struct mount_settings *settings);

/* Whether a word has no effect: it is for mount(8) and /etc/fstab. */
bool mount_options_ignored(const char *word);

/* The propagation of one word ("rslave"), or 0 when it is none. */
uint64_t mount_options_propagation(const char *word);

#endif
