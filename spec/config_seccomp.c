/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "seccomp". */
#include "spec/tables.h"

/* SECCOMP_RET_DATA has 16 bits; the kernel cuts an errno at 4095 itself. */
#define ERRNO_BOUNDS BOUNDS(0, UINT16_MAX)

/* A system call has six arguments. */
static const struct field arg_fields[] = {
    FIELD("index", oci_seccomp_arg, index, .required = true, BOUNDS(0, 5)),
    FIELD("value", oci_seccomp_arg, value, .required = true),
    FIELD("valueTwo", oci_seccomp_arg, value_two),
    FIELD("op", oci_seccomp_arg, op, .required = true, .words = seccomp_operator_words),
};
static const struct table arg_table = TABLE(oci_seccomp_arg, arg_fields);

static int check_errno(const struct table_reader *reader, const struct table_path *path, const char *member,
		       const char *action, struct opt_u32 errno_ret)
{
	struct table_path name = {.parent = path, .name = member};

	if (!errno_ret.set || word_find(seccomp_action_words, action)->value == 1)
		return 0;
	return table_error(reader, &name, "the action %s has no errno", action);
}

static int syscall_finish(const struct table_reader *reader, const struct json_value *object,
			  const struct table_path *path, void *target)
{
	struct oci_seccomp_syscall *rule = target;
	struct table_path names = {.parent = path, .name = "names"};

	if (rule->names_count == 0)
		return table_error(reader, &names, "must have at least one entry");
	return check_errno(reader, path, "errnoRet", rule->action, rule->errno_ret);
}

static const struct field syscall_fields[] = {
    FIELD_LIST("names", oci_seccomp_syscall, names, .required = true),
    FIELD("action", oci_seccomp_syscall, action, .required = true, .words = seccomp_action_words),
    FIELD("errnoRet", oci_seccomp_syscall, errno_ret, ERRNO_BOUNDS),
    FIELD_ARRAY("args", oci_seccomp_syscall, args, &arg_table),
};
static const struct table syscall_table = TABLE(oci_seccomp_syscall, syscall_fields, .finish = syscall_finish);

static int seccomp_finish(const struct table_reader *reader, const struct json_value *object,
			  const struct table_path *path, void *target)
{
	struct oci_seccomp *seccomp = target;
	struct table_path metadata = {.parent = path, .name = "listenerMetadata"};

	if (seccomp->listener_metadata != NULL && seccomp->listener_path == NULL)
		return table_error(reader, &metadata, "must not be set without listenerPath");
	return check_errno(reader, path, "defaultErrnoRet", seccomp->default_action, seccomp->default_errno_ret);
}

static const struct field seccomp_fields[] = {
    FIELD("defaultAction", oci_seccomp, default_action, .required = true, .words = seccomp_action_words),
    FIELD("defaultErrnoRet", oci_seccomp, default_errno_ret, ERRNO_BOUNDS),
    FIELD_LIST("architectures", oci_seccomp, architectures, .words = seccomp_arch_words),
    FIELD_LIST("flags", oci_seccomp, flags, .words = seccomp_flag_words,
	       .present = offsetof(struct oci_seccomp, flags_set)),
    FIELD("listenerPath", oci_seccomp, listener_path, .since = "5.0", .applied = "sandbox/linux/seccomp.c"),
    FIELD("listenerMetadata", oci_seccomp, listener_metadata, .since = "5.0", .applied = "sandbox/linux/seccomp.c"),
    FIELD_ARRAY("syscalls", oci_seccomp, syscalls, &syscall_table),
};
const struct table seccomp_table = TABLE(oci_seccomp, seccomp_fields, .finish = seccomp_finish);
