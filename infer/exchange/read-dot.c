/* SPDX-License-Identifier: MIT */
/*
 * The DOT language, as far as machines are written in it: digraphs with attributes and
 * their defaults, subgraphs (whose nodes and edges are those of the graph), ports (which
 * are skipped), HTML strings (which stand for themselves). Not: edges of subgraphs.
 */
#include <ktail/exchange.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "base/utf8.h"
#include "infer/exchange/dot-tokens.h"
#include "infer/exchange/found-graph.h"

#define DEPTH_MAX 100
#define SHOWN_MAX 60
#define READ_SIZE 65536

struct parser {
	struct kt_dot_lexer lexer;
	struct kt_dot_token token; /* the next one */
	struct kt_found_graph graph;
	char *name; /* Owned by this: of the node read last */
	size_t name_capacity;
	unsigned depth;
};

/* Attributes that nodes and edges get where none are given. */
struct defaults {
	struct kt_found_values node;
	struct kt_found_values edge;
};

/* --- tokens --- */

static int next(struct parser *p)
{
	return kt_dot_next(&p->lexer, &p->token);
}

static bool is_mark(const struct parser *p, char mark)
{
	return p->token.kind == KT_DOT_MARK && p->token.mark == mark;
}

static bool is_word(const struct parser *p, const char *word)
{
	return p->token.kind == KT_DOT_ID && !p->token.quoted &&
	       p->token.length == strlen(word) &&
	       strncasecmp(p->token.text, word, p->token.length) == 0;
}

static int unexpected(const struct parser *p, const char *expected)
{
	const struct kt_dot_token *t = &p->token;

	switch (t->kind) {
	case KT_DOT_END:
		return kt_error(KT_E_MALFORMED, "it ends where %s should be", expected);
	case KT_DOT_ID:
		if (t->length > SHOWN_MAX || !kt_utf8_is_printable(t->text, t->length)) {
			return kt_error(KT_E_MALFORMED, "a name where %s should be",
					expected);
		}
		return kt_error(KT_E_MALFORMED, "'%.*s' where %s should be", (int)t->length,
				t->text, expected);
	case KT_DOT_MARK:
		return kt_error(KT_E_MALFORMED, "'%c' where %s should be", t->mark,
				expected);
	default: return kt_error(KT_E_MALFORMED, "an edge where %s should be", expected);
	}
}

/* --- attributes --- */

/*
 * In place: \\ stands for a backslash, \n for a newline where lines can be. What else a
 * backslash does is Graphviz's matter when it draws.
 */
