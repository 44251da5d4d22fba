/* SPDX-License-Identifier: MIT */
/* Tests the language of alphabets, and the letters that alphabets give. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/words/alphabet/alphabet.h"
#include "infer/words/alphabet/letters.h"
#include "tests/suite.h"

struct field {
	const char *name;
	const char *text; /* NULL: the field is a number */
	int64_t number;
};

static kt_alphabet *parse(const char *text)
{
	kt_alphabet *alphabet;
	int code =
		kt_alphabet_parse(&alphabet, "test", "test.alphabet", text, strlen(text));

	if (code) {
		printf("\n    %s\n", kt_error_message());
	}
	CU_ASSERT_EQUAL_FATAL(code, KT_OK);
	return alphabet;
}

/*
 * Returns the letter for an event, "" for none; a rule with a run adds "open " or "once "
 * before the letter.
 */
static const char *eval(const kt_alphabet *alphabet, kt_letters *letters, const char *event,
			const struct field *fields)
{
	static char out[256];
	const struct kt_event_rules *rules = kt_alphabet_find(alphabet, event);
	struct kt_value values[KT_ALPHABET_MAX_FIELDS] = {{0}};
	enum kt_run run;
	uint32_t letter;

	if (!rules) {
		return "";
	}
	for (size_t i = 0; i < rules->n_fields; i++) {
		const struct field *f = fields;

		while (strcmp(f->name, rules->fields[i]) != 0) {
			f++;
		}
		values[i].kind = f->text         ? KT_VALUE_STRING
				 : f->number < 0 ? KT_VALUE_SIGNED
						 : KT_VALUE_UNSIGNED;
		values[i].text = f->text;
		values[i].number = (uint64_t)f->number;
	}
	if (kt_letters_eval(letters, rules, values, &letter, &run)) {
		return "error";
	}
	snprintf(out, sizeof(out), "%s%s",
		 run == KT_RUN_OPEN   ? "open "
		 : run == KT_RUN_ONCE ? "once "
				      : "",
		 letter == KT_NO_LETTER ? "" : kt_letters_name(letters, letter));
	return out;
}

#define F(...) ((const struct field[]){__VA_ARGS__})

