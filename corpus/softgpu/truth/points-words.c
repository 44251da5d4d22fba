/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/truth/points-parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#define NAMES "abcdefghijklmnopqrstuvwxyz0123456789_-"

int kt_parser_malformed(const struct kt_parser *p, const char *format, ...)
{
	char reason[KT_PARSER_LINE + 256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	return kt_error(KT_E_MALFORMED, "read %s:%zu: %s", p->points->file, p->line,
			reason);
}

int kt_parser_duplicate(char **out, const char *text)
{
	*out = strdup(text);
	return *out ? KT_OK : kt_no_memory("read program points");
}

bool kt_parser_is(const struct kt_parser *p, size_t i, const char *word)
{
	return i < p->n && strcmp(p->tokens[i], word) == 0;
}

/* --- words of a line --- */

int kt_parser_split(struct kt_parser *p, const char *text, size_t length)
{
	size_t used = 0;

	p->n = 0;
	for (size_t i = 0; i < length && text[i] != '#';) {
		if (text[i] == ' ' || text[i] == '\t') {
			i++;
			continue;
		}
		if (p->n == KT_PARSER_TOKENS) {
			return kt_parser_malformed(p, "more than %d words",
						   KT_PARSER_TOKENS);
		}
		p->tokens[p->n++] = p->text + used;
		while (i < length && text[i] != '#' && text[i] != ' ' && text[i] != '\t') {
			if (text[i] < 0x21 || text[i] > 0x7e) {
				return kt_parser_malformed(
					p, "a character that is no plain text");
			}
			if (used + 2 > KT_PARSER_LINE) {
				return kt_parser_malformed(p, "longer than %d characters",
							   KT_PARSER_LINE);
			}
			p->text[used++] = text[i++];
		}
		p->text[used++] = '\0';
	}
	return KT_OK;
}

bool kt_parser_is_made_of(const char *text, const char *characters)
{
	return text[0] && text[strspn(text, characters)] == '\0';
}

/* 0x and lower-case digits without padding, as letters have them. */
static bool is_hex(const char *text)
{
	return strncmp(text, "0x", 2) == 0 &&
	       kt_parser_is_made_of(text + 2, "0123456789abcdef") &&
	       (text[2] != '0' || !text[3]);
}

bool kt_parser_is_space(const char *text)
{
	static const char *const spaces[] = {"reg", "fb", "sys", "pin", "uvm", "other"};

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		if (strcmp(text, spaces[i]) == 0) {
			return true;
		}
	}
	return is_hex(text);
}

bool kt_parser_is_request(const char *text)
{
	return is_hex(strncmp(text, "uvm:", 4) == 0 ? text + 4 : text);
}

int kt_parser_expect_words(const struct kt_parser *p, size_t n, const char *form)
{
	return p->n == n ? KT_OK : kt_parser_malformed(p, "the form is: %s", form);
}

int kt_parser_expect_name(const struct kt_parser *p, const char *name)
{
	return kt_parser_is_made_of(name, NAMES)
		       ? KT_OK
		       : kt_parser_malformed(
				 p, "'%s' is no name of small letters, digits, _ and -",
				 name);
}
