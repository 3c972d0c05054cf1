/* SPDX-License-Identifier: Apache-2.0 */
/* Mount options of config.md, the paths of mounts, and what planning refuses. No privilege needed. */
#include "sandbox/linux/mount_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/devices_plan.h"
#include "sandbox/linux/mounts_plan.h"
#include "sandbox/plan.h"
#include "tests/unit/check.h"

/* config.md, "Linux mount options", with those of crun */
static const char *const specified[] = {
    "async",          "atime",      "bind",         "defaults",     "dev",
    "diratime",       "dirsync",    "exec",         "iversion",     "lazytime",
    "loud",           "mand",       "noatime",      "nodev",        "nodiratime",
    "noexec",         "noiversion", "nolazytime",   "nomand",       "norelatime",
    "nostrictatime",  "nosuid",     "nosymfollow",  "private",      "ratime",
    "rbind",          "rdev",       "rdiratime",    "relatime",     "remount",
    "rexec",          "rnoatime",   "rnodiratime",  "rnoexec",      "rnorelatime",
    "rnostrictatime", "rnosuid",    "rnosymfollow", "ro",           "rprivate",
    "rrelatime",      "rro",        "rrw",          "rshared",      "rslave",
    "rstrictatime",   "rsuid",      "rsymfollow",   "runbindable",  "rw",
    "shared",         "silent",     "slave",        "strictatime",  "suid",
    "symfollow",      "sync",       "tmpcopyup",    "unbindable",   "idmap",
    "ridmap",         "rnodev",     "copy-symlink", "src-nofollow", "dest-nofollow",
};

static struct mount_settings read_options(struct arena *arena, const char *text)
{
	const char *words[16];
	size_t count = 0;
	char *copy = arena_strdup(arena, text), *position = NULL;
	struct mount_settings settings;

	for (char *word = strtok_r(copy, " ", &position); word != NULL; word = strtok_r(NULL, " ", &position))
		words[count++] = word;
	mount_options_read(arena, words, count, &settings);
	return settings;
}

static void test_table(struct arena *arena)
{
	for (size_t i = 1; i < mount_options_count; i++)
		CHECK(strcmp(mount_options[i - 1].name, mount_options[i].name) < 0);
	for (size_t i = 0; i < ARRAY_SIZE(specified); i++)
		CHECK_TEXT(read_options(arena, specified[i]).data, NULL);
	CHECK(mount_options_propagation("rslave") == (MS_SLAVE | MS_REC));
	CHECK(mount_options_propagation("ro") == 0 && mount_options_propagation("") == 0);
}

static void test_words(struct arena *arena)
{
	struct mount_settings s = read_options(arena, "ro nosuid rw noexec strictatime");

	CHECK(s.flags == (MS_NOSUID | MS_NOEXEC | MS_STRICTATIME) && s.clear_flags == MS_RDONLY);
	s = read_options(arena, "size=64k mode=1777 x-mount.mkdir comment=y huge=never");
	CHECK(strcmp(s.data, "size=64k,mode=1777,huge=never") == 0 && s.flags == 0);
	s = read_options(arena, "rbind rprivate shared");
	CHECK(s.plan_options == (PLAN_MOUNT_BIND | PLAN_MOUNT_RECURSIVE) && s.propagation_count == 2);
	CHECK(s.propagation[0] == (MS_PRIVATE | MS_REC) && s.propagation[1] == MS_SHARED);
	s = read_options(arena, "rro rnosuid rrw");
	CHECK(s.recursive_set == SL_MOUNT_ATTR_NOSUID && s.recursive_clear == SL_MOUNT_ATTR_RDONLY);
	s = read_options(arena, "rnoatime rro");
	CHECK(s.recursive_set == (SL_MOUNT_ATTR_NOATIME | SL_MOUNT_ATTR_RDONLY));
	CHECK(s.recursive_clear == SL_MOUNT_ATTR__ATIME);
	s = read_options(arena, "rnoatime rstrictatime");
	CHECK(s.recursive_set == SL_MOUNT_ATTR_STRICTATIME && s.recursive_clear == SL_MOUNT_ATTR__ATIME);
	s = read_options(arena, "rstrictatime ratime");
	CHECK(s.recursive_set == 0 && s.recursive_clear == SL_MOUNT_ATTR__ATIME);
	s = read_options(arena, "rstrictatime rrelatime");
	CHECK(s.recursive_set == 0 && s.recursive_clear == SL_MOUNT_ATTR__ATIME);
	s = read_options(arena, "rnorelatime norelatime");
	CHECK(s.recursive_set == 0 && s.recursive_clear == 0 && s.flags == 0);
	s = read_options(arena, "ridmap=uids=0-1-2;gids=0-1-2");
	CHECK(s.plan_options == (PLAN_MOUNT_IDMAP | PLAN_MOUNT_IDMAP_RECURSIVE));
	CHECK(strcmp(s.idmap, "uids=0-1-2;gids=0-1-2") == 0);
	s = read_options(arena, "");
	CHECK(s.data == NULL && s.flags == 0 && s.plan_options == 0);
}

