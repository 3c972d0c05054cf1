/* SPDX-License-Identifier: Apache-2.0 */
/* From the rules of a seccomp profile to a BPF program.
 *
 * libseccomp is asked for the system call numbers; the program is written here: a binary search over ranges of
 * numbers, one per architecture. It decides in about ten instructions where libseccomp's takes some hundred, and
 * it costs a hundredth of the time to make. What the two answer is the same (tests/unit/test_linux_seccomp.c
 * compares them), with one exception: the meaning of overlapping conditions with different actions is libseccomp's
 * internal order, so libseccomp compiles a profile that has such.
 */
#ifndef SANDLOCK_LINUX_SECCOMP_COMPILE_H
#define SANDLOCK_LINUX_SECCOMP_COMPILE_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/error.h"
#include "sandbox/linux/seccomp_numbers.h"

/* SCMP_CMP_* */
enum seccomp_operator {
	SECCOMP_NE,
	SECCOMP_LT,
	SECCOMP_LE,
	SECCOMP_EQ,
	SECCOMP_GE,
	SECCOMP_GT,
	SECCOMP_MASKED_EQ,
};

/* (argument [& mask]) operator value */
struct seccomp_condition {
	uint32_t index; /* 0 to 5 */
	enum seccomp_operator operator_;
	uint64_t value;
	uint64_t mask; /* SECCOMP_MASKED_EQ alone */
};

/* Calls with one of these names get the action if all conditions hold. */
struct seccomp_rule {
	const char *const *names;
	size_t names_count;
	uint32_t action;                            /* SECCOMP_RET_* with its data */
	const struct seccomp_condition *conditions; /* no index twice */
	size_t conditions_count;
};

struct seccomp_profile {
	uint32_t default_action;
	/* Calls with numbers above all that the profile names get ENOSYS, so that a C library falls back
	 * to what the profile's author knew. */
	bool enosys_above;
	const struct seccomp_architecture **architectures; /* the machine's own first, none twice */
	size_t architectures_count;
	const struct seccomp_rule *rules;
	size_t rules_count;
};

struct seccomp_program {
	struct sock_filter *instructions;
	size_t count;
};

/* Compiles; the program is in the arena. With `library` libseccomp makes the program in any case.
 * Errors: E2BIG when the kernel's limit of 4096 instructions is exceeded; what libseccomp returns for rules that
 * contradict each other. */
int seccomp_compile(struct arena *arena, const struct seccomp_profile *profile, bool library,
		    struct seccomp_program *program, struct error *err);

/* The highest system call number that the profile names on an architecture. Returns whether there is any. */
bool seccomp_highest(const struct seccomp_profile *profile, const struct seccomp_architecture *architecture,
		     uint32_t *highest);

#endif
