/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/seccomp_bpf.h"

static void put(struct bpf_writer *writer, struct sock_filter instruction)
{
	if (writer->count == BPF_MAXINSNS) {
		writer->overflow = true;
		return;
	}
	writer->count++;
	writer->instructions[BPF_MAXINSNS - writer->count] = instruction;
}

void bpf_return(struct bpf_writer *writer, uint32_t action)
{
	put(writer, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

void bpf_load(struct bpf_writer *writer, uint32_t offset)
{
	put(writer, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

void bpf_and(struct bpf_writer *writer, uint32_t mask)
{
	put(writer, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
}

void bpf_jump(struct bpf_writer *writer, bpf_label target)
{
	put(writer, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, writer->count - target));
}

void bpf_branch(struct bpf_writer *writer, uint16_t comparison, uint32_t value, bpf_label yes, bpf_label no)
{
	/* Conditional jumps have eight bits for a distance. The second check may see the first one's jump. */
	if (writer->count - no > UINT8_MAX - 1) {
		bpf_jump(writer, no);
		no = writer->count;
	}
	if (writer->count - yes > UINT8_MAX) {
		bpf_jump(writer, yes);
		yes = writer->count;
	}
	put(writer, (struct sock_filter)BPF_JUMP(BPF_JMP | comparison | BPF_K, value, (uint8_t)(writer->count - yes),
						 (uint8_t)(writer->count - no)));
}
