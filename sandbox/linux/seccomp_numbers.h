/* SPDX-License-Identifier: Apache-2.0 */
/* System call numbers: libseccomp's tables, and what they do not tell. */
#ifndef SANDLOCK_LINUX_SECCOMP_NUMBERS_H
#define SANDLOCK_LINUX_SECCOMP_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set in the numbers of x32, which shares AUDIT_ARCH_X86_64. */
#define SECCOMP_X32_BIT 0x40000000u

struct seccomp_architecture {
	const char *word; /* SCMP_ARCH_* as config.json has it */
	uint32_t token;   /* SCMP_ARCH_* of seccomp.h */
	uint32_t audit;   /* AUDIT_ARCH_*: what the kernel shows to the filter */
	uint32_t base;    /* lowest system call number */
	bool wide;        /* arguments have 64 bits; only the lower 32 of others count */
	/* Where socketcall(2) and ipc(2) exist: the direct numbers of their calls, 0 where there is none. */
	const uint16_t *sockets;
	uint16_t semtimedop;
};

/* One way to make a system call. */
struct seccomp_number {
	uint32_t number;
	uint32_t selector; /* not 0: the first argument of socketcall or ipc that selects the call */
};

/* NULL for a word or token that is none of the specification's. */
const struct seccomp_architecture *seccomp_architecture_by_word(const char *word);
const struct seccomp_architecture *seccomp_architecture_by_token(uint32_t token);

/* The architecture that this program was compiled for. */
const struct seccomp_architecture *seccomp_architecture_native(void);

/* Whether programs of `other` can run on a machine of `native`, so that a filter must know it. */
bool seccomp_architecture_runs(const struct seccomp_architecture *native, const struct seccomp_architecture *other);

/* The ways to make the call on this architecture. Returns their number, 0 where it does not exist. */
size_t seccomp_numbers(const struct seccomp_architecture *architecture, const char *name,
		       struct seccomp_number numbers[static 2]);

/* Whether any architecture has a call of this name, as far as libseccomp and we know. */
bool seccomp_name_known(const char *name);

#endif
