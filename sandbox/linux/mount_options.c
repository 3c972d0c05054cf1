/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/mount_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/plan.h"

/* Linux 5.10; neither libc has it */
#define NOSYMFOLLOW 256
/* Linux 4.0; internal to the kernel before and missing in musl */
#define LAZYTIME (1 << 25)

/* "norelatime" and its kind have no bit of their own: the kernel's default is relatime. */
const struct mount_option mount_options[] = {
    {"_netdev", MOUNT_OPTION_IGNORED, 0},
    {"async", MOUNT_OPTION_CLEAR, MS_SYNCHRONOUS},
    {"atime", MOUNT_OPTION_CLEAR, MS_NOATIME},
    {"auto", MOUNT_OPTION_IGNORED, 0},
    {"bind", MOUNT_OPTION_PLAN, PLAN_MOUNT_BIND},
    {"copy-symlink", MOUNT_OPTION_COPY_SYMLINK, 0},
    {"defaults", MOUNT_OPTION_IGNORED, 0},
    {"dest-nofollow", MOUNT_OPTION_PLAN, PLAN_MOUNT_DEST_NOFOLLOW},
    {"dev", MOUNT_OPTION_CLEAR, MS_NODEV},
    {"diratime", MOUNT_OPTION_CLEAR, MS_NODIRATIME},
    {"dirsync", MOUNT_OPTION_SET, MS_DIRSYNC},
    {"exec", MOUNT_OPTION_CLEAR, MS_NOEXEC},
    {"idmap", MOUNT_OPTION_PLAN, PLAN_MOUNT_IDMAP},
    {"iversion", MOUNT_OPTION_SET, MS_I_VERSION},
    {"lazytime", MOUNT_OPTION_SET, LAZYTIME},
    {"loud", MOUNT_OPTION_CLEAR, MS_SILENT},
    {"mand", MOUNT_OPTION_SET, MS_MANDLOCK},
    {"noatime", MOUNT_OPTION_SET, MS_NOATIME},
    {"noauto", MOUNT_OPTION_IGNORED, 0},
    {"nodev", MOUNT_OPTION_SET, MS_NODEV},
    {"nodiratime", MOUNT_OPTION_SET, MS_NODIRATIME},
    {"noexec", MOUNT_OPTION_SET, MS_NOEXEC},
    {"nofail", MOUNT_OPTION_IGNORED, 0},
    {"noiversion", MOUNT_OPTION_CLEAR, MS_I_VERSION},
    {"nolazytime", MOUNT_OPTION_CLEAR, LAZYTIME},
    {"nomand", MOUNT_OPTION_CLEAR, MS_MANDLOCK},
    {"norelatime", MOUNT_OPTION_CLEAR, MS_RELATIME},
    {"nostrictatime", MOUNT_OPTION_CLEAR, MS_STRICTATIME},
    {"nosuid", MOUNT_OPTION_SET, MS_NOSUID},
    {"nosymfollow", MOUNT_OPTION_SET, NOSYMFOLLOW},
    {"private", MOUNT_OPTION_PROPAGATION, MS_PRIVATE},
    {"ratime", MOUNT_OPTION_RECURSIVE_CLEAR, SL_MOUNT_ATTR_NOATIME},
    {"rbind", MOUNT_OPTION_PLAN, PLAN_MOUNT_BIND | PLAN_MOUNT_RECURSIVE},
    {"rdev", MOUNT_OPTION_RECURSIVE_CLEAR, SL_MOUNT_ATTR_NODEV},
    {"rdiratime", MOUNT_OPTION_RECURSIVE_CLEAR, SL_MOUNT_ATTR_NODIRATIME},
    {"relatime", MOUNT_OPTION_SET, MS_RELATIME},
    {"remount", MOUNT_OPTION_PLAN, PLAN_MOUNT_REMOUNT},
    {"rexec", MOUNT_OPTION_RECURSIVE_CLEAR, SL_MOUNT_ATTR_NOEXEC},
    {"ridmap", MOUNT_OPTION_PLAN, PLAN_MOUNT_IDMAP | PLAN_MOUNT_IDMAP_RECURSIVE},
    {"rnoatime", MOUNT_OPTION_RECURSIVE_SET, SL_MOUNT_ATTR_NOATIME},
    {"rnodev", MOUNT_OPTION_RECURSIVE_SET, SL_MOUNT_ATTR_NODEV},
    {"rnodiratime", MOUNT_OPTION_RECURSIVE_SET, SL_MOUNT_ATTR_NODIRATIME},
    {"rnoexec", MOUNT_OPTION_RECURSIVE_SET, SL_MOUNT_ATTR_NOEXEC},
    {"rnorelatime", MOUNT_OPTION_RECURSIVE_CLEAR, SL_MOUNT_ATTR_RELATIME},
    {"rnostrictatime", MOUNT_OPTION_RECURSIVE_CLEAR, SL_MOUNT_ATTR_STRICTATIME},
    {"rnosuid", MOUNT_OPTION_RECURSIVE_SET, SL_MOUNT_ATTR_NOSUID},
    {"rnosymfollow", MOUNT_OPTION_RECURSIVE_SET, SL_MOUNT_ATTR_NOSYMFOLLOW},
    {"ro", MOUNT_OPTION_SET, MS_RDONLY},
    {"rprivate", MOUNT_OPTION_PROPAGATION, MS_PRIVATE | MS_REC},
    {"rrelatime", MOUNT_OPTION_RECURSIVE_SET, SL_MOUNT_ATTR_RELATIME},
    {"rro", MOUNT_OPTION_RECURSIVE_SET, SL_MOUNT_ATTR_RDONLY},
    {"rrw", MOUNT_OPTION_RECURSIVE_CLEAR, SL_MOUNT_ATTR_RDONLY},
    {"rshared", MOUNT_OPTION_PROPAGATION, MS_SHARED | MS_REC},
    {"rslave", MOUNT_OPTION_PROPAGATION, MS_SLAVE | MS_REC},
    {"rstrictatime", MOUNT_OPTION_RECURSIVE_SET, SL_MOUNT_ATTR_STRICTATIME},
    {"rsuid", MOUNT_OPTION_RECURSIVE_CLEAR, SL_MOUNT_ATTR_NOSUID},
    {"rsymfollow", MOUNT_OPTION_RECURSIVE_CLEAR, SL_MOUNT_ATTR_NOSYMFOLLOW},
    {"runbindable", MOUNT_OPTION_PROPAGATION, MS_UNBINDABLE | MS_REC},
    {"rw", MOUNT_OPTION_CLEAR, MS_RDONLY},
    {"shared", MOUNT_OPTION_PROPAGATION, MS_SHARED},
    {"silent", MOUNT_OPTION_SET, MS_SILENT},
    {"slave", MOUNT_OPTION_PROPAGATION, MS_SLAVE},
    {"src-nofollow", MOUNT_OPTION_PLAN, PLAN_MOUNT_SRC_NOFOLLOW},
    {"strictatime", MOUNT_OPTION_SET, MS_STRICTATIME},
    {"suid", MOUNT_OPTION_CLEAR, MS_NOSUID},
    {"symfollow", MOUNT_OPTION_CLEAR, NOSYMFOLLOW},
    {"sync", MOUNT_OPTION_SET, MS_SYNCHRONOUS},
    {"tmpcopyup", MOUNT_OPTION_PLAN, PLAN_MOUNT_TMPCOPYUP},
    {"unbindable", MOUNT_OPTION_PROPAGATION, MS_UNBINDABLE},
};
const size_t mount_options_count = ARRAY_SIZE(mount_options);

