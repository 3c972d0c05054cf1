/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/common/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size;
	max_align_t data[];
};

static void out_of_memory(void)
{
	fputs("sandlock-oci: out of memory\n", stderr);
	_Exit(1);
}

void *arena_alloc(struct arena *arena, size_t size)
{
	const size_t unit = sizeof(max_align_t);
	const size_t minimum = 32 * 1024;

	if (size > SIZE_MAX - unit - sizeof(struct arena_block))
		out_of_memory();
	size = (size + unit - 1) / unit * unit;
	struct arena_block *block = arena->blocks;
	if (block == NULL || block->size - block->used < size) {
		size_t capacity = size > minimum ? size : minimum;
		block = calloc(1, sizeof *block + capacity);
		if (block == NULL)
			out_of_memory();
		block->size = capacity;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	void *memory = (char *)block->data + block->used;
	block->used += size;
	return memory;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total))
		out_of_memory();
	return arena_alloc(arena, total);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	memcpy(copy, text, length);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0)
		out_of_memory();
	char *text = arena_alloc(arena, (size_t)length + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}

void arena_free(struct arena *arena)
{
	while (arena->blocks != NULL) {
		struct arena_block *next = arena->blocks->next;
		free(arena->blocks);
		arena->blocks = next;
	}
}