static void test_paths(struct arena *arena)
{
	static const char *const pairs[][2] = {
	    {"/", "/"},
	    {"", "/"},
	    {"a", "/a"},
	    {"//a///b//", "/a/b"},
	    {"/a/../b", "/b"},
	    {"/../../a", "/a"},
	    {"/a/./b/.", "/a/b"},
	    {"/..", "/"},
	    {"/a/b/../../..", "/"},
	    {"/...", "/..."},
	    {"/a/..b/c..", "/a/..b/c.."},
	    {"/.", "/"},
	    {"/a/..", "/"},
	    {"a/b/..", "/a"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		CHECK_TEXT(mounts_clean_path(arena, pairs[i][0]), pairs[i][1]);
}

/* Plans one mount; returns the error's text, or "" on success. */
static const char *plan_one(struct oci_mount mount, struct plan_mount *planned)
{
	static struct error err;
	struct oci_root root = {.path = "/"};
	struct oci_config config = {.root = &root, .mounts = &mount, .mounts_count = 1};
	struct mounts_plan_options options = {.bundle = "/tmp", .privileged = true};
	CLEANUP_PLAN_BUILDER struct plan_builder builder;

	plan_builder_init(&builder);
	error_clear(&err);
	if (mounts_plan(&builder, &config, &options, &err) == 0 && planned != NULL)
		memcpy(planned, builder.data + builder.plan.mounts.offset - sizeof(struct plan), sizeof *planned);
	return err.message;
}

static void test_refusals(void)
{
	static const char *const bind[] = {"bind"}, *const remount[] = {"bind", "remount"},
				 *const copy[] = {"tmpcopyup"};
	char *long_option = malloc(70000);

	CHECK(strstr(plan_one((struct oci_mount){.type = "tmpfs"}, NULL), "destination is missing") != NULL);
	CHECK(strstr(plan_one((struct oci_mount){.destination = "/a"}, NULL), "neither a type nor") != NULL);
	CHECK(
	    strstr(plan_one((struct oci_mount){.destination = "/a", .options = (const char **)bind, .options_count = 1},
			    NULL),
		   "needs a source") != NULL);
	CHECK(plan_one((struct oci_mount){.destination = "/a", .options = (const char **)remount, .options_count = 2},
		       NULL)[0] == '\0');
	CHECK(strstr(plan_one(
			 (struct oci_mount){
			     .destination = "/a", .type = "proc", .options = (const char **)copy, .options_count = 1},
			 NULL),
		     "tmpcopyup") != NULL);
	CHECK(strstr(plan_one((struct oci_mount){.destination = "/proc/net/../sys", .type = "tmpfs"}, NULL),
		     "inside /proc") != NULL);
	CHECK(plan_one((struct oci_mount){.destination = "/proc2/sys", .type = "tmpfs"}, NULL)[0] == '\0');
	if (long_option == NULL)
		return;
	memset(long_option, 'a', 69999);
	long_option[69999] = '\0';
	const char *words[] = {long_option};
	CHECK(strstr(plan_one(
			 (struct oci_mount){.destination = "/a", .type = "tmpfs", .options = words, .options_count = 1},
			 NULL),
		     "too long") != NULL);
	free(long_option);
}

static void test_defaults(void)
{
	struct plan_mount planned = {0};

	CHECK(plan_one((struct oci_mount){.destination = "/dev/shm/", .type = "tmpfs"}, &planned)[0] == '\0');
	CHECK(planned.flags == (MS_NOSUID | MS_NOEXEC | MS_NODEV) && planned.data != 0);
	CHECK((planned.options & PLAN_MOUNT_INHERIT_MODE) == 0);
	CHECK(plan_one((struct oci_mount){.destination = "/dev/shm", .type = "none", .source = "/"}, &planned)[0] ==
	      '\0');
	CHECK(planned.flags == 0);
	CHECK(plan_one((struct oci_mount){.destination = "x", .type = "bind", .source = "."}, &planned)[0] == '\0');
	CHECK(planned.options == PLAN_MOUNT_BIND && planned.source_fd == -1);
	CHECK(plan_one((struct oci_mount){.destination = "x", .type = "bind", .source = "/dev/null"}, &planned)[0] ==
	      '\0');
	CHECK(planned.options == (PLAN_MOUNT_BIND | PLAN_MOUNT_SOURCE_IS_FILE));
}

static const char *plan_device(struct oci_device device)
{
	static struct error err;
	struct oci_config config = {.linux_.devices = &device, .linux_.devices_count = 1};
	struct mounts_plan_options options = {.bundle = "/tmp", .privileged = true};
	CLEANUP_PLAN_BUILDER struct plan_builder builder;

	plan_builder_init(&builder);
	error_clear(&err);
	devices_plan(&builder, &config, &options, &err);
	return err.message;
}

static void test_devices(void)
{
	CHECK(strstr(plan_device((struct oci_device){.path = "dev/x", .type = 'c'}), "not absolute") != NULL);
	CHECK(strstr(plan_device((struct oci_device){.path = "/dev/x", .type = 'x'}), "type") != NULL);
	CHECK(strstr(plan_device((struct oci_device){.path = "/dev/x", .type = 'c', .major = -1}), "out of range") !=
	      NULL);
	CHECK(strstr(plan_device((struct oci_device){.path = "/dev/x", .type = 'b', .major = 4096}), "out of range") !=
	      NULL);
	CHECK(strstr(plan_device((struct oci_device){.path = "/dev/x", .type = 'b', .minor = 1 << 20}),
		     "out of range") != NULL);
	CHECK(plan_device((struct oci_device){.path = "/dev/x", .type = 'b', .major = 4095, .minor = 0xfffff})[0] ==
	      '\0');
	CHECK(plan_device((struct oci_device){.path = "/dev/x", .type = 'p', .major = -1, .minor = -1})[0] == '\0');
}

int main(void)
{
	CLEANUP_ARENA struct arena arena = {0};

	test_table(&arena);
	test_words(&arena);
	test_paths(&arena);
	test_refusals();
	test_defaults();
	test_devices();
	return check_result();
}
