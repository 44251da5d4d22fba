/* SPDX-License-Identifier: MIT */
/* The language of driver.points: a line holds one statement, or opens or closes a brace. */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "corpus/softgpu/truth/points-parser.h"

/* --- lines --- */

static int parse_line(struct kt_parser *p)
{
	static const struct {
		const char *word;
		int (*parse)(struct kt_parser *p);
		bool statement; /* of a procedure */
	} rows[] = {
		{"memory", kt_parser_read_memory, false},
		{"setting", kt_parser_read_setting, false},
		{"procedure", kt_parser_read_procedure, false},
		{"ioctl", kt_parser_read_ioctl, true},
		{"map", kt_parser_read_map, true},
		{"unmap", kt_parser_read_map, true},
		{"doorbell", kt_parser_read_doorbell, true},
		{"read", kt_parser_read_access, true},
		{"write", kt_parser_read_access, true},
		{"call", kt_parser_read_call, true},
		{"maybe", kt_parser_read_maybe, true},
		{"repeat", kt_parser_read_repeat, true},
		{"some", kt_parser_read_some, true},
		{"choose", kt_parser_read_choose, true},
		{"when", kt_parser_read_when, true},
		{"}", kt_parser_read_close, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!kt_parser_is(p, 0, rows[i].word)) {
			continue;
		}
		if (rows[i].statement && !p->procedure) {
			return kt_parser_malformed(p, "'%s' stands in no procedure",
						   p->tokens[0]);
		}
		if (!rows[i].statement && p->depth > 0) {
			return kt_parser_malformed(
				p, "'%s' stands within braces, of line %zu", p->tokens[0],
				p->open[p->depth - 1]->line);
		}
		return rows[i].parse(p);
	}
	return kt_parser_malformed(p, "'%s' is no statement", p->tokens[0]);
}

/* --- calls --- */

static int resolve_block(struct kt_parser *p, struct kt_block *block, bool *called)
{
	for (size_t i = 0; i < block->n; i++) {
		struct kt_statement *s = &block->statements[i];

		if (s->kind == KT_STATEMENT_CALL) {
			p->line = s->line;
			if (!kt_parser_find_procedure(p->points, s->name, &s->index)) {
				return kt_parser_malformed(p, "there is no procedure %s",
							   s->name);
			}
			called[s->index] = true;
		}
		for (size_t j = 0; j < s->n_blocks; j++) {
			KT_TRY(resolve_block(p, &s->blocks[j], called));
		}
	}
	return KT_OK;
}

int kt_points_parse(struct kt_points **out, const char *file, const char *text,
		    size_t length)
{
	struct kt_points *points = calloc(1, sizeof(*points));
	struct kt_parser p = {.points = points};
	bool *called = NULL;
	int code;

	*out = NULL;
	if (!points) {
		return kt_no_memory("read program points");
	}
	KT_TRY_END(kt_parser_duplicate(&points->file, file));
	for (size_t at = 0; at < length;) {
		const char *end = memchr(text + at, '\n', length - at);
		size_t n = end ? (size_t)(end - (text + at)) : length - at;

		p.line++;
		KT_TRY_END(kt_parser_split(&p, text + at, n));
		if (p.n > 0) {
			KT_TRY_END(parse_line(&p));
		}
		at += n + 1;
	}
	if (p.depth > 0) {
		p.line = p.open[p.depth - 1]->line;
		code = kt_parser_malformed(&p, "'{' is not closed");
		goto end;
	}

	/* Every call finds its procedure, and every procedure but main its caller. */
	called = calloc(points->n_procedures + 1, sizeof(*called));
	if (!called) {
		code = kt_no_memory("read program points");
		goto end;
	}
	for (size_t i = 0; i < points->n_procedures; i++) {
		KT_TRY_END(resolve_block(&p, &points->procedures[i].body, called));
	}
	if (!kt_parser_find_procedure(points, "main", &points->main)) {
		code = kt_error(KT_E_MALFORMED, "read %s: there is no procedure main",
				points->file);
		goto end;
	}
	for (size_t i = 0; i < points->n_procedures; i++) {
		if (!called[i] && i != points->main) {
			p.line = points->procedures[i].line;
			code = kt_parser_malformed(&p, "procedure %s is never called",
						   points->procedures[i].name);
			goto end;
		}
	}
	*out = points;
end:
	free(called);
	if (code) {
		kt_points_free(points);
	}
	return code;
}
