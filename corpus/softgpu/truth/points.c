/* SPDX-License-Identifier: MIT */
/*
 * Parser of driver.points. A line holds at most one statement. The statements inside
 * another one stand in braces: "{" ends its line, and "}" or "} or {" has a line of its
 * own.
 */
#include "corpus/softgpu/truth/points.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/file/file.h"

enum { MAX_TOKENS = 16, MAX_LINE = 256 };

#define NAMES      "abcdefghijklmnopqrstuvwxyz0123456789_-"
#define FILE_NAMES NAMES "ABCDEFGHIJKLMNOPQRSTUVWXYZ./"

const char *const kt_points_roles[] = {
	[KT_POINTS_SEMAPHORE] = "semaphore",
	[KT_POINTS_OTHER] = "other",
	"commands",
	"ring",
	"put",
	"get",
	"notifier",
	"token",
	"staging",
	"timer",
	NULL,
};

_Static_assert(sizeof(kt_points_roles) / sizeof(kt_points_roles[0]) ==
		       KT_POINTS_N_ROLES + 1,
	       "number of roles");

static const char *const alphabets[KT_POINTS_ALPHABETS] = {
	[KT_POINTS_TABLE1] = "table1",
	[KT_POINTS_ROLES] = "roles",
};

struct parser {
	struct kt_points *points; /* Weak */
	size_t line;
	const char *tokens[MAX_TOKENS]; /* the line's tokens, in `text` */
	size_t n;
	char text[MAX_LINE];
	enum kt_statement_kind kind;    /* kind of the line's statement, if the line is in a
					 * procedure */
	struct kt_procedure *procedure; /* Weak; the open procedure, or NULL */
	/* Weak; statements whose braces are open */
	struct kt_statement *open[KT_POINTS_MAX_DEPTH];
	size_t depth;
};

__attribute__((format(printf, 2, 3))) static int malformed(const struct parser *p,
							   const char *format, ...)
{
	char reason[MAX_LINE + 256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	return kt_error(KT_E_MALFORMED, "read %s:%zu: %s", p->points->file, p->line,
			reason);
}

/* Formats a string and stores it for the lifetime of the points. */
__attribute__((format(printf, 3, 4))) static int keep(struct parser *p, const char **out,
						      const char *format, ...)
{
	char text[2 * MAX_LINE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	*out = kt_texts_keep(&p->points->texts, text);
	return *out ? KT_OK : KT_E_MEMORY;
}

/* --- tokens of a line --- */

/* Splits a line into tokens; '#' starts a comment. */
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
				return malformed(p, "a character that is not plain text");
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

static bool is(const struct parser *p, size_t i, const char *word)
{
	return i < p->n && strcmp(p->tokens[i], word) == 0;
}

static bool consists_of(const char *text, const char *characters)
{
	return text[0] && text[strspn(text, characters)] == '\0';
}

/*
 * Returns whether the text is a hexadecimal number in the form of letters: 0x, then
 * lower-case digits without leading zeros.
 */
static bool is_hex(const char *text)
{
	return strncmp(text, "0x", 2) == 0 && consists_of(text + 2, "0123456789abcdef") &&
	       (text[2] != '0' || !text[3]);
}

static int expect_space(const struct parser *p, const char *text)
{
	static const char *const spaces[] = {"reg", "fb", "sys", "pin", "uvm", "other"};

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		if (strcmp(text, spaces[i]) == 0) {
			return KT_OK;
		}
	}
	return is_hex(text) ? KT_OK : malformed(p, "'%s' is not a space of table1", text);
}

static int expect_name(const struct parser *p, const char *name)
{
	return consists_of(name, NAMES) ? KT_OK
					: malformed(p,
						    "'%s' is not a name of lower-case "
						    "letters, digits, _ and -",
						    name);
}

/* --- named items, whose first member is the name --- */

static bool find(const void *items, size_t n, size_t size, const char *name, uint32_t *out)
{
	for (*out = 0; *out < n; ++*out) {
		const char *const *item = (const void *)((const char *)items + *out * size);

		if (strcmp(*item, name) == 0) {
			return true;
		}
	}
	return false;
}

static bool find_memory(const struct kt_points *points, const char *name, uint32_t *out)
{
	return find(points->memories, points->n_memories, sizeof(points->memories[0]), name,
		    out);
}

static bool find_procedure(const struct kt_points *points, const char *name, uint32_t *out)
{
	return find(points->procedures, points->n_procedures, sizeof(points->procedures[0]),
		    name, out);
}

/* Finds the setting and the value of "setting=value". */
static bool find_value(const struct kt_points *points, const char *assignment,
		       uint32_t *setting, uint32_t *value)
{
	size_t length = strcspn(assignment, "=");

	for (uint32_t i = 0; assignment[length] && i < points->n_settings; i++) {
		const struct kt_setting *s = &points->settings[i];

		if (strlen(s->name) == length && !strncmp(s->name, assignment, length) &&
		    find(s->values, s->n_values, sizeof(s->values[0]),
			 assignment + length + 1, value)) {
			*setting = i;
			return true;
		}
	}
	return false;
}

/* --- declarations --- */

/* Reads the roles of a memory, "ROLE" or "ROLE,ROLE". */
static int read_parts(struct parser *p, struct kt_memory_role *memory, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, ",");
		uint32_t i = 0;

		while (kt_points_roles[i] &&
		       (strlen(kt_points_roles[i]) != length ||
			strncmp(kt_points_roles[i], text, length) != 0)) {
			i++;
		}
		if (!kt_points_roles[i] || memory->n_parts == KT_POINTS_MAX_PARTS) {
			return malformed(
				p, "'%s' is not one role of the alphabet roles or two",
				p->tokens[4]);
		}
		memory->parts[memory->n_parts++] = i;
		text += length;
		text += text[0] && text[1];
	}
	if (memory->n_parts > 1 && (memory->parts[0] == KT_POINTS_SEMAPHORE ||
				    memory->parts[1] == KT_POINTS_SEMAPHORE)) {
		return malformed(p, "memory %s has another role beside semaphore",
				 p->tokens[1]);
	}
	return KT_OK;
}

