/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/json.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "sandbox/common/cleanup.h"
#include "spec/utf8.h"

/* Where the next value goes. */
struct level {
	struct json_value *container;
	struct json_value **tail;
	const char *key;
};

struct builder {
	struct arena *arena;
	struct error *err; /* set by a callback that stopped the parser */
	struct json_value *root;
	size_t values;
	size_t depth;
	struct level levels[JSON_DEPTH_MAX];
};

/* yajl does not look at what its allocator returns. */
static void *checked(void *memory)
{
	if (memory == NULL) {
		fputs("sandlock-oci: out of memory\n", stderr);
		_Exit(1);
	}
	return memory;
}

static void *json_malloc(void *context, size_t size)
{
	return checked(malloc(size > 0 ? size : 1));
}

static void *json_realloc(void *context, void *memory, size_t size)
{
	return checked(realloc(memory, size > 0 ? size : 1));
}

static void json_free(void *context, void *memory)
{
	free(memory);
}

static struct json_value *add(struct builder *builder, enum json_type type)
{
	if (++builder->values > JSON_VALUES_MAX) {
		error_set(builder->err, EFBIG, "more than %u values", JSON_VALUES_MAX);
		return NULL;
	}
	struct json_value *value = arena_alloc(builder->arena, sizeof *value);
	value->type = type;
	if (builder->depth == 0) {
		builder->root = value;
		return value;
	}
	struct level *level = &builder->levels[builder->depth - 1];
	value->key = level->key;
	level->key = NULL;
	*level->tail = value;
	level->tail = &value->next;
	level->container->length++;
	return value;
}

static int on_null(void *context)
{
	return add(context, JSON_NULL) != NULL;
}

static int on_boolean(void *context, int boolean)
{
	struct json_value *value = add(context, JSON_BOOL);

	if (value == NULL)
		return 0;
	value->boolean = boolean != 0;
	return 1;
}

static int on_text(struct builder *builder, enum json_type type, const char *text, size_t length)
{
	struct json_value *value = add(builder, type);

	if (value == NULL)
		return 0;
	value->text = arena_strndup(builder->arena, text, length);
	value->length = length;
	return 1;
}

static int on_number(void *context, const char *text, size_t length)
{
	return on_text(context, JSON_NUMBER, text, length);
}

/* Strings become C strings for the kernel, which would end at the NUL: another value than the one written. */
static int refuse_nul(struct builder *builder, const unsigned char *text, size_t length)
{
	if (memchr(text, '\0', length) == NULL)
		return 1;
	error_set(builder->err, EINVAL, "a string contains a NUL byte");
	return 0;
}

static int on_string(void *context, const unsigned char *text, size_t length)
{
	if (!refuse_nul(context, text, length))
		return 0;
	return on_text(context, JSON_STRING, (const char *)text, length);
}

static int on_key(void *context, const unsigned char *text, size_t length)
{
	struct builder *builder = context;

	if (!refuse_nul(builder, text, length))
		return 0;
	builder->levels[builder->depth - 1].key = arena_strndup(builder->arena, (const char *)text, length);
	return 1;
}

static int open_container(struct builder *builder, enum json_type type)
{
	if (builder->depth == JSON_DEPTH_MAX) {
		error_set(builder->err, EFBIG, "nested deeper than %d levels", JSON_DEPTH_MAX);
		return 0;
	}
	struct json_value *value = add(builder, type);
	if (value == NULL)
		return 0;
	builder->levels[builder->depth++] = (struct level){.container = value, .tail = &value->first};
	return 1;
}

static int on_start_object(void *context)
{
	return open_container(context, JSON_OBJECT);
}

static int on_start_array(void *context)
{
	return open_container(context, JSON_ARRAY);
}

static int on_end_array(void *context)
{
	struct builder *builder = context;

	builder->depth--;
	return 1;
}

/* A member and its place. */
struct place {
	struct json_value *value;
	size_t index;
};

static int compare_names(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = strcmp(a->value->key, b->value->key);

	if (order != 0)
		return order;
	return a->index < b->index ? -1 : 1;
}

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return a->index < b->index ? -1 : 1;
}

/* Drops members that a later one of the same name replaces; by sorting, since an object may have many. */
static void drop_duplicates(struct json_value *object)
{
	CLEANUP_FREE struct place *places = checked(calloc(object->length, sizeof *places));
	size_t count = 0, kept = 0;

	for (struct json_value *member = object->first; member != NULL; member = member->next, count++)
		places[count] = (struct place){member, count};
	qsort(places, count, sizeof *places, compare_names);
	for (size_t i = 0; i < count; i++)
		if (i + 1 == count || strcmp(places[i].value->key, places[i + 1].value->key) != 0)
			places[kept++] = places[i];
	if (kept == count)
		return;
	qsort(places, kept, sizeof *places, compare_places);
	struct json_value **tail = &object->first;
	for (size_t i = 0; i < kept; i++) {
		*tail = places[i].value;
		tail = &places[i].value->next;
	}
	*tail = NULL;
	object->length = kept;
}

static int on_end_object(void *context)
{
	struct builder *builder = context;
	struct json_value *object = builder->levels[--builder->depth].container;

	if (object->length > 1)
		drop_duplicates(object);
	return 1;
}

