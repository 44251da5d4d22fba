/* SPDX-License-Identifier: MIT */
/*
 * Parses the subset of the DOT language in which machines are written: digraphs with
 * attributes and their defaults, subgraphs (whose nodes and edges belong to the graph),
 * ports (skipped), and HTML strings (kept as they are). Edges from or to a whole subgraph
 * are not supported.
 *
 * Graphviz's cgraph (2.42) was tried and rejected. It keeps no line numbers of nodes and
 * edges, but 18 messages in test-dot.c contain them; cgraph itself reports line 7 for an
 * edge in line 3 that has no ';'. Of the 23 texts in test-dot.c that are not DOT, cgraph
 * accepts 5 and rejects one without a message; for the others, its message is "syntax error
 * in line N near ...". In a "strict" graph, or if the edges have equal `key`s, it keeps
 * only one of two edges whose letters differ. Calling one of Graphviz's programs is ruled
 * out, since this parser belongs to libktail, which runs no program.
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
#include "infer/exchange/found-graph.h"

#define DEPTH_MAX 100
#define SHOWN_MAX 60
#define READ_SIZE 65536

/* Kinds of tokens. Each of { } [ ] = ; , : is a kind of its own. */
enum {
	END = '\0',
	NAME = 'a', /* a name, a number or a string */
	ARROW = '>',
	LINE = '-',
};

struct token {
	char kind;
	bool quoted; /* a string or HTML: never a keyword */
	char *text;  /* Weak: part of the file's text */
	size_t length;
};

struct cursor {
	char *at;
	const char *end; /* points to the terminating NUL */
	uint64_t line;
};

struct parser {
	char *text; /* Owned by this: the file; strings are unescaped in place */
	struct cursor cursor;
	struct token token; /* the next token */
	struct kt_found_graph graph;
	unsigned depth;
};

/* Default attributes of nodes and edges. */
struct defaults {
	struct kt_found_values node;
	struct kt_found_values edge;
};

/* --- blanks and comments --- */

static bool starts(const struct cursor *p, const char *two)
{
	return p->at[0] == two[0] && p->at[1] == two[1];
}

static void advance(struct cursor *p)
{
	p->line += *p->at == '\n';
	p->at++;
}

/*
 * Skips blanks and comments. Lines that begin with '#' are preprocessor output and count as
 * comments.
 */
static int skip(struct cursor *p, bool line_begins)
{
	for (;;) {
		p->at += strspn(p->at, " \t\r");
		if (*p->at == '\n') {
			advance(p);
			line_begins = true;
		} else if (starts(p, "//") || (*p->at == '#' && line_begins)) {
			while (p->at < p->end && *p->at != '\n') {
				p->at++;
			}
		} else if (starts(p, "/*")) {
			while (p->at < p->end && !starts(p, "*/")) {
				advance(p);
			}
			if (p->at == p->end) {
				return kt_error(KT_E_MALFORMED, "an unterminated comment");
			}
			p->at += 2;
		} else {
			return KT_OK;
		}
	}
}

/* --- tokens --- */

/*
 * Joins strings connected by '+'. Unescapes \", and removes a backslash together with the
 * newline after it; other backslashes stay.
 */
static int read_strings(struct parser *p)
{
	struct cursor *cursor = &p->cursor;
	struct token *token = &p->token;
	struct cursor after = p->cursor;
	bool joined;

	*token = (struct token){NAME, true, cursor->at, 0};
	do {
		*cursor = after;
		cursor->at++;
		while (cursor->at < cursor->end && *cursor->at != '"') {
			bool escape = *cursor->at == '\\' && cursor->at + 1 < cursor->end;

			if (escape && cursor->at[1] != '"' && cursor->at[1] != '\n') {
				token->text[token->length++] = '\\';
			}
			cursor->at += escape;
			if (!escape || *cursor->at != '\n') {
				token->text[token->length++] = *cursor->at;
			}
			advance(cursor);
		}
		if (cursor->at == cursor->end) {
			return kt_error(KT_E_MALFORMED, "an unterminated string");
		}
		cursor->at++;
		after = *cursor;
		KT_TRY(skip(&after, false));
		joined = *after.at == '+';
		after.at += joined;
		KT_TRY(skip(&after, false));
	} while (joined && *after.at == '"');
	return KT_OK;
}

