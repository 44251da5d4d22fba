/* SPDX-License-Identifier: MIT */
#include "base/wrap.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/terminal.h"

struct kt_wrap kt_wrap_line(FILE *out, size_t indent)
{
	const size_t width = kt_terminal_width(out);

	return (struct kt_wrap){
		.out = out, .indent = indent, .width = width ? width : SIZE_MAX};
}

void kt_wrap_put(struct kt_wrap *wrap, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n <= 0) {
		return;
	}
	if (wrap->width == 0) {
		wrap->width = kt_terminal_width(wrap->out);
		wrap->width = wrap->width ? wrap->width : KT_WRAP_WIDTH;
	}
	/*
	 * A new line is indented by one column less, because the piece itself begins with a
	 * blank. Space for a comma and a bar, which may follow the piece, is kept free.
	 */
	if (format[0] == ' ' && wrap->column > wrap->indent &&
	    wrap->column + (size_t)n + strlen(", |") - 1 > wrap->width) {
		fprintf(wrap->out, "\n%*s", wrap->indent ? (int)wrap->indent - 1 : 0, "");
		wrap->column = wrap->indent ? wrap->indent - 1 : 0;
	}
	va_start(args, format);
	vfprintf(wrap->out, format, args);
	va_end(args);
	wrap->column += (size_t)n;
}

void kt_wrap_words(struct kt_wrap *wrap, const char *text)
{
	while (*text) {
		const size_t n = strcspn(text, " ");

		kt_wrap_put(wrap, " %.*s", (int)n, text);
		text += n;
		text += *text == ' ';
	}
}

void kt_wrap_end(struct kt_wrap *wrap)
{
	putc('\n', wrap->out);
	wrap->column = 0;
}