static void unescape(char *text, bool lines)
{
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && text[1] == '\\') {
			text++;
			*to++ = '\\';
		} else if (lines && text[0] == '\\' && text[1] == 'n') {
			text++;
			*to++ = '\n';
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/* The value behind '=', kept if the key is one of ours. */
static int read_value(struct parser *p, enum kt_found_key key,
		      struct kt_found_values *values)
{
	KT_TRY(next(p));
	if (p->token.kind != KT_DOT_ID) {
		return unexpected(p, "a value");
	}
	if (memchr(p->token.text, '\0', p->token.length)) {
		return kt_error(KT_E_MALFORMED, "a control character");
	}
	if (key < KT_FOUND_KEYS) {
		KT_TRY(kt_found_keep(&p->graph, p->token.text, p->token.length,
				     &values->at[key]));
		unescape(p->graph.text + values->at[key], key == KT_FOUND_POINTS);
	}
	return next(p);
}

/* [a=b, c=d; ...], any number of them. */
static int read_attributes(struct parser *p, struct kt_found_values *values)
{
	while (is_mark(p, '[')) {
		KT_TRY(next(p));
		while (!is_mark(p, ']')) {
			enum kt_found_key key;

			if (p->token.kind != KT_DOT_ID) {
				return unexpected(p, "an attribute");
			}
			key = kt_found_key_of(p->token.text, p->token.length);
			KT_TRY(next(p));
			if (is_mark(p, '=')) {
				KT_TRY(read_value(p, key, values));
			}
			if (is_mark(p, ',') || is_mark(p, ';')) {
				KT_TRY(next(p));
			}
		}
		KT_TRY(next(p));
	}
	return KT_OK;
}

/* --- nodes and edges --- */

static int keep_name(struct parser *p, size_t *length)
{
	*length = p->token.length;
	p->graph.line = p->lexer.line;
	if (memchr(p->token.text, '\0', p->token.length)) {
		return kt_error(KT_E_MALFORMED, "a control character");
	}
	KT_TRY(kt_array_reserve(&p->name, &p->name_capacity, p->token.length + 1));
	memcpy(p->name, p->token.text, p->token.length);
	return next(p);
}

/* The node that is called p->name[0..length), and skips its ports. */
static int end_node(struct parser *p, size_t length, const struct defaults *d,
		    uint32_t *out)
{
	KT_TRY(kt_found_node(&p->graph, p->name, length, &d->node, out));
	while (is_mark(p, ':')) {
		KT_TRY(next(p));
		if (p->token.kind != KT_DOT_ID) {
			return unexpected(p, "a port");
		}
		KT_TRY(next(p));
	}
	return KT_OK;
}

/* A statement that begins with a name: an attribute of the graph, a node or edges. */
static int read_named(struct parser *p, struct defaults *d)
{
	enum kt_found_key key = kt_found_key_of(p->token.text, p->token.length);
	size_t first = p->graph.n_edges;
	struct kt_found_values values = d->edge;
	uint32_t node = 0;
	size_t length;

	KT_TRY(keep_name(p, &length));
	if (is_mark(p, '=')) {
		return read_value(p, key, &p->graph.values);
	}
	KT_TRY(end_node(p, length, d, &node));
	if (p->token.kind == KT_DOT_LINE) {
		return kt_error(KT_E_MALFORMED, "an edge without a direction");
	}
	if (p->token.kind != KT_DOT_ARROW) {
		p->graph.nodes[node].line = p->graph.line;
		values = p->graph.nodes[node].values;
		KT_TRY(read_attributes(p, &values));
		p->graph.nodes[node].values = values;
		return KT_OK;
	}
	/* node -> node -> ... [attributes] */
	while (p->token.kind == KT_DOT_ARROW) {
		uint32_t from = node;

		KT_TRY(next(p));
		if (is_mark(p, '{') || is_word(p, "subgraph")) {
			return kt_error(KT_E_MALFORMED, "an edge of a whole subgraph");
		}
		if (p->token.kind != KT_DOT_ID) {
			return unexpected(p, "a node");
		}
		KT_TRY(keep_name(p, &length));
		KT_TRY(end_node(p, length, d, &node));
		KT_TRY(kt_found_edge(&p->graph, from, node, &values));
	}
	KT_TRY(read_attributes(p, &values));
	for (size_t i = first; i < p->graph.n_edges; i++) {
		p->graph.edges[i].values = values;
	}
	return KT_OK;
}

/* --- statements --- */

static int read_defaults(struct parser *p, struct kt_found_values *values)
{
	KT_TRY(next(p));
	return is_mark(p, '[') ? read_attributes(p, values) : unexpected(p, "'['");
}

/* { statements }; what a subgraph's defaults are, the graph around it does not see. */
static int read_block(struct parser *p, struct defaults defaults)
{
	if (!is_mark(p, '{')) {
		return unexpected(p, "'{'");
	}
	KT_TRY(next(p));
	if (++p->depth > DEPTH_MAX) {
		return kt_error(KT_E_MALFORMED, "subgraphs more than %d deep", DEPTH_MAX);
	}
	while (!is_mark(p, '}')) {
		if (is_mark(p, ';')) {
			KT_TRY(next(p));
		} else if (is_word(p, "graph")) {
			KT_TRY(read_defaults(p, &p->graph.values));
		} else if (is_word(p, "node")) {
			KT_TRY(read_defaults(p, &defaults.node));
		} else if (is_word(p, "edge")) {
			KT_TRY(read_defaults(p, &defaults.edge));
		} else if (is_word(p, "subgraph") || is_mark(p, '{')) {
			if (!is_mark(p, '{')) {
				KT_TRY(next(p));
			}
			if (p->token.kind == KT_DOT_ID) {
				KT_TRY(next(p));
			}
			KT_TRY(read_block(p, defaults));
			if (p->token.kind == KT_DOT_ARROW || p->token.kind == KT_DOT_LINE) {
				return kt_error(KT_E_MALFORMED,
						"an edge of a whole subgraph");
			}
		} else if (p->token.kind == KT_DOT_ID) {
			KT_TRY(read_named(p, &defaults));
		} else {
			return unexpected(p, "a statement");
		}
	}
	p->depth--;
	return next(p);
}

static int read_graph(struct parser *p)
{
	KT_TRY(next(p));
	if (is_word(p, "strict")) {
		KT_TRY(next(p));
	}
	if (is_word(p, "graph")) {
		return kt_error(KT_E_MALFORMED, "the graph has no directions");
	}
	if (!is_word(p, "digraph")) {
		return unexpected(p, "'digraph'");
	}
	KT_TRY(next(p));
	if (p->token.kind == KT_DOT_ID) {
		KT_TRY(next(p));
	}
	KT_TRY(read_block(p, (struct defaults){0}));
	return p->token.kind == KT_DOT_END ? KT_OK : unexpected(p, "the end");
}

/* --- files --- */

static int read_text(char **out, size_t *length, FILE *in)
{
	size_t capacity = 0;
	size_t n = 1;

	*out = NULL;
	*length = 0;
	while (n > 0) {
		KT_TRY(kt_array_reserve(out, &capacity, *length + READ_SIZE));
		n = fread(*out + *length, 1, READ_SIZE, in);
		*length += n;
	}
	return ferror(in) ? kt_error_errno(KT_E_IO, "read") : KT_OK;
}

int kt_fsm_read_dot(struct kt_fsm **out, FILE *in, const char *name)
{
	struct parser p = {0};
	const char *class_;
	char *text;
	size_t length;
	int code = read_text(&text, &length, in);

	*out = NULL;
	if (code) {
		free(text);
		return kt_error_prepend(code, "read %s", name);
	}
	p.lexer.at = text;
	p.lexer.end = text + length;
	code = read_graph(&p);
	free(text);
	if (code) {
		kt_error_prepend(code, "read %s:%" PRIu64, name, p.lexer.line);
		goto end;
	}
	class_ = kt_found_value(&p.graph, &p.graph.values, KT_FOUND_CLASS);
	if (p.graph.values.at[KT_FOUND_FSM]) {
		code = kt_found_restore(out, &p.graph);
	} else if (class_ && strcmp(class_, "fsm") == 0) {
		/* ktail-render's labels are for people: cut short, several in one. */
		code = kt_error(KT_E_MALFORMED,
				"it is a drawing; what can be read again is .json or .gv");
	} else {
		code = kt_found_adopt(out, &p.graph);
	}
	if (code) {
		kt_error_prepend(code, "read %s", name);
	}
end:
	kt_found_graph_clear(&p.graph);
	free(p.lexer.string);
	free(p.name);
	return code;
}
