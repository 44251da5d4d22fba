/* SPDX-License-Identifier: MIT */
/*
 * svg-check FILE: checks that FILE is well-formed, in the part of SVG that Graphviz writes
 * (elements, attributes, character data, comments, one DOCTYPE): valid UTF-8, characters
 * that XML allows, matching tags, no duplicate attribute or id, known entities. The exit
 * status is 0 if FILE is well-formed, else 1, with a message. Prints the decoded texts as
 * lines "tooltip ID TEXT", "text ID TEXT" and "title ID TEXT", where ID is that of the
 * innermost element with an id, or "-"; a line break in TEXT is printed as " / ".
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define DEPTH_MAX 64
#define NAME_MAX_ 64
#define ID_MAX    256
#define IDS_MAX   65536

static char *text;
static size_t length;
static size_t position;

static char open_names[DEPTH_MAX][NAME_MAX_];
static char open_ids[DEPTH_MAX][ID_MAX];
static int depth;
static char *ids[IDS_MAX];
static size_t n_ids;

static void fail(const char *why)
{
	fprintf(stderr, "svg-check: byte %zu: %s: %.40s\n", position, why, text + position);
	exit(1);
}

static void expect(const char *what)
{
	if (strncmp(text + position, what, strlen(what)) != 0) {
		fail(what);
	}
	position += strlen(what);
}

static bool at(const char *what)
{
	return strncmp(text + position, what, strlen(what)) == 0;
}

static void skip_past(const char *what)
{
	const char *end = strstr(text + position, what);

	if (!end) {
		fail("no end");
	}
	position = (size_t)(end - text) + strlen(what);
}

static void skip_space(void)
{
	position += strspn(text + position, " \t\r\n");
}

static void read_name(char out[NAME_MAX_])
{
	size_t n = strspn(text + position,
			  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			  "0123456789:-_");

	if (n == 0 || n >= NAME_MAX_) {
		fail("bad name");
	}
	memcpy(out, text + position, n);
	out[n] = '\0';
	position += n;
}

static size_t encode(char *out, unsigned long point)
{
	if (point < 0x80) {
		out[0] = (char)point;
		return 1;
	}
	if (point < 0x800) {
		out[0] = (char)(0xc0 | point >> 6);
		out[1] = (char)(0x80 | (point & 0x3f));
		return 2;
	}
	out[0] = (char)(0xe0 | point >> 12);
	out[1] = (char)(0x80 | (point >> 6 & 0x3f));
	out[2] = (char)(0x80 | (point & 0x3f));
	return 3;
}

static size_t read_entity(char *out)
{
	static const struct {
		const char *name;
		char c;
	} named[] = {{"&amp;", '&'},
		     {"&lt;", '<'},
		     {"&gt;", '>'},
		     {"&quot;", '"'},
		     {"&apos;", '\''}};

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (at(named[i].name)) {
			expect(named[i].name);
			out[0] = named[i].c;
			return 1;
		}
	}
	expect("&#");
	unsigned long point = strtoul(text + position, NULL, 10);

	position += strspn(text + position, "0123456789");
	expect(";");
	if ((point < 0x20 && point != '\t' && point != '\n' && point != '\r') ||
	    point >= 0xfffe) {
		fail("bad character reference");
	}
	return encode(out, point);
}

/* Decodes character data up to `end`, a quote or '<'. The caller frees the result. */
static char *read_data(char end)
{
	char *out = malloc(length + 1);
	size_t n = 0;

	if (!out) {
		exit(1);
	}
	while (text[position] != end) {
		if (text[position] == '\0' || text[position] == '<') {
			fail("data does not end");
		}
		if (text[position] == '&') {
			n += read_entity(out + n);
		} else {
			out[n++] = text[position++];
		}
	}
	out[n] = '\0';
	return out;
}

