/* SPDX-License-Identifier: MIT */
/* The language of driver.points: a line holds one statement, or opens or closes a brace. */
#include "corpus/softgpu/truth/points.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

#define MAX_TOKENS 16
#define MAX_LINE   256
#define NAMES      "abcdefghijklmnopqrstuvwxyz0123456789_-"
#define FILE_NAMES NAMES "ABCDEFGHIJKLMNOPQRSTUVWXYZ./"

struct parser {
	struct kt_points *points; /* Weak */
	size_t line;
	const char *tokens[MAX_TOKENS]; /* of the line, in `text` */
	size_t n;
	char text[MAX_LINE];
	struct kt_procedure *procedure;                 /* Weak; that is open, or NULL */
	struct kt_statement *open[KT_POINTS_MAX_DEPTH]; /* Weak; with braces */
	size_t depth;
};

static int malformed(const struct parser *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int malformed(const struct parser *p, const char *format, ...)
{
	char reason[MAX_LINE + 256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	return kt_error(KT_E_MALFORMED, "read %s:%zu: %s", p->points->file, p->line,
			reason);
}

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "read program points: out of memory");
}

static int duplicate(char **out, const char *text)
{
	*out = strdup(text);
	return *out ? KT_OK : no_memory();
}

static bool is(const struct parser *p, size_t i, const char *word)
{
	return i < p->n && strcmp(p->tokens[i], word) == 0;
}

/* --- words of a line --- */

/* Divides a line into words; what is behind a '#' is a comment. */
static int split(struct parser *p, const char *text, size_t length)
{
	size_t used = 0;

	p->n = 0;
	for (size_t i = 0; i < length && text[i] != '#';) {
		if (text[i] == ' ' || text[i] == '\t') {
			i++;
			continue;
		}
		if (p->n == MAX_TOKENS) {
			return malformed(p, "more than %d words", MAX_TOKENS);
		}
		p->tokens[p->n++] = p->text + used;
		while (i < length && text[i] != '#' && text[i] != ' ' && text[i] != '\t') {
			if (text[i] < 0x21 || text[i] > 0x7e) {
				return malformed(p, "a character that is no plain text");
			}
			if (used + 2 > MAX_LINE) {
				return malformed(p, "longer than %d characters", MAX_LINE);
			}
			p->text[used++] = text[i++];
		}
		p->text[used++] = '\0';
	}
	return KT_OK;
}

static bool is_made_of(const char *text, const char *characters)
{
	return text[0] && text[strspn(text, characters)] == '\0';
}

/* 0x and lower-case digits without padding, as letters have them. */
static bool is_hex(const char *text)
{
	return strncmp(text, "0x", 2) == 0 && is_made_of(text + 2, "0123456789abcdef") &&
	       (text[2] != '0' || !text[3]);
}

static bool is_space(const char *text)
{
	static const char *const spaces[] = {"reg", "fb", "sys", "pin", "uvm", "other"};

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		if (strcmp(text, spaces[i]) == 0) {
			return true;
		}
	}
	return is_hex(text);
}

static bool is_request(const char *text)
{
	return is_hex(strncmp(text, "uvm:", 4) == 0 ? text + 4 : text);
}

static int expect_words(const struct parser *p, size_t n, const char *form)
{
	return p->n == n ? KT_OK : malformed(p, "the form is: %s", form);
}

static int expect_name(const struct parser *p, const char *name)
{
	return is_made_of(name, NAMES)
		       ? KT_OK
		       : malformed(p, "'%s' is no name of small letters, digits, _ and -",
				   name);
}

/* --- declarations --- */

static int find_memory(const struct kt_points *points, const char *name, uint32_t *out)
{
	for (uint32_t i = 0; i < points->n_memories; i++) {
		if (strcmp(points->memories[i].name, name) == 0) {
			*out = i;
			return true;
		}
	}
	return false;
}

static int parse_memory(struct parser *p)
{
	struct kt_points *points = p->points;
	struct kt_memory_role *role = &points->memories[points->n_memories];
	uint32_t twin;
	int code = expect_words(p, 4, "memory ROLE one|many SPACE");

	code = code ? code : expect_name(p, p->tokens[1]);
	if (code) {
		return code;
	}
	if (!is(p, 2, "one") && !is(p, 2, "many")) {
		return malformed(p, "'%s' is neither 'one' nor 'many'", p->tokens[2]);
	}
	if (!is_space(p->tokens[3])) {
		return malformed(p, "'%s' is no space of table1", p->tokens[3]);
	}
	if (find_memory(points, p->tokens[1], &twin)) {
		return malformed(p, "memory %s is there already", p->tokens[1]);
	}
	if (points->n_memories == KT_POINTS_MAX_MEMORIES) {
		return malformed(p, "more than %d memories", KT_POINTS_MAX_MEMORIES);
	}
	*role = (struct kt_memory_role){.many = is(p, 2, "many")};
	points->n_memories++;
	code = duplicate(&role->name, p->tokens[1]);
	return code ? code : duplicate(&role->space, p->tokens[3]);
}

