/* SPDX-License-Identifier: Apache-2.0 */
/* The reference of supported properties, made from the tables. */
#ifndef SANDLOCK_SPEC_REFERENCE_H
#define SANDLOCK_SPEC_REFERENCE_H

#include <stdio.h>

/* Writes a Markdown table with one line for each property of config.json: name, type, the file that applies it,
 * the first kernel version if it is newer than what is required anyhow, the test. */
void reference_write(FILE *out);

#endif
