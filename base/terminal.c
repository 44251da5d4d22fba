/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "base/terminal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/option-table.h"
#include "base/try.h"

/*
 * Returns whether a stream writes to a terminal. Preserves errno: if a write has failed,
 * the code that later flushes the stream still takes the reason from errno.
 */
static bool is_terminal(FILE *out)
{
	int saved = errno;
	bool is = isatty(fileno(out));

	errno = saved;
	return is;
}

size_t kt_terminal_width(FILE *out)
{
	struct winsize size = {0};

	if (!is_terminal(out)) {
		return 0;
	}
	return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0
		       ? size.ws_col
		       : KT_TERMINAL_USUAL;
}

size_t kt_terminal_height(FILE *out)
{
	struct winsize size = {0};

	return is_terminal(out) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_row
									      : 0;
}

/* Returns the number of columns of a UTF-8 word, counting one column per character. */
static size_t columns_of(const char *word, size_t length)
{
	size_t columns = 0;

	for (size_t i = 0; i < length; i++) {
		columns += ((unsigned char)word[i] & 0xc0) != 0x80;
	}
	return columns;
}

void kt_print_wrapped(FILE *out, const char *text, size_t at, size_t indent, size_t width)
{
	bool first = true;

	while (*(text += strspn(text, " \n"))) {
		size_t length = strcspn(text, " \n");
		size_t columns = columns_of(text, length);

		if (!first && width && at + 1 + columns > width) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			putc(' ', out);
			at++;
		}
		fwrite(text, 1, length, out);
		at += columns;
		text += length;
		first = false;
	}
	putc('\n', out);
}

void kt_print_message(const char *start, const char *text)
{
	const size_t width = kt_terminal_width(stderr);

	fprintf(stderr, "%s: ", start);
	if (width) {
		kt_print_wrapped(stderr, text, strlen(start) + 2, 2, width);
	} else {
		fprintf(stderr, "%s\n", text);
	}
}

/* --- colour --- */

/* The values are in the order of KT_COLOR_NAMES. */
static enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;

int kt_color_set(void *context, const char *value)
{
	static const char *const names[] = {KT_COLOR_NAMES, NULL};
	int chosen;

	(void)context;
	KT_TRY(kt_parse_enum(&chosen, value, names, "--color"));
	color = chosen;
	return KT_OK;
}

static bool has_color(FILE *out)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (color == COLOR_NEVER || fileno(out) != STDOUT_FILENO) {
		return false;
	}
	return color == COLOR_ALWAYS || (is_terminal(out) && !(no_color && no_color[0]) &&
					 term && term[0] && strcmp(term, "dumb") != 0);
}

const struct kt_colors *kt_colors_of(FILE *out)
{
	static const struct kt_colors none = {"", "", "", ""};
	static const struct kt_colors some = {"\033[1m", "\033[31m", "\033[32m", "\033[m"};

	int saved = errno; /* fileno() of a stream in memory changes errno */
	bool has = has_color(out);

	errno = saved;
	return has ? &some : &none;
}

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
