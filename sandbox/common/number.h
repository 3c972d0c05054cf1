/* SPDX-License-Identifier: Apache-2.0 */
/* Checked parsing of decimal numbers: the whole string, no spaces, no sign where none is possible. */
#ifndef SANDLOCK_COMMON_NUMBER_H
#define SANDLOCK_COMMON_NUMBER_H

#include <stdint.h>

/* Parse a whole string. Return 0, -EINVAL (not a number) or -ERANGE (outside minimum..maximum). */
int number_parse_u64(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *value);
int number_parse_i64(const char *text, int64_t minimum, int64_t maximum, int64_t *value);
/* Like number_parse_i64 for an int. */
int number_parse_int(const char *text, int minimum, int maximum, int *value);

#endif