static int add_value(struct kt_setting *setting, const char *value)
{
	int code = kt_array_reserve(&setting->values, &setting->capacity,
				    setting->n_values + 1);

	code = code ? code : duplicate(&setting->values[setting->n_values], value);
	setting->n_values += !code;
	return code;
}

static int parse_setting(struct parser *p)
{
	struct kt_points *points = p->points;
	struct kt_setting *setting;
	int code;

	if (p->n < 3) {
		return malformed(p, "the form is: setting NAME VALUE...");
	}
	for (size_t i = 1; i < p->n; i++) {
		code = expect_name(p, p->tokens[i]);
		if (code) {
			return code;
		}
	}
	for (size_t i = 0; i < points->n_settings; i++) {
		if (is(p, 1, points->settings[i].name)) {
			return malformed(p, "setting %s is there already", p->tokens[1]);
		}
	}
	code = kt_array_reserve(&points->settings, &points->settings_capacity,
				points->n_settings + 1);
	if (code) {
		return code;
	}
	setting = &points->settings[points->n_settings++];
	*setting = (struct kt_setting){0};
	code = duplicate(&setting->name, p->tokens[1]);
	for (size_t i = 2; i < p->n && !code; i++) {
		code = add_value(setting, p->tokens[i]);
	}
	return code;
}

static int find_procedure(const struct kt_points *points, const char *name, uint32_t *out)
{
	for (uint32_t i = 0; i < points->n_procedures; i++) {
		if (strcmp(points->procedures[i].name, name) == 0) {
			*out = i;
			return true;
		}
	}
	return false;
}

static int parse_procedure(struct parser *p)
{
	struct kt_points *points = p->points;
	uint32_t twin;
	int code;

	if (p->n < 2 || p->n > 3) {
		return malformed(p, "the form is: procedure NAME [FILE]");
	}
	if (p->n == 3 && !is_made_of(p->tokens[2], FILE_NAMES)) {
		return malformed(p, "'%s' is no name of a file", p->tokens[2]);
	}
	code = expect_name(p, p->tokens[1]);
	if (code) {
		return code;
	}
	if (find_procedure(points, p->tokens[1], &twin)) {
		return malformed(p, "procedure %s is there already", p->tokens[1]);
	}
	code = kt_array_reserve(&points->procedures, &points->procedures_capacity,
				points->n_procedures + 1);
	if (code) {
		return code;
	}
	p->procedure = &points->procedures[points->n_procedures++];
	*p->procedure = (struct kt_procedure){.line = p->line};
	return duplicate(&p->procedure->name, p->tokens[1]);
}

/* --- statements --- */

/* The block that the next statement goes to. */
static struct kt_block *current(const struct parser *p)
{
	const struct kt_statement *top;

	if (p->depth == 0) {
		return &p->procedure->body;
	}
	top = p->open[p->depth - 1];
	return &top->blocks[top->n_blocks - 1];
}

static int add_statement(struct parser *p, enum kt_statement_kind kind,
			 struct kt_statement **out)
{
	struct kt_block *block = current(p);
	int code = kt_array_reserve(&block->statements, &block->capacity, block->n + 1);

	if (code) {
		return code;
	}
	*out = &block->statements[block->n++];
	**out = (struct kt_statement){.kind = kind, .line = p->line};
	return KT_OK;
}

static int print(char **out, const char *a, const char *b, const char *c, const char *d)
{
	size_t size = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;

	*out = malloc(size);
	if (!*out) {
		return no_memory();
	}
	snprintf(*out, size, "%s%s%s%s", a, b, c, d);
	return KT_OK;
}

static int add_letter(struct parser *p)
{
	struct kt_statement *s = NULL;
	const char *argument = p->n > 1 ? p->tokens[1] : "";
	int code = add_statement(p, KT_STATEMENT_LETTER, &s);

	code = code ? code
		    : print(&s->text, p->tokens[0], p->n > 1 ? " " : "", argument, "");
	if (code) {
		return code;
	}
	return is(p, 0, "doorbell") ? duplicate(&s->letter, "W:reg")
				    : print(&s->letter, p->tokens[0], ":", argument, "");
}

static int parse_ioctl(struct parser *p)
{
	int code = expect_words(p, 2, "ioctl [uvm:]0xNUMBER");

	if (!code && !is_request(p->tokens[1])) {
		return malformed(p, "'%s' is no request as letters have it", p->tokens[1]);
	}
	return code ? code : add_letter(p);
}

