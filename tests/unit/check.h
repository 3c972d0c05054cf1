/* SPDX-License-Identifier: Apache-2.0 */
/* What unit tests share: a check that reports and goes on, and the exit status at the end. */
#ifndef SANDLOCK_TESTS_CHECK_H
#define SANDLOCK_TESTS_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int checks_run, checks_failed;

static inline bool check_that(bool holds, const char *file, int line, const char *text)
{
	checks_run++;
	if (!holds) {
		checks_failed++;
		printf("not ok - %s:%d: %s\n", file, line, text);
	}
	return holds;
}

static inline bool check_text(const char *found, const char *wanted, const char *file, int line)
{
	bool same = (found == NULL || wanted == NULL) ? found == wanted : strcmp(found, wanted) == 0;

	checks_run++;
	if (!same) {
		checks_failed++;
		printf("not ok - %s:%d:\n#   found:  %s\n#   wanted: %s\n", file, line,
		       found != NULL ? found : "(null)", wanted != NULL ? wanted : "(null)");
	}
	return same;
}

/* The condition holds. */
#define CHECK(condition) check_that((condition), __FILE__, __LINE__, #condition)
/* Two strings, which may be NULL, are the same. */
#define CHECK_TEXT(found, wanted) check_text((found), (wanted), __FILE__, __LINE__)

/* The exit status of the test program; a test without a check fails. */
static inline int check_result(void)
{
	printf("%s - %d checks, %d failed\n", checks_failed == 0 && checks_run > 0 ? "ok" : "not ok", checks_run,
	       checks_failed);
	return checks_failed == 0 && checks_run > 0 ? 0 : 1;
}

#endif
