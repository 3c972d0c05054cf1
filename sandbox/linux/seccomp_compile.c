/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/seccomp_compile.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/linux/seccomp_bpf.h"
#include "sandbox/linux/seccomp_library.h"

/* Conditions under which a call gets an action. */
struct alternative {
	struct alternative *next;
	uint32_t action;
	size_t count;
	struct seccomp_condition conditions[6];
};

/* What happens to a range of numbers: a constant action, or alternatives and then the default action. */
struct range {
	uint32_t first;
	uint32_t action;
	const struct alternative *alternatives;
	const struct seccomp_architecture *architecture;
};

/* One system call of one architecture. Unconditional rules win over conditional ones, and the first of them
 * over later ones: libseccomp's rules. */
struct call {
	uint32_t number;
	bool used;
	bool unconditional;
	uint32_t action;
	struct alternative *alternatives;
	struct alternative **end;
};

/* The calls of one architecture by number: most are small, few (ARM's private ones) lie far above. */
enum { SMALL_NUMBERS = 1024 };
struct calls {
	struct call small[SMALL_NUMBERS];
	struct call *large; /* sorted */
	size_t large_count;
	size_t count; /* of the used ones */
	uint32_t base;
	uint32_t highest; /* of the small numbers that the profile names */
	bool any;
};

/* What one AUDIT_ARCH_* value leads to; x86_64 and x32 share it. */
struct section {
	uint32_t audit;
	struct range *ranges;
	size_t count;
	bpf_label start;
};

static struct call *use_call(struct arena *arena, struct calls *calls, uint32_t number)
{
	struct call *call;

	if (number - calls->base < SMALL_NUMBERS) {
		call = &calls->small[number - calls->base];
	} else {
		size_t at = 0;
		while (at < calls->large_count && calls->large[at].number < number)
			at++;
		if (at == calls->large_count || calls->large[at].number != number) {
			struct call *larger = arena_array(arena, calls->large_count + 1, sizeof *larger);
			for (size_t i = 0; i < calls->large_count; i++)
				larger[i < at ? i : i + 1] = calls->large[i];
			calls->large = larger;
			calls->large_count++;
			larger[at] = (struct call){0};
		}
		call = &calls->large[at];
	}
	calls->count += call->used ? 0 : 1;
	call->used = true;
	call->number = number;
	return call;
}

/* Reduces a condition to the bits the architecture has. Returns false if it always holds. */
static bool normalise(const struct seccomp_architecture *architecture, struct seccomp_condition *condition)
{
	uint64_t bits = architecture->wide ? UINT64_MAX : UINT32_MAX;

	condition->value &= bits;
	if (condition->operator_ != SECCOMP_MASKED_EQ)
		return true;
	condition->mask &= bits;
	condition->value &= condition->mask;
	return condition->mask != 0;
}

static void add_rule(struct arena *arena, struct calls *calls, const struct seccomp_architecture *architecture,
		     const struct seccomp_rule *rule, const struct seccomp_number *number)
{
	struct call *call = use_call(arena, calls, number->number);
	struct alternative alternative = {.action = rule->action};

	if (call->unconditional)
		return;
	if (number->selector != 0)
		alternative.conditions[alternative.count++] =
		    (struct seccomp_condition){.index = 0, .operator_ = SECCOMP_EQ, .value = number->selector};
	for (size_t i = 0; i < rule->conditions_count; i++) {
		struct seccomp_condition condition = rule->conditions[i];
		/* The selector takes the place of a condition for the first argument: the call's own arguments
		 * are in memory, where a filter can't see them. */
		if (number->selector != 0 && condition.index == 0)
			continue;
		if (normalise(architecture, &condition))
			alternative.conditions[alternative.count++] = condition;
	}
	if (alternative.count == 0) {
		call->unconditional = true;
		call->action = rule->action;
		call->alternatives = NULL;
		return;
	}
	struct alternative *copy = arena_alloc(arena, sizeof *copy);
	*copy = alternative;
	if (call->alternatives == NULL)
		call->end = &call->alternatives;
	*call->end = copy;
	call->end = &copy->next;
}

/* The values that fulfil a condition, as an interval; empty when first > last. False for other shapes. */
static bool interval(const struct seccomp_condition *condition, uint64_t *first, uint64_t *last)
{
	uint64_t value = condition->value;

	*first = 0;
	*last = UINT64_MAX;
	switch (condition->operator_) {
	case SECCOMP_EQ:
		*first = *last = value;
		return true;
	case SECCOMP_GE:
		*first = value;
		return true;
	case SECCOMP_LE:
		*last = value;
		return true;
	case SECCOMP_GT:
		*first = value + 1;
		if (value == UINT64_MAX)
			*last = 0, *first = 1;
		return true;
	case SECCOMP_LT:
		*last = value - 1;
		if (value == 0)
			*last = 0, *first = 1;
		return true;
	default:
		return false;
	}
}