static void test_builtins(void)
{
	kt_letters *letters;
	kt_alphabet *a;

	CU_ASSERT_EQUAL_FATAL(kt_letters_new(&letters), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_alphabet_open(&a, "table1"), KT_OK);
#define IOCTL(d, r, n, c, k)                                                               \
	F({"device", d, 0}, {"request", NULL, r}, {"nr", NULL, n}, {"class", NULL, c},     \
	  {"command", NULL, k})
#define ACCESS(o, s) F({"op", o, 0}, {"space", s, 0}, {"mapping", NULL, 3})
	CU_ASSERT_STRING_EQUAL(
		eval(a, letters, "ioctl", IOCTL("nvidiactl", 0xc020462a, 0x2a, 0, 5)),
		"ioctl:0x2a");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "ioctl", IOCTL("nvidia-uvm", 27, 27, 0, 0)),
			       "ioctl:uvm:0x1b");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "map", F({"space", "sys", 0})), "map:sys");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "unmap", F({"space", "0xc0de", 0})),
			       "unmap:0xc0de");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "access", ACCESS("R", "fb")), "open R:fb");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "access", ACCESS("W", "fb")), "once W:fb");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "doorbell", NULL), "W:reg");
	for (const char *const *none =
		     (const char *const[]){"device_open", "device_close", "object",
					   "process_begin", "process_end", NULL};
	     *none; none++) {
		CU_ASSERT_PTR_NULL(kt_alphabet_find(a, *none));
	}
	CU_ASSERT_EQUAL(kt_letters_count(letters), 7);
	CU_ASSERT_PTR_NULL(kt_letters_name(letters, 7));
	kt_alphabet_free(a);
	kt_letters_free(letters);

	/* Only letters of the paper's table 1. Each access gives a letter. */
	CU_ASSERT_EQUAL_FATAL(kt_letters_new(&letters), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_alphabet_open(&a, "atc13"), KT_OK);
	CU_ASSERT_STRING_EQUAL(a->required[0].mode, "access");
	CU_ASSERT_STRING_EQUAL(a->required[0].value, "exact");
	CU_ASSERT_STRING_EQUAL(
		eval(a, letters, "ioctl", IOCTL("nvidiactl", 0xc020462a, 0x2a, 0, 5)),
		"ioctl:0x2a");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "ioctl", IOCTL("nvidia-uvm", 27, 27, 0, 0)),
			       "");
	for (const char *const *space =
		     (const char *const[]){"pin", "reg", "fb", "sys", NULL};
	     *space; space++) {
		char letter[16];

		snprintf(letter, sizeof(letter), "map:%s", *space);
		CU_ASSERT_STRING_EQUAL(eval(a, letters, "map", F({"space", *space, 0})),
				       letter);
		snprintf(letter, sizeof(letter), "R:%s", *space);
		CU_ASSERT_STRING_EQUAL(eval(a, letters, "access", ACCESS("R", *space)),
				       letter);
		letter[0] = 'W';
		CU_ASSERT_STRING_EQUAL(eval(a, letters, "access", ACCESS("W", *space)),
				       letter);
	}
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "doorbell", NULL), "W:reg");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "map", F({"space", "uvm", 0})), "");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "access", ACCESS("R", "other")), "");
	CU_ASSERT_PTR_NULL(kt_alphabet_find(a, "unmap"));
	kt_alphabet_free(a);
	kt_letters_free(letters);

	CU_ASSERT_EQUAL_FATAL(kt_letters_new(&letters), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_alphabet_open(&a, "rm"), KT_OK);
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "ioctl",
				    IOCTL("nvidiactl", 0xc020462a, 0x2a, 7, 0xc36f0108)),
			       "ioctl:0x2a/0xc36f0108");
	CU_ASSERT_STRING_EQUAL(
		eval(a, letters, "ioctl", IOCTL("nvidiactl", 0xc030462b, 0x2b, 0xc5c0, 0)),
		"ioctl:0x2b/0xc5c0");
	CU_ASSERT_STRING_EQUAL(
		eval(a, letters, "ioctl", IOCTL("nvidiactl", 0xc0104629, 0x29, 0, 0)),
		"ioctl:0x29");
	kt_alphabet_free(a);
	kt_letters_free(letters);
	kt_alphabet_free(NULL);
	kt_letters_free(NULL);
}

static void test_language(void)
{
	kt_alphabet *a = parse("# comment\n"
			       "\n"
			       "  e  s=x   n!=0x10 -> {s}-{n}-{n:x} # after\n"
			       "e s=\"two words\" -> quoted #1\n"
			       "e n=-5 -> minus {n}\n"
			       "e s!=y -> -\n"
			       "e -> {{{s}}}\n"
			       "f -> last");
	kt_letters *letters;

	CU_ASSERT_EQUAL_FATAL(kt_letters_new(&letters), KT_OK);
#define E(s, n) F({"s", s, 0}, {"n", NULL, n})
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "e", E("x", 255)), "x-255-0xff");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "e", E("x", 255)), "x-255-0xff");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "e", E("x", 16)), "");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "e", E("two words", 1)), "quoted");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "e", E("z", -5)), "minus -5");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "e", E("z", 1)), "");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "e", E("y", 1)), "{y}");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "e", E("y\n", 1)), "");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "f", NULL), "last");
	CU_ASSERT_STRING_EQUAL(eval(a, letters, "g", NULL), "");
	kt_letters_free(letters);
	kt_alphabet_free(a);
}

static void test_bad_letters(void)
{
	static const char *const bad[] = {"\n", "", "  ", "#x", "\xff"};
	kt_alphabet *a = parse("e -> {s}\n");
	kt_letters *letters;
	char many[600];

	CU_ASSERT_EQUAL_FATAL(kt_letters_new(&letters), KT_OK);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CU_ASSERT_STRING_EQUAL(eval(a, letters, "e", F({"s", bad[i], 0})), "error");
	}
	CU_ASSERT_EQUAL(kt_letters_count(letters), 0);
	memset(many, 'a', sizeof(many));
	many[sizeof(many) - 1] = '\0';
	/* The letter is longer than the keys of the lookup table. */
	CU_ASSERT_STRING_NOT_EQUAL(eval(a, letters, "e", F({"s", many, 0})), "error");
	CU_ASSERT_STRING_NOT_EQUAL(eval(a, letters, "e", F({"s", many, 0})), "error");
	CU_ASSERT_EQUAL(kt_letters_count(letters), 1);
	for (int i = 0; i < 5000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", i % 2500);
		CU_ASSERT_STRING_EQUAL(eval(a, letters, "e", F({"s", name, 0})), name);
	}
	CU_ASSERT_EQUAL(kt_letters_count(letters), 2501);
	kt_letters_free(letters);
	kt_alphabet_free(a);
}

