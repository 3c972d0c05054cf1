/* SPDX-License-Identifier: Apache-2.0 */
/* From the rules of a seccomp profile to a BPF program.
 *
 * libseccomp is asked for the system call numbers; the program is written here: a binary search over ranges of
 * numbers, one per architecture. It decides in about ten instructions where libseccomp's takes up to some hundred, and
 * it costs a hundredth of the time to make. Besides, libseccomp 2.5 never returns from some sets of conditions, and
 * makes programs of others that answer what no rule says; tests/unit/test_linux_seccomp_compare.c compares the two.
 *
 * Among the rules for a call one without conditions wins, the first of them if there are several; that is what
 * libseccomp does, and profiles are written for it. Of rules whose conditions may hold at once the more specific wins.
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

/* Compiles; the program is in the arena. Errors: E2BIG when the kernel's limit of 4096 instructions is exceeded. */
int seccomp_compile(struct arena *arena, const struct seccomp_profile *profile, struct seccomp_program *program,
		    struct error *err);

#endif
