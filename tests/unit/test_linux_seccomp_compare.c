/* SPDX-License-Identifier: Apache-2.0 */
/* Random profiles: the compiled program must answer what a plain reading of the rules does, and what libseccomp's
 * program does. The seed is the first argument; a failure prints it.
 *
 * Random conditions bring out faults of libseccomp (2.5.4): endless loops, programs that answer what no rule says, and
 * with x86_64 and x32 in one filter a comparison of the architecture where the number is meant. So it gets profiles
 * with one rule that has conditions, and a filter for each architecture. */
#include <errno.h>
#include <linux/audit.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/linux/seccomp_compile.h"
#include "tests/unit/bpf_run.h"
#include "tests/unit/check.h"

static uint64_t state = 1;

/* splitmix64 */
static uint64_t next_random(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint32_t below(uint32_t limit)
{
	return (uint32_t)(next_random() % limit);
}

static const char *const names[] = {
    "read",         "write",       "open",           "openat",     "close",         "clone",
    "clone3",       "personality", "socket",         "connect",    "bind",          "accept",
    "accept4",      "sendmsg",     "recvmsg",        "send",       "socketcall",    "ipc",
    "semop",        "semtimedop",  "msgsnd",         "shmat",      "shmget",        "mmap",
    "mmap2",        "ioctl",       "fcntl",          "fcntl64",    "execve",        "exit_group",
    "setuid32",     "stat64",      "arch_prctl",     "modify_ldt", "cacheflush",    "breakpoint",
    "pidfd_open",   "futex_waitv", "io_uring_setup", "unshare",    "clock_gettime", "clock_gettime64",
    "no_such_call", "preadv2",     "vmsplice",       "recvfrom",   "sendmmsg",      "getsockopt",
};

static const uint64_t values[] = {
    0,
    1,
    2,
    3,
    8,
    9,
    16,
    0x7e020000,
    0x7fffffff,
    0x80000000,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    0x100000001,
    0x7fffffffffffffff,
    0xffffffff00000000,
    0xfffffffffffffffe,
    0xffffffffffffffff,
};

static const uint32_t actions[] = {
    SECCOMP_RET_ALLOW,        SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ERRNO | 22,
    SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD,   SECCOMP_RET_TRAP,
    SECCOMP_RET_LOG,          SECCOMP_RET_TRACE | 7,     SECCOMP_RET_USER_NOTIF,
};

static const uint32_t families[][4] = {
    {SCMP_ARCH_X86_64},
    {SCMP_ARCH_X86_64, SCMP_ARCH_X86},
    {SCMP_ARCH_X86_64, SCMP_ARCH_X32},
    {SCMP_ARCH_X86_64, SCMP_ARCH_X86, SCMP_ARCH_X32},
    {SCMP_ARCH_AARCH64, SCMP_ARCH_ARM},
    {SCMP_ARCH_PPC64LE},
    {SCMP_ARCH_RISCV64},
    {SCMP_ARCH_MIPSEL64, SCMP_ARCH_MIPSEL64N32},
};

enum { MAX_RULES = 24 };

struct random_profile {
	struct seccomp_profile profile;
	const struct seccomp_architecture *architectures[4];
	struct seccomp_rule rules[MAX_RULES];
	struct seccomp_condition conditions[MAX_RULES][6];
	const char *names[MAX_RULES][4];
};

static void make_conditions(struct seccomp_rule *rule, struct seccomp_condition *conditions)
{
	unsigned int seen = 0, wanted = below(3) == 0 ? 0 : below(4);

	for (unsigned int i = 0; i < wanted; i++) {
		uint32_t index = below(4);
		if ((seen & (1u << index)) != 0)
			continue;
		seen |= 1u << index;
		conditions[rule->conditions_count++] = (struct seccomp_condition){
		    .index = index,
		    .operator_ = (enum seccomp_operator)below(7),
		    .value = values[below(ARRAY_SIZE(values))],
		    .mask = values[below(ARRAY_SIZE(values))],
		};
	}
	rule->conditions = conditions;
}

static void make_profile(struct random_profile *random, bool simple)
{
	const uint32_t *family = families[below(ARRAY_SIZE(families))];
	/* Few, so that rules for a call often agree. */
	uint32_t chosen[3] = {actions[below(ARRAY_SIZE(actions))], actions[below(ARRAY_SIZE(actions))],
			      actions[below(ARRAY_SIZE(actions))]};

	*random = (struct random_profile){0};
	struct seccomp_profile *profile = &random->profile;
	profile->default_action = chosen[0];
	profile->enosys_above = below(2) == 0;
	profile->architectures = random->architectures;
	profile->rules = random->rules;
	for (size_t i = 0; i < 4 && family[i] != 0; i++)
		random->architectures[profile->architectures_count++] = seccomp_architecture_by_token(family[i]);
	profile->rules_count = 1 + below(MAX_RULES);
	for (size_t i = 0; i < profile->rules_count; i++) {
		struct seccomp_rule *rule = &random->rules[i];
		rule->names = random->names[i];
		rule->names_count = 1 + below(4);
		for (size_t j = 0; j < rule->names_count; j++)
			random->names[i][j] = names[below(ARRAY_SIZE(names))];
		rule->action = chosen[below(below(3) == 0 ? 3 : 2)];
		if (!simple || i == 0)
			make_conditions(rule, random->conditions[i]);
	}
}

struct answer {
	const struct seccomp_program *ours;
	struct seccomp_program theirs;
	const struct seccomp_profile *profile;
	const struct seccomp_architecture *architecture;
	/* By rule and name, for the architecture. */
	struct seccomp_number numbers[MAX_RULES][4][2];
	size_t counts[MAX_RULES][4];
	uint32_t highest;
	bool limited;
};

static void look_up(struct answer *answer, const struct seccomp_architecture *architecture)
{
	answer->architecture = architecture;
	answer->limited = false;
	for (size_t i = 0; i < answer->profile->rules_count; i++)
		for (size_t j = 0; j < answer->profile->rules[i].names_count; j++) {
			struct seccomp_number *numbers = answer->numbers[i][j];
			answer->counts[i][j] =
			    seccomp_numbers(architecture, answer->profile->rules[i].names[j], numbers);
			for (size_t k = 0; k < answer->counts[i][j]; k++) {
				/* ARM's private ones lie far above the rest. */
				if (numbers[k].number - architecture->base > 1000 ||
				    (answer->limited && numbers[k].number < answer->highest))
					continue;
				answer->highest = numbers[k].number;
				answer->limited = true;
			}
		}
}

static bool report(const struct seccomp_data *data, uint32_t found, uint32_t wanted)
{
	printf("# arch %08x nr %u args %llx %llx %llx %llx: %08x, wanted %08x\n", data->arch, (uint32_t)data->nr,
	       (unsigned long long)data->args[0], (unsigned long long)data->args[1], (unsigned long long)data->args[2],
	       (unsigned long long)data->args[3], found, wanted);
	return false;
}

static void random_arguments(struct seccomp_data *data)
{
	for (size_t i = 0; i < 6; i++) {
		data->args[i] = values[below(ARRAY_SIZE(values))];
		if (below(4) == 0)
			data->args[i] += (uint64_t)below(3) - 1;
	}
	/* Selectors of socketcall and ipc. */
	if (below(3) == 0)
		data->args[0] = below(26);
}

typedef bool (*compare_one)(const struct answer *answer, const struct seccomp_data *data);

/* All small numbers and some others of one architecture. */
static bool try_calls(const struct answer *answer, compare_one compare)
{
	static const uint32_t more[] = {0,          599,        0xf0001,   0xf0005, 0x3fffffff, SECCOMP_X32_BIT,
					0x7fffffff, 0x80000000, UINT32_MAX};
	uint32_t audit = answer->architecture->audit, base = answer->architecture->base;
	struct seccomp_data data = {.arch = audit};

	for (uint32_t i = 0; i < 600 + ARRAY_SIZE(more); i++) {
		uint32_t number = i < 600 ? base + i : more[i - 600];
		bool x32 = number >= SECCOMP_X32_BIT && number != UINT32_MAX;
		if (audit == AUDIT_ARCH_X86_64 && x32 != (base == SECCOMP_X32_BIT))
			continue;
		data.nr = (int)number;
		for (int j = 0; j < 8; j++) {
			random_arguments(&data);
			if (!compare(answer, &data))
				return false;
		}
	}
	return true;
}

static bool same(const struct answer *answer, const struct seccomp_data *data)
{
	uint32_t found = bpf_run(answer->ours->instructions, answer->ours->count, data, NULL);
	uint32_t wanted = bpf_run(answer->theirs.instructions, answer->theirs.count, data, NULL);

	return found == wanted || report(data, found, wanted);
}

static bool holds(const struct seccomp_condition *condition, uint64_t argument, bool wide)
{
	uint64_t bits = wide ? UINT64_MAX : UINT32_MAX, value = condition->value & bits;

	argument &= bits;
	switch (condition->operator_) {
	case SECCOMP_NE:
		return argument != value;
	case SECCOMP_LT:
		return argument < value;
	case SECCOMP_LE:
		return argument <= value;
	case SECCOMP_EQ:
		return argument == value;
	case SECCOMP_GE:
		return argument >= value;
	case SECCOMP_GT:
		return argument > value;
	default:
		return (argument & condition->mask & bits) == (value & condition->mask);
	}
}

/* Whether all conditions of a rule hold; `always` tells whether there is none that can fail. */
static bool rule_holds(const struct answer *answer, const struct seccomp_rule *rule,
		       const struct seccomp_number *number, const struct seccomp_data *data, bool *always)
{
	bool wide = answer->architecture->wide, match = true;
	uint64_t bits = wide ? UINT64_MAX : UINT32_MAX;

	*always = number->selector == 0;
	if (number->selector != 0)
		match = (data->args[0] & bits) == number->selector;
	for (size_t i = 0; i < rule->conditions_count; i++) {
		const struct seccomp_condition *condition = &rule->conditions[i];
		/* socketcall's and ipc's first argument is the selector. */
		if (number->selector != 0 && condition->index == 0)
			continue;
		*always &= condition->operator_ == SECCOMP_MASKED_EQ && (condition->mask & bits) == 0;
		match &= holds(condition, data->args[condition->index], wide);
	}
	return match;
}

/* What the rules say, read one by one: the first without conditions; or else one whose conditions hold, if several do
 * any of them (their order has tests of its own, in test_linux_seccomp.c). */
static bool as_written(const struct answer *answer, const struct seccomp_data *data)
{
	const struct seccomp_profile *profile = answer->profile;
	uint32_t found = bpf_run(answer->ours->instructions, answer->ours->count, data, NULL);
	uint32_t wanted = profile->default_action;
	bool among = false, any = false;

	for (size_t i = 0; i < profile->rules_count; i++) {
		const struct seccomp_rule *rule = &profile->rules[i];
		if (rule->action == profile->default_action)
			continue;
		for (size_t j = 0; j < rule->names_count; j++)
			for (size_t k = 0; k < answer->counts[i][j]; k++) {
				bool always;
				const struct seccomp_number *number = &answer->numbers[i][j][k];
				if (number->number != (uint32_t)data->nr ||
				    !rule_holds(answer, rule, number, data, &always))
					continue;
				if (always)
					return found == rule->action || report(data, found, rule->action);
				any = true;
				among |= found == rule->action;
				wanted = rule->action;
			}
	}
	return any ? among || report(data, found, wanted) : found == wanted || report(data, found, wanted);
}

/* libseccomp's filter for one architecture. Returns a negative errno value for rules that it refuses. */
static int library_filter(struct arena *arena, const struct seccomp_profile *profile,
			  const struct seccomp_architecture *architecture, struct seccomp_program *program)
{
	static const enum scmp_compare operators[] = {SCMP_CMP_NE, SCMP_CMP_LT, SCMP_CMP_LE,       SCMP_CMP_EQ,
						      SCMP_CMP_GE, SCMP_CMP_GT, SCMP_CMP_MASKED_EQ};
	scmp_filter_ctx context = seccomp_init(profile->default_action);
	int rc = 0;

	if (architecture->token != seccomp_arch_native())
		rc = seccomp_arch_add(context, architecture->token) < 0 ||
		     seccomp_arch_remove(context, seccomp_arch_native()) < 0;
	for (size_t i = 0; i < profile->rules_count && rc == 0; i++) {
		const struct seccomp_rule *rule = &profile->rules[i];
		struct scmp_arg_cmp arguments[6];
		for (size_t j = 0; j < rule->conditions_count; j++) {
			const struct seccomp_condition *condition = &rule->conditions[j];
			bool masked = condition->operator_ == SECCOMP_MASKED_EQ;
			arguments[j] = (struct scmp_arg_cmp){condition->index, operators[condition->operator_],
							     masked ? condition->mask : condition->value,
							     masked ? condition->value : 0};
		}
		for (size_t j = 0; j < rule->names_count && rc == 0; j++) {
			struct seccomp_number unused[2];
			int number = seccomp_syscall_resolve_name(rule->names[j]);
			/* Calls that the architecture does not have confuse it. */
			if (number != __NR_SCMP_ERROR && seccomp_numbers(architecture, rule->names[j], unused) > 0 &&
			    rule->action != profile->default_action)
				rc = seccomp_rule_add_array(context, rule->action, number,
							    (unsigned int)rule->conditions_count, arguments);
		}
	}
	if (rc == 0) {
		int fd = memfd_create("oracle", MFD_CLOEXEC);
		rc = seccomp_export_bpf(context, fd);
		size_t size = (size_t)lseek(fd, 0, SEEK_END);
		program->instructions = arena_alloc(arena, size);
		program->count = size / sizeof *program->instructions;
		if (pread(fd, program->instructions, size, 0) != (ssize_t)size)
			rc = -EIO;
		close(fd);
	}
	seccomp_release(context);
	return rc;
}

static bool named(const struct answer *answer, uint32_t number)
{
	for (size_t i = 0; i < answer->profile->rules_count; i++)
		for (size_t j = 0; j < answer->profile->rules[i].names_count; j++)
			for (size_t k = 0; k < answer->counts[i][j]; k++)
				if (answer->numbers[i][j][k].number == number)
					return true;
	return false;
}

/* `theirs` is the same profile without the limit. */
static bool limited(const struct answer *answer, const struct seccomp_data *data)
{
	uint32_t found = bpf_run(answer->ours->instructions, answer->ours->count, data, NULL);
	uint32_t wanted = bpf_run(answer->theirs.instructions, answer->theirs.count, data, NULL);
	uint32_t number = (uint32_t)data->nr;
	bool x86_64 = answer->architecture->audit == AUDIT_ARCH_X86_64 && answer->architecture->base == 0;

	/* -1 is for x86_64 what it is without the limit. */
	if (answer->limited && number > answer->highest && !named(answer, number) && !(x86_64 && number == UINT32_MAX))
		wanted = SECCOMP_RET_ERRNO | ENOSYS;
	/* With x32 in the profile it is one of x32's numbers. */
	if (x86_64 && number == UINT32_MAX)
		return true;
	return found == wanted || report(data, found, wanted);
}

static void dump(const struct random_profile *random)
{
	printf("# default %08x enosys %d arch %s\n", random->profile.default_action, random->profile.enosys_above,
	       random->architectures[0]->word);
	for (size_t i = 0; i < random->profile.rules_count; i++) {
		const struct seccomp_rule *rule = &random->rules[i];
		printf("#   %08x", rule->action);
		for (size_t j = 0; j < rule->names_count; j++)
			printf(" %s", rule->names[j]);
		for (size_t j = 0; j < rule->conditions_count; j++)
			printf(" [a%u op%d %llx mask %llx]", rule->conditions[j].index, rule->conditions[j].operator_,
			       (unsigned long long)rule->conditions[j].value,
			       (unsigned long long)rule->conditions[j].mask);
		printf("\n");
	}
}

/* Filters that libseccomp made, too. */
static unsigned int compared;

static bool try_profile(struct random_profile *random, bool simple)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct seccomp_profile *profile = &random->profile;
	struct seccomp_program plain, enosys;
	struct error err = {0};
	struct answer answer = {.ours = &plain, .profile = profile};

	profile->enosys_above = false;
	if (seccomp_compile(&arena, profile, &plain, &err) < 0)
		return false;
	for (size_t i = 0; i < profile->architectures_count; i++) {
		look_up(&answer, profile->architectures[i]);
		if (!try_calls(&answer, as_written))
			return false;
		/* It refuses some that mean something, and is at fault with socketcall and ipc, too. */
		if (!simple || answer.architecture->sockets != NULL ||
		    library_filter(&arena, profile, answer.architecture, &answer.theirs) < 0)
			continue;
		compared++;
		if (!try_calls(&answer, same))
			return false;
	}
	struct seccomp_data foreign = {.arch = AUDIT_ARCH_SPARC64, .nr = (int)below(400)};
	if (bpf_run(plain.instructions, plain.count, &foreign, NULL) != SECCOMP_RET_KILL_THREAD)
		return false;
	/* The limit, against the program without. */
	profile->enosys_above = true;
	if (seccomp_compile(&arena, profile, &enosys, &err) < 0)
		return false;
	answer.ours = &enosys;
	answer.theirs = plain;
	for (size_t i = 0; i < profile->architectures_count; i++) {
		look_up(&answer, profile->architectures[i]);
		if (!try_calls(&answer, limited))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 0) : 300;
	static struct random_profile random;

	for (uint64_t round = 0; round < rounds; round++) {
		state = seed + round;
		bool simple = state % 3 == 0;
		make_profile(&random, simple);
		if (!CHECK(try_profile(&random, simple))) {
			printf("# seed %llu\n", (unsigned long long)(seed + round));
			dump(&random);
			break;
		}
	}
	printf("# %u filters compared with libseccomp's\n", compared);
	CHECK(compared > rounds / 4 || rounds < 10);
	return check_result();
}
