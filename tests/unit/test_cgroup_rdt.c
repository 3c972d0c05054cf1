/* SPDX-License-Identifier: Apache-2.0 */
/* linux.intelRdt on a directory that looks like resctrl: no such hardware needed. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/cgroup/rdt.h"
#include "sandbox/cgroup/rdt_remove.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "tests/unit/check.h"

static struct arena arena;
static char root[] = "/tmp/sandlock-test-rdt-XXXXXX";

static const char *at(const char *path)
{
	return arena_printf(&arena, "%s/%s", root, path);
}

static void put(const char *path, const char *text)
{
	CLEANUP_CLOSE int fd = open(at(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	CHECK(fd >= 0 && file_write_all(fd, text, strlen(text)) == 0);
}

static const char *get(const char *path)
{
	static char text[4096];
	return file_read_at(AT_FDCWD, at(path), text, sizeof text) < 0 ? NULL : text;
}

static const char *plan_it(const struct oci_intel_rdt *config, const char *id, struct rdt *rdt)
{
	struct error err = {0};

	return rdt_plan_at(&arena, config, id, root, rdt, &err) < 0 ? arena_printf(&arena, "error: %s", err.message)
								    : rdt->group + strlen(root);
}

static void test_plan(void)
{
	struct rdt rdt;
	struct error err = {0};
	static const char *const bad[] = {"", ".", "..", "a/b", "/a", "info", "mon_groups", "a\nb"};
	const char *lines[] = {"L3:0=1\nMB:0=5"};

	CHECK_TEXT(plan_it(&(struct oci_intel_rdt){0}, "c1", &rdt), "/c1");
	CHECK(rdt.own && rdt.monitor == NULL);
	CHECK_TEXT(plan_it(&(struct oci_intel_rdt){.clos_id = "gold", .enable_monitoring = true}, "c1", &rdt), "/gold");
	CHECK(!rdt.own);
	CHECK_TEXT(rdt.monitor, at("gold/mon_groups/c1"));
	CHECK_TEXT(plan_it(&(struct oci_intel_rdt){.clos_id = "/", .enable_monitoring = true}, "c1", &rdt), "");
	CHECK_TEXT(rdt.monitor, at("mon_groups/c1"));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(strncmp(plan_it(&(struct oci_intel_rdt){.clos_id = bad[i]}, "c1", &rdt), "error", 5) == 0);
	CHECK(strstr(plan_it(&(struct oci_intel_rdt){.mem_bw_schema = "L3:0=1"}, "c1", &rdt), "begin with \"MB:\"") !=
	      NULL);
	CHECK(strstr(plan_it(&(struct oci_intel_rdt){.l3_cache_schema = "L3:0=1\nX"}, "c1", &rdt), "newlines") != NULL);
	CHECK(strstr(plan_it(&(struct oci_intel_rdt){.schemata = lines, .schemata_count = 1}, "c1", &rdt),
		     "newlines") != NULL);
	/* No such file system on most machines. */
	if (access("/sys/fs/resctrl/schemata", F_OK) < 0)
		CHECK(rdt_plan(&arena, &(struct oci_intel_rdt){0}, "c1", &rdt, &err) == -ENODEV);
}

static void test_match(void)
{
	const char *schemata = "    L3:0=007f;1=001f\n    MB:0=  20;1=  70\n  L3CODE:0=1\n";

	CHECK(rdt_schemata_match(schemata, "L3:0=7f;1=1f"));
	CHECK(rdt_schemata_match(schemata, "L3:1=1f"));
	CHECK(rdt_schemata_match(schemata, "MB:0=20;1=70"));
	CHECK(rdt_schemata_match(schemata, "L3:0=7f\nMB:1=70\n"));
	CHECK(rdt_schemata_match(schemata, ""));
	static const char *const other[] = {"L3:0=7e", "L3:2=1", "MB:0=21",   "L2:0=1",   "L3",
					    "L3:0",    "L3:0=",  "L3:0=7f x", "L3:0=7f;1"};
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		if (!CHECK(!rdt_schemata_match(schemata, other[i])))
			printf("# %s\n", other[i]);
}

/* An existing class is compared, never written. */
static void test_existing(void)
{
	struct oci_intel_rdt config = {.clos_id = "gold", .l3_cache_schema = "L3:0=7f", .mem_bw_schema = "MB:0=20"};
	struct rdt rdt;
	struct error err = {0};

	CHECK(mkdir(at("gold"), 0755) == 0 && mkdir(at("gold/mon_groups"), 0755) == 0);
	put("gold/schemata", "L3:0=7f\nMB:0=20\n");
	plan_it(&config, "c1", &rdt);
	CHECK(rdt_create(&rdt, &err) == 0);
	config.mem_bw_schema = "MB:0=30";
	CHECK(rdt_create(&rdt, &err) == -EINVAL);
	CHECK(strstr(err.message, "another schemata than \"MB:0=30\"") != NULL);
	CHECK_TEXT(get("gold/schemata"), "L3:0=7f\nMB:0=20\n");
	/* Without any schema it must be there. */
	config = (struct oci_intel_rdt){.clos_id = "silver"};
	plan_it(&config, "c1", &rdt);
	CHECK(rdt_create(&rdt, &err) == -ENOENT);
	CHECK(access(at("silver"), F_OK) < 0);
	/* One that the schemata can't be written to does not stay. */
	config.mem_bw_schema = "MB:0=30";
	plan_it(&config, "c1", &rdt);
	CHECK(rdt_create(&rdt, &err) < 0);
	CHECK(access(at("silver"), F_OK) < 0);
}