static int parse_map(struct parser *p)
{
	int code = expect_words(p, 2, "map SPACE, unmap SPACE");

	if (!code && !is_space(p->tokens[1])) {
		return malformed(p, "'%s' is no space of table1", p->tokens[1]);
	}
	return code ? code : add_letter(p);
}

static int parse_doorbell(struct parser *p)
{
	int code = expect_words(p, 1, "doorbell");

	return code ? code : add_letter(p);
}

static int parse_access(struct parser *p)
{
	bool read = is(p, 0, "read");
	struct kt_statement *s = NULL;
	const char *space;
	uint32_t memory = 0;
	int code = expect_words(p, 2, "read ROLE, write ROLE");

	if (!code && !find_memory(p->points, p->tokens[1], &memory)) {
		return malformed(p, "memory %s is not declared above", p->tokens[1]);
	}
	code = code ? code
		    : add_statement(p, read ? KT_STATEMENT_READ : KT_STATEMENT_WRITE, &s);
	if (code) {
		return code;
	}
	space = p->points->memories[memory].space;
	s->index = memory;
	code = print(&s->letter, read ? "R" : "W", ":", space, "");
	if (!code) {
		char role[MAX_LINE + 8];

		snprintf(role, sizeof(role), "%s (", p->tokens[1]);
		code = print(&s->text, read ? "read " : "write ", role, space, ")");
	}
	return code;
}

static int parse_call(struct parser *p)
{
	struct kt_statement *s = NULL;
	int code = expect_words(p, 2, "call NAME");

	code = code ? code : add_statement(p, KT_STATEMENT_CALL, &s);
	return code ? code : duplicate(&s->name, p->tokens[1]);
}

/* --- braces --- */

static int add_block(struct kt_statement *s)
{
	int code = kt_array_reserve(&s->blocks, &s->capacity, s->n_blocks + 1);

	if (!code) {
		s->blocks[s->n_blocks++] = (struct kt_block){0};
	}
	return code;
}

static int open_brace(struct parser *p, enum kt_statement_kind kind,
		      struct kt_statement **out)
{
	int code;

	if (!is(p, p->n - 1, "{")) {
		return malformed(p, "'%s' lacks a '{' at the end of its line",
				 p->tokens[0]);
	}
	if (p->depth == KT_POINTS_MAX_DEPTH) {
		return malformed(p, "more than %d braces within each other",
				 KT_POINTS_MAX_DEPTH);
	}
	code = add_statement(p, kind, out);
	code = code ? code : add_block(*out);
	if (!code) {
		p->open[p->depth++] = *out;
	}
	return code;
}

static int parse_maybe(struct parser *p)
{
	struct kt_statement *s;
	int code = expect_words(p, 2, "maybe {");

	return code ? code : open_brace(p, KT_STATEMENT_MAYBE, &s);
}

static int parse_repeat(struct parser *p)
{
	struct kt_statement *s;
	int code = expect_words(p, 2, "repeat {");

	return code ? code : open_brace(p, KT_STATEMENT_REPEAT, &s);
}

static int parse_some(struct parser *p)
{
	struct kt_statement *s;
	int code = expect_words(p, 2, "some {");

	return code ? code : open_brace(p, KT_STATEMENT_SOME, &s);
}

static int parse_choose(struct parser *p)
{
	struct kt_statement *s;
	int code = expect_words(p, 2, "choose {");

	return code ? code : open_brace(p, KT_STATEMENT_CHOOSE, &s);
}

static int find_value(const struct kt_setting *setting, const char *value, uint32_t *out)
{
	for (uint32_t i = 0; i < setting->n_values; i++) {
		if (strcmp(setting->values[i], value) == 0) {
			*out = i;
			return true;
		}
	}
	return false;
}

static int parse_when(struct parser *p)
{
	struct kt_statement *s = NULL;
	int code = expect_words(p, 3, "when SETTING=VALUE {");
	const char *equals = code ? NULL : strchr(p->tokens[1], '=');

	if (!code && !equals) {
		return malformed(p, "the form is: when SETTING=VALUE {");
	}
	code = code ? code : open_brace(p, KT_STATEMENT_WHEN, &s);
	for (uint32_t i = 0; !code && i < p->points->n_settings; i++) {
		const struct kt_setting *setting = &p->points->settings[i];
		size_t length = (size_t)(equals - p->tokens[1]);

		if (strlen(setting->name) == length &&
		    strncmp(setting->name, p->tokens[1], length) == 0 &&
		    find_value(setting, equals + 1, &s->value)) {
			s->index = i;
			return KT_OK;
		}
	}
	return code ? code
		    : malformed(p, "'%s' is no setting with a value that it has",
				p->tokens[1]);
}

