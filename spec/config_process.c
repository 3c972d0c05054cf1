/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process". */
#include "spec/checks.h"
#include "spec/tables.h"

/* The kernel's struct winsize has 16 bits. */
static const struct field console_size_fields[] = {
    FIELD("height", oci_process, console_size.height, .required = true, BOUNDS(0, UINT16_MAX)),
    FIELD("width", oci_process, console_size.width, .required = true, BOUNDS(0, UINT16_MAX)),
};
static const struct table console_size_table = TABLE(oci_process, console_size_fields);

/* 4294967295 is no id: for setresuid(2) and setresgid(2) it means "unchanged". */
#define ID_BOUNDS BOUNDS(0, UINT32_MAX - 1)

static const struct field user_fields[] = {
    FIELD("uid", oci_user, uid, ID_BOUNDS),
    FIELD("gid", oci_user, gid, ID_BOUNDS),
    FIELD("umask", oci_user, umask, BOUNDS(0, 0777)),
    FIELD_LIST("additionalGids", oci_user, additional_gids, ID_BOUNDS),
    FIELD("username", oci_user, username),
};
static const struct table user_table = TABLE(oci_user, user_fields);

#define CAPABILITIES(json, member) \
	FIELD(json, oci_capabilities, member, .words = capability_words, .list = true, .lenient = true)
static const struct field capabilities_fields[] = {
    CAPABILITIES("bounding", bounding),       CAPABILITIES("effective", effective),
    CAPABILITIES("inheritable", inheritable), CAPABILITIES("permitted", permitted),
    CAPABILITIES("ambient", ambient),
};
static const struct table capabilities_table = TABLE(oci_capabilities, capabilities_fields);

static int rlimit_finish(const struct table_reader *reader, const struct json_value *object,
			 const struct table_path *path, void *target)
{
	struct oci_rlimit *rlimit = target;

	rlimit->type = word_text(rlimit_words, rlimit->resource);
	if (rlimit->soft > rlimit->hard)
		return table_error(reader, path, "the soft limit is above the hard limit");
	return 0;
}

static const struct field rlimit_fields[] = {
    FIELD("type", oci_rlimit, resource, .required = true, .words = rlimit_words),
    FIELD("soft", oci_rlimit, soft, .required = true),
    FIELD("hard", oci_rlimit, hard, .required = true),
};
static const struct table rlimit_table = TABLE(oci_rlimit, rlimit_fields, .finish = rlimit_finish);

static const struct field scheduler_fields[] = {
    FIELD("policy", oci_scheduler, policy, .required = true, .words = scheduler_policy_words),
    FIELD("nice", oci_scheduler, nice, BOUNDS(-20, 19)),
    FIELD("priority", oci_scheduler, priority, BOUNDS(0, 99)),
    FIELD("flags", oci_scheduler, flags, .words = scheduler_flag_words, .list = true),
    FIELD("runtime", oci_scheduler, runtime),
    FIELD("deadline", oci_scheduler, deadline),
    FIELD("period", oci_scheduler, period),
};
static const struct table scheduler_table = TABLE(oci_scheduler, scheduler_fields);

static const struct field io_priority_fields[] = {
    FIELD("class", oci_io_priority, class_, .required = true, .words = io_priority_class_words),
    FIELD("priority", oci_io_priority, priority, BOUNDS(0, 7)),
};
static const struct table io_priority_table = TABLE(oci_io_priority, io_priority_fields);

static const struct field cpu_affinity_fields[] = {
    FIELD("initial", oci_cpu_affinity, initial, .check = check_list),
    FIELD("final", oci_cpu_affinity, final, .check = check_list),
};
static const struct table cpu_affinity_table = TABLE(oci_cpu_affinity, cpu_affinity_fields);

static const struct field process_fields[] = {
    FIELD("terminal", oci_process, terminal, .applied = "sandbox/linux/terminal.c", .test = "tests/terminal.bats"),
    FIELD_FLAT("consoleSize", oci_process, &console_size_table,
	       .present = offsetof(struct oci_process, console_size.set), .applied = "sandbox/linux/terminal.c",
	       .test = "tests/terminal.bats"),
    FIELD_PART("user", oci_process, user, &user_table, .applied = "sandbox/linux/user.c", .test = "tests/process.bats"),
    FIELD_LIST("args", oci_process, args, .applied = "sandbox/linux/executable.c", .test = "tests/process.bats"),
    FIELD_LIST("env", oci_process, env, .applied = "sandbox/linux/environment.c", .test = "tests/process.bats"),
    FIELD("cwd", oci_process, cwd, .required = true, .check = check_absolute, .applied = "sandbox/linux/cwd.c",
	  .test = "tests/process.bats"),
    FIELD_POINTER_TO("capabilities", oci_process, capabilities, &capabilities_table,
		     .applied = "sandbox/linux/capability.c", .test = "tests/process.bats"),
    FIELD_ARRAY("rlimits", oci_process, rlimits, &rlimit_table, .applied = "sandbox/linux/rlimit.c",
		.test = "tests/process.bats"),
    FIELD("noNewPrivileges", oci_process, no_new_privileges, .applied = "sandbox/linux/no_new_privileges.c",
	  .since = "3.5", .test = "tests/process.bats"),
    FIELD("apparmorProfile", oci_process, apparmor_profile, .applied = "sandbox/linux/lsm.c",
	  .test = "tests/process.bats"),
    FIELD("selinuxLabel", oci_process, selinux_label, .applied = "sandbox/linux/lsm.c", .test = "tests/process.bats"),
    FIELD("oomScoreAdj", oci_process, oom_score_adj, BOUNDS(-1000, 1000), .applied = "sandbox/linux/oom_score.c",
	  .test = "tests/process.bats"),
    FIELD_POINTER_TO("scheduler", oci_process, scheduler, &scheduler_table, .applied = "sandbox/linux/scheduler.c",
		     .since = "3.14", .test = "tests/process.bats"),
    FIELD_POINTER_TO("ioPriority", oci_process, io_priority, &io_priority_table,
		     .applied = "sandbox/linux/io_priority.c", .test = "tests/process.bats"),
    FIELD_POINTER_TO("execCPUAffinity", oci_process, exec_cpu_affinity, &cpu_affinity_table,
		     .applied = "sandbox/linux/affinity.c", .test = "tests/process.bats"),
    FIELD_OTHER("commandLine"),
};
const struct table process_table = TABLE(oci_process, process_fields);
