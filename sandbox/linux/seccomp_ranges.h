/* SPDX-License-Identifier: Apache-2.0 */
/* From the rules of a seccomp profile to ranges of system call numbers: the first half of seccomp_compile. */
#ifndef SANDLOCK_LINUX_SECCOMP_RANGES_H
#define SANDLOCK_LINUX_SECCOMP_RANGES_H

#include <linux/seccomp.h>

#include "sandbox/linux/seccomp_compile.h"

/* What is no call of a known architecture ends the thread (libseccomp's SCMP_FLTATR_ACT_BADARCH). */
#define SECCOMP_FOREIGN SECCOMP_RET_KILL_THREAD

/* Conditions under which a call gets an action. */
struct seccomp_alternative {
	struct seccomp_alternative *next;
	uint32_t action;
	size_t count;
	struct seccomp_condition conditions[6]; /* by index */
};

/* What happens to a range of numbers: a constant action, or alternatives and then the default action. */
struct seccomp_range {
	uint32_t first;
	uint32_t action;
	const struct seccomp_alternative *alternatives;
	const struct seccomp_architecture *architecture;
};

/* What one AUDIT_ARCH_* value leads to; x86_64 and x32 share it. */
struct seccomp_section {
	uint32_t audit;
	struct seccomp_range *ranges;
	size_t count;
};

/* Makes at most profile->architectures_count sections in the arena and returns how many. */
size_t seccomp_sections(struct arena *arena, const struct seccomp_profile *profile, struct seccomp_section *sections);

#endif
