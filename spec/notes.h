/* SPDX-License-Identifier: Apache-2.0 */
/* What is worth telling about a configuration that is accepted all the same. */
#ifndef SANDLOCK_SPEC_NOTES_H
#define SANDLOCK_SPEC_NOTES_H

#include <stddef.h>

#include "sandbox/common/arena.h"

enum config_note_kind {
	NOTE_UNKNOWN, /* a property that no version of the specification up to 1.3 has; text is its path */
	NOTE_WARNING, /* something is ignored or changed, as the specification or usage of other runtimes asks */
};

struct config_note {
	struct config_note *next;
	enum config_note_kind kind;
	const char *text; /* one line */
};

/* Notes in the order of the text. Zero-initialised is empty; the notes live in the arena of the call that
 * collects them. `--strict` fails when unknown > 0, `--debug` lists all, warnings go to the log. */
struct config_notes {
	struct config_note *first;
	struct config_note *last;
	size_t unknown;
	size_t warnings;
};

/* Adds a note; does nothing when `notes` is NULL. */
void config_note(struct arena *arena, struct config_notes *notes, enum config_note_kind kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
