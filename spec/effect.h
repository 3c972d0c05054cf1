/* SPDX-License-Identifier: Apache-2.0 */
/* Properties that are right, and mean nothing here. */
#ifndef SANDLOCK_SPEC_EFFECT_H
#define SANDLOCK_SPEC_EFFECT_H

#include "spec/config.h"
#include "spec/validate.h"

/* Notes every property of a checked configuration that has no effect on any Linux machine, for `--strict` and
 * `--debug`. What depends on the machine is noted where it is planned. */
void effect_note(const struct validation *validation, const struct oci_config *config);

#endif