static int read_memory(struct parser *p)
{
	struct kt_points *points = p->points;
	struct kt_memory_role *role = &points->memories[points->n_memories];
	uint32_t twin;

	KT_TRY(expect_name(p, p->tokens[1]));
	if (!is(p, 2, "one") && !is(p, 2, "many")) {
		return malformed(p, "'%s' is neither 'one' nor 'many'", p->tokens[2]);
	}
	KT_TRY(expect_space(p, p->tokens[3]));
	if (find_memory(points, p->tokens[1], &twin)) {
		return malformed(p, "memory %s is already declared", p->tokens[1]);
	}
	if (points->n_memories == KT_POINTS_MAX_MEMORIES) {
		return malformed(p, "more than %d memories", KT_POINTS_MAX_MEMORIES);
	}
	*role = (struct kt_memory_role){.many = is(p, 2, "many")};
	KT_TRY(read_parts(p, role,
			  p->n > 4 ? p->tokens[4] : kt_points_roles[KT_POINTS_OTHER]));
	KT_TRY(keep(p, &role->name, "%s", p->tokens[1]));
	KT_TRY(keep(p, &role->space, "%s", p->tokens[3]));
	points->n_memories++;
	return KT_OK;
}

static int read_setting(struct parser *p)
{
	struct kt_points *points = p->points;
	struct kt_setting *setting;
	uint32_t twin;

	for (size_t i = 1; i < p->n; i++) {
		KT_TRY(expect_name(p, p->tokens[i]));
	}
	if (find(points->settings, points->n_settings, sizeof(*setting), p->tokens[1],
		 &twin)) {
		return malformed(p, "setting %s is already declared", p->tokens[1]);
	}
	KT_TRY(kt_array_reserve(&points->settings, &points->settings_capacity,
				points->n_settings + 1));
	setting = &points->settings[points->n_settings++];
	*setting = (struct kt_setting){0};
	KT_TRY(keep(p, &setting->name, "%s", p->tokens[1]));
	KT_TRY(kt_array_reserve(&setting->values, &setting->capacity, p->n - 2));
	for (size_t i = 2; i < p->n; i++) {
		KT_TRY(keep(p, &setting->values[i - 2], "%s", p->tokens[i]));
		setting->n_values++;
	}
	return KT_OK;
}

static int read_procedure(struct parser *p)
{
	struct kt_points *points = p->points;
	uint32_t twin;

	if (p->n == 3 && !consists_of(p->tokens[2], FILE_NAMES)) {
		return malformed(p, "'%s' is not a file name", p->tokens[2]);
	}
	KT_TRY(expect_name(p, p->tokens[1]));
	if (find_procedure(points, p->tokens[1], &twin)) {
		return malformed(p, "procedure %s is already defined", p->tokens[1]);
	}
	KT_TRY(kt_array_reserve(&points->procedures, &points->procedures_capacity,
				points->n_procedures + 1));
	p->procedure = &points->procedures[points->n_procedures++];
	*p->procedure = (struct kt_procedure){.line = p->line};
	return keep(p, &p->procedure->name, "%s", p->tokens[1]);
}

