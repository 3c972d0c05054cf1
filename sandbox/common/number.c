/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/common/number.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/* Parses digits only; -ERANGE when they do not fit 64 bits. */
static int parse_digits(const char *text, uint64_t *value)
{
	uint64_t result = 0;

	if (*text == '\0')
		return -EINVAL;
	for (; *text != '\0'; text++) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		if (__builtin_mul_overflow(result, (uint64_t)10, &result) ||
		    __builtin_add_overflow(result, (uint64_t)(*text - '0'), &result)) {
			while (*text >= '0' && *text <= '9')
				text++;
			return *text == '\0' ? -ERANGE : -EINVAL;
		}
	}
	*value = result;
	return 0;
}

int number_parse_u64(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *value)
{
	uint64_t result = 0;

	if (text == NULL)
		return -EINVAL;
	int rc = parse_digits(text, &result);
	if (rc < 0)
		return rc;
	if (result < minimum || result > maximum)
		return -ERANGE;
	*value = result;
	return 0;
}

int number_parse_i64(const char *text, int64_t minimum, int64_t maximum, int64_t *value)
{
	uint64_t magnitude = 0;

	if (text == NULL)
		return -EINVAL;
	bool negative = *text == '-';
	int rc = parse_digits(text + (negative ? 1 : 0), &magnitude);
	if (rc < 0)
		return rc;
	if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
		return -ERANGE;
	int64_t result = (int64_t)(negative ? -magnitude : magnitude);
	if (result < minimum || result > maximum)
		return -ERANGE;
	*value = result;
	return 0;
}

int number_parse_int(const char *text, int minimum, int maximum, int *value)
{
	int64_t result;
	int rc = number_parse_i64(text, minimum, maximum, &result);

	if (rc == 0)
		*value = (int)result;
	return rc;
}
