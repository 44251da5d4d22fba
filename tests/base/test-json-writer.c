/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/json-writer.h"
#include "tests/suite.h"

#define DOCUMENTS 3000

static uint64_t state = 88172645463325252u;

static uint64_t random_below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

/* --- random documents --- */

/* With `plain`, uses only characters that need no escape. */
static void random_text(char text[32], bool plain)
{
	static const char *const pieces[] = {
		"a",  "Z ", "{,:}", "\xc3\xa9", "\xf0\x9f\x98\x80",
		"\"", "\\", "\n",   "\x01",     "\x7f"};
	size_t n = random_below(6);

	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		strcat(text, pieces[random_below(plain ? 5 : 10)]);
	}
}

static json_t *random_value(int depth, bool plain)
{
	uint64_t kind = random_below(depth < KT_JSON_DEPTH ? 7 : 5);
	json_t *value = kind == 5 ? json_object() : json_array();
	size_t n = random_below(4);
	char text[32];

	random_text(text, plain);
	if (kind < 5) {
		json_decref(value);
		return kind == 0   ? json_null()
		       : kind == 1 ? json_boolean(n & 1)
		       : kind == 2 ? json_string(text)
				   : json_integer((json_int_t)(random_below(INT64_MAX) >>
							       random_below(63)));
	}
	for (size_t i = 0; i < n; i++) {
		random_text(text, plain);
		if (kind == 5) {
			json_object_set_new(value, text, random_value(depth + 1, plain));
		} else {
			json_array_append_new(value, random_value(depth + 1, plain));
		}
	}
	return value;
}

/* --- the same documents by the writer --- */

static void write_value(struct kt_json_writer *w, const char *key, json_t *value);

static void write_container(struct kt_json_writer *w, const char *name, json_t *value)
{
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_object(value)) {
		kt_json_object(w, name);
		json_object_foreach(value, key, item)
		{
			write_value(w, key, item);
		}
	} else {
		(!w->compact && random_below(2) ? kt_json_rows : kt_json_array)(w, name);
		json_array_foreach(value, i, item)
		{
			write_value(w, NULL, item);
		}
	}
	kt_json_end(w);
}

static void write_member(struct kt_json_writer *w, const char *key, json_t *value)
{
	if (json_is_string(value)) {
		KT_JSON(w, KT_STR(key, json_string_value(value)));
	} else if (json_is_integer(value)) {
		KT_JSON(w, KT_U64(key, (uint64_t)json_integer_value(value)));
	} else if (json_is_boolean(value)) {
		KT_JSON(w, KT_BOOL(key, json_is_true(value)));
	} else {
		KT_JSON(w, KT_KNOWN(key, 1, false));
	}
}

static void write_value(struct kt_json_writer *w, const char *key, json_t *value)
{
	if (!w->compact && random_below(4) == 0) {
		kt_json_line(w);
	}
	if (json_is_object(value) || json_is_array(value)) {
		write_container(w, key, value);
		return;
	}
	if (key && random_below(2)) {
		write_member(w, key, value);
		return;
	}
	if (key) {
		kt_json_key(w, key);
	}
	if (json_is_string(value)) {
		kt_json_text(w, json_string_value(value));
	} else if (json_is_integer(value)) {
		kt_json_number(w, (uint64_t)json_integer_value(value));
	} else if (json_is_boolean(value)) {
		kt_json_bool(w, json_is_true(value));
	} else {
		kt_json_null(w);
	}
}

/* Returns a document as the writer prints it; the caller frees it. */
static char *write_text(json_t *root, bool compact)
{
	struct kt_json_writer w = {.compact = compact};
	char *text;
	size_t size;

	w.out = open_memstream(&text, &size);
	CU_ASSERT_PTR_NOT_NULL_FATAL(w.out);
	write_value(&w, NULL, root);
	CU_ASSERT_EQUAL(w.depth, 0);
	CU_ASSERT_EQUAL_FATAL(fclose(w.out), 0);
	return text;
}

/* --- tests --- */

static json_t *random_root(bool plain)
{
	json_t *root = json_array();

	json_array_append_new(root, random_value(2, plain));
	json_array_append_new(root, random_value(2, plain));
	return root;
}

static void says_what_was_meant(void)
{
	for (int i = 0; i < DOCUMENTS; i++) {
		json_t *root = random_root(false);
		char *text = write_text(root, i & 1);
		json_t *again = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

		CU_ASSERT_FATAL(json_equal(root, again));
		json_decref(again);
		json_decref(root);
		free(text);
	}
}

static void has_the_bytes_of_compact_json(void)
{
	for (int i = 0; i < DOCUMENTS; i++) {
		json_t *root = random_root(true);
		char *expected = json_dumps(root, JSON_COMPACT);
		char *text = write_text(root, true);
		size_t length = strlen(expected);

		CU_ASSERT_FATAL(strncmp(text, expected, length) == 0);
		CU_ASSERT_STRING_EQUAL_FATAL(text + length, "\n");
		json_decref(root);
		free(expected);
		free(text);
	}
}

static void breaks_lines_where_asked(void)
{
	struct kt_json_writer w;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	w = kt_json_document(out, "f/1");
	kt_json_rows(kt_json_line(&w), "none");
	kt_json_end(&w);
	kt_json_flush(&w);
	w = kt_json_resume(out);
	kt_json_rows(kt_json_line(&w), "rows");
	kt_json_object(&w, NULL);
	KT_JSON(&w, KT_U64("a", UINT64_MAX), KT_STR("no", NULL));
	kt_json_array(kt_json_line(&w), "b");
	kt_json_object(kt_json_line(&w), NULL);
	KT_JSON(kt_json_line(&w), KT_I64("c", -1), KT_HEX("d", 42), KT_RAW("e", "{}"));
	kt_json_end(&w);
	kt_json_end(&w);
	kt_json_end(&w);
	kt_json_numbers(&w, NULL, (const uint32_t[]){1, 2}, 2);
	kt_json_end(&w);
	kt_json_print(&w, "f", "%.2f", 0.5);
	CU_ASSERT_EQUAL(kt_json_finish(&w, "write"), 0);
	CU_ASSERT_EQUAL_FATAL(fclose(out), 0);
	CU_ASSERT_STRING_EQUAL(text, "{ \"format\": \"f/1\",\n"
				     "  \"none\": [],\n"
				     "  \"rows\": [\n"
				     "    {\"a\": 18446744073709551615,\n"
				     "     \"b\": [\n"
				     "      {\n"
				     "       \"c\": -1, \"d\": \"0x2a\", \"e\": {}}]},\n"
				     "    [1, 2]\n"
				     "  ], \"f\": 0.50\n"
				     "}\n");
	free(text);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"says what was meant", says_what_was_meant},
		{"has the bytes of compact JSON", has_the_bytes_of_compact_json},
		{"breaks lines where asked", breaks_lines_where_asked},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("json-writer", tests);
}