static int compare(const void *key, const void *element)
{
	return strcmp(key, ((const struct mount_option *)element)->name);
}

static const struct mount_option *find(const char *word)
{
	return bsearch(word, mount_options, mount_options_count, sizeof mount_options[0], compare);
}

uint64_t mount_options_propagation(const char *word)
{
	const struct mount_option *option = find(word);

	return option != NULL && option->kind == MOUNT_OPTION_PROPAGATION ? option->value : 0;
}

bool mount_options_ignored(const char *word)
{
	const struct mount_option *option = find(word);

	return option != NULL && option->kind == MOUNT_OPTION_IGNORED;
}

/* mount_setattr(2) wants the whole access time field cleared before a mode is set. */
static void recursive(struct mount_settings *settings, uint64_t value, int set)
{
	bool access_time = value == SL_MOUNT_ATTR_RELATIME || (value & SL_MOUNT_ATTR__ATIME) != 0;
	uint64_t mask = access_time ? SL_MOUNT_ATTR__ATIME : value;

	if (access_time && !set && value == SL_MOUNT_ATTR_RELATIME)
		return;
	settings->recursive_set &= ~mask;
	settings->recursive_clear |= mask;
	if (set) {
		settings->recursive_set |= value;
		if (!access_time)
			settings->recursive_clear &= ~value;
	}
}

static void apply(struct mount_settings *settings, const struct mount_option *option)
{
	switch (option->kind) {
	case MOUNT_OPTION_IGNORED:
		break;
	case MOUNT_OPTION_SET:
		settings->flags |= option->value;
		settings->clear_flags &= ~option->value;
		break;
	case MOUNT_OPTION_CLEAR:
		settings->flags &= ~option->value;
		settings->clear_flags |= option->value;
		break;
	case MOUNT_OPTION_RECURSIVE_SET:
	case MOUNT_OPTION_RECURSIVE_CLEAR:
		recursive(settings, option->value, option->kind == MOUNT_OPTION_RECURSIVE_SET);
		break;
	case MOUNT_OPTION_PROPAGATION:
		settings->propagation[settings->propagation_count++] = option->value;
		break;
	case MOUNT_OPTION_PLAN:
		settings->plan_options |= (uint32_t)option->value;
		break;
	case MOUNT_OPTION_COPY_SYMLINK:
		settings->copy_symlink = 1;
		break;
	}
}

/* crun's "idmap=uids=0-1-10;gids=0-1-10". Returns 1 when the word is one. */
static int idmap_word(struct mount_settings *settings, const char *word)
{
	if (strncmp(word, "idmap=", 6) == 0) {
		settings->plan_options |= PLAN_MOUNT_IDMAP;
		settings->idmap = word + 6;
		return 1;
	}
	if (strncmp(word, "ridmap=", 7) == 0) {
		settings->plan_options |= PLAN_MOUNT_IDMAP | PLAN_MOUNT_IDMAP_RECURSIVE;
		settings->idmap = word + 7;
		return 1;
	}
	return 0;
}

/* Words that mount(8) keeps to itself. */
static int is_comment(const char *word)
{
	return strncmp(word, "x-", 2) == 0 || strncmp(word, "X-", 2) == 0 || strncmp(word, "comment=", 8) == 0;
}

void mount_options_read(struct arena *arena, const char *const *words, size_t count, struct mount_settings *settings)
{
	*settings = (struct mount_settings){0};
	settings->propagation = arena_array(arena, count + 1, sizeof *settings->propagation);
	for (size_t i = 0; i < count; i++) {
		const struct mount_option *option = find(words[i]);
		if (option != NULL)
			apply(settings, option);
		else if (words[i][0] != '\0' && !is_comment(words[i]) && !idmap_word(settings, words[i]))
			settings->data =
			    settings->data == NULL ? words[i] : arena_printf(arena, "%s,%s", settings->data, words[i]);
	}
}
