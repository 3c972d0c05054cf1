/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/seccomp_plan.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/unix_socket.h"
#include "sandbox/linux/seccomp_compile.h"

/* Linux 5.19 */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

#define MAX_ERRNO 4095 /* the kernel cuts larger ones */

static const struct action_word {
	const char *word;
	uint32_t action;
	uint32_t data_limit; /* of errnoRet; 0: it has none */
} actions[] = {
    {"SCMP_ACT_KILL", SECCOMP_RET_KILL_THREAD, 0},
    {"SCMP_ACT_KILL_PROCESS", SECCOMP_RET_KILL_PROCESS, 0},
    {"SCMP_ACT_KILL_THREAD", SECCOMP_RET_KILL_THREAD, 0},
    {"SCMP_ACT_TRAP", SECCOMP_RET_TRAP, 0},
    {"SCMP_ACT_ERRNO", SECCOMP_RET_ERRNO, MAX_ERRNO},
    {"SCMP_ACT_TRACE", SECCOMP_RET_TRACE, SECCOMP_RET_DATA},
    {"SCMP_ACT_ALLOW", SECCOMP_RET_ALLOW, 0},
    {"SCMP_ACT_LOG", SECCOMP_RET_LOG, 0},
    {"SCMP_ACT_NOTIFY", SECCOMP_RET_USER_NOTIF, 0},
};

static const struct {
	const char *word;
	enum seccomp_operator operator_;
} operators[] = {
    {"SCMP_CMP_NE", SECCOMP_NE},
    {"SCMP_CMP_LT", SECCOMP_LT},
    {"SCMP_CMP_LE", SECCOMP_LE},
    {"SCMP_CMP_EQ", SECCOMP_EQ},
    {"SCMP_CMP_GE", SECCOMP_GE},
    {"SCMP_CMP_GT", SECCOMP_GT},
    {"SCMP_CMP_MASKED_EQ", SECCOMP_MASKED_EQ},
};

static const struct {
	const char *word;
	uint32_t flag;
} flags[] = {
    {"SECCOMP_FILTER_FLAG_TSYNC", SECCOMP_FILTER_FLAG_TSYNC},
    {"SECCOMP_FILTER_FLAG_LOG", SECCOMP_FILTER_FLAG_LOG},
    {"SECCOMP_FILTER_FLAG_SPEC_ALLOW", SECCOMP_FILTER_FLAG_SPEC_ALLOW},
    {"SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV", SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV},
};

static bool is_set(const char *text)
{
	return text != NULL && *text != '\0';
}

static bool kernel_knows(uint32_t flag)
{
	/* It looks at the flags before the missing filter (EFAULT); WAIT_KILLABLE_RECV alone makes no sense to it. */
	if (flag == SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
		flag |= SECCOMP_FILTER_FLAG_NEW_LISTENER;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flag, NULL) < 0 && errno == EFAULT;
}

bool seccomp_flag_supported(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (strcmp(flags[i].word, word) == 0)
			return kernel_knows(flags[i].flag);
	return false;
}

/* errnoRet goes with the actions that have a use for it: config-linux.md wants an error otherwise. */
static int translate_action(const char *word, struct opt_u32 errno_ret, uint32_t *action, struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		if (strcmp(actions[i].word, word) != 0)
			continue;
		if (errno_ret.set && actions[i].data_limit == 0)
			return error_set(err, EINVAL, "seccomp: errnoRet is set for action %s, which has no errno",
					 word);
		if (errno_ret.set && errno_ret.value > actions[i].data_limit)
			return error_set(err, EINVAL, "seccomp: errnoRet %u of action %s is not in 0 to %u",
					 errno_ret.value, word, actions[i].data_limit);
		*action = actions[i].action;
		if (actions[i].data_limit != 0)
			*action |= errno_ret.set ? errno_ret.value : EPERM;
		return 0;
	}
	return error_set(err, EINVAL, "seccomp: string %s is not a valid action for seccomp", word);
}

static int translate_condition(const struct oci_seccomp_arg *arg, struct seccomp_condition *condition,
			       struct error *err)
{
	if (arg->index > 5)
		return error_set(err, EINVAL, "seccomp: args index %u is not in 0 to 5", arg->index);
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		if (strcmp(operators[i].word, arg->op) != 0)
			continue;
		*condition = (struct seccomp_condition){
		    .index = arg->index, .operator_ = operators[i].operator_, .value = arg->value};
		if (condition->operator_ == SECCOMP_MASKED_EQ) {
			condition->mask = arg->value;
			condition->value = arg->value_two;
		}
		return 0;
	}
	return error_set(err, EINVAL, "seccomp: string %s is not a valid operator for seccomp", arg->op);
}

