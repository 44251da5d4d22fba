/* SPDX-License-Identifier: MIT */
#include "base/warn.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/terminal.h"

void kt_warn(const char *format, ...)
{
	static const char start[] = "ktail: warning";
	char text[1024];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof(text)) {
		kt_print_message(start, text);
		return;
	}
	fprintf(stderr, "%s: ", start);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	putc('\n', stderr);
}
