/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON text. Running out of memory ends the program, see arena.h. */
#ifndef SANDLOCK_SPEC_JSON_WRITE_H
#define SANDLOCK_SPEC_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text under construction; `data` is NUL-terminated once something was written. */
struct json_writer {
	char *data;
	size_t length;
	size_t capacity;
	unsigned int indent; /* spaces per level; 0: one line */
	unsigned int depth;
	bool filled;    /* the open object or array has an element */
	bool after_key; /* the next value belongs to a key */
};

#define JSON_WRITER(spaces) ((struct json_writer){.indent = (spaces)})
#define CLEANUP_JSON_WRITER __attribute__((cleanup(json_writer_free)))

void json_writer_free(struct json_writer *writer);

/* Values; inside an object each one comes after json_key. */
void json_begin_object(struct json_writer *writer);
void json_end_object(struct json_writer *writer);
void json_begin_array(struct json_writer *writer);
void json_end_array(struct json_writer *writer);
void json_key(struct json_writer *writer, const char *key);
/* Escapes what JSON wants escaped; bytes that are not UTF-8 become U+FFFD. NULL is written as null. */
void json_string(struct json_writer *writer, const char *text);
void json_i64(struct json_writer *writer, int64_t value);
void json_u64(struct json_writer *writer, uint64_t value);
void json_bool(struct json_writer *writer, bool value);
/* A value that is JSON text already, such as a number with a fraction. */
void json_text(struct json_writer *writer, const char *text);
void json_null(struct json_writer *writer);

/* json_key and a value. */
void json_key_string(struct json_writer *writer, const char *key, const char *text);
void json_key_i64(struct json_writer *writer, const char *key, int64_t value);
void json_key_u64(struct json_writer *writer, const char *key, uint64_t value);
void json_key_bool(struct json_writer *writer, const char *key, bool value);
/* A key with an array of strings. */
void json_key_strings(struct json_writer *writer, const char *key, const char *const *items, size_t count);

/* Text as it is, without a comma or indentation. */
void json_raw(struct json_writer *writer, const char *text);

#endif