/* Conditions hold together; but several for one argument are rules of their own, of which one is enough: what runc
 * and crun made of them when libseccomp could not combine them, and profiles rely on that. */
static int translate_call(struct arena *arena, const struct oci_seccomp_syscall *call, struct seccomp_profile *profile,
			  struct seccomp_rule *rules, struct error *err)
{
	struct seccomp_rule rule = {.names = call->names, .names_count = call->names_count};
	struct seccomp_condition *conditions = arena_array(arena, call->args_count, sizeof *conditions);
	unsigned int seen = 0;
	bool repeated = false;

	if (translate_action(call->action, call->errno_ret, &rule.action, err) < 0)
		return -err->code;
	for (size_t i = 0; i < call->args_count; i++) {
		if (translate_condition(&call->args[i], &conditions[i], err) < 0)
			return -err->code;
		repeated |= (seen & (1u << conditions[i].index)) != 0;
		seen |= 1u << conditions[i].index;
	}
	rule.conditions = conditions;
	rule.conditions_count = repeated ? 1 : call->args_count;
	for (size_t i = 0; i < (repeated ? call->args_count : 1); i++) {
		rules[profile->rules_count++] = rule;
		rule.conditions++;
	}
	return 0;
}

static int translate_architectures(struct arena *arena, const struct oci_seccomp *seccomp,
				   struct seccomp_profile *profile, struct error *err)
{
	const struct seccomp_architecture *native = seccomp_architecture_native();

	if (native == NULL)
		return error_set(err, ENOTSUP, "seccomp is not supported on this machine's architecture");
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	profile->architectures = arena_array(arena, seccomp->architectures_count + 1, sizeof *profile->architectures);
	profile->architectures[profile->architectures_count++] = native;
	for (size_t i = 0; i < seccomp->architectures_count; i++) {
		const struct seccomp_architecture *architecture =
		    seccomp_architecture_by_word(seccomp->architectures[i]);
		bool known = false;
		if (architecture == NULL)
			return error_set(err, EINVAL, "seccomp: string %s is not a valid arch for seccomp",
					 seccomp->architectures[i]);
		for (size_t j = 0; j < profile->architectures_count; j++)
			known |= profile->architectures[j] == architecture;
		/* This kernel never sees calls of another machine's programs. */
		if (!known && seccomp_architecture_runs(native, architecture))
			profile->architectures[profile->architectures_count++] = architecture;
	}
	return 0;
}

static int translate_flags(const struct oci_seccomp *seccomp, bool notify, uint32_t *result, struct error *err)
{
	*result = 0;
	/* Without "flags" this one is set if possible, as runc does: a filter alone is no reason for the costs of
	 * the speculative store bypass mitigation. */
	if (!seccomp->flags_set && seccomp->flags_count == 0 && kernel_knows(SECCOMP_FILTER_FLAG_SPEC_ALLOW))
		*result |= SECCOMP_FILTER_FLAG_SPEC_ALLOW;
	for (size_t i = 0; i < seccomp->flags_count; i++) {
		uint32_t flag = 0;
		for (size_t j = 0; j < ARRAY_SIZE(flags); j++)
			if (strcmp(flags[j].word, seccomp->flags[i]) == 0)
				flag = flags[j].flag;
		if (flag == 0)
			return error_set(err, EINVAL, "seccomp flag %s is not known to sandlock-oci",
					 seccomp->flags[i]);
		if (!kernel_knows(flag))
			return error_set(err, ENOTSUP, "seccomp flag %s is not supported by this kernel",
					 seccomp->flags[i]);
		*result |= flag;
	}
	/* The launcher has one thread, and the kernel forbids TSYNC with a listener. */
	*result &= ~(uint32_t)SECCOMP_FILTER_FLAG_TSYNC;
	if (notify)
		*result |= SECCOMP_FILTER_FLAG_NEW_LISTENER;
	else
		*result &= ~(uint32_t)SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
	return 0;
}

static int check_names(struct arena *arena, const struct oci_seccomp *seccomp,
		       const struct seccomp_plan_options *options, struct error *err)
{
	const char *list = NULL;

	if (options->warn == NULL && !options->fail_unknown)
		return 0;
	for (size_t i = 0; i < seccomp->syscalls_count; i++)
		for (size_t j = 0; j < seccomp->syscalls[i].names_count; j++) {
			const char *name = seccomp->syscalls[i].names[j];
			if (!seccomp_name_known(name))
				list = list == NULL ? name : arena_printf(arena, "%s, %s", list, name);
		}
	if (list == NULL)
		return 0;
	if (options->fail_unknown)
		return error_set(err, EINVAL,
				 "linux.seccomp: unknown system calls, and the annotation "
				 "run.oci.seccomp_fail_unknown_syscall is set: %s",
				 list);
	options->warn(options->context, arena_printf(arena, "unknown seccomp syscalls ignored: %s", list));
	return 0;
}