static void test_join_and_remove(void)
{
	struct oci_intel_rdt config = {.clos_id = "gold", .enable_monitoring = true};
	CLEANUP_PLAN_BUILDER struct plan_builder builder;
	struct rdt rdt;
	struct error err = {0};
	const struct plan *plan;

	plan_it(&config, "c1", &rdt);
	CHECK(rdt_create(&rdt, &err) == 0);
	CHECK(access(at("gold/mon_groups/c1"), F_OK) == 0);
	plan_builder_init(&builder);
	rdt_fill_plan(&builder, &rdt);
	CLEANUP_CLOSE int fd = plan_seal(&builder, &err);
	if (!CHECK(fd >= 0 && plan_map(fd, &plan, &err) == 0))
		return;
	CHECK(rdt_join(plan, 42, &err) == -ENOENT);
	put("gold/tasks", "");
	put("gold/mon_groups/c1/tasks", "");
	CHECK(rdt_join(plan, 42, &err) == 0);
	CHECK_TEXT(get("gold/tasks"), "42");
	CHECK_TEXT(get("gold/mon_groups/c1/tasks"), "42");
	CHECK(unlink(at("gold/mon_groups/c1/tasks")) == 0);
	CHECK(rdt_remove_plan(plan, &err) == 0);
	CHECK(access(at("gold/mon_groups/c1"), F_OK) < 0 && access(at("gold"), F_OK) == 0);
	CHECK(rdt_remove_plan(plan, &err) == 0);
}

static void test_own(void)
{
	struct oci_intel_rdt config = {0};
	CLEANUP_PLAN_BUILDER struct plan_builder builder;
	struct rdt rdt;
	struct error err = {0};
	const struct plan *plan;

	plan_it(&config, "c2", &rdt);
	CHECK(rdt_create(&rdt, &err) == 0);
	plan_builder_init(&builder);
	rdt_fill_plan(&builder, &rdt);
	CLEANUP_CLOSE int fd = plan_seal(&builder, &err);
	if (!CHECK(fd >= 0 && plan_map(fd, &plan, &err) == 0))
		return;
	CHECK(access(at("c2"), F_OK) == 0);
	CHECK(rdt_remove_plan(plan, &err) == 0);
	CHECK(access(at("c2"), F_OK) < 0);
}

static void test_update(void)
{
	CLEANUP_PLAN_BUILDER struct plan_builder builder, without;
	const struct plan *plan, *none;
	struct rdt rdt;
	struct error err = {0};

	plan_builder_init(&builder);
	plan_builder_init(&without);
	CHECK(rdt_plan_at(&arena, &(struct oci_intel_rdt){.clos_id = "gold"}, "c3", root, &rdt, &err) == 0);
	rdt_fill_plan(&builder, &rdt);
	CLEANUP_CLOSE int fd = plan_seal(&builder, &err);
	CLEANUP_CLOSE int other = plan_seal(&without, &err);
	if (!CHECK(fd >= 0 && plan_map(fd, &plan, &err) == 0 && other >= 0 && plan_map(other, &none, &err) == 0))
		return;
	put("gold/schemata", "");
	CHECK(rdt_update(plan, "L3:0=3", NULL, &err) == 0);
	CHECK_TEXT(get("gold/schemata"), "L3:0=3\n");
	put("gold/schemata", "");
	CHECK(rdt_update(plan, NULL, "MB:0=50", &err) == 0);
	CHECK_TEXT(get("gold/schemata"), "MB:0=50\n");
	CHECK(rdt_update(plan, NULL, "L3:0=3", &err) == -EINVAL);
	CHECK(rdt_update(plan, "L3:0=3\nMB:0=1", NULL, &err) == -EINVAL);
	CHECK_TEXT(get("gold/schemata"), "MB:0=50\n");
	CHECK(rdt_update(none, NULL, NULL, &err) == 0);
	CHECK(rdt_update(none, "L3:0=3", NULL, &err) == -ENODEV);
	CHECK(strncmp(err.message, "Intel RDT/CAT: l3 cache schema is not enabled", 45) == 0);
	CHECK(rdt_update(none, NULL, "MB:0=50", &err) == -ENODEV);
	CHECK(strncmp(err.message, "Intel RDT/MBA: memory bandwidth schema is not enabled", 53) == 0);
}

int main(void)
{
	if (mkdtemp(root) == NULL)
		return 1;
	test_plan();
	test_match();
	test_existing();
	test_join_and_remove();
	test_own();
	test_update();
	unlink(at("gold/tasks"));
	unlink(at("gold/schemata"));
	rmdir(at("gold/mon_groups"));
	rmdir(at("gold"));
	CHECK(rmdir(root) == 0);
	arena_free(&arena);
	return check_result();
}
