/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text as a tree in an arena. yajl does the lexing; what it is lax about is checked here: UTF-8, lone
 * surrogates, NUL in strings, depth, size. Numbers keep their exact text. */
#ifndef SANDLOCK_SPEC_JSON_H
#define SANDLOCK_SPEC_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/error.h"

/* Nothing that an engine writes comes near these. */
#define JSON_DEPTH_MAX 128
#define JSON_SIZE_MAX (16u * 1024 * 1024)
#define JSON_VALUES_MAX (1u << 20)

enum json_type {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/* A value. Owned by the arena. */
struct json_value {
	enum json_type type;
	bool boolean;
	const char *text;         /* string, or number as written; NUL-terminated, no NUL inside */
	size_t length;            /* bytes of text, or number of elements or members */
	const char *key;          /* the name, when the value is a member of an object */
	struct json_value *first; /* elements or members, in the order of the text */
	struct json_value *next;
};

/* Parses one complete text. Of members with the same name the last one stays. Errors: EINVAL with line and
 * column, EFBIG beyond JSON_SIZE_MAX, JSON_DEPTH_MAX or JSON_VALUES_MAX. */
int json_parse(struct arena *arena, const char *text, size_t length, const struct json_value **value,
	       struct error *err);

/* The member of an object with this name, or NULL; a null member counts as absent. `object` may be NULL or
 * another type, which has no members. */
const struct json_value *json_member(const struct json_value *object, const char *name);

/* The text of a member that is a string, or NULL. */
const char *json_member_string(const struct json_value *object, const char *name);

/* The type in words, for messages: "a string". */
const char *json_type_name(enum json_type type);

#endif
