/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/notes.h"

#include <stdarg.h>
#include <stdio.h>

void config_note(struct arena *arena, struct config_notes *notes, enum config_note_kind kind, const char *format, ...)
{
	char text[1024];
	va_list args;

	if (notes == NULL)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	/* One note is one line of the log. */
	for (char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';

	struct config_note *note = arena_alloc(arena, sizeof *note);
	note->kind = kind;
	note->text = arena_strdup(arena, text);
	if (notes->last == NULL)
		notes->first = note;
	else
		notes->last->next = note;
	notes->last = note;
}
