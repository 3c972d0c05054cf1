/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the specification and the numbers that the kernel has for them. */
#ifndef SANDLOCK_SPEC_WORDS_H
#define SANDLOCK_SPEC_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lists end with a NULL text. */
struct word {
	const char *text;
	uint64_t value;
};

extern const struct word namespace_words[];         /* CLONE_NEW* */
extern const struct word rlimit_words[];            /* RLIMIT_* */
extern const struct word capability_words[];        /* 1 << CAP_*, in the order of their numbers */
extern const struct word scheduler_policy_words[];  /* SCHED_* */
extern const struct word scheduler_flag_words[];    /* SCHED_FLAG_* */
extern const struct word io_priority_class_words[]; /* IOPRIO_CLASS_* */
extern const struct word propagation_words[];       /* MS_SHARED, ... with MS_REC for the r forms */
extern const struct word device_type_words[];       /* 'c', 'b', 'u', 'p' */
extern const struct word device_rule_type_words[];  /* 'a', 'b', 'c' */
extern const struct word memory_policy_mode_words[];
extern const struct word memory_policy_flag_words[];
extern const struct word personality_words[];
extern const struct word clock_words[];
extern const struct word seccomp_action_words[];   /* value: 1 if the action takes an errnoRet */
extern const struct word seccomp_operator_words[]; /* value unused: the words are libseccomp's own names */
extern const struct word seccomp_arch_words[];     /* value unused */
extern const struct word seccomp_flag_words[];     /* SECCOMP_FILTER_FLAG_* */

/* The entry, or NULL. */
const struct word *word_find(const struct word *words, const char *text);
/* The text for a value, or NULL. */
const char *word_text(const struct word *words, uint64_t value);

#endif
