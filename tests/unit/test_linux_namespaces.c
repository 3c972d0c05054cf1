/* SPDX-License-Identifier: Apache-2.0 */
/* Planning of namespaces and of who is pid 1. */
#include <sys/stat.h>
#include <time.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/namespaces_plan.h"
#include "sandbox/linux/pid1.h"
#include "tests/unit/linux_support.h"

static int plan_namespaces(const struct oci_config *config, struct plan_builder *builder, struct error *err)
{
	*err = (struct error){0};
	plan_builder_init(builder);
	return namespaces_plan(builder, config, err);
}

static void test_new_namespaces(void)
{
	struct oci_namespace all[] = {{CLONE_NEWPID, NULL},    {CLONE_NEWNS, ""},    {CLONE_NEWNET, NULL},
				      {CLONE_NEWUTS, NULL},    {CLONE_NEWIPC, NULL}, {CLONE_NEWUSER, NULL},
				      {CLONE_NEWCGROUP, NULL}, {CLONE_NEWTIME, NULL}};
	struct oci_id_mapping mapping = {0, 100000, 65536};
	struct oci_time_offset offsets[] = {{CLOCK_MONOTONIC, -5, 0}, {CLOCK_BOOTTIME, 7, 999999999}};
	struct oci_config config = {.linux_ = {.namespaces = all,
					       .namespaces_count = ARRAY_SIZE(all),
					       .uid_mappings = &mapping,
					       .uid_mappings_count = 1,
					       .gid_mappings = &mapping,
					       .gid_mappings_count = 1,
					       .time_offsets = offsets,
					       .time_offsets_count = 2}};
	CLEANUP_PLAN_BUILDER struct plan_builder builder;
	struct error err;

	CHECK_OK(plan_namespaces(&config, &builder, &err), &err);
	CHECK(builder.plan.clone_flags ==
	      (CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER));
	CHECK(builder.plan.flags == (PLAN_REAPER | PLAN_NEW_MOUNT_NS | PLAN_LOOPBACK_UP | PLAN_UNSHARE_CGROUP |
				     PLAN_UNSHARE_TIME | PLAN_SET_TIME_OFFSETS));
	CHECK(builder.plan.userns == 1 && builder.plan.namespaces.count == 0);
	const struct plan *plan = support_plan(&builder);
	CHECK_TEXT(plan_text(plan, plan->time_offsets), "monotonic -5 0\nboottime 7 999999999\n");
}

static void test_namespaces_by_path(void)
{
	struct oci_namespace joined[] = {{CLONE_NEWNET, "/proc/self/ns/net"},
					 {CLONE_NEWUSER, "/proc/self/ns/user"},
					 {CLONE_NEWPID, "/proc/self/ns/pid"}};
	struct oci_config config = {.linux_ = {.namespaces = joined, .namespaces_count = 3}};
	CLEANUP_PLAN_BUILDER struct plan_builder builder;
	struct error err;

	CHECK_OK(plan_namespaces(&config, &builder, &err), &err);
	CHECK(builder.plan.clone_flags == 0 && builder.plan.flags == 0 && builder.plan.userns == 0);
	CHECK(builder.plan.namespaces.count == 2 && builder.fds_count == 2);
	const struct plan *plan = support_plan(&builder);
	const struct plan_namespace *items = plan_items(plan, plan->namespaces);
	CHECK(items[0].type == CLONE_NEWNET && items[0].fd == 0 && items[1].type == CLONE_NEWPID && items[1].fd == 1);
	struct stat ours, opened;
	CHECK(stat("/proc/self/ns/net", &ours) == 0 && fstat(builder.fds[0], &opened) == 0 &&
	      ours.st_ino == opened.st_ino);
	CHECK(!namespaces_private(&config, CLONE_NEWNET) && !namespaces_private(&config, CLONE_NEWUTS));
}

