/* SPDX-License-Identifier: Apache-2.0 */
/* Writes BPF programs from their end to their beginning: jumps go forward only, so their targets are known. */
#ifndef SANDLOCK_LINUX_SECCOMP_BPF_H
#define SANDLOCK_LINUX_SECCOMP_BPF_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in the program: how many instructions there are from it to the end. */
typedef uint32_t bpf_label;

/* The last `count` of BPF_MAXINSNS instructions are written. */
struct bpf_writer {
	struct sock_filter instructions[BPF_MAXINSNS];
	uint32_t count;
	bool overflow; /* it did not fit; what is written is useless */
};

/* The place of the instruction that was written last. */
static inline bpf_label bpf_here(const struct bpf_writer *writer)
{
	return writer->count;
}

/* Put an instruction in front of what is there. */
void bpf_return(struct bpf_writer *writer, uint32_t action);
void bpf_load(struct bpf_writer *writer, uint32_t offset);
void bpf_and(struct bpf_writer *writer, uint32_t mask);
void bpf_jump(struct bpf_writer *writer, bpf_label target);
/* `comparison` is BPF_JEQ, BPF_JGT or BPF_JGE. Far targets get a jump of their own. */
void bpf_branch(struct bpf_writer *writer, uint16_t comparison, uint32_t value, bpf_label yes, bpf_label no);

#endif