static int parse_close(struct parser *p)
{
	if (p->depth == 0) {
		return malformed(p, "'}' closes nothing");
	}
	if (p->n == 1) {
		p->depth--;
		return KT_OK;
	}
	if (p->n != 3 || !is(p, 1, "or") || !is(p, 2, "{")) {
		return malformed(p, "the form is: } or {");
	}
	if (p->open[p->depth - 1]->kind != KT_STATEMENT_CHOOSE) {
		return malformed(p, "'or' stands in no 'choose'");
	}
	return add_block(p->open[p->depth - 1]);
}

/* --- lines --- */

static int parse_line(struct parser *p)
{
	static const struct {
		const char *word;
		int (*parse)(struct parser *p);
		bool statement; /* of a procedure */
	} rows[] = {
		{"memory", parse_memory, false},
		{"setting", parse_setting, false},
		{"procedure", parse_procedure, false},
		{"ioctl", parse_ioctl, true},
		{"map", parse_map, true},
		{"unmap", parse_map, true},
		{"doorbell", parse_doorbell, true},
		{"read", parse_access, true},
		{"write", parse_access, true},
		{"call", parse_call, true},
		{"maybe", parse_maybe, true},
		{"repeat", parse_repeat, true},
		{"some", parse_some, true},
		{"choose", parse_choose, true},
		{"when", parse_when, true},
		{"}", parse_close, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!is(p, 0, rows[i].word)) {
			continue;
		}
		if (rows[i].statement && !p->procedure) {
			return malformed(p, "'%s' stands in no procedure", p->tokens[0]);
		}
		if (!rows[i].statement && p->depth > 0) {
			return malformed(p, "'%s' stands within braces, of line %zu",
					 p->tokens[0], p->open[p->depth - 1]->line);
		}
		return rows[i].parse(p);
	}
	return malformed(p, "'%s' is no statement", p->tokens[0]);
}

static int parse_lines(struct parser *p, const char *text, size_t length)
{
	int code = KT_OK;

	for (size_t at = 0; at < length && !code;) {
		const char *end = memchr(text + at, '\n', length - at);
		size_t n = end ? (size_t)(end - (text + at)) : length - at;

		p->line++;
		code = split(p, text + at, n);
		if (!code && p->n > 0) {
			code = parse_line(p);
		}
		at += n + 1;
	}
	if (!code && p->depth > 0) {
		p->line = p->open[p->depth - 1]->line;
		return malformed(p, "'{' is not closed");
	}
	return code;
}

/* --- calls --- */

static int resolve_block(struct parser *p, struct kt_block *block, bool *called)
{
	int code = KT_OK;

	for (size_t i = 0; i < block->n && !code; i++) {
		struct kt_statement *s = &block->statements[i];

		if (s->kind == KT_STATEMENT_CALL) {
			p->line = s->line;
			if (!find_procedure(p->points, s->name, &s->index)) {
				return malformed(p, "there is no procedure %s", s->name);
			}
			called[s->index] = true;
		}
		for (size_t j = 0; j < s->n_blocks && !code; j++) {
			code = resolve_block(p, &s->blocks[j], called);
		}
	}
	return code;
}

/* Every call finds its procedure, and every procedure but main its caller. */
static int resolve(struct parser *p)
{
	struct kt_points *points = p->points;
	bool *called = calloc(points->n_procedures + 1, sizeof(*called));
	int code = called ? KT_OK : no_memory();

	for (size_t i = 0; i < points->n_procedures && !code; i++) {
		code = resolve_block(p, &points->procedures[i].body, called);
	}
	if (!code && !find_procedure(points, "main", &points->main)) {
		code = kt_error(KT_E_MALFORMED, "read %s: there is no procedure main",
				points->file);
	}
	for (size_t i = 0; i < points->n_procedures && !code; i++) {
		if (!called[i] && i != points->main) {
			p->line = points->procedures[i].line;
			code = malformed(p, "procedure %s is never called",
					 points->procedures[i].name);
		}
	}
	free(called);
	return code;
}

int kt_points_parse(struct kt_points **out, const char *file, const char *text,
		    size_t length)
{
	struct parser p = {.points = calloc(1, sizeof(*p.points))};
	int code = p.points ? duplicate(&p.points->file, file) : no_memory();

	*out = NULL;
	code = code ? code : parse_lines(&p, text, length);
	code = code ? code : resolve(&p);
	if (code) {
		kt_points_free(p.points);
		return code;
	}
	*out = p.points;
	return KT_OK;
}
