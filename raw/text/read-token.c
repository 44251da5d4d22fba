/* SPDX-License-Identifier: MIT */
#include "raw/text/read-token.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct kt_token kt_token_peek(const struct kt_raw_line *line)
{
	size_t begin = line->at;
	size_t end;

	while (begin < line->length && is_blank(line->text[begin])) {
		begin++;
	}
	end = begin;
	if (begin < line->length && line->text[begin] != '#') {
		while (end < line->length && !is_blank(line->text[end])) {
			end++;
		}
	}
	return (struct kt_token){
		.text = line->text + begin, .length = end - begin, .column = begin + 1};
}

struct kt_token kt_token_take(struct kt_raw_line *line)
{
	const struct kt_token token = kt_token_peek(line);

	line->at = token.column - 1 + token.length;
	return token;
}

bool kt_token_is(const struct kt_token *token, const char *text)
{
	return strlen(text) == token->length &&
	       memcmp(token->text, text, token->length) == 0;
}

/* Returns the value of a digit; 16 if it is none. */
static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9') {
		return (unsigned)(c - '0');
	}
	if (c >= 'a' && c <= 'f') {
		return (unsigned)(c - 'a' + 10);
	}
	return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10) : 16;
}

static bool digits(const char *text, size_t length, unsigned base, uint64_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned digit = digit_of(text[i]);

		if (digit >= base || value > (UINT64_MAX - digit) / base) {
			return false;
		}
		value = value * base + digit;
	}
	*out = value;
	return length > 0;
}

bool kt_token_number(const struct kt_token *token, uint64_t *out)
{
	if (token->length > 2 && token->text[0] == '0' && token->text[1] == 'x') {
		return digits(token->text + 2, token->length - 2, 16, out);
	}
	return digits(token->text, token->length, 10, out);
}

bool kt_token_data(const struct kt_token *token, uint32_t *out)
{
	uint64_t value;

	if (token->length != 8 || !digits(token->text, 8, 16, &value)) {
		return false;
	}
	*out = (uint32_t)value;
	return true;
}

int kt_token_fail(const struct kt_raw_line *line, const struct kt_token *token,
		  const char *format, ...)
{
	char reason[400];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return kt_error(KT_E_MALFORMED, "%s:%zu:%zu: %s", line->file, line->number,
			token->column, reason);
}

int kt_token_end(struct kt_raw_line *line)
{
	const struct kt_token token = kt_token_take(line);

	return token.length ? kt_token_fail(line, &token, "'%.*s' is one word too many",
					    KT_TOKEN(&token))
			    : KT_OK;
}

bool kt_token_form(const struct kt_raw_line *line, const char *form)
{
	struct kt_raw_line left = *line;
	struct kt_raw_line words = {.text = form, .length = strlen(form)};
	struct kt_token word;

	left.at = 0;
	while ((word = kt_token_take(&words)).length > 0 && !kt_token_is(&word, "*")) {
		struct kt_token token = kt_token_take(&left);
		uint64_t number;

		if (kt_token_is(&word, "N")) {
			if (token.length > 0 &&
			    strchr(",:", token.text[token.length - 1])) {
				token.length--;
			}
			if (!kt_token_number(&token, &number)) {
				return false;
			}
		} else if (token.length == 0 ||
			   (!kt_token_is(&word, "W") &&
			    (token.length != word.length ||
			     memcmp(token.text, word.text, word.length) != 0))) {
			return false;
		}
	}
	return word.length > 0 || kt_token_take(&left).length == 0;
}
