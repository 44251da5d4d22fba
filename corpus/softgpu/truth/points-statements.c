/* SPDX-License-Identifier: MIT */
/* What stands in a procedure. */
#include "corpus/softgpu/truth/points-parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

static int add_statement(struct kt_parser *p, enum kt_statement_kind kind,
			 struct kt_statement **out)
{
	const struct kt_statement *top = p->depth ? p->open[p->depth - 1] : NULL;
	struct kt_block *block =
		top ? &top->blocks[top->n_blocks - 1] : &p->procedure->body;

	KT_TRY(kt_array_reserve(&block->statements, &block->capacity, block->n + 1));
	*out = &block->statements[block->n++];
	**out = (struct kt_statement){.kind = kind, .line = p->line};
	return KT_OK;
}

static int print(char **out, const char *a, const char *b, const char *c, const char *d)
{
	size_t size = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;

	*out = malloc(size);
	if (!*out) {
		return kt_no_memory("read program points");
	}
	snprintf(*out, size, "%s%s%s%s", a, b, c, d);
	return KT_OK;
}

static int add_letter(struct kt_parser *p)
{
	struct kt_statement *s = NULL;
	const char *argument = p->n > 1 ? p->tokens[1] : "";

	KT_TRY(add_statement(p, KT_STATEMENT_LETTER, &s));
	KT_TRY(print(&s->text, p->tokens[0], p->n > 1 ? " " : "", argument, ""));
	return kt_parser_is(p, 0, "doorbell")
		       ? kt_parser_duplicate(&s->letter, "W:reg")
		       : print(&s->letter, p->tokens[0], ":", argument, "");
}

int kt_parser_read_ioctl(struct kt_parser *p)
{
	KT_TRY(kt_parser_expect_words(p, 2, "ioctl [uvm:]0xNUMBER"));
	if (!kt_parser_is_request(p->tokens[1])) {
		return kt_parser_malformed(p, "'%s' is no request as letters have it",
					   p->tokens[1]);
	}
	return add_letter(p);
}

int kt_parser_read_map(struct kt_parser *p)
{
	KT_TRY(kt_parser_expect_words(p, 2, "map SPACE, unmap SPACE"));
	if (!kt_parser_is_space(p->tokens[1])) {
		return kt_parser_malformed(p, "'%s' is no space of table1", p->tokens[1]);
	}
	return add_letter(p);
}

int kt_parser_read_doorbell(struct kt_parser *p)
{
	KT_TRY(kt_parser_expect_words(p, 1, "doorbell"));
	return add_letter(p);
}

int kt_parser_read_access(struct kt_parser *p)
{
	bool read = kt_parser_is(p, 0, "read");
	struct kt_statement *s = NULL;
	const char *space;
	char role[KT_PARSER_LINE + 8];
	uint32_t memory = 0;

	KT_TRY(kt_parser_expect_words(p, 2, "read ROLE, write ROLE"));
	if (!kt_parser_find_memory(p->points, p->tokens[1], &memory)) {
		return kt_parser_malformed(p, "memory %s is not declared above",
					   p->tokens[1]);
	}
	KT_TRY(add_statement(p, read ? KT_STATEMENT_READ : KT_STATEMENT_WRITE, &s));
	space = p->points->memories[memory].space;
	s->index = memory;
	KT_TRY(print(&s->letter, read ? "R" : "W", ":", space, ""));
	snprintf(role, sizeof(role), "%s (", p->tokens[1]);
	return print(&s->text, read ? "read " : "write ", role, space, ")");
}

int kt_parser_read_call(struct kt_parser *p)
{
	struct kt_statement *s = NULL;

	KT_TRY(kt_parser_expect_words(p, 2, "call NAME"));
	KT_TRY(add_statement(p, KT_STATEMENT_CALL, &s));
	return kt_parser_duplicate(&s->name, p->tokens[1]);
}

/* --- braces --- */

static int add_block(struct kt_statement *s)
{
	KT_TRY(kt_array_reserve(&s->blocks, &s->capacity, s->n_blocks + 1));
	s->blocks[s->n_blocks++] = (struct kt_block){0};
	return KT_OK;
}

static int open_brace(struct kt_parser *p, enum kt_statement_kind kind,
		      struct kt_statement **out)
{
	if (!kt_parser_is(p, p->n - 1, "{")) {
		return kt_parser_malformed(p, "'%s' lacks a '{' at the end of its line",
					   p->tokens[0]);
	}
	if (p->depth == KT_POINTS_MAX_DEPTH) {
		return kt_parser_malformed(p, "more than %d braces within each other",
					   KT_POINTS_MAX_DEPTH);
	}
	KT_TRY(add_statement(p, kind, out));
	KT_TRY(add_block(*out));
	p->open[p->depth++] = *out;
	return KT_OK;
}

int kt_parser_read_maybe(struct kt_parser *p)
{
	struct kt_statement *s;

	KT_TRY(kt_parser_expect_words(p, 2, "maybe {"));
	return open_brace(p, KT_STATEMENT_MAYBE, &s);
}

int kt_parser_read_repeat(struct kt_parser *p)
{
	struct kt_statement *s;

	KT_TRY(kt_parser_expect_words(p, 2, "repeat {"));
	return open_brace(p, KT_STATEMENT_REPEAT, &s);
}

int kt_parser_read_some(struct kt_parser *p)
{
	struct kt_statement *s;

	KT_TRY(kt_parser_expect_words(p, 2, "some {"));
	return open_brace(p, KT_STATEMENT_SOME, &s);
}

int kt_parser_read_choose(struct kt_parser *p)
{
	struct kt_statement *s;

	KT_TRY(kt_parser_expect_words(p, 2, "choose {"));
	return open_brace(p, KT_STATEMENT_CHOOSE, &s);
}

int kt_parser_read_when(struct kt_parser *p)
{
	struct kt_statement *s = NULL;
	const char *equals;
	size_t length;

	KT_TRY(kt_parser_expect_words(p, 3, "when SETTING=VALUE {"));
	equals = strchr(p->tokens[1], '=');
	if (!equals) {
		return kt_parser_malformed(p, "the form is: when SETTING=VALUE {");
	}
	length = (size_t)(equals - p->tokens[1]);
	KT_TRY(open_brace(p, KT_STATEMENT_WHEN, &s));
	for (uint32_t i = 0; i < p->points->n_settings; i++) {
		const struct kt_setting *setting = &p->points->settings[i];

		if (strlen(setting->name) != length ||
		    strncmp(setting->name, p->tokens[1], length) != 0) {
			continue;
		}
		for (uint32_t j = 0; j < setting->n_values; j++) {
			if (strcmp(setting->values[j], equals + 1) == 0) {
				s->index = i;
				s->value = j;
				return KT_OK;
			}
		}
	}
	return kt_parser_malformed(p, "'%s' is no setting with a value that it has",
				   p->tokens[1]);
}

int kt_parser_read_close(struct kt_parser *p)
{
	if (p->depth == 0) {
		return kt_parser_malformed(p, "'}' closes nothing");
	}
	if (p->n == 1) {
		p->depth--;
		return KT_OK;
	}
	if (p->n != 3 || !kt_parser_is(p, 1, "or") || !kt_parser_is(p, 2, "{")) {
		return kt_parser_malformed(p, "the form is: } or {");
	}
	if (p->open[p->depth - 1]->kind != KT_STATEMENT_CHOOSE) {
		return kt_parser_malformed(p, "'or' stands in no 'choose'");
	}
	return add_block(p->open[p->depth - 1]);
}
