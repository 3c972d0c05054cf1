/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/checks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGITS "0123456789"

const char *check_absolute(const char *text)
{
	return text[0] == '/' ? NULL : "is not an absolute path";
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " ");
}

/* A number of at most five digits: no machine has more processors or nodes. NULL if there is none. */
static const char *list_number(const char *text, uint32_t *value)
{
	size_t digits = strspn(text, DIGITS);

	*value = 0;
	if (digits == 0 || digits > 5)
		return NULL;
	for (size_t i = 0; i < digits; i++)
		*value = *value * 10 + (uint32_t)(text[i] - '0');
	return text + digits;
}

const char *check_list(const char *text)
{
	static const char complaint[] = "is not a list of numbers and ranges like 0-3,7";

	for (;;) {
		uint32_t first, last;
		text = list_number(skip_blanks(text), &first);
		if (text == NULL)
			return complaint;
		text = skip_blanks(text);
		if (*text == '-') {
			text = list_number(skip_blanks(text + 1), &last);
			if (text == NULL || last < first)
				return complaint;
			text = skip_blanks(text);
		}
		if (*text == '\0')
			return NULL;
		if (*text++ != ',')
			return complaint;
	}
}

const char *check_cpuset(const char *text)
{
	if (text[strspn(text, DIGITS "-,:/ Nal\n")] != '\0')
		return "is not a list of numbers and ranges like 0-3,7";
	return NULL;
}

const char *check_page_size(const char *text)
{
	size_t digits = strspn(text, DIGITS);
	const char *unit = text + digits;
	bool valid = digits > 0 && text[0] != '0' && unit[0] != '\0' && strchr("KMG", unit[0]) != NULL &&
		     strcmp(unit + 1, "B") == 0;

	return valid ? NULL : "is not a page size like 64KB, 2MB or 1GB";
}

const char *check_device_access(const char *text)
{
	return text[strspn(text, "rwm")] == '\0' ? NULL : "is not composed of r, w and m";
}

const char *check_file_name(const char *text)
{
	if (strchr(text, '/') != NULL || strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
		return "is not the name of a file";
	return NULL;
}

const char *check_net_device(const char *text)
{
	/* IFNAMSIZ counts the NUL. */
	if (strlen(text) > 15)
		return "is longer than 15 bytes";
	if (strcmp(text, ".") == 0 || strcmp(text, "..") == 0 || text[strcspn(text, "/: \t\n\v\f\r")] != '\0')
		return "is not a name for a network device";
	return NULL;
}

const char *check_clos_id(const char *text)
{
	return strcmp(text, "/") == 0 ? NULL : check_file_name(text);
}

const char *check_no_newline(const char *text)
{
	return strchr(text, '\n') == NULL ? NULL : "contains a newline";
}

const char *check_mem_bw_schema(const char *text)
{
	return strncmp(text, "MB:", 3) == 0 ? check_no_newline(text) : "does not start with MB:";
}

const char *check_uts_name(const char *text)
{
	return strlen(text) <= 64 ? NULL : "is longer than 64 bytes";
}
