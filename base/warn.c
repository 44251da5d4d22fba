/* SPDX-License-Identifier: MIT */
#include "base/warn.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/terminal.h"

void kt_warn(const char *format, ...)
{
	static const char start[] = "ktail: warning: ";
	const size_t width = kt_terminal_width(stderr);
	char text[1024];
	va_list args;
	int n;

	fputs(start, stderr);
	va_start(args, format);
	n = width ? vsnprintf(text, sizeof(text), format, args) : -1;
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof(text)) {
		kt_print_wrapped(stderr, text, strlen(start), 2, width);
		return;
	}
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	putc('\n', stderr);
}
