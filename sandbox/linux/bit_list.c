/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/bit_list.h"

#include <errno.h>
#include <string.h>

#include "sandbox/common/number.h"

/* One "N" or "N-M". */
static int parse_range(char *text, uint64_t *first, uint64_t *last)
{
	char *dash = strchr(text, '-');

	if (dash != NULL)
		*dash++ = '\0';
	int rc = number_parse_u64(text, 0, BIT_LIST_MAXIMUM - 1, first);
	if (rc == 0 && dash != NULL)
		rc = number_parse_u64(dash, 0, BIT_LIST_MAXIMUM - 1, last);
	else
		*last = *first;
	if (rc < 0)
		return rc;
	return *first <= *last ? 0 : -EINVAL;
}

int bit_list_parse(const char *text, struct arena *arena, uint64_t **words, size_t *count)
{
	uint64_t *mask = arena_array(arena, BIT_LIST_MAXIMUM / 64, sizeof *mask);
	char *copy = arena_strdup(arena, text);

	*words = mask;
	*count = 0;
	if (text[0] == '\0')
		return 0;
	for (char *next = copy; next != NULL;) {
		char *item = next;
		next = strchr(item, ',');
		if (next != NULL)
			*next++ = '\0';
		/* Spaces are not in the format, but runc takes "0, 1". */
		item += strspn(item, " \t");
		item[strcspn(item, " \t")] = '\0';
		uint64_t first, last;
		int rc = parse_range(item, &first, &last);
		if (rc < 0)
			return rc;
		for (uint64_t bit = first; bit <= last; bit++)
			mask[bit / 64] |= UINT64_C(1) << bit % 64;
		if (last / 64 + 1 > *count)
			*count = last / 64 + 1;
	}
	return 0;
}
