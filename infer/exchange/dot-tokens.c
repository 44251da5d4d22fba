/* SPDX-License-Identifier: MIT */
#include "infer/exchange/dot-tokens.h"

#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

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

/* Blanks and comments; lines that begin with '#' are the preprocessor's. */
static int skip(struct kt_dot_lexer *l, bool line_begins)
{
	while (l->at < l->end) {
		if (*l->at == '\n') {
			advance(l);
			line_begins = true;
		} else if (*l->at == ' ' || *l->at == '\t' || *l->at == '\r') {
			l->at++;
		} else if (starts(l, "//") || (*l->at == '#' && line_begins)) {
			while (l->at < l->end && *l->at != '\n') {
				l->at++;
			}
		} else if (starts(l, "/*")) {
			while (l->at < l->end && !starts(l, "*/")) {
				advance(l);
			}
			if (l->at == l->end) {
				return kt_error(KT_E_MALFORMED, "a comment without an end");
			}
			l->at += 2;
		} else {
			break;
		}
	}
	return KT_OK;
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
	KT_TRY(kt_array_reserve(&l->string, &l->string_capacity, *n + 1));
	l->string[(*n)++] = c;
	return KT_OK;
}

/* Strings that are joined by '+' are one. */
static int read_strings(struct kt_dot_lexer *l, struct kt_dot_token *out)
{
	size_t n = 0;

	KT_TRY(kt_array_reserve(&l->string, &l->string_capacity, 1)); /* not NULL */
	for (;;) {
		struct kt_dot_lexer behind;

		l->at++;
		while (l->at < l->end && *l->at != '"') {
			if (*l->at != '\\' || l->end - l->at < 2) {
				KT_TRY(put(l, &n, *l->at));
			} else if (l->at[1] == '"') {
				l->at++;
				KT_TRY(put(l, &n, '"'));
			} else if (l->at[1] == '\n') {
				l->at++;
			} else {
				KT_TRY(put(l, &n, '\\'));
				l->at++;
				KT_TRY(put(l, &n, *l->at));
			}
			advance(l);
		}
		if (l->at == l->end) {
			return kt_error(KT_E_MALFORMED, "a string without an end");
		}
		l->at++;
		behind = *l;
		KT_TRY(skip(&behind, false));
		if (behind.at == behind.end || *behind.at != '+') {
			break;
		}
		behind.at++;
		KT_TRY(skip(&behind, false));
		if (behind.at == behind.end || *behind.at != '"') {
			break;
		}
		l->at = behind.at;
		l->line = behind.line;
	}
	*out = (struct kt_dot_token){KT_DOT_ID, 0, true, l->string, n};
	return KT_OK;
}

static bool is_number(const struct kt_dot_lexer *l)
{
	const char *c = l->at + (*l->at == '-');

	c += c < l->end && *c == '.';
	return c < l->end && is_digit(*c);
}

/* --- all --- */

int kt_dot_next(struct kt_dot_lexer *l, struct kt_dot_token *out)
{
	bool first = l->line == 0;
	const char *from;

	l->line += first;
	KT_TRY(skip(l, first));
	from = l->at;
	if (l->at == l->end) {
		*out = (struct kt_dot_token){.kind = KT_DOT_END};
	} else if (*l->at == '"') {
		return read_strings(l, out);
	} else if (*l->at == '<') { /* HTML, with as many '>' as '<' */
		size_t depth = 0;

		do {
			depth += *l->at == '<';
			depth -= *l->at == '>';
			advance(l);
		} while (depth > 0 && l->at < l->end);
		if (depth > 0) {
			return kt_error(KT_E_MALFORMED, "HTML without an end");
		}
		*out = (struct kt_dot_token){KT_DOT_ID, 0, true, from,
					     (size_t)(l->at - from)};
	} else if (is_letter(*l->at)) {
		while (l->at < l->end && (is_letter(*l->at) || is_digit(*l->at))) {
			l->at++;
		}
		*out = (struct kt_dot_token){KT_DOT_ID, 0, false, from,
					     (size_t)(l->at - from)};
	} else if (is_number(l)) {
		l->at += *l->at == '-';
		while (l->at < l->end && (is_digit(*l->at) || *l->at == '.')) {
			l->at++;
		}
		*out = (struct kt_dot_token){KT_DOT_ID, 0, false, from,
					     (size_t)(l->at - from)};
	} else if (starts(l, "->") || starts(l, "--")) {
		*out = (struct kt_dot_token){.kind = l->at[1] == '>' ? KT_DOT_ARROW
								     : KT_DOT_LINE};
		l->at += 2;
	} else if (*l->at != '\0' && strchr("{}[]=;,:", *l->at)) {
		*out = (struct kt_dot_token){.kind = KT_DOT_MARK, .mark = *l->at++};
	} else if (*l->at > 0x20 && *l->at < 0x7f) {
		return kt_error(KT_E_MALFORMED, "'%c' does not belong here", *l->at);
	} else {
		return kt_error(KT_E_MALFORMED, "a control character");
	}
	return KT_OK;
}