static void test_errors(void)
{
	static const struct {
		const char *text;
		/* follows "read alphabet test.alphabet" in the message */
		const char *message;
	} bad[] = {
		{"", ": no rules"},
		{"# only\n", ": no rules"},
		{"require access=exact\n", ": no rules"},
		{"require\ne -> a\n", ":1: expected MODE=VALUE after 'require'"},
		{"require access\ne -> a\n", ":1: expected MODE=VALUE after 'require'"},
		{"require access=\ne -> a\n", ":1: expected one value after 'access='"},
		{"require access=exact off\ne -> a\n",
		 ":1: expected one value after 'access='"},
		{"e\n", ":1: a rule without '->'"},
		{"\n\ne ->\n", ":3: no letter after '->'; write - for none"},
		{"e x -> a\n", ":1: expected '=' or '!=' after 'x'"},
		{"e x= -> a\n", ":1: a condition without a value"},
		{"e x=\"a -> b\n", ":1: unterminated quote"},
		{"e x=\"a\"b -> b\n", ":1: expected a blank after 'a'"},
		{"e =1 -> b\n", ":1: expected a condition or '->' at '=1 -> b'"},
		{"e:f -> b\n", ":1: expected the name of an event, without its provider"},
		{"e -> {\n", ":1: expected {field} or {field:x}, or {{ or }} for a brace"},
		{"e -> {a:y}\n",
		 ":1: expected {field} or {field:x}, or {{ or }} for a brace"},
		{"e -> a}\n", ":1: a '}' without '{'; write }} for a brace"},
		{"e run:twice -> a\n", ":1: expected 'open' or 'once' after 'run:'"},
		{"e run:opener -> a\n", ":1: expected 'open' or 'once' after 'run:'"},
		{"e -> a\001\n", ":1: control characters or invalid UTF-8"},
		{"e -> a\xff\n", ":1: control characters or invalid UTF-8"},
		{"e\t-> a\n", ":1: a tab inside a rule; write a blank"},
		{"e -> {a}{b}{c}{d}{e}{f}{g}{h}{i}{j}{k}{l}{m}{n}{o}{p}{q}\n",
		 ":1: the rules of event e use more than 16 fields"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char message[256];
		kt_alphabet *a;

		CU_ASSERT_EQUAL(kt_alphabet_parse(&a, "test", "test.alphabet", bad[i].text,
						  strlen(bad[i].text)),
				KT_E_MALFORMED);
		CU_ASSERT_PTR_NULL(a);
		snprintf(message, sizeof(message), "read alphabet test.alphabet%s",
			 bad[i].message);
		CU_ASSERT_STRING_EQUAL(kt_error_message(), message);
	}
}

static void test_kinds(void)
{
	kt_alphabet *a = parse("e n=abc -> x\ne run:open m=1 -> y\n");
	const struct kt_event_rules *rules = kt_alphabet_find(a, "e");
	enum kt_value_kind kinds[3] = {KT_VALUE_STRING, KT_VALUE_UNSIGNED,
				       KT_VALUE_UNSIGNED};

	CU_ASSERT_EQUAL(kt_letters_check_kinds(a, rules, kinds), KT_OK);
	kinds[0] = KT_VALUE_UNSIGNED;
	CU_ASSERT_EQUAL(kt_letters_check_kinds(a, rules, kinds), KT_E_MALFORMED);
	CU_ASSERT_STRING_EQUAL(kt_error_message(),
			       "read alphabet test.alphabet:1: field n of "
			       "event e is a number, but 'abc' is not");
	kinds[0] = KT_VALUE_STRING;
	kinds[rules->mapping] = KT_VALUE_STRING;
	CU_ASSERT_EQUAL(kt_letters_check_kinds(a, rules, kinds), KT_E_MALFORMED);
	kt_alphabet_free(a);
}

static void from_json(const char *json, int want)
{
	kt_alphabet *a;

	CU_ASSERT_EQUAL(kt_alphabet_from_json(&a, json, "m.json"), want);
	CU_ASSERT((a != NULL) == (want == KT_OK));
	kt_alphabet_free(a);
}

/* Writes an alphabet to a machine's JSON and reads it back. */
static void test_from_json(void)
{
	static const char *const names[] = {"table1",     "atc13",   "rm",
					    "submission", "methods", "roles"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		kt_alphabet *a;
		kt_alphabet *b;
		char *json;

		CU_ASSERT_EQUAL_FATAL(kt_alphabet_open(&a, names[i]), KT_OK);
		CU_ASSERT_EQUAL_FATAL(kt_alphabet_json(&json, a), KT_OK);
		CU_ASSERT_EQUAL_FATAL(kt_alphabet_from_json(&b, json, "m.json"), KT_OK);
		CU_ASSERT(kt_alphabet_same(a, b));
		CU_ASSERT_STRING_EQUAL(b->name, names[i]);
		CU_ASSERT_EQUAL(b->n_required, i == 1);
		kt_alphabet_free(a);
		kt_alphabet_free(b);
		free(json);
	}
	from_json("{\"name\": \"x\", \"rules\": [\"e -> a\"]}", KT_OK);
	from_json("{\"name\": \"x\", \"rules\": []}", KT_E_MALFORMED);
	from_json("{\"name\": \"x\", \"rules\": [1]}", KT_E_MALFORMED);
	from_json("{\"name\": \"x\", \"rules\": [\"e -> a\\nf -> b\"]}", KT_E_MALFORMED);
	from_json("{\"name\": \"x\", \"rules\": [\"nonsense\"]}", KT_E_MALFORMED);
	from_json("{\"name\": \"x\", \"source\": \"both\", \"rules\": [\"e -> a\"]}",
		  KT_OK);
	from_json("{\"name\": \"x\", \"source\": \"user\", \"rules\": [\"e -> a\"]}",
		  KT_E_MALFORMED);
	from_json("{\"name\": 1, \"rules\": [\"e -> a\"]}", KT_E_MALFORMED);
	from_json("{\"name\": \"x\"}", KT_E_MALFORMED);
	from_json("[]", KT_E_MALFORMED);
	from_json("", KT_E_MALFORMED);
}

static void test_json(void)
{
	kt_alphabet *a = parse("# no\ne s=\"q\" -> a\\b # no\n\nf -> -\n");
	char *json;

	CU_ASSERT_EQUAL_FATAL(kt_alphabet_json(&json, a), KT_OK);
	CU_ASSERT_STRING_EQUAL(json, "{\"name\": \"test\", \"rules\": "
				     "[\"e s=\\\"q\\\" -> a\\\\b\", \"f -> -\"]}");
	free(json);
	kt_alphabet_free(a);
	CU_ASSERT_EQUAL(kt_alphabet_open(&a, "/nowhere/x.alphabet"), KT_E_IO);
}

/* An alphabet for words of both sources says so, and has the kernel's letters. */
static void test_both(void)
{
	kt_alphabet *a;
	kt_alphabet *one;
	kt_alphabet *again;
	char *json;

	CU_ASSERT_EQUAL_FATAL(kt_alphabet_open_both(&a, "table1"), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_alphabet_open(&one, "table1"), KT_OK);
	CU_ASSERT_FALSE(kt_alphabet_same(a, one));
	CU_ASSERT(a->both && !one->both);
	CU_ASSERT_EQUAL_FATAL(kt_alphabet_json(&json, a), KT_OK);
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"source\": \"both\""));
	CU_ASSERT_EQUAL_FATAL(kt_alphabet_from_json(&again, json, "m.json"), KT_OK);
	CU_ASSERT(kt_alphabet_same(a, again) && again->both);
	free(json);
	CU_ASSERT_EQUAL_FATAL(kt_alphabet_json(&json, one), KT_OK);
	CU_ASSERT_PTR_NULL(strstr(json, "source"));
	free(json);
	kt_alphabet_free(a);
	kt_alphabet_free(one);
	kt_alphabet_free(again);
	CU_ASSERT_EQUAL(kt_alphabet_open_both(&a, "/nowhere/x.alphabet"), KT_E_IO);
	CU_ASSERT_PTR_NULL(a);
}

