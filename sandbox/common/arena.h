/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed all at once. Running out of memory ends the program with a message: nothing of a
 * command's work can go on without it, and every descriptor, process and mount is cleaned up by the kernel
 * or by the supervisor, which watches the command. */
#ifndef SANDLOCK_COMMON_ARENA_H
#define SANDLOCK_COMMON_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_block;

/* An arena; zero-initialised is empty. */
struct arena {
	struct arena_block *blocks;
};

/* Zeroed memory, aligned for any type. Never NULL. */
void *arena_alloc(struct arena *arena, size_t size);
/* Zeroed memory for count elements; the product is checked. Never NULL. */
void *arena_array(struct arena *arena, size_t count, size_t size);
/* A copy of the first `length` bytes, NUL-terminated. */
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *arena);

#define CLEANUP_ARENA __attribute__((cleanup(arena_free)))

#endif
