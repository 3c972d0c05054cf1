/* SPDX-License-Identifier: Apache-2.0 */
/* From JSON text to the structs of config.h: parsing by tables, then the checks across properties.
 *
 * Common to all: unknown properties are ignored (and noted), null counts as absent, of properties with the same
 * name the last one counts, numbers are exact, an empty optional string counts as absent. Errors name the
 * property: "linux.resources.memory.limit: 1.5 is not an integer". All results live in the arena.
 */
#ifndef SANDLOCK_SPEC_PARSE_H
#define SANDLOCK_SPEC_PARSE_H

#include <stddef.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/error.h"
#include "spec/config.h"
#include "spec/notes.h"

/* A config.json as text. `notes` (may be NULL) collects unknown properties and warnings. Errors: EINVAL; EFBIG
 * for a text beyond the bounds of json.h. */
int config_parse(struct arena *arena, const char *text, size_t length, struct config_notes *notes,
		 struct oci_config **config, struct error *err);

/* Reads and parses `config.json` in the bundle directory. Errors also: ENOENT with the words that engines know,
 * and what open(2) and read(2) give. */
int config_load(struct arena *arena, int bundle_fd, struct config_notes *notes, struct oci_config **config,
		struct error *err);

/* Likewise a file of any name below the directory `dirfd` (AT_FDCWD: the current one); error texts name the path. */
int config_load_file(struct arena *arena, int dirfd, const char *path, struct config_notes *notes,
		     struct oci_config **config, struct error *err);

/* The `process` object alone: `exec --process FILE`. */
int process_parse(struct arena *arena, const char *text, size_t length, struct config_notes *notes,
		  struct oci_process **process, struct error *err);

/* The `linux.resources` object alone: `update --resources FILE`. */
int resources_parse(struct arena *arena, const char *text, size_t length, struct config_notes *notes,
		    struct oci_resources **resources, struct error *err);

#endif
