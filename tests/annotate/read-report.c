/* SPDX-License-Identifier: MIT */
/*
 * Reads a report of ktail report, as .json or .html, and checks that it keeps what
 * docs/internals/report.md promises: columns of one length, indexes within their arrays,
 * words that the machines accept. Prints one line: numbers of events, letters, requests,
 * machines and layouts. With --dump it prints the JSON instead, indented, without version
 * and layouts, which depend on other programs. read-report [--dump] FILE
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <zlib.h>

#define BEGIN "<script type=\"application/json\" id=\"ktail-data\">"
#define KINDS 7

static void check(bool holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "read-report: WRONG: %s\n", what);
		exit(1);
	}
}

static char *read_file(const char *path, size_t *size)
{
	FILE *in = fopen(path, "rb");
	char *text = NULL;
	size_t n = 1;

	check(in != NULL, "the file cannot be opened");
	for (*size = 0; n > 0; *size += n) {
		text = realloc(text, *size + 65537);
		check(text != NULL, "out of memory");
		n = fread(text + *size, 1, 65536, in);
	}
	text[*size] = '\0';
	fclose(in);
	return text;
}

/* --- the page --- */

static int digit(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	check(at != NULL, "base64");
	return (int)(at - digits);
}

/* Returns the JSON in the page, and sets *size to the number of its bytes. */
static char *unpack(const char *page, size_t *size)
{
	const char *script = strstr(page, BEGIN);
	const char *end = script ? strstr(script, "</script>") : NULL;
	const char *base64;
	unsigned char *bytes;
	size_t n = 0;
	uLongf length;
	char *json;

	check(script && end, "the script with the data");
	check(!strstr(script + 1, BEGIN), "one script with data");
	base64 = script + strlen(BEGIN);
	check(strncmp(base64, "{\"deflate\":\"", 12) == 0, "compressed data");
	base64 += 12;
	check(strncmp(end - 2, "\"}", 2) == 0 && (end - 2 - base64) % 4 == 0,
	      "the end of the data");
	bytes = malloc((size_t)(end - base64));
	check(bytes != NULL, "out of memory");
	for (const char *at = base64; at < end - 2; at += 4) {
		const int bits = digit(at[0]) << 18 | digit(at[1]) << 12 |
				 (at[2] == '=' ? 0 : digit(at[2])) << 6 |
				 (at[3] == '=' ? 0 : digit(at[3]));

		bytes[n++] = (unsigned char)(bits >> 16);
		if (at[2] != '=') {
			bytes[n++] = (unsigned char)(bits >> 8);
		}
		if (at[3] != '=') {
			bytes[n++] = (unsigned char)bits;
		}
	}
	length = (uLongf)n * 1100;
	json = malloc(length + 1);
	check(json != NULL, "out of memory");
	check(uncompress((Bytef *)json, &length, bytes, (uLong)n) == Z_OK, "inflating");
	json[length] = '\0';
	*size = length;
	free(bytes);
	return json;
}

/* --- values --- */

static const json_t *member(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!value) {
		fprintf(stderr, "read-report: no member %s\n", key);
		exit(1);
	}
	return value;
}

static int64_t number(const json_t *array, size_t i)
{
	const json_t *value = json_array_get(array, i);

	check(json_is_integer(value), "a whole number");
	return json_integer_value(value);
}

static int64_t number_of(const json_t *object, const char *key)
{
	check(json_is_integer(member(object, key)), "a member that is a whole number");
	return json_integer_value(member(object, key));
}

static size_t size_of(const json_t *root, const char *key)
{
	check(json_is_array(member(root, key)), "an array");
	return json_array_size(member(root, key));
}

/* Checks that all columns have n rows, and each index is below its limit, or -1. */
static void check_indexes(const json_t *columns, const char *key, size_t n, size_t limit)
{
	const json_t *column = member(columns, key);

	check(json_array_size(column) == n, "columns of one length");
	for (size_t i = 0; i < n; i++) {
		if (number(column, i) < -1 || number(column, i) >= (int64_t)limit) {
			fprintf(stderr, "read-report: %s, row %zu\n", key, i);
			check(false, "indexes");
		}
	}
}