/* --- statements --- */

static int add_statement(struct parser *p, struct kt_statement **out)
{
	const struct kt_statement *top = p->depth ? p->open[p->depth - 1] : NULL;
	struct kt_block *block =
		top ? &top->blocks[top->n_blocks - 1] : &p->procedure->body;

	KT_TRY(kt_array_reserve(&block->statements, &block->capacity, block->n + 1));
	*out = &block->statements[block->n++];
	**out = (struct kt_statement){.kind = p->kind, .line = p->line};
	return KT_OK;
}

/* Reads a statement `ioctl`, `map`, `unmap` or `doorbell`. */
static int read_letter(struct parser *p)
{
	const char *argument = p->n > 1 ? p->tokens[1] : "";
	struct kt_statement *s = NULL;

	if (is(p, 0, "ioctl") &&
	    !is_hex(strncmp(argument, "uvm:", 4) == 0 ? argument + 4 : argument)) {
		return malformed(p, "'%s' is not a request in the form of a letter",
				 argument);
	}
	if (is(p, 0, "map") || is(p, 0, "unmap")) {
		KT_TRY(expect_space(p, argument));
	}
	KT_TRY(add_statement(p, &s));
	if (p->n == 1) {
		s->texts[KT_POINTS_TABLE1] = s->texts[KT_POINTS_ROLES] = "doorbell";
		s->letters[KT_POINTS_TABLE1][0] = "W:reg";
		s->letters[KT_POINTS_ROLES][0] = "W:doorbell";
		s->letters[KT_POINTS_ROLES][1] = "W:doorbell:unpolled";
		return KT_OK;
	}
	KT_TRY(keep(p, &s->texts[KT_POINTS_TABLE1], "%s %s", p->tokens[0], argument));
	s->texts[KT_POINTS_ROLES] = s->texts[KT_POINTS_TABLE1];
	KT_TRY(keep(p, &s->letters[KT_POINTS_TABLE1][0], "%s:%s", p->tokens[0], argument));
	s->letters[KT_POINTS_ROLES][0] = s->letters[KT_POINTS_TABLE1][0];
	return KT_OK;
}

/* Reads the word after "read MEMORY" or "call NAME", if there is one. */
static int read_poll(struct parser *p, struct kt_statement *s)
{
	if (p->n > 2 && !is(p, 2, "first") && !is(p, 2, "again")) {
		return malformed(p, "'%s' is neither 'first' nor 'again'", p->tokens[2]);
	}
	s->poll = p->n <= 2           ? KT_POLL_MAYBE
		  : is(p, 2, "first") ? KT_POLL_ALWAYS
				      : KT_POLL_NEVER;
	return KT_OK;
}

/* Reads a statement `read` or `write`. */
static int read_access(struct parser *p)
{
	struct kt_statement *s = NULL;
	const struct kt_memory_role *memory;
	const char op = p->kind == KT_STATEMENT_READ ? 'R' : 'W';
	uint32_t index = 0;

	if (!find_memory(p->points, p->tokens[1], &index)) {
		return malformed(p, "memory %s is not declared above", p->tokens[1]);
	}
	KT_TRY(add_statement(p, &s));
	memory = &p->points->memories[index];
	s->index = index;
	KT_TRY(read_poll(p, s));
	KT_TRY(keep(p, &s->letters[KT_POINTS_TABLE1][0], "%c:%s", op, memory->space));
	for (size_t i = 0; i < memory->n_parts; i++) {
		KT_TRY(keep(p, &s->letters[KT_POINTS_ROLES][i], "%c:%s", op,
			    kt_points_roles[memory->parts[i]]));
	}
	if (memory->parts[0] == KT_POINTS_SEMAPHORE) {
		if (op == 'W') {
			return malformed(p,
					 "memory %s is for semaphores, which are only read",
					 p->tokens[1]);
		}
		s->letters[KT_POINTS_ROLES][1] = "R:poll";
	} else if (s->poll != KT_POLL_MAYBE) {
		return malformed(p, "memory %s is not for semaphores", p->tokens[1]);
	}
	KT_TRY(keep(p, &s->texts[KT_POINTS_TABLE1], "%s %s (%s)", p->tokens[0],
		    p->tokens[1], memory->space));
	return keep(p, &s->texts[KT_POINTS_ROLES], "%s %s (%s%s%s)", p->tokens[0],
		    p->tokens[1], kt_points_roles[memory->parts[0]],
		    memory->n_parts > 1 ? "," : "",
		    memory->n_parts > 1 ? kt_points_roles[memory->parts[1]] : "");
}

