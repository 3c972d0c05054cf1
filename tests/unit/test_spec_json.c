/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader and writer: what is refused, what is kept exactly, what is escaped. */
#include <errno.h>
#include <stdlib.h>

#include "sandbox/common/cleanup.h"
#include "spec/json.h"
#include "spec/json_write.h"
#include "tests/unit/check.h"

static const struct {
	const char *text;
	const char *message; /* NULL: accepted */
} texts[] = {
    {"{}", NULL},
    {" [ ] ", NULL},
    {"null", NULL},
    {"\"\\ud83d\\ude00\"", NULL},
    {"\"\\\\ud800\"", NULL},
    {"\"\xf0\x9f\x98\x80\"", NULL},
    {"[-0, 1.5, 1e3, 123456789012345678901234567890]", NULL},
    {"{\"a\":1,\"a\":2}", NULL},
    {"", "line 1, column 1: not valid JSON: premature EOF"},
    {" \n  ", "line 2, column 2: not valid JSON: premature EOF"},
    {"{", "line 1, column 1: not valid JSON: premature EOF"},
    {"{]", "line 1, column 2: not valid JSON: invalid object key (must be a string)"},
    {"{}x", "line 1, column 3: not valid JSON: trailing garbage"},
    {"{}\n{}", "line 2, column 1: not valid JSON: trailing garbage"},
    {"[1,]", "line 1, column 4: not valid JSON: unallowed token at this point in JSON text"},
    {"{\"a\":1,}", "line 1, column 8: not valid JSON: invalid object key (must be a string)"},
    {"{\"a\"}", "line 1, column 5: not valid JSON: object key and value must be separated by a colon (':')"},
    {"[01]", "line 1, column 3: not valid JSON: after array element, I expect ',' or ']'"},
    {"[+1]", "line 1, column 2: not valid JSON: lexical error: invalid char in json text."},
    {"[1.]",
     "line 1, column 3: not valid JSON: lexical error: malformed number, a digit is required after the decimal point."},
    {"[nul]", "line 1, column 4: not valid JSON: lexical error: invalid string in json text."},
    {"// comment\n{}",
     "line 1, column 1: not valid JSON: lexical error: probable comment found in input text, comments "
     "are not enabled."},
    {"['a']", "line 1, column 2: not valid JSON: lexical error: invalid char in json text."},
    {"\"a\nb\"", "line 1, column 2: not valid JSON: lexical error: invalid character inside string."},
    {"\"\\x41\"", "line 1, column 2: not valid JSON: lexical error: inside a string, '\\' occurs before a character "
		  "which it may not."},
    {"\"a\\u0000b\"", "line 1, column 10: a string contains a NUL byte"},
    {"{\"a\\u0000b\":1}", "line 1, column 11: a string contains a NUL byte"},
    {"\"\\ud800\"", "line 1, column 2: a lone surrogate"},
    {"[\n\"\\udc00\"]", "line 2, column 2: a lone surrogate"},
    {"\"\\ud800\\u0041\"", "line 1, column 2: a lone surrogate"},
    {"\"\\ud800\\ud800\"", "line 1, column 2: a lone surrogate"},
    {"\"\xff\"", "line 1, column 2: invalid UTF-8 (byte 0xff)"},
    {"\"\xc0\x80\"", "line 1, column 2: invalid UTF-8 (byte 0xc0)"},
    {"\"\xed\xa0\x80\"", "line 1, column 2: invalid UTF-8 (byte 0xed)"},
    {"\"\xf4\x90\x80\x80\"", "line 1, column 2: invalid UTF-8 (byte 0xf4)"},
    {"\"\xe2\x82\"", "line 1, column 2: invalid UTF-8 (byte 0xe2)"},
    {"\xef\xbb\xbf{}", "line 1, column 1: not valid JSON: lexical error: invalid char in json text."},
};

static void test_texts(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		CLEANUP_ARENA struct arena arena = {0};
		struct error err = {0};
		const struct json_value *value = NULL;
		int rc = json_parse(&arena, texts[i].text, strlen(texts[i].text), &value, &err);

		CHECK(rc == (texts[i].message == NULL ? 0 : -EINVAL));
		CHECK((value != NULL) == (texts[i].message == NULL));
		CHECK_TEXT(err.message, texts[i].message != NULL ? texts[i].message : "");
	}
}

/* A raw NUL is no end of the text. */
static void test_raw_nul(void)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct error err = {0};
	const struct json_value *value = NULL;

	CHECK(json_parse(&arena, "{}\0{}", 5, &value, &err) == -EINVAL);
	CHECK(json_parse(&arena, "\"a\0b\"", 5, &value, &err) == -EINVAL);
	CHECK(json_parse(&arena, "{}\0", 3, &value, &err) == -EINVAL);
}

static int parse_repeated(const char *open, const char *close, size_t count, struct error *err)
{
	CLEANUP_ARENA struct arena arena = {0};
	const struct json_value *value = NULL;
	size_t size = count * (strlen(open) + strlen(close)), length = 0;
	CLEANUP_FREE char *text = malloc(size + 1);

	for (size_t i = 0; i < count; i++, length += strlen(open))
		memcpy(text + length, open, strlen(open));
	for (size_t i = 0; i < count; i++, length += strlen(close))
		memcpy(text + length, close, strlen(close));
	return json_parse(&arena, text, length, &value, err);
}