/*
 * A filter of letters is written as JSON with an alphabet, or without one, and read back.
 */
static void test_filter(void)
{
	struct kt_letter_filter filter = {.runs = {.n = 0}};
	struct kt_letter_filter read = {.runs = {.n = 0}};
	kt_alphabet *a = parse("e -> a\n");
	kt_alphabet *b;
	char text[64];
	char *json;

	CU_ASSERT_EQUAL_FATAL(kt_letter_list_add(&filter.runs, "b"), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_letter_list_add(&filter.runs, "a"), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_letter_list_add(&filter.runs, "b"), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_letter_list_add(&filter.without, "c"), KT_OK);
	kt_letter_filter_text(text, sizeof(text), &filter);
	CU_ASSERT_STRING_EQUAL(text, "--without 'c' --runs 'a' --runs 'b'");
	CU_ASSERT_EQUAL_FATAL(kt_letter_filter_copy(&a->filter, &filter), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_alphabet_json(&json, a), KT_OK);
	CU_ASSERT_STRING_EQUAL(json, "{\"name\": \"test\", \"rules\": [\"e -> a\"], "
				     "\"runs\": [\"a\", \"b\"], \"without\": [\"c\"]}");
	CU_ASSERT_EQUAL_FATAL(kt_alphabet_from_json(&b, json, "m.json"), KT_OK);
	CU_ASSERT(kt_letter_filter_same(&b->filter, &filter));
	CU_ASSERT_EQUAL(kt_letter_filter_agree(&read, json, "m.json"), KT_OK);
	CU_ASSERT(kt_letter_filter_same(&read, &filter));
	CU_ASSERT_EQUAL(kt_letter_filter_agree(&read, "{}", "m.json"), KT_OK);
	CU_ASSERT(kt_letter_filter_same(&read, &filter));
	CU_ASSERT_EQUAL(kt_letter_filter_agree(&read, "{\"runs\": [\"a\"]}", "m.json"),
			KT_E_USAGE);
	CU_ASSERT_EQUAL(kt_letter_filter_from_json(&read, "{\"runs\": 1}", "m.json"),
			KT_E_MALFORMED);
	free(json);
	kt_alphabet_free(b);
	CU_ASSERT_EQUAL_FATAL(kt_letter_filter_json(&json, &filter), KT_OK);
	CU_ASSERT_STRING_EQUAL(json, "{\"runs\": [\"a\", \"b\"], \"without\": [\"c\"]}");
	CU_ASSERT_EQUAL(kt_alphabet_from_json(&b, json, "m.json"), KT_OK);
	CU_ASSERT_PTR_NULL(b);
	free(json);
	kt_letter_filter_clear(&filter);
	CU_ASSERT_EQUAL_FATAL(kt_letter_filter_json(&json, &filter), KT_OK);
	CU_ASSERT_PTR_NULL(json);
	kt_letter_filter_clear(&read);
	kt_alphabet_free(a);
}