static int read_call(struct parser *p)
{
	struct kt_statement *s = NULL;

	KT_TRY(add_statement(p, &s));
	KT_TRY(read_poll(p, s));
	return keep(p, &s->name, "%s", p->tokens[1]);
}

/* --- braces --- */

static int add_block(struct kt_statement *s)
{
	KT_TRY(kt_array_reserve(&s->blocks, &s->capacity, s->n_blocks + 1));
	s->blocks[s->n_blocks++] = (struct kt_block){0};
	return KT_OK;
}

static int open_brace(struct parser *p)
{
	struct kt_statement *s = NULL;

	if (!is(p, p->n - 1, "{")) {
		return malformed(p, "'{' is missing at the end of the line of '%s'",
				 p->tokens[0]);
	}
	if (p->depth == KT_POINTS_MAX_DEPTH) {
		return malformed(p, "braces nested more than %d deep", KT_POINTS_MAX_DEPTH);
	}
	KT_TRY(add_statement(p, &s));
	KT_TRY(add_block(s));
	p->open[p->depth++] = s;
	return KT_OK;
}

static int read_when(struct parser *p)
{
	struct kt_statement *s;

	if (!strchr(p->tokens[1], '=')) {
		return malformed(p, "the form is: when SETTING=VALUE {");
	}
	KT_TRY(open_brace(p));
	s = p->open[p->depth - 1];
	return find_value(p->points, p->tokens[1], &s->index, &s->value)
		       ? KT_OK
		       : malformed(p, "'%s' is not a setting with one of its values",
				   p->tokens[1]);
}

/* Reads "}" or "} or {". */
static int read_close(struct parser *p)
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
		return malformed(p, "'or' outside 'choose'");
	}
	return add_block(p->open[p->depth - 1]);
}

/* --- lines --- */

static int parse_line(struct parser *p)
{
	static const struct {
		const char *word;
		const char *form;
		size_t least; /* fewest tokens in the line */
		size_t most;
		int (*read)(struct parser *p);
		bool in_procedure;
		enum kt_statement_kind kind;
	} rows[] = {
#define OUTSIDE   false, 0
#define ROW(kind) true, KT_STATEMENT_##kind
		{"memory", "memory NAME one|many SPACE [ROLE[,ROLE]]", 4, 5, read_memory,
		 OUTSIDE},
		{"setting", "setting NAME VALUE...", 3, MAX_TOKENS, read_setting, OUTSIDE},
		{"procedure", "procedure NAME [FILE]", 2, 3, read_procedure, OUTSIDE},
		{"ioctl", "ioctl [uvm:]0xNUMBER", 2, 2, read_letter, ROW(LETTER)},
		{"map", "map SPACE, unmap SPACE", 2, 2, read_letter, ROW(LETTER)},
		{"unmap", "map SPACE, unmap SPACE", 2, 2, read_letter, ROW(LETTER)},
		{"doorbell", "doorbell", 1, 1, read_letter, ROW(LETTER)},
		{"read", "read NAME [first|again]", 2, 3, read_access, ROW(READ)},
		{"write", "write NAME", 2, 2, read_access, ROW(WRITE)},
		{"call", "call NAME [first|again]", 2, 3, read_call, ROW(CALL)},
		{"maybe", "maybe {", 2, 2, open_brace, ROW(MAYBE)},
		{"repeat", "repeat {", 2, 2, open_brace, ROW(REPEAT)},
		{"some", "some {", 2, 2, open_brace, ROW(SOME)},
		{"choose", "choose {", 2, 2, open_brace, ROW(CHOOSE)},
		{"when", "when SETTING=VALUE {", 3, 3, read_when, ROW(WHEN)},
		{"}", "} or {", 1, MAX_TOKENS, read_close, ROW(LETTER)},
#undef OUTSIDE
#undef ROW
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!is(p, 0, rows[i].word)) {
			continue;
		}
		if (rows[i].in_procedure && !p->procedure) {
			return malformed(p, "'%s' outside a procedure", p->tokens[0]);
		}
		if (!rows[i].in_procedure && p->depth > 0) {
			return malformed(p, "'%s' inside the braces opened in line %zu",
					 p->tokens[0], p->open[p->depth - 1]->line);
		}
		if (p->n < rows[i].least || p->n > rows[i].most) {
			return malformed(p, "the form is: %s", rows[i].form);
		}
		p->kind = rows[i].kind;
		return rows[i].read(p);
	}
	return malformed(p, "'%s' is not a statement", p->tokens[0]);
}

/* --- calls --- */

