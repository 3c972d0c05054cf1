/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations that change how a container is made; all others are only passed on. */
#ifndef SANDLOCK_SPEC_ANNOTATIONS_H
#define SANDLOCK_SPEC_ANNOTATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "spec/config.h"

/* One annotation, for `features` and the reference. */
struct annotation {
	const char *name;   /* one that ends in a dot stands for all that begin so */
	const char *values; /* what it may be */
	const char *effect;
	const char *applied; /* the file that applies it */
	const char *test;    /* the test that shows it */
};

extern const struct annotation annotations[];
extern const size_t annotations_count;

/* The row of a name, or NULL. */
const struct annotation *annotation_find(const char *name);

/* The value of an annotation, or NULL. */
const char *config_annotation(const struct oci_config *config, const char *name);

/* Whether a switch is on: there, and neither empty nor "0" nor "false". */
bool config_annotation_on(const struct oci_config *config, const char *name);

#endif
