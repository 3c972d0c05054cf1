/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 as RFC 3629 has it. */
#ifndef SANDLOCK_SPEC_UTF8_H
#define SANDLOCK_SPEC_UTF8_H

#include <stddef.h>

/* Bytes (1 to 4) of the sequence at `text`, of which `left` > 0 bytes are there; 0 if it is not valid:
 * overlong forms, surrogates and what lies beyond U+10FFFF. */
size_t utf8_length(const char *text, size_t left);

#endif
