/* SPDX-License-Identifier: MIT */
#include "base/wrap.h"

#include <stdarg.h>
#include <string.h>

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
	/* The blank is the last one of the indent. A comma and a bar may follow. */
	if (format[0] == ' ' && wrap->column > wrap->indent &&
	    wrap->column + (size_t)n + strlen(", |") - 1 > KT_WRAP_WIDTH) {
		fprintf(wrap->out, "\n%*s", wrap->indent ? (int)wrap->indent - 1 : 0, "");
		wrap->column = wrap->indent ? wrap->indent - 1 : 0;
	}
	va_start(args, format);
	vfprintf(wrap->out, format, args);
	va_end(args);
	wrap->column += (size_t)n;
}

void kt_wrap_end(struct kt_wrap *wrap)
{
	putc('\n', wrap->out);
	wrap->column = 0;
}