/* Strings hold no control characters; those of pictures may have line ends. */
static void check_strings(const json_t *value)
{
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_string(value)) {
		for (const char *c = json_string_value(value); *c; c++) {
			check(!iscntrl((unsigned char)*c) || *c == '\n',
			      "control characters");
		}
	}
	json_array_foreach(value, i, item)
	{
		check_strings(item);
	}
	if (json_is_object(value)) {
		json_object_foreach((json_t *)(uintptr_t)value, key, item)
		{
			check_strings(item);
		}
	}
}

/* --- parts --- */

static void check_events(const json_t *root)
{
	const json_t *events = member(root, "events");
	const size_t n = json_array_size(member(events, "time"));
	const size_t names = size_of(root, "names");
	const json_t *kinds = member(events, "kind");
	const json_t *calls = member(events, "call");

	check_indexes(events, "kind", n, KINDS);
	check_indexes(events, "duration", n, INT64_MAX);
	check_indexes(events, "thread", n, size_of(root, "threads"));
	check_indexes(events, "channel", n, size_of(root, "channels"));
	check_indexes(events, "name", n, names);
	check_indexes(events, "detail", n, names);
	check_indexes(events, "label", n, names);
	check_indexes(events, "call", n, n);
	for (size_t i = 0; i < n; i++) {
		const int64_t call = number(calls, i);

		check(number(kinds, i) >= 0, "kinds");
		check(call < (int64_t)i, "calls begin before what is in them");
		check(call < 0 || number(kinds, (size_t)call) == 0, "calls");
	}
}

static void check_requests(const json_t *root)
{
	static const char *const counts[] = {"bytes", "copied", "launches"};
	const json_t *requests = member(root, "requests");
	const json_t *events = member(root, "events");
	const json_t *submitted = member(requests, "submitted");
	const size_t n = json_array_size(submitted);
	const size_t n_events = json_array_size(member(events, "time"));

	for (size_t i = 0; i < 3; i++) {
		check_indexes(requests, counts[i], n, INT64_MAX);
	}
	check_indexes(requests, "completed", n, INT64_MAX);
	check_indexes(requests, "channel", n, size_of(root, "channels"));
	check_indexes(requests, "name", n, size_of(root, "names"));
	check_indexes(requests, "kernel", n, size_of(root, "names"));
	check_indexes(requests, "device", n, INT64_MAX);
	check_indexes(requests, "commands", n, size_of(root, "names"));
	check_indexes(requests, "sign", n, size_of(root, "names"));
	check_indexes(requests, "call", n, n_events);
	check_indexes(requests, "doorbell", n, n_events);
	for (size_t i = 0; i < n; i++) {
		const int64_t doorbell = number(member(requests, "doorbell"), i);
		const int64_t completed = number(member(requests, "completed"), i);

		check(doorbell < 0 || number(member(events, "kind"), (size_t)doorbell) == 2,
		      "doorbells of requests");
		check(completed == -1 || completed >= number(submitted, i),
		      "requests end after they begin");
	}
}

/* Returns the number of letters. */
static size_t check_words(const json_t *root)
{
	const size_t n_events = json_array_size(member(member(root, "events"), "time"));
	size_t letters = 0;
	json_t *word;
	size_t i;

	json_array_foreach(member(root, "words"), i, word)
	{
		const json_t *event_of = member(word, "event_of");
		const size_t n = json_array_size(member(word, "letters"));
		int64_t event = 0;

		check(number_of(word, "trace") < (int64_t)size_of(root, "traces"),
		      "traces of words");
		check_indexes(word, "letters", n, size_of(root, "letters"));
		check(json_array_size(event_of) == n, "an event for each letter");
		for (size_t k = 0; k < n; k++) {
			event += number(event_of, k);
			check(event >= 0 && event < (int64_t)n_events, "events of letters");
		}
		letters += n;
	}
	return letters;
}

static void check_layout(const json_t *machine)
{
	const size_t n = size_of(machine, "transitions");
	const json_t *layout = member(machine, "layout");
	char *seen = calloc(n + 1, 1);
	json_t *edge;
	size_t i;

	check(seen != NULL, "out of memory");
	check(size_of(layout, "states") == size_of(machine, "states"),
	      "states of a layout");
	json_array_foreach(member(layout, "edges"), i, edge)
	{
		const json_t *list = member(edge, "transitions");

		for (size_t k = 0; k < json_array_size(list); k++) {
			const int64_t t = number(list, k);

			check(t >= 0 && t < (int64_t)n && !seen[t], "edges of a layout");
			seen[t] = 1;
		}
	}
	check(!memchr(seen, 0, n), "every transition is in the layout");
	free(seen);
}

