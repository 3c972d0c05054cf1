/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/environment_plan.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* The names seen so far: open addressing, since a pod in a large cluster has tens of thousands of variables. */
struct name_set {
	const char **slots;
	size_t mask;
};

static size_t name_length(const char *variable)
{
	return (size_t)(strchr(variable, '=') - variable);
}

/* Returns whether the name was new. */
static bool add_name(struct name_set *set, const char *variable)
{
	size_t length = name_length(variable);
	uint64_t hash = 14695981039346656037ULL; /* FNV-1a */

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)variable[i]) * 1099511628211ULL;
	for (size_t slot = hash & set->mask;; slot = (slot + 1) & set->mask) {
		const char *other = set->slots[slot];
		if (other == NULL) {
			set->slots[slot] = variable;
			return true;
		}
		if (name_length(other) == length && memcmp(other, variable, length) == 0)
			return false;
	}
}

int environment_plan(struct plan_builder *builder, const struct oci_process *process, struct plan_array *out,
		     struct error *err)
{
	struct arena arena CLEANUP_ARENA = {0};
	size_t count = process->env_count, capacity = 16;

	while (capacity < count * 2)
		capacity *= 2;
	struct name_set names = {.slots = arena_array(&arena, capacity, sizeof(char *)), .mask = capacity - 1};
	const char **kept = arena_array(&arena, count + 1, sizeof *kept);

	/* From the back, so that the last of a name is kept. */
	size_t first = count;
	for (size_t i = count; i-- > 0;) {
		const char *variable = process->env[i];
		const char *equals = strchr(variable, '=');
		if (equals == NULL)
			return error_set(err, EINVAL,
					 "process.env[%zu] \"%s\": invalid environment variable: missing '='", i,
					 variable);
		if (equals == variable)
			return error_set(err, EINVAL,
					 "process.env[%zu] \"%s\": invalid environment variable: name cannot be empty",
					 i, variable);
		if (add_name(&names, variable) && strcmp(variable, "HOME=") != 0)
			kept[--first] = variable;
	}
	*out = plan_add_strings(builder, kept + first, count - first);
	return 0;
}
