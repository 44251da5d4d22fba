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

static int take_mark(struct parser *p, char mark)
{
	char expected[] = {'\'', mark, '\'', '\0'};

	return is_mark(p, mark) ? next(p) : unexpected(p, expected);
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

static int keep_value(struct parser *p, enum kt_found_key key,
		      struct kt_found_values *values)
{
	int code =
		kt_found_keep(&p->graph, p->token.text, p->token.length, &values->at[key]);

	if (!code) {
		unescape(p->graph.text + values->at[key], key == KT_FOUND_POINTS);
	}
	return code;
}

/* The value behind '=', kept if the key is one of ours. */
static int read_value(struct parser *p, enum kt_found_key key,
		      struct kt_found_values *values)
{
	int code = next(p);

	if (code) {
		return code;
	}
	if (p->token.kind != KT_DOT_ID) {
		return unexpected(p, "a value");
	}
	if (memchr(p->token.text, '\0', p->token.length)) {
		return kt_error(KT_E_MALFORMED, "a control character");
	}
	if (key < KT_FOUND_KEYS) {
		code = keep_value(p, key, values);
	}
	return code ? code : next(p);
}

/* [a=b, c=d; ...], any number of them. */
static int read_attributes(struct parser *p, struct kt_found_values *values)
{
	int code = KT_OK;

	while (!code && is_mark(p, '[')) {
		code = next(p);
		while (!code && !is_mark(p, ']')) {
			enum kt_found_key key;

			if (p->token.kind != KT_DOT_ID) {
				return unexpected(p, "an attribute");
			}
			key = kt_found_key_of(p->token.text, p->token.length);
			code = next(p);
			if (!code && is_mark(p, '=')) {
				code = read_value(p, key, values);
			}
			if (!code && (is_mark(p, ',') || is_mark(p, ';'))) {
				code = next(p);
			}
		}
		code = code ? code : next(p);
	}
	return code;
}

/* --- nodes and edges --- */

static int skip_port(struct parser *p)
{
	int code = KT_OK;

	while (!code && is_mark(p, ':')) {
		code = next(p);
		if (!code && p->token.kind != KT_DOT_ID) {
			return unexpected(p, "a port");
		}
		code = code ? code : next(p);
	}
	return code;
}

static int keep_name(struct parser *p, size_t *length)
{
	int code;

	*length = p->token.length;
	p->graph.line = p->lexer.line;
	if (memchr(p->token.text, '\0', p->token.length)) {
		return kt_error(KT_E_MALFORMED, "a control character");
	}
	code = kt_array_reserve(&p->name, &p->name_capacity, p->token.length + 1);
	if (!code) {
		memcpy(p->name, p->token.text, p->token.length);
		code = next(p);
	}
	return code;
}

static int end_node(struct parser *p, size_t length, const struct defaults *d,
		    uint32_t *out)
{
	int code = kt_found_node(&p->graph, p->name, length, &d->node, out);

	return code ? code : skip_port(p);
}

static int read_node(struct parser *p, const struct defaults *d, uint32_t *out)
{
	size_t length;
	int code;

	if (p->token.kind != KT_DOT_ID) {
		return is_mark(p, '{')
			       ? kt_error(KT_E_MALFORMED, "an edge of a whole subgraph")
			       : unexpected(p, "a node");
	}
	if (is_word(p, "subgraph")) {
		return kt_error(KT_E_MALFORMED, "an edge of a whole subgraph");
	}
	code = keep_name(p, &length);
	return code ? code : end_node(p, length, d, out);
}

/* node -> node -> ... [attributes], from the first arrow on. */
static int read_edges(struct parser *p, uint32_t from, const struct defaults *d)
{
	size_t first = p->graph.n_edges;
	struct kt_found_values values = d->edge;
	int code = KT_OK;

	while (!code && p->token.kind == KT_DOT_ARROW) {
		uint32_t to = 0;

		code = next(p);
		code = code ? code : read_node(p, d, &to);
		code = code ? code : kt_found_edge(&p->graph, from, to, &values);
		from = to;
	}
	code = code ? code : read_attributes(p, &values);
	for (size_t i = first; i < p->graph.n_edges && !code; i++) {
		p->graph.edges[i].values = values;
	}
	return code;
}

/* A statement that begins with a name: an attribute of the graph, a node or edges. */
static int read_named(struct parser *p, struct defaults *d)
{
	enum kt_found_key key = kt_found_key_of(p->token.text, p->token.length);
	struct kt_found_values values;
	uint32_t node = 0;
	size_t length;
	int code = keep_name(p, &length);

	if (!code && is_mark(p, '=')) {
		return read_value(p, key, &p->graph.values);
	}
	code = code ? code : end_node(p, length, d, &node);
	if (code) {
		return code;
	}
	if (p->token.kind == KT_DOT_ARROW) {
		return read_edges(p, node, d);
	}
	if (p->token.kind == KT_DOT_LINE) {
		return kt_error(KT_E_MALFORMED, "an edge without a direction");
	}
	p->graph.nodes[node].line = p->graph.line;
	values = p->graph.nodes[node].values;
	code = read_attributes(p, &values);
	p->graph.nodes[node].values = values;
	return code;
}

/* --- statements --- */

static int read_block(struct parser *p, struct defaults defaults);

static int read_subgraph(struct parser *p, const struct defaults *d)
{
	int code = is_mark(p, '{') ? KT_OK : next(p);

	if (!code && p->token.kind == KT_DOT_ID) {
		code = next(p);
	}
	code = code ? code : read_block(p, *d);
	if (!code && (p->token.kind == KT_DOT_ARROW || p->token.kind == KT_DOT_LINE)) {
		return kt_error(KT_E_MALFORMED, "an edge of a whole subgraph");
	}
	return code;
}

static int read_defaults(struct parser *p, struct kt_found_values *values)
{
	int code = next(p);

	if (!code && !is_mark(p, '[')) {
		return unexpected(p, "'['");
	}
	return code ? code : read_attributes(p, values);
}

static int read_statement(struct parser *p, struct defaults *d)
{
	if (is_word(p, "graph")) {
		return read_defaults(p, &p->graph.values);
	}
	if (is_word(p, "node")) {
		return read_defaults(p, &d->node);
	}
	if (is_word(p, "edge")) {
		return read_defaults(p, &d->edge);
	}
	if (is_word(p, "subgraph") || is_mark(p, '{')) {
		return read_subgraph(p, d);
	}
	return p->token.kind == KT_DOT_ID ? read_named(p, d) : unexpected(p, "a statement");
}

static int read_block(struct parser *p, struct defaults defaults)
{
	int code = take_mark(p, '{');

	if (!code && ++p->depth > DEPTH_MAX) {
		return kt_error(KT_E_MALFORMED, "subgraphs more than %d deep", DEPTH_MAX);
	}
	while (!code && !is_mark(p, '}')) {
		code = is_mark(p, ';') ? next(p) : read_statement(p, &defaults);
	}
	p->depth--;
	return code ? code : next(p);
}

static int read_graph(struct parser *p)
{
	int code = next(p);

	if (!code && is_word(p, "strict")) {
		code = next(p);
	}
	if (!code && is_word(p, "graph")) {
		return kt_error(KT_E_MALFORMED, "the graph has no directions");
	}
	if (!code && !is_word(p, "digraph")) {
		return unexpected(p, "'digraph'");
	}
	code = code ? code : next(p);
	if (!code && p->token.kind == KT_DOT_ID) {
		code = next(p);
	}
	code = code ? code : read_block(p, (struct defaults){0});
	if (!code && p->token.kind != KT_DOT_END) {
		return unexpected(p, "the end");
	}
	return code;
}

/* --- files --- */

static int read_text(char **out, size_t *length, FILE *in)
{
	size_t capacity = 0;
	size_t n = 1;
	int code = KT_OK;

	*out = NULL;
	*length = 0;
	while (n > 0 && !code) {
		code = kt_array_reserve(out, &capacity, *length + READ_SIZE);
		n = code ? 0 : fread(*out + *length, 1, READ_SIZE, in);
		*length += n;
	}
	if (!code && ferror(in)) {
		code = kt_error_errno(KT_E_IO, "read");
	}
	return code;
}

static int parse(struct parser *p, const char *text, size_t length, const char *name)
{
	int code;

	p->lexer.at = text;
	p->lexer.end = text + length;
	code = read_graph(p);
	return code ? kt_error_prepend(code, "read %s:%" PRIu64, name, p->lexer.line)
		    : code;
}

static int make_machine(struct kt_fsm **out, const struct kt_found_graph *graph)
{
	const char *class_ = kt_found_value(graph, &graph->values, KT_FOUND_CLASS);

	if (graph->values.at[KT_FOUND_FSM]) {
		return kt_found_restore(out, graph);
	}
	if (class_ && strcmp(class_, "fsm") == 0) {
		/* ktail-render's labels are for people: cut short, several in one. */
		return kt_error(KT_E_MALFORMED,
				"it is a drawing; what can be read again is .json or .gv");
	}
	return kt_found_adopt(out, graph);
}

int kt_fsm_read_dot(struct kt_fsm **out, FILE *in, const char *name)
{
	struct parser p = {0};
	char *text;
	size_t length;
	int code = read_text(&text, &length, in);

	*out = NULL;
	if (code) {
		free(text);
		return kt_error_prepend(code, "read %s", name);
	}
	code = parse(&p, text, length, name);
	free(text);
	if (!code) {
		code = make_machine(out, &p.graph);
		code = code ? kt_error_prepend(code, "read %s", name) : code;
	}
	kt_found_graph_clear(&p.graph);
	free(p.lexer.string);
	free(p.name);
	return code;
}
