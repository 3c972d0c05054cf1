/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/seccomp_compile.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include "sandbox/linux/seccomp_bpf.h"
#include "sandbox/linux/seccomp_ranges.h"

/* The offset of the lower or upper half of an argument in struct seccomp_data. */
static uint32_t argument(const struct seccomp_architecture *architecture, uint32_t index, bool upper)
{
	bool second = upper == ((architecture->token & __AUDIT_ARCH_LE) != 0);

	return (uint32_t)(offsetof(struct seccomp_data, args) + 8 * index + (second ? 4 : 0));
}

static void emit_masked(struct bpf_writer *writer, const struct seccomp_architecture *architecture,
			const struct seccomp_condition *condition, bpf_label fail)
{
	uint32_t lower_mask = (uint32_t)condition->mask, upper_mask = (uint32_t)(condition->mask >> 32);

	if (lower_mask != 0) {
		bpf_branch(writer, BPF_JEQ, (uint32_t)condition->value, bpf_here(writer), fail);
		bpf_and(writer, lower_mask);
		bpf_load(writer, argument(architecture, condition->index, false));
	}
	if (upper_mask != 0) {
		bpf_branch(writer, BPF_JEQ, (uint32_t)(condition->value >> 32), bpf_here(writer), fail);
		bpf_and(writer, upper_mask);
		bpf_load(writer, argument(architecture, condition->index, true));
	}
}

/* Goes on with what is there already if the condition holds, else to `fail`. */
static void emit_condition(struct bpf_writer *writer, const struct seccomp_architecture *architecture,
			   const struct seccomp_condition *condition, bpf_label fail)
{
	/* The comparison BPF has, and whether it is to hold or not. */
	static const struct {
		uint16_t comparison;
		bool negated;
	} operators[] = {
	    [SECCOMP_NE] = {BPF_JEQ, true},  [SECCOMP_EQ] = {BPF_JEQ, false}, [SECCOMP_LT] = {BPF_JGE, true},
	    [SECCOMP_GE] = {BPF_JGE, false}, [SECCOMP_LE] = {BPF_JGT, true},  [SECCOMP_GT] = {BPF_JGT, false},
	};

	if (condition->operator_ == SECCOMP_MASKED_EQ) {
		emit_masked(writer, architecture, condition, fail);
		return;
	}
	uint16_t comparison = operators[condition->operator_].comparison;
	bpf_label here = bpf_here(writer);
	bpf_label yes = operators[condition->operator_].negated ? fail : here;
	bpf_label no = operators[condition->operator_].negated ? here : fail;
	uint32_t upper = (uint32_t)(condition->value >> 32);

	bpf_branch(writer, comparison, (uint32_t)condition->value, yes, no);
	bpf_load(writer, argument(architecture, condition->index, false));
	if (!architecture->wide)
		return;
	bpf_branch(writer, BPF_JEQ, upper, bpf_here(writer), no);
	if (comparison != BPF_JEQ)
		bpf_branch(writer, BPF_JGT, upper, yes, bpf_here(writer));
	bpf_load(writer, argument(architecture, condition->index, true));
}

/* The alternatives in reverse: programs are written from their end. */
static void emit_alternatives(struct bpf_writer *writer, const struct seccomp_architecture *architecture,
			      const struct seccomp_alternative *alternative)
{
	if (alternative->next != NULL)
		emit_alternatives(writer, architecture, alternative->next);
	bpf_label fail = bpf_here(writer);
	bpf_return(writer, alternative->action);
	for (size_t i = alternative->count; i-- > 0;)
		emit_condition(writer, architecture, &alternative->conditions[i], fail);
}

static void emit_range(struct bpf_writer *writer, const struct seccomp_range *range)
{
	bpf_return(writer, range->action);
	if (range->alternatives != NULL)
		emit_alternatives(writer, range->architecture, range->alternatives);
}

/* Binary search. */
static void emit_ranges(struct bpf_writer *writer, const struct seccomp_range *ranges, size_t count)
{
	if (count == 1) {
		emit_range(writer, ranges);
		return;
	}
	size_t half = count / 2;
	emit_ranges(writer, ranges + half, count - half);
	bpf_label right = bpf_here(writer);
	emit_ranges(writer, ranges, half);
	bpf_branch(writer, BPF_JGE, ranges[half].first, right, bpf_here(writer));
}

static int emit(struct arena *arena, const struct seccomp_section *sections, size_t count,
		struct seccomp_program *program, struct error *err)
{
	struct bpf_writer *writer = arena_alloc(arena, sizeof *writer);
	bpf_label *starts = arena_array(arena, count, sizeof *starts);

	for (size_t i = count; i-- > 0;) {
		emit_ranges(writer, sections[i].ranges, sections[i].count);
		bpf_load(writer, offsetof(struct seccomp_data, nr));
		starts[i] = bpf_here(writer);
	}
	bpf_return(writer, SECCOMP_FOREIGN);
	for (size_t i = count; i-- > 0;)
		bpf_branch(writer, BPF_JEQ, sections[i].audit, starts[i], bpf_here(writer));
	bpf_load(writer, offsetof(struct seccomp_data, arch));
	if (writer->overflow)
		return error_set(err, E2BIG,
				 "the seccomp filter has more than the %d instructions that the kernel takes",
				 BPF_MAXINSNS);
	program->instructions = writer->instructions + BPF_MAXINSNS - writer->count;
	program->count = writer->count;
	return 0;
}

int seccomp_compile(struct arena *arena, const struct seccomp_profile *profile, struct seccomp_program *program,
		    struct error *err)
{
	struct seccomp_section *sections = arena_array(arena, profile->architectures_count, sizeof *sections);
	size_t count = seccomp_sections(arena, profile, sections);

	return emit(arena, sections, count, program, err);
}