/* Reads HTML up to the matching '>'. */
static int read_html(struct parser *p)
{
	struct cursor *cursor = &p->cursor;
	char *from = cursor->at;
	size_t depth = 0;

	do {
		depth += *cursor->at == '<';
		depth -= *cursor->at == '>';
		advance(cursor);
	} while (depth > 0 && cursor->at < cursor->end);
	p->token = (struct token){NAME, true, from, (size_t)(cursor->at - from)};
	return depth ? kt_error(KT_E_MALFORMED, "an unterminated HTML string") : KT_OK;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns the length of the name or number at text, or 0. */
static size_t word_length(const char *text)
{
	size_t n = *text == '-';

	if (is_digit(text[n + (text[n] == '.')])) {
		return n + strspn(text + n, "0123456789.");
	}
	n = 0;
	while (is_letter(text[n]) || (n > 0 && is_digit(text[n]))) {
		n++;
	}
	return n;
}

static int next(struct parser *p)
{
	struct cursor *cursor = &p->cursor;
	size_t length;
	char *at;

	KT_TRY(skip(cursor, cursor->at == p->text));
	at = cursor->at;
	if (*at == '"') {
		return read_strings(p);
	}
	if (*at == '<') {
		return read_html(p);
	}
	length = word_length(at);
	if (length > 0) {
		p->token = (struct token){NAME, false, at, length};
	} else if (at == cursor->end) {
		p->token = (struct token){END, false, at, 0};
	} else if (starts(cursor, "->") || starts(cursor, "--")) {
		p->token = (struct token){at[1], false, at, 2};
	} else if (*at != '\0' && strchr("{}[]=;,:", *at)) {
		p->token = (struct token){*at, false, at, 1};
	} else if (*at > 0x20 && *at < 0x7f) {
		return kt_error(KT_E_MALFORMED, "unexpected '%c'", *at);
	} else {
		return kt_error(KT_E_MALFORMED, "a control character");
	}
	cursor->at += p->token.length;
	return KT_OK;
}

/* --- expected tokens --- */

static bool is(const struct parser *p, char kind)
{
	return p->token.kind == kind;
}

static bool is_word(const struct parser *p, const char *word)
{
	return is(p, NAME) && !p->token.quoted && p->token.length == strlen(word) &&
	       strncasecmp(p->token.text, word, p->token.length) == 0;
}

static int unexpected(const struct parser *p, const char *expected)
{
	const struct token *t = &p->token;
	bool shown = t->length <= SHOWN_MAX && kt_utf8_is_printable(t->text, t->length);
	const char *other = is(p, END)                    ? "the end"
			    : is(p, ARROW) || is(p, LINE) ? "an edge"
							  : "a name";

	if (shown && (is(p, NAME) || t->length == 1)) {
		return kt_error(KT_E_MALFORMED, "expected %s, not '%.*s'", expected,
				(int)t->length, t->text);
	}
	return kt_error(KT_E_MALFORMED, "expected %s, not %s", expected, other);
}

static int expect(const struct parser *p, char kind, const char *expected)
{
	return is(p, kind) ? KT_OK : unexpected(p, expected);
}

/* Checks that the next token is a NAME. */
static int expect_text(const struct parser *p, const char *expected)
{
	KT_TRY(expect(p, NAME, expected));
	return memchr(p->token.text, '\0', p->token.length)
		       ? kt_error(KT_E_MALFORMED, "a control character")
		       : KT_OK;
}

/* --- attributes --- */

/* Reads the value after '=', and stores it if the key is known. */
static int read_value(struct parser *p, enum kt_found_key key,
		      struct kt_found_values *values)
{
	char *to;

	KT_TRY(next(p));
	KT_TRY(expect_text(p, "a value"));
	if (key < KT_FOUND_KEYS) {
		KT_TRY(kt_found_keep(&p->graph, p->token.text, p->token.length,
				     &values->at[key]));
		/*
		 * Unescape in place: \\ becomes a backslash, and \n a newline in values
		 * that can have several lines. Other escapes are kept, since they matter
		 * only when Graphviz draws.
		 */
		to = p->graph.text + values->at[key];
		for (const char *text = to; *text; text++) {
			if (text[0] == '\\' && text[1] == '\\') {
				text++;
				*to++ = '\\';
			} else if (key == KT_FOUND_POINTS && text[0] == '\\' &&
				   text[1] == 'n') {
				text++;
				*to++ = '\n';
			} else {
				*to++ = *text;
			}
		}
		*to = '\0';
	}
	return next(p);
}

/* Reads any number of attribute lists [a=b, c=d; ...]. */
static int read_attributes(struct parser *p, struct kt_found_values *values)
{
	while (is(p, '[')) {
		KT_TRY(next(p));
		while (!is(p, ']')) {
			enum kt_found_key key =
				kt_found_key_of(p->token.text, p->token.length);

			KT_TRY(expect(p, NAME, "an attribute"));
			KT_TRY(next(p));
			if (is(p, '=')) {
				KT_TRY(read_value(p, key, values));
			}
			if (is(p, ',') || is(p, ';')) {
				KT_TRY(next(p));
			}
		}
		KT_TRY(next(p));
	}
	return KT_OK;
}

/* --- nodes and edges --- */

static int read_name(struct parser *p, struct token *out)
{
	KT_TRY(expect_text(p, "a node"));
	*out = p->token;
	p->graph.line = p->cursor.line;
	return next(p);
}

/* Finds or adds the node `name`, and skips ports after its name. */
static int find_node(struct parser *p, const struct token *name, const struct defaults *d,
		     uint32_t *out)
{
	KT_TRY(kt_found_node(&p->graph, name->text, name->length, &d->node, out));
	while (is(p, ':')) {
		KT_TRY(next(p));
		KT_TRY(expect(p, NAME, "a port"));
		KT_TRY(next(p));
	}
	return KT_OK;
}

/* Reads a statement that begins with a name: a graph attribute, a node, or edges. */
static int read_named(struct parser *p, const struct defaults *d)
{
	size_t first = p->graph.n_edges;
	struct kt_found_values values = d->edge;
	struct token name;
	uint32_t node = 0;

	KT_TRY(read_name(p, &name));
	if (is(p, '=')) {
		return read_value(p, kt_found_key_of(name.text, name.length),
				  &p->graph.values);
	}
	KT_TRY(find_node(p, &name, d, &node));
	if (is(p, LINE)) {
		return kt_error(KT_E_MALFORMED, "an undirected edge");
	}
	if (!is(p, ARROW)) {
		p->graph.nodes[node].line = p->graph.line;
		return read_attributes(p, &p->graph.nodes[node].values);
	}
	/* -> node -> ... [attributes] */
	while (is(p, ARROW)) {
		uint32_t from = node;

		KT_TRY(next(p));
		if (is(p, '{') || is_word(p, "subgraph")) {
			return kt_error(KT_E_MALFORMED, "an edge of a whole subgraph");
		}
		KT_TRY(read_name(p, &name));
		KT_TRY(find_node(p, &name, d, &node));
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
	KT_TRY(expect(p, '[', "'['"));
	return read_attributes(p, values);
}

/* Reads name { statements }; defaults set in a subgraph do not apply outside it. */
static int read_block(struct parser *p, struct defaults defaults)
{
	if (is(p, NAME)) {
		KT_TRY(next(p));
	}
	KT_TRY(expect(p, '{', "'{'"));
	KT_TRY(next(p));
	if (++p->depth > DEPTH_MAX) {
		return kt_error(KT_E_MALFORMED, "subgraphs more than %d deep", DEPTH_MAX);
	}
	while (!is(p, '}')) {
		if (is(p, ';')) {
			KT_TRY(next(p));
		} else if (is_word(p, "graph")) {
			KT_TRY(read_defaults(p, &p->graph.values));
		} else if (is_word(p, "node")) {
			KT_TRY(read_defaults(p, &defaults.node));
		} else if (is_word(p, "edge")) {
			KT_TRY(read_defaults(p, &defaults.edge));
		} else if (is_word(p, "subgraph")) {
			KT_TRY(next(p));
			KT_TRY(read_block(p, defaults));
		} else if (is(p, '{')) {
			KT_TRY(read_block(p, defaults));
		} else if (is(p, NAME)) {
			KT_TRY(read_named(p, &defaults));
		} else {
			return unexpected(p, "a statement");
		}
	}
	KT_TRY(next(p));
	if (--p->depth > 0 && (is(p, ARROW) || is(p, LINE))) {
		return kt_error(KT_E_MALFORMED, "an edge of a whole subgraph");
	}
	return KT_OK;
}

static int read_graph(struct parser *p)
{
	KT_TRY(next(p));
	if (is_word(p, "strict")) {
		KT_TRY(next(p));
	}
	if (is_word(p, "graph")) {
		return kt_error(KT_E_MALFORMED, "the graph is undirected");
	}
	if (!is_word(p, "digraph")) {
		return unexpected(p, "'digraph'");
	}
	KT_TRY(next(p));
	KT_TRY(read_block(p, (struct defaults){0}));
	return expect(p, END, "the end");
}

/* --- files --- */

static int read_text(struct parser *p, FILE *in)
{
	size_t capacity = 0;
	size_t length = 0;
	size_t n = 1;

	while (n > 0) {
		KT_TRY(kt_array_reserve(&p->text, &capacity, length + READ_SIZE + 1));
		n = fread(p->text + length, 1, READ_SIZE, in);
		length += n;
	}
	p->text[length] = '\0';
	p->cursor = (struct cursor){p->text, p->text + length, 1};
	return ferror(in) ? kt_error_errno(KT_E_IO, "read") : KT_OK;
}

int kt_fsm_read_dot(struct kt_fsm **out, FILE *in, const char *name)
{
	struct parser p = {0};
	const struct kt_found_values *values = &p.graph.values;
	const char *class_;
	int code;

	*out = NULL;
	code = read_text(&p, in);
	if (!code) {
		code = read_graph(&p);
		if (code) {
			kt_error_prepend(code, "read %s:%" PRIu64, name, p.cursor.line);
			goto end;
		}
		free(p.text);
		p.text = NULL;
		class_ = kt_found_value(&p.graph, values, KT_FOUND_CLASS);
		if (values->at[KT_FOUND_FSM]) {
			code = kt_found_restore(out, &p.graph);
		} else if (class_ && strcmp(class_, "fsm") == 0) {
			/*
			 * ktail-render truncates and combines labels for human readers, so
			 * its drawings do not contain the machine.
			 */
			code = kt_error(
				KT_E_MALFORMED,
				"it is a drawing; only .json and .gv can be read back");
		} else {
			code = kt_found_import(out, &p.graph);
		}
	}
	if (code) {
		kt_error_prepend(code, "read %s", name);
	}
end:
	kt_found_graph_clear(&p.graph);
	free(p.text);
	return code;
}