static void test_bounds(void)
{
	struct error err = {0};

	CHECK(parse_repeated("[", "]", JSON_DEPTH_MAX, &err) == 0);
	CHECK(parse_repeated("[", "]", JSON_DEPTH_MAX + 1, &err) == -EFBIG);
	CHECK_TEXT(err.message, "line 1, column 129: nested deeper than 128 levels");
	CHECK(parse_repeated("[", "]", 1000000, &err) == -EFBIG);
	CHECK(parse_repeated("{\"a\":", "", 1000000, &err) == -EFBIG);
	CHECK(parse_repeated(" ", "", JSON_SIZE_MAX + 1, &err) == -EFBIG);
	CHECK_TEXT(err.message, "larger than 16777216 bytes");

	size_t length = 0;
	CLEANUP_ARENA struct arena arena = {0};
	CLEANUP_FREE char *text = malloc(2 * (JSON_VALUES_MAX + 2));
	const struct json_value *value = NULL;
	text[length++] = '[';
	for (size_t i = 0; i < JSON_VALUES_MAX; i++) {
		text[length++] = '0';
		text[length++] = ',';
	}
	text[length - 1] = ']';
	CHECK(json_parse(&arena, text, length, &value, &err) == -EFBIG);
	CHECK(json_parse(&arena, text + 2, length - 2, &value, &err) == -EINVAL);
	text[2] = '[';
	CHECK(json_parse(&arena, text + 2, length - 2, &value, &err) == 0);
	CHECK(value->length == JSON_VALUES_MAX - 1);
}

static void test_tree(void)
{
	static const char text[] =
	    "{\"n\": 18446744073709551616, \"x\": 1, \"s\": \"a\\u00e9\\/\\n\", \"l\": [true, null], "
	    "\"x\": 2, \"\": {}, \"null\": null, \"x\": 3}";
	CLEANUP_ARENA struct arena arena = {0};
	struct error err = {0};
	const struct json_value *value = NULL;

	if (!CHECK(json_parse(&arena, text, strlen(text), &value, &err) == 0))
		return;
	CHECK(value->type == JSON_OBJECT && value->length == 6);
	CHECK_TEXT(value->first->key, "n");
	CHECK_TEXT(value->first->text, "18446744073709551616");
	CHECK_TEXT(json_member_string(value, "s"), "a\xc3\xa9/\n");
	CHECK_TEXT(json_member(value, "x")->text, "3");
	CHECK(json_member(value, "null") == NULL);
	CHECK(json_member(value, "absent") == NULL);
	CHECK(json_member(NULL, "x") == NULL);
	CHECK(json_member_string(value, "x") == NULL);
	const struct json_value *list = json_member(value, "l");
	CHECK(list->type == JSON_ARRAY && list->length == 2);
	CHECK(list->first->type == JSON_BOOL && list->first->boolean);
	CHECK(list->first->next->type == JSON_NULL && list->first->next->next == NULL);
}

/* Many members with one name take no quadratic time: with one, this test would not end. */
static void test_many_duplicates(void)
{
	CLEANUP_JSON_WRITER struct json_writer writer = JSON_WRITER(0);
	CLEANUP_ARENA struct arena arena = {0};
	struct error err = {0};
	const struct json_value *value = NULL;

	json_begin_object(&writer);
	for (int i = 0; i < 300000; i++) {
		char key[16];
		snprintf(key, sizeof key, "%d", i % 1000);
		json_key_i64(&writer, key, i);
	}
	json_end_object(&writer);
	CHECK(json_parse(&arena, writer.data, writer.length, &value, &err) == 0);
	CHECK(value->length == 1000);
	CHECK_TEXT(json_member(value, "999")->text, "299999");
	CHECK_TEXT(value->first->text, "299000");
}

static void test_writer(void)
{
	CLEANUP_JSON_WRITER struct json_writer line = JSON_WRITER(0);
	CLEANUP_JSON_WRITER struct json_writer page = JSON_WRITER(2);
	static const char *const items[] = {"a", "b"};

	json_begin_array(&line);
	json_string(&line, "\"\\\b\f\n\r\t\x01\x7f/<\xc3\xa9\xf0\x9f\x98\x80");
	json_string(&line, "a\xff\xc0\x80z\xe2\x82");
	json_string(&line, "");
	json_string(&line, NULL);
	json_i64(&line, INT64_MIN);
	json_u64(&line, UINT64_MAX);
	json_bool(&line, true);
	json_null(&line);
	json_end_array(&line);
	CHECK_TEXT(line.data, "[\"\\\"\\\\\\u0008\\u000c\\n\\r\\t\\u0001\\u007f/<\xc3\xa9\xf0\x9f\x98\x80\","
			      "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd\xef\xbf\xbd\",\"\",null,"
			      "-9223372036854775808,18446744073709551615,true,null]");

	json_begin_object(&page);
	json_key(&page, "empty");
	json_begin_object(&page);
	json_end_object(&page);
	json_key_strings(&page, "none", items, 0);
	json_key_strings(&page, "two", items, 2);
	json_key_bool(&page, "last", false);
	json_end_object(&page);
	CHECK_TEXT(page.data, "{\n  \"empty\": {},\n  \"none\": [],\n  \"two\": [\n    \"a\",\n    \"b\"\n  ],\n"
			      "  \"last\": false\n}");
}

/* What the writer wrote, the reader reads back. */
static void test_round_trip(void)
{
	char bytes[128];

	for (int i = 1; i < 128; i++)
		bytes[i - 1] = (char)i;
	bytes[127] = '\0';
	CLEANUP_JSON_WRITER struct json_writer writer = JSON_WRITER(0);
	CLEANUP_ARENA struct arena arena = {0};
	struct error err = {0};
	const struct json_value *value = NULL;
	json_string(&writer, bytes);
	CHECK(json_parse(&arena, writer.data, writer.length, &value, &err) == 0);
	CHECK_TEXT(value->text, bytes);
}

int main(void)
{
	test_texts();
	test_raw_nul();
	test_bounds();
	test_tree();
	test_many_duplicates();
	test_writer();
	test_round_trip();
	return check_result();
}
