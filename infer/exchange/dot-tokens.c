/* SPDX-License-Identifier: MIT */
#include "infer/exchange/dot-tokens.h"

#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

/* --- between tokens --- */

static bool starts(const struct kt_dot_lexer *l, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(l->end - l->at) >= n && memcmp(l->at, text, n) == 0;
}

static void advance(struct kt_dot_lexer *l)
{
	l->line += *l->at == '\n';
	l->at++;
}

static void skip_line(struct kt_dot_lexer *l)
{
	while (l->at < l->end && *l->at != '\n') {
		l->at++;
	}
}

static int skip_comment(struct kt_dot_lexer *l)
{
	while (l->at < l->end && !starts(l, "*/")) {
		advance(l);
	}
	if (l->at == l->end) {
		return kt_error(KT_E_MALFORMED, "a comment without an end");
	}
	l->at += 2;
	return KT_OK;
}

/* Blanks and comments; lines that begin with '#' are the preprocessor's. */
static int skip(struct kt_dot_lexer *l, bool line_begins)
{
	int code = KT_OK;

	while (!code && l->at < l->end) {
		if (*l->at == '\n') {
			advance(l);
			line_begins = true;
		} else if (*l->at == ' ' || *l->at == '\t' || *l->at == '\r') {
			l->at++;
		} else if (starts(l, "//") || (*l->at == '#' && line_begins)) {
			skip_line(l);
		} else if (starts(l, "/*")) {
			code = skip_comment(l);
		} else {
			break;
		}
	}
	return code;
}

/* --- IDs --- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int put(struct kt_dot_lexer *l, size_t *n, char c)
{
	int code = kt_array_reserve(&l->string, &l->string_capacity, *n + 1);

	if (!code) {
		l->string[(*n)++] = c;
	}
	return code;
}

/* Behind the opening quotation mark; appends to the string. */
static int read_quoted(struct kt_dot_lexer *l, size_t *n)
{
	int code = KT_OK;

	while (!code && l->at < l->end && *l->at != '"') {
		if (*l->at != '\\' || l->end - l->at < 2) {
			code = put(l, n, *l->at);
		} else if (l->at[1] == '"') {
			l->at++;
			code = put(l, n, '"');
		} else if (l->at[1] == '\n') {
			l->at++;
		} else {
			code = put(l, n, '\\');
			l->at++;
			code = code ? code : put(l, n, *l->at);
		}
		advance(l);
	}
	if (!code && l->at == l->end) {
		return kt_error(KT_E_MALFORMED, "a string without an end");
	}
	l->at += !code;
	return code;
}

/* Strings that are joined by '+' are one. */
static int read_strings(struct kt_dot_lexer *l, struct kt_dot_token *out)
{
	size_t n = 0;
	bool more = true;
	int code = kt_array_reserve(&l->string, &l->string_capacity, 1); /* not NULL */

	while (!code && more) {
		struct kt_dot_lexer behind;

		l->at++;
		code = read_quoted(l, &n);
		behind = *l;
		code = code ? code : skip(&behind, false);
		more = !code && behind.at < behind.end && *behind.at == '+';
		if (more) {
			behind.at++;
			code = skip(&behind, false);
			more = behind.at < behind.end && *behind.at == '"';
		}
		if (more) {
			l->at = behind.at;
			l->line = behind.line;
		}
	}
	*out = (struct kt_dot_token){KT_DOT_ID, 0, true, l->string, n};
	return code;
}

/* <...>, with as many '>' as '<'. */
static int read_html(struct kt_dot_lexer *l, struct kt_dot_token *out)
{
	const char *from = l->at;
	size_t depth = 0;

	do {
		depth += *l->at == '<';
		depth -= *l->at == '>';
		advance(l);
	} while (depth > 0 && l->at < l->end);
	if (depth > 0) {
		return kt_error(KT_E_MALFORMED, "HTML without an end");
	}
	*out = (struct kt_dot_token){KT_DOT_ID, 0, true, from, (size_t)(l->at - from)};
	return KT_OK;
}

static void read_name(struct kt_dot_lexer *l, struct kt_dot_token *out)
{
	const char *from = l->at;

	while (l->at < l->end && (is_letter(*l->at) || is_digit(*l->at))) {
		l->at++;
	}
	*out = (struct kt_dot_token){KT_DOT_ID, 0, false, from, (size_t)(l->at - from)};
}

static bool is_number(const struct kt_dot_lexer *l)
{
	const char *c = l->at + (*l->at == '-');

	c += c < l->end && *c == '.';
	return c < l->end && is_digit(*c);
}

static void read_number(struct kt_dot_lexer *l, struct kt_dot_token *out)
{
	const char *from = l->at;

	l->at += *l->at == '-';
	while (l->at < l->end && (is_digit(*l->at) || *l->at == '.')) {
		l->at++;
	}
	*out = (struct kt_dot_token){KT_DOT_ID, 0, false, from, (size_t)(l->at - from)};
}

/* --- all --- */

static int read_other(struct kt_dot_lexer *l, struct kt_dot_token *out)
{
	unsigned char c = (unsigned char)*l->at;

	if (starts(l, "->") || starts(l, "--")) {
		*out = (struct kt_dot_token){.kind = l->at[1] == '>' ? KT_DOT_ARROW
								     : KT_DOT_LINE};
		l->at += 2;
		return KT_OK;
	}
	if (c != '\0' && strchr("{}[]=;,:", c)) {
		*out = (struct kt_dot_token){.kind = KT_DOT_MARK, .mark = *l->at++};
		return KT_OK;
	}
	return c > 0x20 && c < 0x7f
		       ? kt_error(KT_E_MALFORMED, "'%c' does not belong here", c)
		       : kt_error(KT_E_MALFORMED, "a control character");
}

int kt_dot_next(struct kt_dot_lexer *l, struct kt_dot_token *out)
{
	int code = skip(l, l->line == 0);

	l->line += l->line == 0;
	if (code) {
		return code;
	}
	if (l->at == l->end) {
		*out = (struct kt_dot_token){.kind = KT_DOT_END};
	} else if (*l->at == '"') {
		code = read_strings(l, out);
	} else if (*l->at == '<') {
		code = read_html(l, out);
	} else if (is_letter(*l->at)) {
		read_name(l, out);
	} else if (is_number(l)) {
		read_number(l, out);
	} else {
		code = read_other(l, out);
	}
	return code;
}