/* Whether no value can fulfil both. */
static bool exclusive(const struct seccomp_condition *a, const struct seccomp_condition *b)
{
	uint64_t first_a, last_a, first_b, last_b;

	if (interval(a, &first_a, &last_a) && interval(b, &first_b, &last_b))
		return first_a > last_b || first_b > last_a;
	if (b->operator_ == SECCOMP_EQ) {
		const struct seccomp_condition *swap = a;
		a = b;
		b = swap;
	}
	if (a->operator_ == SECCOMP_EQ && b->operator_ == SECCOMP_NE)
		return a->value == b->value;
	if (a->operator_ == SECCOMP_EQ && b->operator_ == SECCOMP_MASKED_EQ)
		return (a->value & b->mask) != b->value;
	if (a->operator_ == SECCOMP_MASKED_EQ && b->operator_ == SECCOMP_MASKED_EQ)
		return ((a->value ^ b->value) & a->mask & b->mask) != 0;
	return false;
}

/* Whether the order of the alternatives matters: two with different actions may hold at once. */
static bool ambiguous(const struct alternative *alternatives)
{
	for (const struct alternative *a = alternatives; a != NULL; a = a->next)
		for (const struct alternative *b = a->next; b != NULL; b = b->next) {
			bool apart = a->action == b->action;
			for (size_t i = 0; i < a->count && !apart; i++)
				for (size_t j = 0; j < b->count && !apart; j++)
					apart = a->conditions[i].index == b->conditions[j].index &&
						exclusive(&a->conditions[i], &b->conditions[j]);
			if (!apart)
				return true;
		}
	return false;
}

static void add_range(struct section *section, struct range range)
{
	struct range *last = section->count > 0 ? &section->ranges[section->count - 1] : NULL;

	if (last != NULL && last->first == range.first)
		section->count--;
	last = section->count > 0 ? &section->ranges[section->count - 1] : NULL;
	if (last != NULL && last->alternatives == NULL && range.alternatives == NULL && last->action == range.action)
		return;
	section->ranges[section->count++] = range;
}

/* Appends the ranges from `first` to UINT32_MAX. Returns whether the order of some call's rules matters. */
static bool add_calls(struct arena *arena, struct section *section, const struct seccomp_profile *profile,
		      struct calls *calls, const struct seccomp_architecture *architecture, uint32_t first)
{
	uint32_t default_action = profile->default_action, gap = default_action;

	/* Two for each call, four for what lies around them. */
	struct range *ranges = arena_array(arena, section->count + 2 * calls->count + 4, sizeof *ranges);
	if (section->count > 0)
		memcpy(ranges, section->ranges, section->count * sizeof *ranges);
	section->ranges = ranges;
	add_range(section, (struct range){.first = first, .action = gap});
	for (size_t i = 0; i < SMALL_NUMBERS + calls->large_count; i++) {
		const struct call *call = i < SMALL_NUMBERS ? &calls->small[i] : &calls->large[i - SMALL_NUMBERS];
		if (call->used) {
			if (ambiguous(call->alternatives))
				return true;
			add_range(section, (struct range){.first = call->number,
							  .action = call->unconditional ? call->action : default_action,
							  .alternatives = call->alternatives,
							  .architecture = architecture});
		}
		bool highest = profile->enosys_above && calls->any && i == calls->highest - calls->base;
		if (highest)
			gap = SECCOMP_RET_ERRNO | ENOSYS;
		if (call->used && call->number != UINT32_MAX)
			add_range(section, (struct range){.first = call->number + 1, .action = gap});
		else if (highest)
			add_range(section, (struct range){.first = calls->highest + 1, .action = gap});
	}
	return false;
}

/* Leaves out private numbers that lie far above the table. Returns whether the number counts. */
static bool note_highest(const struct seccomp_architecture *architecture, uint32_t number, bool is_first,
			 uint32_t *highest)
{
	if (number - architecture->base >= SMALL_NUMBERS)
		return false;
	if (is_first || number > *highest)
		*highest = number;
	return true;
}

bool seccomp_highest(const struct seccomp_profile *profile, const struct seccomp_architecture *architecture,
		     uint32_t *highest)
{
	struct seccomp_number numbers[2];
	bool any = false;

	for (size_t i = 0; i < profile->rules_count; i++)
		for (size_t j = 0; j < profile->rules[i].names_count; j++) {
			size_t count = seccomp_numbers(architecture, profile->rules[i].names[j], numbers);
			for (size_t k = 0; k < count; k++)
				any |= note_highest(architecture, numbers[k].number, !any, highest);
		}
	return any;
}

