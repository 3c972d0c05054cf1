/* SPDX-License-Identifier: Apache-2.0 */
/* What is told to systemd: names, limits, annotations. No systemd needed. */
#include "sandbox/cgroup/systemd.h"
#include "tests/unit/check.h"

static struct arena arena;

static const char *names(const char *cgroups_path, bool rootless)
{
	struct cgroup_systemd_names found;
	struct error err = {0};

	if (cgroup_systemd_parse(&arena, cgroups_path, "id1", rootless, &found, &err) < 0)
		return arena_printf(&arena, "error: %s", err.message);
	return arena_printf(&arena, "%s %s", found.slice, found.unit);
}

static void test_names(void)
{
	CHECK_TEXT(names(NULL, false), "system.slice sandlock-id1.scope");
	CHECK_TEXT(names("", true), "user.slice sandlock-id1.scope");
	CHECK_TEXT(names("machine.slice:libpod:abc", false), "machine.slice libpod-abc.scope");
	CHECK_TEXT(names(":docker:abc", false), "system.slice docker-abc.scope");
	CHECK_TEXT(names("a-b.slice::abc", false), "a-b.slice abc.scope");
	CHECK_TEXT(names("system.slice:custom.scope", false), "system.slice custom.scope");
	static const char *const bad[] = {
	    "/a/b",          "a.slice",           "a.slice:b:c:d", "a:b:c",          "a/b.slice:b:c",
	    "a.slice:b:",    "a.slice:b:x.slice", "--.slice:b:c",  "a--b.slice:b:c", "a-.slice:b:c",
	    "a.slice:b:c/d", "a.slice:b:c d",     ".slice:b:c",
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (!CHECK(strncmp(names(bad[i], false), "error: ", 7) == 0))
			printf("# %s: %s\n", bad[i], names(bad[i], false));
	CHECK_TEXT(cgroup_systemd_slice_path(&arena, "a-b-c.slice"), "/a.slice/a-b.slice/a-b-c.slice");
	CHECK_TEXT(cgroup_systemd_slice_path(&arena, "system.slice"), "/system.slice");
	CHECK_TEXT(cgroup_systemd_slice_path(&arena, "-.slice"), "");
	CHECK_TEXT(cgroup_systemd_slice_path(&arena, "user-1000.slice"), "/user.slice/user-1000.slice");
	CHECK_TEXT(cgroup_systemd_slice_path(&arena, "a"), NULL);
}

static const char *limits(const struct oci_resources *resources, bool v2)
{
	struct cgroup_writes writes = {.arena = &arena};
	struct error err = {0};
	uint32_t all = (1u << CGROUP_CONTROLLERS) - 1;

	int rc = v2 ? cgroup_v2_limits(&writes, resources, all, NULL, &err)
		    : cgroup_v1_limits(&writes, resources, all, &err);
	if (rc == 0)
		rc = cgroup_unified_limits(&writes, resources, &err);
	return rc < 0 ? arena_strdup(&arena, err.message) : cgroup_systemd_limits(&arena, &writes);
}

static void test_limits(void)
{
	struct oci_memory memory = {.limit = {true, 1000}, .swap = {true, 1500}, .reservation = {true, 500}};
	struct oci_cpu cpu = {.shares = {true, 512}, .quota = {true, 12345}, .period = {true, 50000}, .cpus = "0-1"};
	struct oci_resources resources = {.memory = &memory, .cpu = &cpu, .pids_limit = {true, 0}};
	struct oci_pair unified[] = {{"memory.high", "7000"}, {"cpu.max", "max"}, {"hugetlb.2MB.max", "5"}};

	/* 246.9 ms per second: the next whole percent. */
	CHECK_TEXT(limits(&resources, true),
		   "property MemorySwapMax t 500\nproperty MemoryMax t 1000\n"
		   "property MemoryLow t 500\nproperty CPUWeight t 59\n"
		   "property CPUQuotaPeriodUSec t 50000\nproperty CPUQuotaPerSecUSec t 250000\n"
		   "property AllowedCPUs ay 0-1\nproperty TasksMax t 1\n");
	CHECK_TEXT(limits(&resources, false), "property MemoryLimit t 1000\nproperty CPUShares t 512\n"
					      "property TasksMax t 1\nproperty CPUQuotaPeriodUSec t 50000\n"
					      "property CPUQuotaPerSecUSec t 250000\n");
	memory = (struct oci_memory){.limit = {true, -1}};
	cpu = (struct oci_cpu){.quota = {true, -1}};
	resources.pids_limit.value = -1;
	CHECK_TEXT(limits(&resources, true), "property MemorySwapMax t max\nproperty MemoryMax t max\n"
					     "property CPUQuotaPeriodUSec t 100000\nproperty CPUQuotaPerSecUSec t max\n"
					     "property TasksMax t max\n");
	CHECK_TEXT(limits(&resources, false),
		   "property MemoryLimit t max\nproperty TasksMax t max\nproperty CPUQuotaPerSecUSec t max\n");
	resources = (struct oci_resources){.unified = unified, .unified_count = 3};
	CHECK_TEXT(limits(&resources, true), "property MemoryHigh t 7000\nproperty CPUQuotaPerSecUSec t max\n");
}

static const char *annotation(const char *name, const char *value)
{
	struct error err = {0};
	const char *line;

	return cgroup_systemd_annotation(&arena, name, value, &line, &err) < 0 ? "error" : line;
}

static void test_annotations(void)
{
	static const char *const known[][3] = {
	    {"KillSignal", "37", "property KillSignal i 37\n"},
	    {"TimeoutStopUSec", "uint64 300000000", "property TimeoutStopUSec t 300000000\n"},
	    {"TimeoutStopSec", "uint64 300", "property TimeoutStopUSec t 300000000\n"},
	    {"TimeoutStopSec", "5", "property TimeoutStopUSec t 5000000\n"},
	    {"CollectMode", "'inactive-or-failed'", "property CollectMode s inactive-or-failed\n"},
	    {"SendSIGHUP", " true", "property SendSIGHUP b true\n"},
	    {"After", "['a.service', 'b.service']", "property After as a.service\037b.service\n"},
	    {"After", "[]", "property After as \n"},
	    {"X", "int64 -5", "property X x -5\n"},
	    {"X", "-5", "property X i -5\n"},
	    {"X", "uint32 7", "property X u 7\n"},
	};
	static const char *const bad[][2] = {
	    {"X", ""},           {"X", "'open"},           {"X", "'a' b"},    {"X", "['a'"},
	    {"X", "[a]"},        {"X", "['a',]"},          {"X", "uint64 x"}, {"X", "uint32 -1"},
	    {"X", "4294967296"}, {"X", "'a\nproperty Y'"}, {"A b", "1"},      {"", "1"},
	    {"X", "5 "},         {"XSec", "int64 -1"},     {"X", "@as []"},   {"XSec", "uint64 18446744073709551615"},
	    {"X\n", "1"},
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		CHECK_TEXT(annotation(known[i][0], known[i][1]), known[i][2]);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (!CHECK(strcmp(annotation(bad[i][0], bad[i][1]), "error") == 0))
			printf("# %s = %s\n", bad[i][0], bad[i][1]);
}

int main(void)
{
	test_names();
	test_limits();
	test_annotations();
	arena_free(&arena);
	return check_result();
}
