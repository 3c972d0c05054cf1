/* SPDX-License-Identifier: Apache-2.0 */
/* One description of the JSON, as data: for each object of config.json a table of its properties, each with its
 * type, bounds, words and place in the struct of config.h. Parsing, checks, error texts and the reference of
 * supported properties all follow from the tables.
 *
 * The type of a row comes from the C member (FIELD_KIND), so a row and the struct cannot disagree. With `words`
 * the JSON has a word (or a list of words) for the number or text in the struct.
 */
#ifndef SANDLOCK_SPEC_TABLE_H
#define SANDLOCK_SPEC_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spec/config.h"
#include "spec/json.h"
#include "spec/notes.h"
#include "spec/words.h"

enum field_kind {
	FIELD_IGNORED, /* a property that has no meaning on Linux */
	FIELD_BOOL,
	FIELD_CHAR,
	FIELD_INT,
	FIELD_U32,
	FIELD_U64,
	FIELD_I64,
	FIELD_OPT_BOOL,
	FIELD_OPT_U16,
	FIELD_OPT_I32,
	FIELD_OPT_U32,
	FIELD_OPT_I64,
	FIELD_OPT_U64,
	FIELD_STRING,
	FIELD_STRINGS, /* array of strings */
	FIELD_NUMBERS, /* array of uint32 */
	FIELD_PAIRS,   /* object whose values are strings */
	FIELD_OBJECT,  /* object whose properties lie in the same struct, or in a part of it */
	FIELD_POINTER, /* object with a struct of its own */
	FIELD_OBJECTS, /* array of objects */
	FIELD_MAP,     /* object whose values are objects; the name goes to the struct's key */
};

struct table;
struct table_path;
struct table_reader;

/* A property. Zero members have no meaning unless said otherwise. */
struct field {
	const char *name;
	enum field_kind kind;
	bool required;
	bool list;        /* an array of words that are ORed */
	bool lenient;     /* unknown words are warned about and skipped */
	bool bounded;     /* minimum and maximum narrow the type's own range */
	uint16_t size;    /* of what an array or pointer refers to */
	uint32_t offset;  /* of the value in the struct */
	uint32_t count;   /* offset of the count of an array */
	uint32_t present; /* offset of a bool that is set when the property is there; 0: none */
	int64_t minimum;
	uint64_t maximum;
	const struct word *words;
	const struct table *table;
	/* A further check of a string (each one of an array, the name of a pair): returns what is wrong with it
	 * ("contains a newline"), or NULL. */
	const char *(*check)(const char *text);
	/* For the reference; absent ones are those of the object around. */
	const char *applied; /* the file that applies it */
	const char *since;   /* first kernel version */
	const char *test;    /* the test that shows it */
};

/* An object. */
struct table {
	const struct field *fields;
	size_t count;
	size_t size;  /* of the struct */
	bool keyed;   /* used by FIELD_MAP: the name of the member ... */
	uint32_t key; /* ... goes to this offset: a const char *, or an int when key_words is set */
	const struct word *key_words;
	const char *(*key_check)(const char *name);
	/* Checks that need to know which members are there. */
	int (*finish)(const struct table_reader *reader, const struct json_value *object, const struct table_path *path,
		      void *target);
};

/* Most rows that one table has. */
#define TABLE_FIELDS_MAX 48

/* Where we are in the JSON, for messages; lives on the stack of the recursion. */
struct table_path {
	const struct table_path *parent;
	const char *name; /* NULL: an array element */
	size_t index;
	bool quoted; /* the name of a member of a map */
};

struct table_reader {
	struct arena *arena;
	struct config_notes *notes; /* may be NULL */
	struct error *err;
};

