/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a launch plan (plan.h). Used by the program only. */
#ifndef SANDLOCK_PLAN_BUILDER_H
#define SANDLOCK_PLAN_BUILDER_H

#include "sandbox/common/arena.h"
#include "sandbox/plan.h"

/* A plan under construction: `plan` is the fixed part, which callers fill; the variable part grows behind it. */
struct plan_builder {
	struct plan plan;
	char *data; /* everything behind struct plan; offset 0 of the block is the start of struct plan */
	size_t length;
	size_t capacity;
	int *fds; /* descriptors that travel beside the plan; owned, close-on-exec */
	size_t fds_count;
};

void plan_builder_init(struct plan_builder *builder);
/* Closes the descriptors and frees the memory. */
void plan_builder_free(struct plan_builder *builder);
/* Copies a string; NULL gives 0. Never fails: see arena.h about memory. */
plan_string plan_add_string(struct plan_builder *builder, const char *text);
/* Copies `count` elements, 8-byte aligned. The elements are complete: add the strings they refer to before. */
struct plan_array plan_add_array(struct plan_builder *builder, const void *items, size_t count, size_t size);
/* Copies strings and an array of their offsets. */
struct plan_array plan_add_strings(struct plan_builder *builder, const char *const *items, size_t count);
/* Takes ownership of a descriptor that the launcher shall receive. */
plan_fd plan_add_fd(struct plan_builder *builder, int fd);
/* Writes and seals the plan. Returns a memfd or a negative errno value. */
int plan_seal(struct plan_builder *builder, struct error *err);

#define CLEANUP_PLAN_BUILDER __attribute__((cleanup(plan_builder_free)))

#endif
