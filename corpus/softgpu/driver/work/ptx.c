/* SPDX-License-Identifier: MIT */
/*
 * A reader of PTX's lexical structure. Source: NVIDIA, "Parallel Thread Execution ISA",
 * chapter "Syntax": comments as in C, directives begin with a dot, identifiers are
 * [a-zA-Z][a-zA-Z0-9_$]* or [_$%][a-zA-Z0-9_$]+, the first directive is .version. Here a
 * token may contain dots, so that an instruction with its suffixes (ld.param.u64) is one
 * token.
 */
#include "corpus/softgpu/driver/work/ptx.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum token {
	TOKEN_END,
	TOKEN_BAD,
	TOKEN_DIRECTIVE, /* begins with a dot */
	TOKEN_WORD,
	TOKEN_OPEN, /* brace */
	TOKEN_CLOSE,
	TOKEN_OTHER,
};

struct reader {
	const char *at;
	const char *token; /* current token, with its length */
	size_t length;
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%' ||
	       c == '.';
}

static enum token next(struct reader *reader)
{
	char c;

	for (;;) { /* skip blanks and comments */
		reader->at += strspn(reader->at, " \t\r\n\f\v");
		if (strncmp(reader->at, "//", 2) == 0) {
			reader->at += strcspn(reader->at, "\n");
		} else if (strncmp(reader->at, "/*", 2) == 0) {
			const char *end = strstr(reader->at + 2, "*/");

			if (!end) {
				return TOKEN_BAD;
			}
			reader->at = end + 2;
		} else {
			break;
		}
	}
	c = *reader->at;
	reader->token = reader->at;
	if (!c) {
		return TOKEN_END;
	}
	if (c == '"') {
		const char *at = reader->at + 1;

		while (*at && *at != '"' && *at != '\n') {
			at += *at == '\\' && at[1] ? 2 : 1;
		}
		if (*at != '"') {
			return TOKEN_BAD;
		}
		reader->at = at + 1;
		return TOKEN_OTHER;
	}
	if (is_word(c)) {
		while (is_word(*reader->at)) {
			reader->at++;
		}
		reader->length = (size_t)(reader->at - reader->token);
		return c == '.' ? TOKEN_DIRECTIVE : TOKEN_WORD;
	}
	if (c < ' ' || c > '~') {
		return TOKEN_BAD;
	}
	reader->at++;
	return c == '{' ? TOKEN_OPEN : c == '}' ? TOKEN_CLOSE : TOKEN_OTHER;
}

static bool is(const struct reader *reader, const char *text)
{
	return reader->length == strlen(text) &&
	       memcmp(reader->token, text, reader->length) == 0;
}

/* Reads the name after `.entry`. */
static enum kt_ptx_status read_entry(struct kt_ptx *ptx, struct reader *reader)
{
	const char *c;
	size_t length;
	char **names;
	char *copy;

	if (next(reader) != TOKEN_WORD) {
		return KT_PTX_BAD;
	}
	c = reader->token;
	length = reader->length;
	if (!is_letter(c[0]) && !(strchr("_$%", c[0]) && length > 1)) {
		return KT_PTX_BAD;
	}
	for (size_t i = 1; i < length; i++) {
		if (c[i] == '.' || c[i] == '%') {
			return KT_PTX_BAD;
		}
	}
	for (size_t i = 0; i < ptx->n; i++) {
		if (is(reader, ptx->names[i])) {
			return KT_PTX_OK; /* declared earlier */
		}
	}
	names = realloc(ptx->names, (ptx->n + 1) * sizeof(*names));
	if (!names) {
		return KT_PTX_NO_MEMORY;
	}
	ptx->names = names;
	copy = strndup(c, length);
	if (!copy) {
		return KT_PTX_NO_MEMORY;
	}
	ptx->names[ptx->n++] = copy;
	return KT_PTX_OK;
}

enum kt_ptx_status kt_ptx_read(struct kt_ptx *out, const char *text)
{
	struct reader reader = {.at = text};
	enum kt_ptx_status status = KT_PTX_OK;
	enum token token;
	size_t depth = 0;

	*out = (struct kt_ptx){0};
	if (next(&reader) != TOKEN_DIRECTIVE || !is(&reader, ".version")) {
		return KT_PTX_BAD;
	}
	do {
		token = next(&reader);
		if (token == TOKEN_OPEN) {
			depth++;
		} else if (token == TOKEN_CLOSE && depth > 0) {
			depth--;
		} else if (token == TOKEN_CLOSE || token == TOKEN_BAD ||
			   (token == TOKEN_END && depth > 0)) {
			status = KT_PTX_BAD;
		} else if (token == TOKEN_DIRECTIVE && is(&reader, ".entry")) {
			status = depth ? KT_PTX_BAD : read_entry(out, &reader);
		}
	} while (!status && token != TOKEN_END);
	if (status) {
		kt_ptx_free(out);
	}
	return status;
}

void kt_ptx_free(struct kt_ptx *ptx)
{
	for (size_t i = 0; i < ptx->n; i++) {
		free(ptx->names[i]);
	}
	free(ptx->names);
	*ptx = (struct kt_ptx){0};
}
