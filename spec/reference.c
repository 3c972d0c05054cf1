/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/reference.h"

#include <string.h>

#include "spec/tables.h"

/* What a row does not say, the row around it does. */
struct origin {
	const char *applied;
	const char *since;
	const char *test;
};

static const char *type_text(const struct field *field)
{
	switch (field->kind) {
	case FIELD_BOOL:
	case FIELD_OPT_BOOL:
		return "boolean";
	case FIELD_INT:
	case FIELD_OPT_I32:
		return "int32";
	case FIELD_I64:
	case FIELD_OPT_I64:
		return "int64";
	case FIELD_OPT_U16:
		return "uint16";
	case FIELD_CHAR:
		return "word";
	case FIELD_U32:
	case FIELD_OPT_U32:
		return field->list ? "array of words" : field->words != NULL ? "word" : "uint32";
	case FIELD_U64:
	case FIELD_OPT_U64:
		return field->list ? "array of words" : field->words != NULL ? "word" : "uint64";
	case FIELD_STRING:
		return field->words != NULL ? "word" : "string";
	case FIELD_STRINGS:
		return field->words != NULL ? "array of words" : "array of strings";
	case FIELD_NUMBERS:
		return "array of uint32";
	case FIELD_PAIRS:
		return "object of strings";
	case FIELD_OBJECTS:
		return "array of objects";
	case FIELD_MAP:
		return "object of objects";
	case FIELD_OBJECT:
	case FIELD_POINTER:
		return "object";
	case FIELD_IGNORED:
		break;
	}
	return "ignored";
}

static void write_table(FILE *out, const struct table *table, const char *prefix, const struct origin *around)
{
	for (size_t row = 0; row < table->count; row++) {
		const struct field *field = &table->fields[row];
		const struct origin origin = {
		    field->applied != NULL ? field->applied : around->applied,
		    field->since != NULL ? field->since : around->since,
		    field->test != NULL ? field->test : around->test,
		};
		bool ignored = field->kind == FIELD_IGNORED;
		char name[256];

		if (field->table == NULL)
			fprintf(out, "| `%s%s` | %s%s | %s | %s | %s |\n", prefix, field->name, type_text(field),
				field->required ? ", required" : "",
				ignored || origin.applied == NULL ? "" : origin.applied,
				ignored || origin.since == NULL ? "" : origin.since,
				ignored || origin.test == NULL ? "" : origin.test);
		if (field->table == NULL)
			continue;
		snprintf(name, sizeof name, "%s%s%s.", prefix, field->name,
			 field->kind == FIELD_OBJECTS ? "[]"
			 : field->kind == FIELD_MAP   ? ".*"
						      : "");
		write_table(out, field->table, name, &origin);
	}
}

void reference_write(FILE *out)
{
	fputs("| Property | Type | Applied in | Since Linux | Test |\n| --- | --- | --- | --- | --- |\n", out);
	write_table(out, &config_table, "", &(const struct origin){NULL, NULL, NULL});
}