int seccomp_listener_connect(const char *path, struct error *err)
{
	int fd = unix_socket_connect(path, SOCK_STREAM);

	if (fd < 0)
		return error_errno(err, -fd, "connect to the seccomp agent at %s (listenerPath)", path);
	return fd;
}

/* A JSON string, quoted. */
static const char *quote(struct arena *arena, const char *text)
{
	char *result = arena_alloc(arena, 6 * strlen(text) + 3), *next = result;

	*next++ = '"';
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\')
			*next++ = '\\';
		if (c < 0x20)
			next += snprintf(next, 7, "\\u%04x", c);
		else
			*next++ = (char)c;
	}
	*next = '"';
	return result;
}

static int plan_listener(struct plan_builder *builder, struct arena *arena, const struct oci_seccomp *seccomp,
			 const struct seccomp_plan_options *options, struct plan_seccomp *out, struct error *err)
{
	if (!is_set(seccomp->listener_path))
		return error_set(err, EINVAL, "seccomp listenerPath is not set: SCMP_ACT_NOTIFY needs a seccomp agent");
	int fd = seccomp_listener_connect(seccomp->listener_path, err);
	if (fd < 0)
		return fd;
	out->listener_fd = plan_add_fd(builder, fd);
	out->listener_path = plan_add_string(builder, seccomp->listener_path);
	bool metadata = is_set(seccomp->listener_metadata);
	out->listener_state =
	    plan_add_string(builder, arena_printf(arena, "{\"ociVersion\":%s,\"fds\":[\"seccompFd\"]%s%s",
						  quote(arena, options->oci_version), metadata ? ",\"metadata\":" : "",
						  metadata ? quote(arena, seccomp->listener_metadata) : ""));
	return 0;
}

/* Actions that let calls through, perhaps to someone who decides: a call that the profile's author did not know
 * is in good hands with them. */
static bool permissive(uint32_t action)
{
	switch (action & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
	case SECCOMP_RET_LOG:
	case SECCOMP_RET_TRACE:
	case SECCOMP_RET_USER_NOTIF:
		return true;
	default:
		return false;
	}
}

int seccomp_plan(struct plan_builder *builder, const struct oci_seccomp *seccomp,
		 const struct seccomp_plan_options *options, struct plan_seccomp *out, struct error *err)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct seccomp_profile profile = {0};
	struct seccomp_program program;
	size_t rules_limit = 0;

	*out = (struct plan_seccomp){.listener_fd = -1};
	/* Neither a default action nor calls: seccomp is off (podman writes that). */
	if (seccomp == NULL || (seccomp->default_action == NULL && seccomp->syscalls_count == 0))
		return 0;
	if (seccomp->default_action == NULL)
		return error_set(err, EINVAL, "seccomp: defaultAction is not set");
	if (is_set(seccomp->listener_metadata) && !is_set(seccomp->listener_path))
		return error_set(err, EINVAL, "seccomp listenerMetadata is set, but listenerPath is not");
	if (translate_action(seccomp->default_action, seccomp->default_errno_ret, &profile.default_action, err) < 0)
		return error_wrap(err, "defaultAction");
	profile.enosys_above = !permissive(profile.default_action);
	if (translate_architectures(&arena, seccomp, &profile, err) < 0)
		return -err->code;
	for (size_t i = 0; i < seccomp->syscalls_count; i++)
		rules_limit += seccomp->syscalls[i].args_count + 1;
	struct seccomp_rule *rules = arena_array(&arena, rules_limit, sizeof *rules);
	for (size_t i = 0; i < seccomp->syscalls_count; i++)
		if (translate_call(&arena, &seccomp->syscalls[i], &profile, rules, err) < 0)
			return error_wrap(err, "linux.seccomp.syscalls[%zu]", i);
	profile.rules = rules;
	bool notify = profile.default_action == SECCOMP_RET_USER_NOTIF;
	for (size_t i = 0; i < profile.rules_count; i++)
		notify |= rules[i].action == SECCOMP_RET_USER_NOTIF;
	if (translate_flags(seccomp, notify, &out->flags, err) < 0)
		return -err->code;
	if (check_names(&arena, seccomp, options, err) < 0)
		return -err->code;
	if (seccomp_compile(&arena, &profile, &program, err) < 0)
		return error_wrap(err, "compile the seccomp profile");
	out->filter = plan_add_array(builder, program.instructions, program.count, sizeof *program.instructions);
	if (notify)
		return plan_listener(builder, &arena, seccomp, options, out, err);
	return 0;
}
