/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the hierarchies in texts of /proc. */
#include "sandbox/cgroup/cgroup_internal.h"
#include "tests/unit/check.h"

static struct arena arena;

/* "controllers mount own" per hierarchy. */
static const char *show(const char *mountinfo, const char *self_cgroup, enum cgroup_mode *mode)
{
	struct cgroup_layout layout;
	const char *text = "";

	cgroup_layout_parse(&arena, mountinfo, self_cgroup, &layout);
	*mode = layout.mode;
	for (size_t i = 0; i < layout.count; i++)
		text = arena_printf(&arena, "%s%s%s %s %s", text, i == 0 ? "" : "|", layout.hierarchies[i].controllers,
				    layout.hierarchies[i].mount, layout.hierarchies[i].own);
	return text;
}

static void test_v2(void)
{
	enum cgroup_mode mode;

	CHECK_TEXT(show("24 1 0:22 / /proc rw shared:1 - proc proc rw\n"
			"30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
			"0::/user.slice/x.scope\n", &mode),
		   " /sys/fs/cgroup /user.slice/x.scope");
	CHECK(mode == CGROUP_MODE_V2);
	/* A named v1 hierarchy beside it, without a controller, changes nothing. */
	CHECK_TEXT(show("30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
			"31 24 0:27 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n",
			"1:name=systemd:/\n0::/a\n", &mode),
		   " /sys/fs/cgroup /a");
	CHECK(mode == CGROUP_MODE_V2);
}

static void test_v1(void)
{
	enum cgroup_mode mode;

	CHECK_TEXT(show("30 24 0:26 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
			"31 24 0:27 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
			"32 24 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:1 master:2 - cgroup cgroup rw,cpu,cpuacct\n"
			"33 24 0:29 / /sys/fs/cgroup/other rw - cgroup cgroup rw,name=other\n"
			"34 24 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n",
			"9:pids:/not-mounted\n5:cpuset:/\n4:name=other:/\n3:cpu,cpuacct:/a/b\n1:name=systemd:/s\n",
			&mode),
		   "cpuset /sys/fs/cgroup/cpuset /|cpu,cpuacct /sys/fs/cgroup/cpu,cpuacct /a/b|"
		   "name=systemd /sys/fs/cgroup/systemd /s");
	CHECK(mode == CGROUP_MODE_V1);
}

static void test_hybrid(void)
{
	enum cgroup_mode mode;

	/* "cpu" is not "cpuset"; of several mounts the whole one below /sys is taken. */
	CHECK_TEXT(show("40 24 0:28 /docker/x /var/lib/x/sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
			"41 24 0:29 / /mnt/with\\040space rw - cgroup cgroup rw,cpu\n"
			"32 24 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
			"33 24 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
			"34 24 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
			"2:cpuset:/\n1:cpu:/\n0::/\n", &mode),
		   "cpuset /sys/fs/cgroup/cpuset /|cpu /sys/fs/cgroup/cpu /| /sys/fs/cgroup/unified /");
	CHECK(mode == CGROUP_MODE_HYBRID);
	CHECK_TEXT(show("41 24 0:29 / /mnt/with\\040space rw - cgroup cgroup rw,cpu\n", "1:cpu:/\n", &mode),
		   "cpu /mnt/with space /");
	CHECK_TEXT(show("24 1 0:22 / /proc rw - proc proc rw\n", "1:cpu:/\n0::/\n", &mode), "");
	CHECK(mode == CGROUP_MODE_NONE);
	CHECK_TEXT(show("", "", &mode), "");
	/* Nonsense does not confuse. */
	CHECK_TEXT(show("\n1 2\n- - - -\n1 2 3 4 5 6 - cgroup\n", "x\n:\n1:cpu\n", &mode), "");
}

static void test_paths(void)
{
	struct cgroup_hierarchy whole = {.mount = "/sys/fs/cgroup/cpu", .root = "/"};
	struct cgroup_hierarchy part = {.mount = "/sys/fs/cgroup/cpu", .root = "/docker/x"};

	CHECK_TEXT(cgroup_hierarchy_path(&arena, &whole, "/"), "/sys/fs/cgroup/cpu");
	CHECK_TEXT(cgroup_hierarchy_path(&arena, &whole, "/a/b"), "/sys/fs/cgroup/cpu/a/b");
	CHECK_TEXT(cgroup_hierarchy_path(&arena, &part, "/docker/x/a"), "/sys/fs/cgroup/cpu/a");
	CHECK_TEXT(cgroup_hierarchy_path(&arena, &part, "/docker/x"), "/sys/fs/cgroup/cpu");
	CHECK_TEXT(cgroup_hierarchy_path(&arena, &part, "/docker/xy"), "/sys/fs/cgroup/cpu/docker/xy");

	static const char *const clean[][2] = {
	    {"/", "/"},        {"", ""},        {".", ""},       {"/a//b/", "/a/b"},    {"a/./b", "a/b"},
	    {"../../a", "a"},  {"/../a", "/a"}, {"a/../..", ""}, {"/a/b/../c", "/a/c"}, {"a/..b", "a/..b"},
	    {"/a/../..", "/"}, {"...", "..."},
	};
	for (size_t i = 0; i < sizeof clean / sizeof clean[0]; i++)
		CHECK_TEXT(cgroup_clean_path(&arena, clean[i][0]), clean[i][1]);
}

static void test_names(void)
{
	struct cgroup_path path = {"cpu,cpuacct", "/x"};

	CHECK(cgroup_path_has(&path, "cpu"));
	CHECK(cgroup_path_has(&path, "cpuacct"));
	CHECK(!cgroup_path_has(&path, "cpua"));
	CHECK(!cgroup_path_has(&path, "cpuset"));
	CHECK(!cgroup_path_has(&path, ""));
	CHECK(cgroup_controllers_parse("cpuset cpu io memory", " ", true) ==
	      (1u << CGROUP_CPUSET | 1u << CGROUP_CPU | 1u << CGROUP_BLKIO | 1u << CGROUP_MEMORY));
	CHECK(cgroup_controllers_parse("blkio,io", ",", false) == 1u << CGROUP_BLKIO);
	CHECK(cgroup_controllers_parse("", " ", true) == 0);
	for (unsigned int i = 0; i < CGROUP_CONTROLLERS; i++)
		CHECK(cgroup_controller_name(i, false) != NULL || cgroup_controller_name(i, true) != NULL);
}

int main(void)
{
	test_v2();
	test_v1();
	test_hybrid();
	test_paths();
	test_names();
	arena_free(&arena);
	return check_result();
}
