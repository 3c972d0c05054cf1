/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a seccomp program as the kernel would, with the kernel's checks of what it may contain. */
#ifndef SANDLOCK_TESTS_BPF_RUN_H
#define SANDLOCK_TESTS_BPF_RUN_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The action for a call; `steps`, if not NULL, counts the instructions. Ends the test program when the program is
 * none that the kernel would take. */
static inline uint32_t bpf_run(const struct sock_filter *program, size_t count, const struct seccomp_data *data,
			       unsigned int *steps)
{
	uint32_t a = 0;

	for (size_t i = 0; i < count; i++) {
		const struct sock_filter *at = &program[i];
		if (steps != NULL)
			++*steps;
		switch (at->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (at->k % 4 != 0 || at->k > sizeof *data - 4)
				break;
			memcpy(&a, (const char *)data + at->k, sizeof a);
			continue;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= at->k;
			continue;
		case BPF_JMP | BPF_JA:
			i += at->k;
			continue;
		case BPF_JMP | BPF_JEQ | BPF_K:
			i += a == at->k ? at->jt : at->jf;
			continue;
		case BPF_JMP | BPF_JGT | BPF_K:
			i += a > at->k ? at->jt : at->jf;
			continue;
		case BPF_JMP | BPF_JGE | BPF_K:
			i += a >= at->k ? at->jt : at->jf;
			continue;
		case BPF_RET | BPF_K:
			return at->k;
		default:
			break;
		}
		printf("not ok - instruction %zu of %zu is invalid: %04x %08x\n", i, count, at->code, at->k);
		exit(1);
	}
	printf("not ok - the program of %zu instructions has no end\n", count);
	exit(1);
}

#endif