static void print(const char *kind, const char *data)
{
	const char *id = "-";

	for (int i = depth; i-- > 0;) {
		if (open_ids[i][0]) {
			id = open_ids[i];
			break;
		}
	}
	printf("%s %s ", kind, id);
	for (; *data; data++) {
		if (*data == '\n') {
			fputs(" / ", stdout);
		} else {
			putchar(*data);
		}
	}
	putchar('\n');
}

static void take_id(const char *id)
{
	if (n_ids == IDS_MAX || strlen(id) >= ID_MAX) {
		fail("too many ids");
	}
	ids[n_ids++] = strdup(id);
	strcpy(open_ids[depth - 1], id);
}

static void read_attributes(void)
{
	char seen[16][NAME_MAX_];
	size_t n = 0;

	for (skip_space(); !at(">") && !at("/>"); skip_space()) {
		char name[NAME_MAX_];
		char *value;

		read_name(name);
		for (size_t i = 0; i < n; i++) {
			if (strcmp(seen[i], name) == 0) {
				fail("attribute twice");
			}
		}
		if (n == 16) {
			fail("too many attributes");
		}
		strcpy(seen[n++], name);
		expect("=\"");
		value = read_data('"');
		expect("\"");
		if (strcmp(name, "id") == 0) {
			take_id(value);
		} else if (strcmp(name, "xlink:title") == 0) {
			print("tooltip", value);
		}
		free(value);
	}
}

static void read_tag(void)
{
	char name[NAME_MAX_];

	expect("<");
	if (at("/")) {
		expect("/");
		read_name(name);
		skip_space();
		expect(">");
		if (depth == 0 || strcmp(open_names[--depth], name) != 0) {
			fail("wrong end tag");
		}
		return;
	}
	if (depth == DEPTH_MAX) {
		fail("too deep");
	}
	read_name(open_names[depth]);
	open_ids[depth++][0] = '\0';
	read_attributes();
	if (at("/>")) {
		depth--;
		expect("/>");
	} else {
		expect(">");
	}
}

static void read_content(void)
{
	do {
		if (at("<!--")) {
			skip_past("-->");
		} else if (at("<")) {
			read_tag();
		} else {
			char *data = read_data('<');

			if (strcmp(open_names[depth - 1], "text") == 0) {
				print("text", data);
			} else if (strcmp(open_names[depth - 1], "title") == 0) {
				print("title", data);
			}
			free(data);
		}
	} while (depth > 0);
	skip_space();
	if (position != length) {
		fail("text after the root element");
	}
}

static void check_characters(void)
{
	for (position = 0; position < length;) {
		size_t n = kt_utf8_sequence(text + position, length - position);

		if (n == 0 || memcmp(text + position, "\xef\xbf\xbf", n) == 0 ||
		    memcmp(text + position, "\xef\xbf\xbe", n) == 0 ||
		    ((unsigned char)text[position] < 0x20 &&
		     !strchr("\t\n\r", text[position]))) {
			fail("a character that XML does not allow");
		}
		position += n;
	}
	position = 0;
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_ids(void)
{
	qsort(ids, n_ids, sizeof(*ids), compare_ids);
	for (size_t i = 1; i < n_ids; i++) {
		if (strcmp(ids[i - 1], ids[i]) == 0) {
			fprintf(stderr, "svg-check: id twice: %s\n", ids[i]);
			exit(1);
		}
	}
	for (size_t i = 0; i < n_ids; i++) {
		free(ids[i]);
	}
}

static void load(const char *path)
{
	FILE *in = fopen(path, "r");
	size_t size = 0;

	if (!in || getdelim(&text, &size, EOF, in) < 0) {
		perror(path);
		exit(1);
	}
	length = (size_t)ftell(in);
	fclose(in);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: svg-check FILE\n", stderr);
		return 2;
	}
	load(argv[1]);
	check_characters();
	expect("<?xml");
	skip_past("?>");
	skip_space();
	expect("<!DOCTYPE svg");
	skip_past(">");
	for (skip_space(); at("<!--"); skip_space()) {
		skip_past("-->");
	}
	read_content();
	check_ids();
	free(text);
	return 0;
}
