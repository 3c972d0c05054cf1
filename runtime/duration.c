/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/duration.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sandbox/common/cleanup.h"

#define NANOSECONDS_MAX ((uint64_t)INT_MAX * 1000000)

static const struct unit {
	const char *suffix;
	uint64_t nanoseconds;
} units[] = {
    {"ns", 1},       {"us", 1000},      {"\xc2\xb5s", 1000},       {"\xce\xbcs", 1000},
    {"ms", 1000000}, {"s", 1000000000}, {"m", 60 * 1000000000ULL}, {"h", 3600 * 1000000000ULL},
};

static const struct unit *find_unit(const char *text, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].suffix) == length && memcmp(units[i].suffix, text, length) == 0)
			return &units[i];
	return NULL;
}

/* Digits, and a fraction. Returns what is behind it, or NULL. `part` is the fraction in terms of the unit. */
static const char *read_number(const char *text, uint64_t *whole, const char **fraction)
{
	size_t digits = strspn(text, "0123456789");

	*whole = 0;
	*fraction = NULL;
	for (size_t i = 0; i < digits; i++) {
		*whole = *whole * 10 + (uint64_t)(text[i] - '0');
		if (*whole > NANOSECONDS_MAX)
			return NULL;
	}
	text += digits;
	if (*text == '.') {
		*fraction = ++text;
		size_t more = strspn(text, "0123456789");
		digits += more;
		text += more;
	}
	return digits == 0 ? NULL : text;
}

int duration_parse(const char *text, int *milliseconds)
{
	uint64_t total = 0;

	for (bool first = true; first || *text != '\0'; first = false) {
		uint64_t whole;
		const char *fraction;
		const char *rest = read_number(text, &whole, &fraction);
		if (rest == NULL)
			return text[0] >= '0' && text[0] <= '9' ? -ERANGE : -EINVAL;
		/* A second point in a number is no beginning of another one. */
		if (fraction != NULL && *rest == '.')
			return -EINVAL;
		size_t length = strcspn(rest, "0123456789.");
		const struct unit *unit =
		    length == 0 && first && *rest == '\0' ? find_unit("s", 1) : find_unit(rest, length);
		if (unit == NULL)
			return -EINVAL;
		if (whole > (NANOSECONDS_MAX - total) / unit->nanoseconds)
			return -ERANGE;
		total += whole * unit->nanoseconds;
		uint64_t scale = unit->nanoseconds;
		for (; fraction != NULL && *fraction >= '0' && *fraction <= '9' && scale >= 10; fraction++) {
			scale /= 10;
			total += (uint64_t)(*fraction - '0') * scale;
		}
		text = rest + length;
	}
	if (total > NANOSECONDS_MAX)
		return -ERANGE;
	*milliseconds = (int)((total + 999999) / 1000000);
	return 0;
}