/* Which detail an alphabet needs: S (single accesses), A (accesses), C (commands). */
static void needs(const kt_alphabet *a, const char *expected)
{
	for (int i = 0; i < KT_DETAILS; i++) {
		CU_ASSERT_EQUAL(kt_alphabet_needs(a, (enum kt_detail)i, NULL),
				strchr(expected, "SAC"[i]) != NULL);
	}
}

static void test_needs(void)
{
	static const struct {
		const char *name;
		const char *expected;
	} builtins[] = {
		{"table1", "A"},       {"rm", "A"},      {"api", ""},     {"calls", "A"},
		{"submission", "SAC"}, {"methods", "C"}, {"atc13", "SA"}, {"roles", "SAC"},
	};
	static const struct {
		const char *text;
		const char *expected;
	} texts[] = {
		{"doorbell -> D\n", ""},
		{"access -> -\ndoorbell -> D\n", ""},
		{"access op=R run:open -> R:{space}\naccess -> -\n", "A"},
		{"access op=R -> R:{space}\n", "SA"},
		{"access op=R run:open -> R:{offset}\n", "SA"},
		{"access size=4 run:once -> R\n", "SA"},
		{"gpfifo_entry -> G\n", "C"},
		{"pushbuffer -> P\ndoorbell -> D\n", "C"},
	};
	kt_alphabet *a;

	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		CU_ASSERT_EQUAL_FATAL(kt_alphabet_open(&a, builtins[i].name), KT_OK);
		needs(a, builtins[i].expected);
		kt_alphabet_free(a);
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		CU_ASSERT_EQUAL_FATAL(kt_alphabet_parse(&a, "test", "test", texts[i].text,
							strlen(texts[i].text)),
				      KT_OK);
		needs(a, texts[i].expected);
		kt_alphabet_free(a);
	}
}