static void test_refused_namespaces(void)
{
	struct oci_id_mapping mapping = {0, 0, 1};
	struct oci_time_offset offset = {CLOCK_MONOTONIC, 1, 0}, nanosecs = {CLOCK_BOOTTIME, 1, 1000000000};
	const struct {
		struct oci_namespace items[2];
		size_t mappings;
		struct oci_time_offset *offset;
		const char *message;
	} cases[] = {
	    {{{CLONE_NEWNET, "/nonexistent"}},
	     0,
	     NULL,
	     "linux.namespaces[0].path: open /nonexistent: no such file or directory"},
	    {{{CLONE_NEWUTS, NULL}, {CLONE_NEWNET, "/proc/self/ns/pid"}},
	     0,
	     NULL,
	     "linux.namespaces[1].path: /proc/self/ns/pid is a pid namespace, but type says network"},
	    {{{CLONE_NEWNET, "/proc/self/status"}},
	     0,
	     NULL,
	     "linux.namespaces[0].path: /proc/self/status is not a namespace file"},
	    {{{CLONE_NEWNET, "/dev/null"}}, 0, NULL, "is not a namespace file"},
	    {{{CLONE_NEWNET, NULL}, {CLONE_NEWNET, NULL}},
	     0,
	     NULL,
	     "linux.namespaces[1]: the type network is there twice"},
	    {{{CLONE_NEWUSER, NULL}}, 0, NULL, "no namespace path to join nor mappings"},
	    {{{CLONE_NEWUTS, NULL}}, 1, NULL, "user namespace mappings specified, but user namespace isn't enabled"},
	    {{{CLONE_NEWUTS, NULL}}, 0, &offset, "time namespace offsets specified, but time namespace isn't enabled"},
	    {{{CLONE_NEWTIME, "/proc/self/ns/time"}}, 0, &offset, "both namespace path and time offsets"},
	    {{{CLONE_NEWTIME, NULL}}, 0, &nanosecs, "linux.timeOffsets.boottime.nanosecs"},
	    {{{0x1234, NULL}}, 0, NULL, "linux.namespaces[0].type is unknown"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP_PLAN_BUILDER struct plan_builder builder;
		struct oci_namespace items[2] = {cases[i].items[0], cases[i].items[1]};
		struct oci_config config = {.linux_ = {.namespaces = items,
						       .namespaces_count = items[1].type != 0 ? 2 : 1,
						       .uid_mappings = &mapping,
						       .uid_mappings_count = cases[i].mappings,
						       .time_offsets = cases[i].offset,
						       .time_offsets_count = cases[i].offset != NULL}};
		struct error err;
		CHECK(plan_namespaces(&config, &builder, &err) < 0);
		CHECK_MESSAGE(&err, cases[i].message);
	}
}

/* A new user namespace without mappings: every id stands for itself. */
static void test_default_mappings(void)
{
	struct arena arena CLEANUP_ARENA = {0};
	struct oci_namespace user = {CLONE_NEWUSER, NULL};
	struct oci_id_mapping mapping = {0, 1000, 1};
	struct oci_config config = {.linux_ = {.namespaces = &user, .namespaces_count = 1}};
	struct error err = {0};

	CHECK(namespaces_default_mappings(&arena, &config, &err) == (geteuid() == 0 ? 1 : 0));
	if (geteuid() == 0) {
		const struct oci_id_mapping *first = config.linux_.uid_mappings;
		CHECK(config.linux_.uid_mappings_count > 0 && config.linux_.gid_mappings_count > 0);
		CHECK(first->container_id == first->host_id && first->size > 0);
		CHECK(namespaces_default_mappings(&arena, &config, &err) == 0);
	}
	config.linux_ = (struct oci_linux){
	    .namespaces = &user, .namespaces_count = 1, .uid_mappings = &mapping, .uid_mappings_count = 1};
	CHECK(namespaces_default_mappings(&arena, &config, &err) == 0 && config.linux_.gid_mappings_count == 0);
	user.path = "/proc/self/ns/user";
	config.linux_.uid_mappings_count = 0;
	CHECK(namespaces_default_mappings(&arena, &config, &err) == 0 && config.linux_.uid_mappings_count == 0);
	user = (struct oci_namespace){CLONE_NEWUTS, NULL};
	CHECK(namespaces_default_mappings(&arena, &config, &err) == 0);
}

static void test_pid1(void)
{
	static const struct {
		const char *program;
		const char *annotation;
		bool new_pid;
		int rc;
		uint32_t flags;
	} cases[] = {
	    {"/bin/sh", NULL, true, 0, PLAN_REAPER},
	    {"/sbin/init", NULL, true, 0, PLAN_NESTED_PID},
	    {"init", NULL, true, 0, PLAN_NESTED_PID},
	    {"/usr/bin/tini", NULL, true, 0, PLAN_NESTED_PID},
	    {"/lib/systemd/systemd", NULL, true, 0, PLAN_NESTED_PID},
	    {"/init/", NULL, true, 0, PLAN_REAPER},
	    {"/bin/initialize", NULL, true, 0, PLAN_REAPER},
	    {"/sbin/init", "reaper", true, 0, PLAN_REAPER},
	    {"/bin/sh", "main", true, 0, PLAN_NESTED_PID},
	    {"/bin/sh", "Main", true, -EINVAL, 0},
	    {"/bin/sh", "", true, -EINVAL, 0},
	    {"/sbin/init", NULL, false, 0, 0},
	    {"/bin/sh", "reaper", false, -EINVAL, 0},
	    {NULL, NULL, true, 0, PLAN_REAPER},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *program = cases[i].program;
		struct oci_process process = {.args = &program, .args_count = 1};
		struct oci_pair annotation = {PID1_ANNOTATION, cases[i].annotation};
		struct oci_config config = {.process = program != NULL ? &process : NULL,
					    .annotations = &annotation,
					    .annotations_count = cases[i].annotation != NULL};
		struct plan plan = {.clone_flags = cases[i].new_pid ? CLONE_NEWPID : 0};
		struct error err = {0};
		int rc = pid1_plan(&plan, &config, &err);
		if (!CHECK(rc == cases[i].rc && plan.flags == cases[i].flags && (rc == 0 || err.message[0] != '\0')))
			printf("#   %s %s: %d, %#x\n", program, cases[i].annotation, rc, plan.flags);
	}
}

int main(void)
{
	test_new_namespaces();
	test_namespaces_by_path();
	test_refused_namespaces();
	test_default_mappings();
	test_pid1();
	return check_result();
}
