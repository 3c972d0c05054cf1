/* SPDX-License-Identifier: Apache-2.0 */
/* Lists like "0-3,7" (cpuset(7) "List format") as bit masks for the kernel. */
#ifndef SANDLOCK_LINUX_BIT_LIST_H
#define SANDLOCK_LINUX_BIT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "sandbox/common/arena.h"

/* Bits a list may name; more than the kernel has CPUs (8192) or memory nodes (1024) for. */
#define BIT_LIST_MAXIMUM 8192

/* The mask as 64-bit words in *words, which lives in the arena; *count is the number of words up to the highest bit,
 * 0 for an empty list. Returns 0, -EINVAL (not such a list), or -ERANGE (a number beyond the maximum). */
int bit_list_parse(const char *text, struct arena *arena, uint64_t **words, size_t *count);

#endif