/* Collects the calls of one architecture. */
static void collect(struct arena *arena, const struct seccomp_profile *profile,
		    const struct seccomp_architecture *architecture, struct calls *calls)
{
	struct seccomp_number numbers[2];

	*calls = (struct calls){.base = architecture->base};
	for (size_t i = 0; i < profile->rules_count; i++) {
		const struct seccomp_rule *rule = &profile->rules[i];
		for (size_t j = 0; j < rule->names_count; j++) {
			size_t count = seccomp_numbers(architecture, rule->names[j], numbers);
			for (size_t k = 0; k < count; k++) {
				calls->any |=
				    note_highest(architecture, numbers[k].number, !calls->any, &calls->highest);
				/* A rule for the default action names a call, no more. */
				if (rule->action != profile->default_action)
					add_rule(arena, calls, architecture, rule, &numbers[k]);
				else if (numbers[k].number - calls->base >= SMALL_NUMBERS)
					use_call(arena, calls, numbers[k].number);
			}
		}
	}
	/* setup(2), which is gone, is what the kernel shows for numbers beyond its table: s390 keeps such
	 * numbers in a register that the filter does not see. */
	if (profile->enosys_above && calls->any && (architecture->token & 0xffff) == EM_S390)
		calls->small[0] =
		    (struct call){.used = true, .unconditional = true, .action = SECCOMP_RET_ERRNO | ENOSYS};
}

/* What is no call of a known architecture ends the thread (libseccomp's SCMP_FLTATR_ACT_BADARCH). */
#define FOREIGN SECCOMP_RET_KILL_THREAD

/* Returns the number of sections, or -EEXIST when the order of rules matters. */
static int make_sections(struct arena *arena, const struct seccomp_profile *profile, struct section *sections)
{
	struct calls *calls = arena_alloc(arena, sizeof *calls);
	int count = 0;

	for (size_t i = 0; i < profile->architectures_count; i++) {
		const struct seccomp_architecture *architecture = profile->architectures[i];
		bool x86_64 = architecture->audit == AUDIT_ARCH_X86_64;
		if (x86_64 && architecture->base == SECCOMP_X32_BIT)
			continue; /* comes with x86_64 */
		struct section *section = &sections[count++];
		*section = (struct section){.audit = architecture->audit};
		collect(arena, profile, architecture, calls);
		if (add_calls(arena, section, profile, calls, architecture, 0))
			return -EEXIST;
		if (!x86_64)
			continue;
		const struct seccomp_architecture *x32 = NULL;
		for (size_t j = 0; j < profile->architectures_count; j++)
			if (profile->architectures[j]->base == SECCOMP_X32_BIT)
				x32 = profile->architectures[j];
		if (x32 == NULL) {
			add_range(section, (struct range){.first = SECCOMP_X32_BIT, .action = FOREIGN});
			/* A tracer's way to skip a call, not one of x32. */
			add_range(section, (struct range){.first = UINT32_MAX, .action = profile->default_action});
			continue;
		}
		collect(arena, profile, x32, calls);
		if (add_calls(arena, section, profile, calls, x32, SECCOMP_X32_BIT))
			return -EEXIST;
	}
	return count;
}

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
			      const struct alternative *alternative)
{
	if (alternative->next != NULL)
		emit_alternatives(writer, architecture, alternative->next);
	bpf_label fail = bpf_here(writer);
	bpf_return(writer, alternative->action);
	for (size_t i = alternative->count; i-- > 0;)
		emit_condition(writer, architecture, &alternative->conditions[i], fail);
}

static void emit_range(struct bpf_writer *writer, const struct range *range)
{
	bpf_return(writer, range->action);
	if (range->alternatives != NULL)
		emit_alternatives(writer, range->architecture, range->alternatives);
}

/* Binary search. */
static void emit_ranges(struct bpf_writer *writer, const struct range *ranges, size_t count)
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

static int emit(struct arena *arena, struct section *sections, size_t count, struct seccomp_program *program,
		struct error *err)
{
	struct bpf_writer *writer = arena_alloc(arena, sizeof *writer);

	for (size_t i = count; i-- > 0;) {
		emit_ranges(writer, sections[i].ranges, sections[i].count);
		bpf_load(writer, offsetof(struct seccomp_data, nr));
		sections[i].start = bpf_here(writer);
	}
	bpf_return(writer, FOREIGN);
	for (size_t i = count; i-- > 0;)
		bpf_branch(writer, BPF_JEQ, sections[i].audit, sections[i].start, bpf_here(writer));
	bpf_load(writer, offsetof(struct seccomp_data, arch));
	if (writer->overflow)
		return error_set(err, E2BIG,
				 "the seccomp filter has more than the %d instructions that the kernel takes",
				 BPF_MAXINSNS);
	program->instructions = writer->instructions + BPF_MAXINSNS - writer->count;
	program->count = writer->count;
	return 0;
}

int seccomp_compile(struct arena *arena, const struct seccomp_profile *profile, bool library,
		    struct seccomp_program *program, struct error *err)
{
	struct section *sections = arena_array(arena, profile->architectures_count, sizeof *sections);
	int count = library ? -EEXIST : make_sections(arena, profile, sections);

	if (count < 0)
		return seccomp_compile_library(arena, profile, program, err);
	return emit(arena, sections, (size_t)count, program, err);
}