/* Follows the words through a machine; returns whether the machine has a layout. */
static bool check_machine(const json_t *root, const json_t *machine)
{
	const json_t *transitions = member(machine, "transitions");
	const size_t n_states = size_of(machine, "states");
	const size_t n_letters = size_of(root, "letters");
	int64_t *to = malloc((n_states * n_letters + 1) * sizeof(*to));
	json_t *word;
	json_t *t;
	size_t i;

	check(to != NULL, "out of memory");
	for (i = 0; i < n_states * n_letters; i++) {
		to[i] = -1;
	}
	json_array_foreach(transitions, i, t)
	{
		const int64_t from = number(t, 0);
		const int64_t letter = number(t, 2);
		int64_t *slot = &to[from * (int64_t)n_letters + letter];

		check(json_array_size(t) == 6, "six numbers for a transition");
		check(from < (int64_t)n_states && number(t, 1) < (int64_t)n_states &&
			      letter < (int64_t)n_letters && number(t, 3) > 0 &&
			      number(t, 4) < (int64_t)size_of(root, "names") &&
			      number(t, 5) < (int64_t)size_of(root, "roles"),
		      "transitions");
		check(*slot < 0, "machines are deterministic");
		*slot = number(t, 1);
	}
	json_array_foreach(member(root, "words"), i, word)
	{
		const json_t *ends = json_array_get(member(machine, "words"), i);
		const json_t *letters = member(word, "letters");
		int64_t state = number(ends, 0);

		for (size_t k = 0; k < json_array_size(letters); k++) {
			state = to[state * (int64_t)n_letters + number(letters, k)];
			check(state >= 0, "the machine accepts its words");
		}
		check(number_of(word, "left_out") > 0 || state == number(ends, 1),
		      "words end where the machine says");
	}
	free(to);
	if (json_is_null(member(machine, "layout"))) {
		return false;
	}
	check_layout(machine);
	return true;
}

static void check_tables(const json_t *root)
{
	json_t *table;
	json_t *row;
	size_t i;
	size_t k;

	json_array_foreach(member(root, "tables"), i, table)
	{
		check(json_is_boolean(member(table, "total")), "totals");
		json_array_foreach(member(table, "rows"), k, row)
		{
			check(json_array_size(row) == size_of(table, "columns"),
			      "rows as long as the columns");
		}
	}
}

/* --- all --- */

static void dump(json_t *root)
{
	json_t *machine;
	size_t i;

	json_object_del(root, "version");
	json_array_foreach(member(root, "machines"), i, machine)
	{
		json_object_del(machine, "layout");
	}
	json_dumpf(root, stdout, JSON_INDENT(1));
	putchar('\n');
}

int main(int argc, char **argv)
{
	const bool dumps = argc == 3 && strcmp(argv[1], "--dump") == 0;
	const char *path = argv[argc - 1];
	size_t laid_out = 0;
	bool chosen = false;
	size_t letters;
	size_t size;
	char *text;
	json_t *root;
	json_t *machine;
	size_t i;

	check(argc == 2 || dumps, "arguments");
	text = read_file(path, &size);
	if (strncmp(text, "<!", 2) == 0) {
		char *json = unpack(text, &size);

		free(text);
		text = json;
	}
	check(strlen(text) == size && !strpbrk(text, "<>&") &&
		      !strstr(text, "\xe2\x80\xa8") && !strstr(text, "\xe2\x80\xa9"),
	      "characters that mean something in HTML are escaped");
	root = json_loadb(text, size, 0, NULL);
	check(root != NULL, "JSON");
	check(strcmp(json_string_value(member(root, "format")), "ktail-report/1") == 0,
	      "format");
	check_strings(root);
	check_events(root);
	check_requests(root);
	letters = check_words(root);
	check_tables(root);
	json_array_foreach(member(root, "machines"), i, machine)
	{
		laid_out += check_machine(root, machine);
		chosen |= number_of(machine, "k") == number_of(root, "chosen");
	}
	check(chosen, "the chosen machine is there");
	if (dumps) {
		dump(root);
	} else {
		printf("%zu events, %zu letters, %zu requests, %zu machines, %zu layouts\n",
		       json_array_size(member(member(root, "events"), "time")), letters,
		       json_array_size(member(member(root, "requests"), "submitted")),
		       size_of(root, "machines"), laid_out);
	}
	json_decref(root);
	free(text);
	return 0;
}