/* Letters that the filter leaves out, and spaces that no rule uses, are not needed. */
static void test_needs_kept(void)
{
	static const char text[] = "access op=R space=fb -> {op}:{space}\n"
				   "access op=W space!=fb offset=0 -> first\n"
				   "access op=W space=sys -> -\n"
				   "access op=W space=pin -> W:pin\n";
	static const char *const spaces[] = {KT_SPACE_NAMES};
	kt_alphabet *a;

	CU_ASSERT_EQUAL_FATAL(kt_alphabet_open(&a, "rm"), KT_OK);
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		char read[16];
		char write[16];

		needs(a, "A");
		CU_ASSERT(kt_alphabet_needs(a, KT_DETAIL_ACCESSES, spaces[i]));
		snprintf(read, sizeof(read), "R:%s", spaces[i]);
		snprintf(write, sizeof(write), "W:%s", spaces[i]);
		CU_ASSERT_EQUAL(kt_letter_list_add(&a->filter.without, read), KT_OK);
		CU_ASSERT(kt_alphabet_needs(a, KT_DETAIL_ACCESSES, spaces[i]));
		CU_ASSERT_EQUAL(kt_letter_list_add(&a->filter.without, write), KT_OK);
		CU_ASSERT_FALSE(kt_alphabet_needs(a, KT_DETAIL_ACCESSES, spaces[i]));
	}
	needs(a, "");
	CU_ASSERT(kt_alphabet_needs(a, KT_DETAIL_ACCESSES, "0x3e"));
	kt_alphabet_free(a);
	CU_ASSERT_EQUAL_FATAL(kt_alphabet_parse(&a, "test", "test", text, sizeof(text) - 1),
			      KT_OK);
	CU_ASSERT(kt_alphabet_needs(a, KT_DETAIL_ACCESSES, "fb"));
	CU_ASSERT(kt_alphabet_needs(a, KT_DETAIL_ACCESSES, "sys"));
	CU_ASSERT_EQUAL(kt_letter_list_add(&a->filter.without, "first"), KT_OK);
	CU_ASSERT(kt_alphabet_needs(a, KT_DETAIL_ACCESSES, "fb"));
	CU_ASSERT_FALSE(kt_alphabet_needs(a, KT_DETAIL_ACCESSES, "sys"));
	CU_ASSERT(kt_alphabet_needs(a, KT_DETAIL_ACCESSES, "pin"));
	CU_ASSERT_EQUAL(kt_letter_list_add(&a->filter.without, "R:fb"), KT_OK);
	CU_ASSERT_FALSE(kt_alphabet_needs(a, KT_DETAIL_ACCESSES, "fb"));
	needs(a, "SA");
	kt_alphabet_free(a);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"built in", test_builtins},
		{"language", test_language},
		{"bad letters", test_bad_letters},
		{"errors", test_errors},
		{"kinds of fields", test_kinds},
		{"JSON", test_json},
		{"from JSON", test_from_json},
		{"both sources", test_both},
		{"filter", test_filter},
		{"detail that letters need", test_needs},
		{"detail of letters that are kept", test_needs_kept},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("alphabet", tests);
}
