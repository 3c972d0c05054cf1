/* SPDX-License-Identifier: Apache-2.0 */
/* What is worth telling about a configuration that is accepted all the same. */
#ifndef SANDLOCK_SPEC_NOTES_H
#define SANDLOCK_SPEC_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/common/arena.h"

enum config_note_kind {
	NOTE_UNKNOWN,   /* a property that no version of the specification up to 1.3 has; text is its path */
	NOTE_NO_EFFECT, /* a property that means nothing here */
	NOTE_IGNORED,   /* a value that can't be applied, and which the specification wants warned about */
	NOTE_WARNING,   /* something is changed, as the specification or usage of other runtimes asks */
};

struct config_note {
	struct config_note *next;
	enum config_note_kind kind;
	const char *text; /* one line */
};

/* Notes in the order of the text. Zero-initialised is empty; the notes live in the arena of the call that
 * collects them. `--strict` fails at the first that config_note_is_strict is true for, `--debug` lists all. */
struct config_notes {
	struct config_note *first;
	struct config_note *last;
};

/* Whether a part of the configuration was not applied. */
static inline bool config_note_is_strict(const struct config_note *note)
{
	return note->kind != NOTE_WARNING;
}

/* Whether users are warned without being asked. */
static inline bool config_note_is_warning(const struct config_note *note)
{
	return note->kind == NOTE_WARNING || note->kind == NOTE_IGNORED;
}

/* Adds a note; does nothing when `notes` is NULL. */
void config_note(struct arena *arena, struct config_notes *notes, enum config_note_kind kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
