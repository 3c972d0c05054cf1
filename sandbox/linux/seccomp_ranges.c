/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/seccomp_ranges.h"

#include <errno.h>
#include <linux/audit.h>
#include <string.h>

/* One system call of one architecture. Unconditional rules win over conditional ones, and the first of them
 * over later ones: libseccomp's rules. */
struct call {
	uint32_t number;
	bool used;
	bool unconditional;
	uint32_t action;
	struct seccomp_alternative *alternatives;
	struct seccomp_alternative **end;
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
	struct seccomp_alternative alternative = {.action = rule->action};

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
		if (!normalise(architecture, &condition))
			continue;
		size_t at = alternative.count++;
		for (; at > 0 && alternative.conditions[at - 1].index > condition.index; at--)
			alternative.conditions[at] = alternative.conditions[at - 1];
		alternative.conditions[at] = condition;
	}
	if (alternative.count == 0) {
		call->unconditional = true;
		call->action = rule->action;
		call->alternatives = NULL;
		return;
	}
	struct seccomp_alternative *copy = arena_alloc(arena, sizeof *copy);
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

/* Whether two with different actions may hold at once. */
static bool ambiguous(const struct seccomp_alternative *alternatives)
{
	for (const struct seccomp_alternative *a = alternatives; a != NULL; a = a->next)
		for (const struct seccomp_alternative *b = a->next; b != NULL; b = b->next) {
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

/* How much of what is possible an operator leaves: little first. */
static int width(enum seccomp_operator operator_)
{
	switch (operator_) {
	case SECCOMP_EQ:
		return 0;
	case SECCOMP_MASKED_EQ:
		return 1;
	case SECCOMP_LT:
	case SECCOMP_LE:
		return 2;
	case SECCOMP_GT:
	case SECCOMP_GE:
		return 3;
	default:
		return 4;
	}
}

/* Whether a is asked before b when both may hold: the more specific one. In what libseccomp has an order for, it is the
 * same; it has none for equal conditions, where the stricter action is taken, as the kernel does with several filters.
 */
static bool precedes(const struct seccomp_alternative *a, const struct seccomp_alternative *b)
{
	for (size_t i = 0; i < a->count && i < b->count; i++) {
		const struct seccomp_condition *left = &a->conditions[i], *right = &b->conditions[i];
		bool upper_bound = left->operator_ == SECCOMP_LT || left->operator_ == SECCOMP_LE;
		if (left->index != right->index)
			return left->index > right->index;
		if (width(left->operator_) != width(right->operator_))
			return width(left->operator_) < width(right->operator_);
		if (left->value != right->value)
			return (left->value < right->value) == upper_bound;
		if (left->operator_ != right->operator_)
			return left->operator_ == SECCOMP_LT || left->operator_ == SECCOMP_GT;
		if (left->operator_ == SECCOMP_MASKED_EQ && left->mask != right->mask)
			return __builtin_popcountll(left->mask) > __builtin_popcountll(right->mask);
	}
	if (a->count != b->count)
		return a->count > b->count;
	return (int32_t)a->action < (int32_t)b->action;
}

static struct seccomp_alternative *put_in_order(struct seccomp_alternative *alternatives)
{
	struct seccomp_alternative *ordered = NULL;

	while (alternatives != NULL) {
		struct seccomp_alternative *next = alternatives->next, **at = &ordered;
		while (*at != NULL && !precedes(alternatives, *at))
			at = &(*at)->next;
		alternatives->next = *at;
		*at = alternatives;
		alternatives = next;
	}
	return ordered;
}

static void add_range(struct seccomp_section *section, struct seccomp_range range)
{
	struct seccomp_range *last = section->count > 0 ? &section->ranges[section->count - 1] : NULL;

	if (last != NULL && last->first == range.first)
		section->count--;
	last = section->count > 0 ? &section->ranges[section->count - 1] : NULL;
	if (last != NULL && last->alternatives == NULL && range.alternatives == NULL && last->action == range.action)
		return;
	section->ranges[section->count++] = range;
}

/* Appends the ranges from `first` to UINT32_MAX. */
static void add_calls(struct arena *arena, struct seccomp_section *section, const struct seccomp_profile *profile,
		      struct calls *calls, const struct seccomp_architecture *architecture, uint32_t first)
{
	uint32_t default_action = profile->default_action, gap = default_action;

	/* Two for each call, four for what lies around them. */
	struct seccomp_range *ranges = arena_array(arena, section->count + 2 * calls->count + 4, sizeof *ranges);
	if (section->count > 0)
		memcpy(ranges, section->ranges, section->count * sizeof *ranges);
	section->ranges = ranges;
	add_range(section, (struct seccomp_range){.first = first, .action = gap});
	for (size_t i = 0; i < SMALL_NUMBERS + calls->large_count; i++) {
		struct call *call = i < SMALL_NUMBERS ? &calls->small[i] : &calls->large[i - SMALL_NUMBERS];
		if (call->used) {
			if (ambiguous(call->alternatives))
				call->alternatives = put_in_order(call->alternatives);
			add_range(section,
				  (struct seccomp_range){.first = call->number,
							 .action = call->unconditional ? call->action : default_action,
							 .alternatives = call->alternatives,
							 .architecture = architecture});
		}
		bool highest = profile->enosys_above && calls->any && i == calls->highest - calls->base;
		if (highest)
			gap = SECCOMP_RET_ERRNO | ENOSYS;
		if (call->used && call->number != UINT32_MAX)
			add_range(section, (struct seccomp_range){.first = call->number + 1, .action = gap});
		else if (highest)
			add_range(section, (struct seccomp_range){.first = calls->highest + 1, .action = gap});
	}
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

size_t seccomp_sections(struct arena *arena, const struct seccomp_profile *profile, struct seccomp_section *sections)
{
	struct calls *calls = arena_alloc(arena, sizeof *calls);
	size_t count = 0;

	for (size_t i = 0; i < profile->architectures_count; i++) {
		const struct seccomp_architecture *architecture = profile->architectures[i];
		bool x86_64 = architecture->audit == AUDIT_ARCH_X86_64;
		if (x86_64 && architecture->base == SECCOMP_X32_BIT)
			continue; /* comes with x86_64 */
		struct seccomp_section *section = &sections[count++];
		*section = (struct seccomp_section){.audit = architecture->audit};
		collect(arena, profile, architecture, calls);
		add_calls(arena, section, profile, calls, architecture, 0);
		if (!x86_64)
			continue;
		const struct seccomp_architecture *x32 = NULL;
		for (size_t j = 0; j < profile->architectures_count; j++)
			if (profile->architectures[j]->base == SECCOMP_X32_BIT)
				x32 = profile->architectures[j];
		if (x32 == NULL) {
			add_range(section, (struct seccomp_range){.first = SECCOMP_X32_BIT, .action = SECCOMP_FOREIGN});
			/* A tracer's way to skip a call, not one of x32. */
			add_range(section,
				  (struct seccomp_range){.first = UINT32_MAX, .action = profile->default_action});
			continue;
		}
		collect(arena, profile, x32, calls);
		add_calls(arena, section, profile, calls, x32, SECCOMP_X32_BIT);
	}
	return count;
}