#define FIELD_KIND(value) \
	_Generic((value), \
		bool: FIELD_BOOL, \
		char: FIELD_CHAR, \
		int: FIELD_INT, \
		uint32_t: FIELD_U32, \
		uint64_t: FIELD_U64, \
		int64_t: FIELD_I64, \
		struct opt_bool: FIELD_OPT_BOOL, \
		struct opt_u16: FIELD_OPT_U16, \
		struct opt_i32: FIELD_OPT_I32, \
		struct opt_u32: FIELD_OPT_U32, \
		struct opt_i64: FIELD_OPT_I64, \
		struct opt_u64: FIELD_OPT_U64, \
		const char *: FIELD_STRING, \
		const char **: FIELD_STRINGS, \
		uint32_t *: FIELD_NUMBERS, \
		struct oci_pair *: FIELD_PAIRS)

#define FIELD_MEMBER(object, member) (((struct object *)0)->member)

/* A number, boolean or string. */
#define FIELD(json, object, member, ...)                                          \
	{                                                                         \
		.name = (json), .kind = FIELD_KIND(FIELD_MEMBER(object, member)), \
		.offset = offsetof(struct object, member), __VA_ARGS__            \
	}
/* An array of strings or numbers, or pairs, with its count. */
#define FIELD_LIST(json, object, member, ...)                                                                \
	{                                                                                                    \
		.name = (json), .kind = FIELD_KIND(FIELD_MEMBER(object, member)),                            \
		.offset = offsetof(struct object, member), .count = offsetof(struct object, member##_count), \
		.size = sizeof(*FIELD_MEMBER(object, member)), __VA_ARGS__                                   \
	}
/* An object that fills members of the struct `object` itself. */
#define FIELD_FLAT(json, object, rows, ...)                                                                       \
	{                                                                                                         \
		.name = (json), .kind = FIELD_OBJECT, .size = sizeof(struct object), .table = (rows), __VA_ARGS__ \
	}
/* An object that fills the struct in `member`. */
#define FIELD_PART(json, object, member, rows, ...)                                              \
	{                                                                                        \
		.name = (json), .kind = FIELD_OBJECT, .offset = offsetof(struct object, member), \
		.size = sizeof(FIELD_MEMBER(object, member)), .table = (rows), __VA_ARGS__       \
	}
#define FIELD_POINTER_TO(json, object, member, rows, ...)                                         \
	{                                                                                         \
		.name = (json), .kind = FIELD_POINTER, .offset = offsetof(struct object, member), \
		.size = sizeof(*FIELD_MEMBER(object, member)), .table = (rows), __VA_ARGS__       \
	}
#define FIELD_ARRAY_AT(json, shape, object, member, number, rows, ...)                                   \
	{                                                                                                \
		.name = (json), .kind = (shape), .offset = offsetof(struct object, member),              \
		.count = offsetof(struct object, number), .size = sizeof(*FIELD_MEMBER(object, member)), \
		.table = (rows), __VA_ARGS__                                                             \
	}
/* An array of objects, or an object of objects, with its count. */
#define FIELD_ARRAY(json, object, member, rows, ...) \
	FIELD_ARRAY_AT(json, FIELD_OBJECTS, object, member, member##_count, rows, __VA_ARGS__)
#define FIELD_OBJECT_MAP(json, object, member, rows, ...) \
	FIELD_ARRAY_AT(json, FIELD_MAP, object, member, member##_count, rows, __VA_ARGS__)
/* A property of another platform or of no effect. */
#define FIELD_OTHER(json)                             \
	{                                             \
		.name = (json), .kind = FIELD_IGNORED \
	}

#define BOUNDS(low, high) .bounded = true, .minimum = (low), .maximum = (high)

#define TABLE(object, rows, ...)                                                                            \
	{                                                                                                   \
		.fields = (rows), .count = sizeof(rows) / sizeof((rows)[0]), .size = sizeof(struct object), \
		__VA_ARGS__                                                                                 \
	}

/* Fills `target` (zeroed by the caller) from an object. `path` may be NULL: the whole text. */
int table_read(const struct table_reader *reader, const struct table *table, const struct json_value *value,
	       const struct table_path *path, void *target);

/* An error about the value at `path`: "linux.memory.limit: ...". Returns -EINVAL. */
int table_error(const struct table_reader *reader, const struct table_path *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The path as text, cut to the buffer. */
void table_path_text(const struct table_path *path, char *buffer, size_t size);

#endif
