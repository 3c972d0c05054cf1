/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/common/number.h"

/* What an error shows of a name or value that came with the text. */
#define SHOWN_MAX 64

static void append(char *buffer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void append(char *buffer, size_t size, const char *format, ...)
{
	size_t length = strlen(buffer);
	va_list args;

	va_start(args, format);
	vsnprintf(buffer + length, size - length, format, args);
	va_end(args);
}

static void append_path(const struct table_path *path, char *buffer, size_t size)
{
	if (path == NULL)
		return;
	append_path(path->parent, buffer, size);
	if (path->name == NULL)
		append(buffer, size, "[%zu]", path->index);
	else if (path->quoted)
		append(buffer, size, "[\"%.*s\"]", SHOWN_MAX, path->name);
	else
		append(buffer, size, "%s%.*s", buffer[0] == '\0' ? "" : ".", SHOWN_MAX, path->name);
}

void table_path_text(const struct table_path *path, char *buffer, size_t size)
{
	buffer[0] = '\0';
	append_path(path, buffer, size);
}

int table_error(const struct table_reader *reader, const struct table_path *path, const char *format, ...)
{
	char where[512], what[1024];
	va_list args;

	table_path_text(path, where, sizeof where);
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	if (where[0] == '\0')
		return error_set(reader->err, EINVAL, "%s", what);
	return error_set(reader->err, EINVAL, "%s: %s", where, what);
}

static int wrong_type(const struct table_reader *reader, const struct table_path *path, const char *wanted,
		      const struct json_value *value)
{
	if (value->type == JSON_NUMBER)
		return table_error(reader, path, "must be %s, not the number %.*s", wanted, SHOWN_MAX, value->text);
	return table_error(reader, path, "must be %s, not %s", wanted, json_type_name(value->type));
}

/* Range of an integer kind. */
static void kind_range(const struct field *field, int64_t *minimum, uint64_t *maximum)
{
	*minimum = 0;
	switch (field->kind) {
	case FIELD_INT:
	case FIELD_OPT_I32:
		*minimum = INT32_MIN;
		*maximum = INT32_MAX;
		break;
	case FIELD_I64:
	case FIELD_OPT_I64:
		*minimum = INT64_MIN;
		*maximum = INT64_MAX;
		break;
	case FIELD_OPT_U16:
		*maximum = UINT16_MAX;
		break;
	case FIELD_U32:
	case FIELD_OPT_U32:
	case FIELD_NUMBERS:
		*maximum = UINT32_MAX;
		break;
	default:
		*maximum = UINT64_MAX;
		break;
	}
	if (field->bounded) {
		*minimum = field->minimum;
		*maximum = field->maximum;
	}
}

/* Bits of the number: the caller knows whether it is signed. */
static int read_integer(const struct table_reader *reader, const struct field *field, const struct json_value *value,
			const struct table_path *path, uint64_t *bits)
{
	int64_t minimum, negative = 0;
	uint64_t maximum, positive = 0;
	int rc;

	if (value->type != JSON_NUMBER)
		return wrong_type(reader, path, "an integer", value);
	kind_range(field, &minimum, &maximum);
	if (value->text[0] == '-') {
		rc = number_parse_i64(value->text, INT64_MIN, 0, &negative);
		if (rc == 0 && negative < minimum)
			rc = -ERANGE;
		*bits = (uint64_t)negative;
	} else {
		rc = number_parse_u64(value->text, minimum > 0 ? (uint64_t)minimum : 0, maximum, &positive);
		*bits = positive;
	}
	if (rc == 0)
		return 0;
	/* Go's decoder refuses 1.0 and 1e3 for an integer, too. */
	if (rc != -ERANGE)
		return table_error(reader, path, "%.*s is not an integer", SHOWN_MAX, value->text);
	return table_error(reader, path, "%.*s is out of range (%" PRId64 " to %" PRIu64 ")", SHOWN_MAX, value->text,
			   minimum, maximum);
}

static void store_number(enum field_kind kind, void *place, uint64_t bits)
{
	switch (kind) {
	case FIELD_BOOL:
		*(bool *)place = bits != 0;
		break;
	case FIELD_CHAR:
		*(char *)place = (char)bits;
		break;
	case FIELD_INT:
		*(int *)place = (int)bits;
		break;
	case FIELD_U32:
		*(uint32_t *)place = (uint32_t)bits;
		break;
	case FIELD_U64:
		*(uint64_t *)place = bits;
		break;
	case FIELD_I64:
		*(int64_t *)place = (int64_t)bits;
		break;
	case FIELD_OPT_BOOL:
		*(struct opt_bool *)place = (struct opt_bool){true, bits != 0};
		break;
	case FIELD_OPT_U16:
		*(struct opt_u16 *)place = (struct opt_u16){true, (uint16_t)bits};
		break;
	case FIELD_OPT_I32:
		*(struct opt_i32 *)place = (struct opt_i32){true, (int32_t)bits};
		break;
	case FIELD_OPT_U32:
		*(struct opt_u32 *)place = (struct opt_u32){true, (uint32_t)bits};
		break;
	case FIELD_OPT_I64:
		*(struct opt_i64 *)place = (struct opt_i64){true, (int64_t)bits};
		break;
	case FIELD_OPT_U64:
		*(struct opt_u64 *)place = (struct opt_u64){true, bits};
		break;
	default:
		break;
	}
}

static int unknown_word(const struct table_reader *reader, const struct table_path *path, const struct word *words,
			const char *text)
{
	char known[900] = "";

	for (const struct word *word = words; word->text != NULL; word++)
		append(known, sizeof known, "%s%s", word == words ? "" : ", ", word->text);
	return table_error(reader, path, "\"%.*s\" is unknown (known: %s)", SHOWN_MAX, text, known);
}

/* Checks the text of a string; *word is its entry, or NULL when the row has no words. */
static int check_string(const struct table_reader *reader, const struct field *field, const struct json_value *value,
			const struct table_path *path, const struct word **word)
{
	*word = NULL;
	if (value->type != JSON_STRING)
		return wrong_type(reader, path, "a string", value);
	if (field->words != NULL) {
		*word = word_find(field->words, value->text);
		if (*word == NULL && !field->lenient)
			return unknown_word(reader, path, field->words, value->text);
	}
	const char *complaint = field->check != NULL ? field->check(value->text) : NULL;
	if (complaint != NULL)
		return table_error(reader, path, "\"%.*s\" %s", SHOWN_MAX, value->text, complaint);
	return 0;
}

static int need_array(const struct table_reader *reader, const struct json_value *value, const struct table_path *path,
		      const char *wanted)
{
	return value->type == JSON_ARRAY ? 0 : wrong_type(reader, path, wanted, value);
}

/* An array of words that are ORed. */
static int read_flags(const struct table_reader *reader, const struct field *field, const struct json_value *value,
		      const struct table_path *path, void *target)
{
	struct table_path element = {.parent = path};
	uint64_t bits = 0;
	int rc = need_array(reader, value, path, "an array of strings");

	for (const struct json_value *item = value->first; rc == 0 && item != NULL; item = item->next) {
		const struct word *word;
		rc = check_string(reader, field, item, &element, &word);
		if (rc == 0 && word != NULL) {
			bits |= word->value;
		} else if (rc == 0) {
			char where[512];
			table_path_text(&element, where, sizeof where);
			config_note(reader->arena, reader->notes, NOTE_IGNORED, "%s: \"%.*s\" is unknown, ignored",
				    where, SHOWN_MAX, item->text);
		}
		element.index++;
	}
	if (rc == 0)
		store_number(field->kind, (char *)target + field->offset, bits);
	return rc;
}

static int read_string(const struct table_reader *reader, const struct field *field, const struct json_value *value,
		       const struct table_path *path, void *target)
{
	const struct word *word;

	/* Go's bindings leave out empty strings: an empty one says the same as none. */
	if (value->type == JSON_STRING && value->length == 0) {
		if (field->required)
			return table_error(reader, path, "must not be empty");
		return 0;
	}
	int rc = check_string(reader, field, value, path, &word);
	if (rc < 0)
		return rc;
	if (field->kind == FIELD_STRING)
		*(const char **)((char *)target + field->offset) = value->text;
	else
		store_number(field->kind, (char *)target + field->offset, word->value);
	return 0;
}

static int read_scalar(const struct table_reader *reader, const struct field *field, const struct json_value *value,
		       const struct table_path *path, void *target)
{
	uint64_t bits = 0;
	int rc = 0;

	if (field->list)
		return read_flags(reader, field, value, path, target);
	if (field->words != NULL || field->kind == FIELD_STRING)
		return read_string(reader, field, value, path, target);
	if (field->kind != FIELD_BOOL && field->kind != FIELD_OPT_BOOL)
		rc = read_integer(reader, field, value, path, &bits);
	else if (value->type == JSON_BOOL)
		bits = value->boolean;
	else
		rc = wrong_type(reader, path, "true or false", value);
	if (rc == 0)
		store_number(field->kind, (char *)target + field->offset, bits);
	return rc;
}

static void store_array(const struct field *field, void *target, void *items, size_t count)
{
	*(void **)((char *)target + field->offset) = count > 0 ? items : NULL;
	*(size_t *)((char *)target + field->count) = count;
}

static int read_strings(const struct table_reader *reader, const struct field *field, const struct json_value *value,
			const struct table_path *path, void *target)
{
	struct table_path element = {.parent = path};
	int rc = need_array(reader, value, path, "an array of strings");

	if (rc < 0)
		return rc;
	const char **items = arena_array(reader->arena, value->length, sizeof *items);
	for (const struct json_value *item = value->first; item != NULL; item = item->next) {
		const struct word *word;
		rc = check_string(reader, field, item, &element, &word);
		if (rc < 0)
			return rc;
		items[element.index++] = item->text;
	}
	store_array(field, target, items, value->length);
	return 0;
}

static int read_numbers(const struct table_reader *reader, const struct field *field, const struct json_value *value,
			const struct table_path *path, void *target)
{
	struct table_path element = {.parent = path};
	int rc = need_array(reader, value, path, "an array of integers");

	if (rc < 0)
		return rc;
	uint32_t *items = arena_array(reader->arena, value->length, sizeof *items);
	for (const struct json_value *item = value->first; item != NULL; item = item->next) {
		uint64_t bits = 0;
		rc = read_integer(reader, field, item, &element, &bits);
		if (rc < 0)
			return rc;
		items[element.index++] = (uint32_t)bits;
	}
	store_array(field, target, items, value->length);
	return 0;
}

static int read_pairs(const struct table_reader *reader, const struct field *field, const struct json_value *value,
		      const struct table_path *path, void *target)
{
	size_t count = 0;

	if (value->type != JSON_OBJECT)
		return wrong_type(reader, path, "an object with strings", value);
	struct oci_pair *items = arena_array(reader->arena, value->length, sizeof *items);
	for (const struct json_value *member = value->first; member != NULL; member = member->next) {
		struct table_path name = {.parent = path, .name = member->key, .quoted = true};
		if (member->key[0] == '\0')
			return table_error(reader, &name, "the name must not be empty");
		if (member->type == JSON_NULL)
			continue;
		if (member->type != JSON_STRING)
			return wrong_type(reader, &name, "a string", member);
		const char *complaint = field->check != NULL ? field->check(member->key) : NULL;
		if (complaint != NULL)
			return table_error(reader, &name, "the name %s", complaint);
		items[count++] = (struct oci_pair){member->key, member->text};
	}
	store_array(field, target, items, count);
	return 0;
}

static int read_objects(const struct table_reader *reader, const struct field *field, const struct json_value *value,
			const struct table_path *path, void *target)
{
	struct table_path element = {.parent = path};
	int rc = need_array(reader, value, path, "an array of objects");

	if (rc < 0)
		return rc;
	char *items = arena_array(reader->arena, value->length, field->size);
	for (const struct json_value *item = value->first; item != NULL; item = item->next) {
		rc = table_read(reader, field->table, item, &element, items + element.index * field->size);
		if (rc < 0)
			return rc;
		element.index++;
	}
	store_array(field, target, items, value->length);
	return 0;
}

/* The name of a map's member goes into the struct. */
static int read_key(const struct table_reader *reader, const struct table *table, const struct table_path *path,
		    void *target)
{
	void *place = (char *)target + table->key;

	if (table->key_words != NULL) {
		const struct word *word = word_find(table->key_words, path->name);
		if (word == NULL)
			return unknown_word(reader, path->parent, table->key_words, path->name);
		*(int *)place = (int)word->value;
		return 0;
	}
	if (path->name[0] == '\0')
		return table_error(reader, path, "the name must not be empty");
	const char *complaint = table->key_check != NULL ? table->key_check(path->name) : NULL;
	if (complaint != NULL)
		return table_error(reader, path, "the name %s", complaint);
	*(const char **)place = path->name;
	return 0;
}

static int read_map(const struct table_reader *reader, const struct field *field, const struct json_value *value,
		    const struct table_path *path, void *target)
{
	size_t count = 0;

	if (value->type != JSON_OBJECT)
		return wrong_type(reader, path, "an object with objects", value);
	char *items = arena_array(reader->arena, value->length, field->size);
	for (const struct json_value *member = value->first; member != NULL; member = member->next) {
		struct table_path name = {.parent = path, .name = member->key, .quoted = true};
		char *item = items + count * field->size;
		if (member->type == JSON_NULL)
			continue;
		int rc = read_key(reader, field->table, &name, item);
		if (rc == 0)
			rc = table_read(reader, field->table, member, &name, item);
		if (rc < 0)
			return rc;
		count++;
	}
	store_array(field, target, items, count);
	return 0;
}

static int read_object(const struct table_reader *reader, const struct field *field, const struct json_value *value,
		       const struct table_path *path, void *target)
{
	char *place = (char *)target + field->offset;

	if (field->kind == FIELD_POINTER) {
		void *object = arena_alloc(reader->arena, field->size);
		*(void **)place = object;
		place = object;
	}
	return table_read(reader, field->table, value, path, place);
}

static int read_field(const struct table_reader *reader, const struct field *field, const struct json_value *value,
		      const struct table_path *path, void *target)
{
	switch (field->kind) {
	case FIELD_IGNORED:
		return 0;
	case FIELD_STRINGS:
		return read_strings(reader, field, value, path, target);
	case FIELD_NUMBERS:
		return read_numbers(reader, field, value, path, target);
	case FIELD_PAIRS:
		return read_pairs(reader, field, value, path, target);
	case FIELD_OBJECT:
	case FIELD_POINTER:
		return read_object(reader, field, value, path, target);
	case FIELD_OBJECTS:
		return read_objects(reader, field, value, path, target);
	case FIELD_MAP:
		return read_map(reader, field, value, path, target);
	default:
		return read_scalar(reader, field, value, path, target);
	}
}

static size_t find_field(const struct table *table, const char *name)
{
	size_t row = 0;

	while (row < table->count && strcmp(table->fields[row].name, name) != 0)
		row++;
	return row;
}

int table_read(const struct table_reader *reader, const struct table *table, const struct json_value *value,
	       const struct table_path *path, void *target)
{
	const struct json_value *found[TABLE_FIELDS_MAX] = {NULL};

	if (value->type != JSON_OBJECT)
		return wrong_type(reader, path, "an object", value);
	for (const struct json_value *member = value->first; member != NULL; member = member->next) {
		size_t row = find_field(table, member->key);
		if (row < table->count) {
			if (member->type != JSON_NULL)
				found[row] = member;
			continue;
		}
		struct table_path name = {.parent = path, .name = member->key};
		char where[512];
		table_path_text(&name, where, sizeof where);
		config_note(reader->arena, reader->notes, NOTE_UNKNOWN, "%s", where);
	}
	for (size_t row = 0; row < table->count; row++) {
		const struct field *field = &table->fields[row];
		struct table_path name = {.parent = path, .name = field->name};
		int rc = 0;
		if (found[row] != NULL)
			rc = read_field(reader, field, found[row], &name, target);
		else if (field->required)
			rc = table_error(reader, &name, "required, but missing");
		/* Nothing in it: nothing is lost. */
		if (found[row] != NULL && field->kind == FIELD_IGNORED &&
		    ((found[row]->type != JSON_ARRAY && found[row]->type != JSON_OBJECT) ||
		     found[row]->first != NULL)) {
			char where[512];
			table_path_text(&name, where, sizeof where);
			config_note(reader->arena, reader->notes, NOTE_NO_EFFECT, "%s: has no effect here", where);
		}
		if (found[row] != NULL && field->present != 0)
			*(bool *)((char *)target + field->present) = true;
		if (rc < 0)
			return rc;
	}
	return table->finish != NULL ? table->finish(reader, value, path, target) : 0;
}