/* The code unit of a \uXXXX escape, -1 if it is none (the parser will complain). */
static int escape_unit(const char *text, size_t left)
{
	int unit = 0;

	if (left < 6 || text[0] != '\\' || text[1] != 'u')
		return -1;
	for (size_t i = 2; i < 6; i++) {
		char c = text[i];
		int digit;
		if (c >= '0' && c <= '9')
			digit = c - '0';
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			digit = (c | 0x20) - 'a' + 10;
		else
			return -1;
		unit = unit * 16 + digit;
	}
	return unit;
}

/* Bytes of the escape at text[0] == '\\'; 0 for a lone surrogate, which yajl would turn into a question mark. */
static size_t escape_length(const char *text, size_t left)
{
	int unit = escape_unit(text, left);

	if (unit < 0)
		return left < 2 ? left : 2;
	if (unit >= 0xdc00 && unit <= 0xdfff)
		return 0;
	if (unit >= 0xd800 && unit <= 0xdbff) {
		int low = escape_unit(text + 6, left - 6);
		return low >= 0xdc00 && low <= 0xdfff ? 12 : 0;
	}
	return 6;
}

/* "line 3, column 7: " in front of the message. */
static int place_error(struct error *err, const char *text, size_t offset)
{
	size_t line = 1, start = 0;

	for (size_t i = 0; i < offset; i++) {
		if (text[i] == '\n') {
			line++;
			start = i + 1;
		}
	}
	return error_wrap(err, "line %zu, column %zu", line, offset - start + 1);
}

static int check_text(const char *text, size_t length, struct error *err)
{
	for (size_t i = 0; i < length;) {
		size_t step = text[i] == '\\' ? escape_length(text + i, length - i) : utf8_length(text + i, length - i);
		if (step == 0) {
			error_set(err, EINVAL, text[i] == '\\' ? "a lone surrogate" : "invalid UTF-8 (byte 0x%02x)",
				  (unsigned char)text[i]);
			return place_error(err, text, i);
		}
		i += step;
	}
	return 0;
}

/* yajl's text without its newline; without a message of its own it was one of the callbacks. */
static int parser_error(yajl_handle parser, const char *text, size_t length, bool at_end, struct error *err)
{
	/* The parser stands behind what it complains about; at the end it counts in text of its own. */
	size_t offset = at_end ? length : yajl_get_bytes_consumed(parser);

	if (err->code == 0) {
		unsigned char *message = yajl_get_error(parser, 0, (const unsigned char *)text, length);
		const char *plain = (const char *)message;
		const char *prefix = "parse error: ";
		if (strncmp(plain, prefix, strlen(prefix)) == 0)
			plain += strlen(prefix);
		int end = (int)strcspn(plain, "\n");
		error_set(err, EINVAL, "not valid JSON: %.*s", end, plain);
		yajl_free_error(parser, message);
	}
	return place_error(err, text, offset > 0 && offset <= length ? offset - 1 : 0);
}

int json_parse(struct arena *arena, const char *text, size_t length, const struct json_value **value, struct error *err)
{
	static const yajl_callbacks callbacks = {
	    .yajl_null = on_null,
	    .yajl_boolean = on_boolean,
	    .yajl_number = on_number,
	    .yajl_string = on_string,
	    .yajl_start_map = on_start_object,
	    .yajl_map_key = on_key,
	    .yajl_end_map = on_end_object,
	    .yajl_start_array = on_start_array,
	    .yajl_end_array = on_end_array,
	};
	yajl_alloc_funcs functions = {.malloc = json_malloc, .realloc = json_realloc, .free = json_free};

	if (length > JSON_SIZE_MAX)
		return error_set(err, EFBIG, "larger than %u bytes", JSON_SIZE_MAX);
	int rc = check_text(text, length, err);
	if (rc < 0)
		return rc;
	CLEANUP_FREE struct builder *builder = checked(calloc(1, sizeof *builder));
	error_clear(err);
	builder->arena = arena;
	builder->err = err;
	yajl_handle parser = yajl_alloc(&callbacks, &functions, builder);
	yajl_config(parser, yajl_dont_validate_strings, 1);
	yajl_status status = yajl_parse(parser, (const unsigned char *)text, length);
	bool at_end = status == yajl_status_ok;
	if (at_end)
		status = yajl_complete_parse(parser);
	if (status != yajl_status_ok)
		rc = parser_error(parser, text, length, at_end, err);
	else if (builder->root == NULL)
		rc = error_set(err, EINVAL, "not valid JSON: empty");
	yajl_free(parser);
	if (rc == 0)
		*value = builder->root;
	return rc;
}

const struct json_value *json_member(const struct json_value *object, const char *name)
{
	if (object == NULL || object->type != JSON_OBJECT)
		return NULL;
	for (const struct json_value *member = object->first; member != NULL; member = member->next)
		if (strcmp(member->key, name) == 0)
			return member->type == JSON_NULL ? NULL : member;
	return NULL;
}

const char *json_member_string(const struct json_value *object, const char *name)
{
	const struct json_value *member = json_member(object, name);

	return member != NULL && member->type == JSON_STRING ? member->text : NULL;
}

const char *json_type_name(enum json_type type)
{
	static const char *const names[] = {
	    [JSON_NULL] = "null",       [JSON_BOOL] = "a boolean", [JSON_NUMBER] = "a number",
	    [JSON_STRING] = "a string", [JSON_ARRAY] = "an array", [JSON_OBJECT] = "an object",
	};

	return names[type];
}
