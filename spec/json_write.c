/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/json_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/utf8.h"

static void append(struct json_writer *writer, const char *data, size_t length)
{
	if (writer->capacity - writer->length <= length) {
		size_t capacity = (writer->length + length) * 2 + 256;
		char *larger = length > SIZE_MAX / 4 - writer->length ? NULL : realloc(writer->data, capacity);
		if (larger == NULL) {
			fputs("sandlock-oci: out of memory\n", stderr);
			_Exit(1);
		}
		writer->data = larger;
		writer->capacity = capacity;
	}
	memcpy(writer->data + writer->length, data, length);
	writer->length += length;
	writer->data[writer->length] = '\0';
}

void json_raw(struct json_writer *writer, const char *text)
{
	append(writer, text, strlen(text));
}

void json_writer_free(struct json_writer *writer)
{
	free(writer->data);
	*writer = (struct json_writer){.indent = writer->indent};
}

static void new_line(struct json_writer *writer)
{
	if (writer->indent == 0)
		return;
	append(writer, "\n", 1);
	for (unsigned int i = 0; i < writer->depth * writer->indent; i++)
		append(writer, " ", 1);
}

/* What comes before a value or key: comma, line break, indentation. */
static void before(struct json_writer *writer)
{
	if (writer->after_key) {
		writer->after_key = false;
		return;
	}
	if (writer->filled)
		append(writer, ",", 1);
	if (writer->depth > 0)
		new_line(writer);
	writer->filled = true;
}

static void begin(struct json_writer *writer, const char *bracket)
{
	before(writer);
	append(writer, bracket, 1);
	writer->depth++;
	writer->filled = false;
}

static void end(struct json_writer *writer, const char *bracket)
{
	writer->depth--;
	if (writer->filled)
		new_line(writer);
	append(writer, bracket, 1);
	writer->filled = true;
}

void json_begin_object(struct json_writer *writer)
{
	begin(writer, "{");
}

void json_end_object(struct json_writer *writer)
{
	end(writer, "}");
}

void json_begin_array(struct json_writer *writer)
{
	begin(writer, "[");
}

void json_end_array(struct json_writer *writer)
{
	end(writer, "]");
}

/* The escape of a byte below 0x20, a quote or a backslash; NULL for others. */
static const char *escape(unsigned char byte, char buffer[8])
{
	switch (byte) {
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	case '\n':
		return "\\n";
	case '\r':
		return "\\r";
	case '\t':
		return "\\t";
	default:
		if (byte >= 0x20 && byte != 0x7f)
			return NULL;
		snprintf(buffer, 8, "\\u%04x", byte);
		return buffer;
	}
}

static void quoted(struct json_writer *writer, const char *text)
{
	size_t left = strlen(text);

	append(writer, "\"", 1);
	while (left > 0) {
		char buffer[8];
		size_t plain = 0;
		const char *replacement = NULL;
		size_t step = 0;
		while (plain < left) {
			step = utf8_length(text + plain, left - plain);
			replacement = step == 0 ? "\xef\xbf\xbd" : escape((unsigned char)text[plain], buffer);
			if (replacement != NULL)
				break;
			plain += step;
		}
		append(writer, text, plain);
		if (replacement != NULL) {
			append(writer, replacement, strlen(replacement));
			plain++;
		}
		text += plain;
		left -= plain;
	}
	append(writer, "\"", 1);
}

void json_key(struct json_writer *writer, const char *key)
{
	before(writer);
	quoted(writer, key);
	append(writer, ": ", writer->indent > 0 ? 2 : 1);
	writer->after_key = true;
}

void json_string(struct json_writer *writer, const char *text)
{
	if (text == NULL) {
		json_null(writer);
		return;
	}
	before(writer);
	quoted(writer, text);
}

static void word(struct json_writer *writer, const char *text)
{
	before(writer);
	append(writer, text, strlen(text));
}

void json_i64(struct json_writer *writer, int64_t value)
{
	char text[32];

	snprintf(text, sizeof text, "%" PRId64, value);
	word(writer, text);
}

void json_text(struct json_writer *writer, const char *text)
{
	word(writer, text);
}

void json_u64(struct json_writer *writer, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof text, "%" PRIu64, value);
	word(writer, text);
}

void json_bool(struct json_writer *writer, bool value)
{
	word(writer, value ? "true" : "false");
}

void json_null(struct json_writer *writer)
{
	word(writer, "null");
}

void json_key_string(struct json_writer *writer, const char *key, const char *text)
{
	json_key(writer, key);
	json_string(writer, text);
}

void json_key_i64(struct json_writer *writer, const char *key, int64_t value)
{
	json_key(writer, key);
	json_i64(writer, value);
}

void json_key_u64(struct json_writer *writer, const char *key, uint64_t value)
{
	json_key(writer, key);
	json_u64(writer, value);
}

void json_key_bool(struct json_writer *writer, const char *key, bool value)
{
	json_key(writer, key);
	json_bool(writer, value);
}

void json_key_strings(struct json_writer *writer, const char *key, const char *const *items, size_t count)
{
	json_key(writer, key);
	json_begin_array(writer);
	for (size_t i = 0; i < count; i++)
		json_string(writer, items[i]);
	json_end_array(writer);
}