static int resolve_block(struct parser *p, struct kt_block *block, bool *called)
{
	for (size_t i = 0; i < block->n; i++) {
		struct kt_statement *s = &block->statements[i];

		if (s->kind == KT_STATEMENT_CALL) {
			p->line = s->line;
			if (!find_procedure(p->points, s->name, &s->index)) {
				return malformed(p, "there is no procedure %s", s->name);
			}
			called[s->index] = true;
		}
		for (size_t j = 0; j < s->n_blocks; j++) {
			KT_TRY(resolve_block(p, &s->blocks[j], called));
		}
	}
	return KT_OK;
}

/*
 * Resolves every call to its procedure, and checks that every procedure but main is
 * called.
 */
static int resolve_calls(struct parser *p)
{
	struct kt_points *points = p->points;
	bool *called = calloc(points->n_procedures + 1, sizeof(*called));
	int code;

	if (!called) {
		return kt_no_memory("read program points");
	}
	for (size_t i = 0; i < points->n_procedures; i++) {
		KT_TRY_END(resolve_block(p, &points->procedures[i].body, called));
	}
	if (!find_procedure(points, "main", &points->main)) {
		code = kt_error(KT_E_MALFORMED, "read %s: there is no procedure main",
				points->file);
		goto end;
	}
	for (size_t i = 0; i < points->n_procedures; i++) {
		if (!called[i] && i != points->main) {
			p->line = points->procedures[i].line;
			code = malformed(p, "procedure %s is never called",
					 points->procedures[i].name);
			goto end;
		}
	}
end:
	free(called);
	return code;
}

/* --- entry points --- */

int kt_points_parse(struct kt_points **out, const char *file, const char *text,
		    size_t length)
{
	struct kt_points *points = calloc(1, sizeof(*points));
	struct parser p = {.points = points};
	int code;

	*out = NULL;
	if (!points) {
		return kt_no_memory("read program points");
	}
	points->file = kt_texts_keep(&points->texts, file);
	if (!points->file) {
		code = KT_E_MEMORY;
		goto end;
	}
	for (size_t at = 0; at < length;) {
		const char *end = memchr(text + at, '\n', length - at);
		size_t n = end ? (size_t)(end - (text + at)) : length - at;

		p.line++;
		KT_TRY_END(split(&p, text + at, n));
		if (p.n > 0) {
			KT_TRY_END(parse_line(&p));
		}
		at += n + 1;
	}
	if (p.depth > 0) {
		p.line = p.open[p.depth - 1]->line;
		code = malformed(&p, "'{' is not closed");
		goto end;
	}
	KT_TRY_END(resolve_calls(&p));
	*out = points;
end:
	if (code) {
		kt_points_free(points);
	}
	return code;
}

int kt_points_read(struct kt_points **out, const char *path)
{
	struct kt_file file;
	int code;

	*out = NULL;
	KT_TRY(kt_file_open(&file, path, KT_FILE_WHOLE));
	code = kt_points_parse(out, path, file.data, file.length);
	kt_file_close(&file);
	return code;
}

int kt_points_set(struct kt_points *points, const char *assignment)
{
	uint32_t setting;
	uint32_t value;

	if (!find_value(points, assignment, &setting, &value)) {
		return kt_error(KT_E_USAGE,
				"set '%s': %s declares no such setting with that value",
				assignment, points->file);
	}
	points->settings[setting].chosen = value;
	return KT_OK;
}

int kt_points_set_alphabet(struct kt_points *points, const char *name)
{
	for (uint32_t i = 0; i < KT_POINTS_ALPHABETS; i++) {
		if (strcmp(alphabets[i], name) == 0) {
			points->alphabet = i;
			return KT_OK;
		}
	}
	return kt_error(KT_E_USAGE, "alphabet must be %s or %s, not '%s'",
			alphabets[KT_POINTS_TABLE1], alphabets[KT_POINTS_ROLES], name);
}

const char *kt_points_alphabet_name(const struct kt_points *points)
{
	return alphabets[points->alphabet];
}

static void free_block(struct kt_block *block)
{
	for (size_t i = 0; i < block->n; i++) {
		struct kt_statement *s = &block->statements[i];

		for (size_t j = 0; j < s->n_blocks; j++) {
			free_block(&s->blocks[j]);
		}
		free(s->blocks);
	}
	free(block->statements);
}

void kt_points_free(struct kt_points *points)
{
	if (!points) {
		return;
	}
	for (size_t i = 0; i < points->n_settings; i++) {
		free(points->settings[i].values);
	}
	for (size_t i = 0; i < points->n_procedures; i++) {
		free_block(&points->procedures[i].body);
	}
	free(points->settings);
	free(points->procedures);
	kt_texts_free(&points->texts);
	free(points);
}
