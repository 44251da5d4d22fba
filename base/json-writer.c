/* SPDX-License-Identifier: MIT */
#include "base/json-writer.h"

#include <stdarg.h>
#include <string.h>

#include <ktail/status.h>

#include "base/utf8.h"

/* --- bytes --- */

/* The buffer collects small writes, because a stdio call for each would be slow. */
void kt_json_flush(struct kt_json_writer *w)
{
	fwrite(w->buffer, 1, w->used, w->out);
	w->used = 0;
}

static void put_char(struct kt_json_writer *w, char c)
{
	if (w->used == sizeof(w->buffer)) {
		kt_json_flush(w);
	}
	w->buffer[w->used++] = c;
}

static void put(struct kt_json_writer *w, const char *bytes, size_t n)
{
	if (n > sizeof(w->buffer) - w->used) {
		kt_json_flush(w);
	}
	if (n > sizeof(w->buffer)) {
		fwrite(bytes, 1, n, w->out);
		return;
	}
	memcpy(w->buffer + w->used, bytes, n);
	w->used += (unsigned)n;
}

static void put_literal(struct kt_json_writer *w, const char *text)
{
	put(w, text, strlen(text));
}

/*
 * Writes text as a JSON string. Each byte of invalid UTF-8, which file names can contain,
 * becomes U+FFFD.
 */
static void write_string(FILE *out, const char *text)
{
	size_t length = strlen(text);
	size_t plain = 0; /* beginning of the unwritten part */

	putc('"', out);
	for (size_t i = 0; i < length;) {
		unsigned char c = (unsigned char)text[i];
		size_t n = kt_utf8_sequence(text + i, length - i);

		if (n == 0 || c == '"' || c == '\\' || c < 0x20 || c == 0x7f) {
			fwrite(text + plain, 1, i - plain, out);
			if (n == 0) {
				fputs("\\ufffd", out);
			} else if (c == '"' || c == '\\') {
				fprintf(out, "\\%c", c);
			} else {
				fprintf(out, "\\u%04x", c);
			}
			plain = i + 1;
		}
		i += n ? n : 1;
	}
	fwrite(text + plain, 1, length - plain, out);
	putc('"', out);
}

static void put_string(struct kt_json_writer *w, const char *text)
{
	size_t n = 0;
	size_t space;
	char *to;

	if (sizeof(w->buffer) - w->used < 128) {
		kt_json_flush(w);
	}
	to = w->buffer + w->used;
	space = sizeof(w->buffer) - w->used - 2; /* minus the two quotes */
	for (; n < space && text[n] >= 0x20 && text[n] < 0x7f && text[n] != '"' &&
	       text[n] != '\\';
	     n++) {
		to[n + 1] = text[n];
	}
	if (text[n] == '\0') {
		to[0] = '"';
		to[n + 1] = '"';
		w->used += (unsigned)n + 2;
	} else {
		kt_json_flush(w);
		write_string(w->out, text);
	}
}

static void put_number(struct kt_json_writer *w, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	put(w, digits + at, sizeof(digits) - at);
}

static void put_hex(struct kt_json_writer *w, uint64_t number)
{
	char digits[16];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number > 0);
	put(w, "\"0x", 3);
	put(w, digits + at, sizeof(digits) - at);
	put_char(w, '"');
}

/* --- documents and lines --- */

struct kt_json_writer kt_json_document(FILE *out, const char *format)
{
	struct kt_json_writer w = {.out = out};

	kt_json_object(&w, NULL);
	put_char(&w, ' ');
	KT_JSON(&w, KT_STR("format", format));
	return w;
}

struct kt_json_writer kt_json_resume(FILE *out)
{
	return (struct kt_json_writer){
		.out = out, .filled = true, .depth = 1, .levels[1].indent = 2};
}

struct kt_json_writer *kt_json_line(struct kt_json_writer *w)
{
	w->line = true;
	return w;
}

static void break_line(struct kt_json_writer *w, unsigned indent)
{
	put_char(w, '\n');
	while (indent-- > 0) {
		put_char(w, ' ');
	}
	w->line = false;
}

/* Writes the separator before the next value or key. */
static void separate(struct kt_json_writer *w)
{
	const struct kt_json_level *level = &w->levels[w->depth];

	if (w->keyed) {
		w->keyed = false;
		return;
	}
	if (w->filled) {
		put_char(w, ',');
	}
	if (w->line || level->rows) {
		break_line(w, level->indent);
	} else if (w->filled && !w->compact) {
		put_char(w, ' ');
	}
	w->filled = true;
}

/* --- values --- */

static void put_value(struct kt_json_writer *w, const struct kt_json_member *value)
{
	separate(w);
	switch (value->kind) {
	case KT_JSON_SIGNED:
		if ((int64_t)value->number < 0) {
			put_char(w, '-');
			put_number(w, -value->number);
			break;
		}
		/* fallthrough */
	case KT_JSON_NUMBER: put_number(w, value->number); break;
	case KT_JSON_HEX: put_hex(w, value->number); break;
	case KT_JSON_BOOL: put_literal(w, value->number ? "true" : "false"); break;
	case KT_JSON_TEXT: put_string(w, value->text); break;
	case KT_JSON_RAW: put_literal(w, value->text); break;
	case KT_JSON_NULL: put(w, "null", 4); break;
	}
}

void kt_json_key(struct kt_json_writer *w, const char *key)
{
	separate(w);
	put_string(w, key);
	put(w, ": ", w->compact ? 1 : 2);
	w->keyed = true;
}

void kt_json_members(struct kt_json_writer *w, const struct kt_json_member *members)
{
	for (; members->key; members++) {
		if (members->kind != KT_JSON_TEXT || members->text) {
			kt_json_key(w, members->key);
			put_value(w, members);
		}
	}
}

void kt_json_text(struct kt_json_writer *w, const char *text)
{
	put_value(w, &(struct kt_json_member)KT_STR(NULL, text));
}

void kt_json_number(struct kt_json_writer *w, uint64_t number)
{
	put_value(w, &(struct kt_json_member)KT_U64(NULL, number));
}

void kt_json_bool(struct kt_json_writer *w, bool value)
{
	put_value(w, &(struct kt_json_member)KT_BOOL(NULL, value));
}

void kt_json_null(struct kt_json_writer *w)
{
	put_value(w, &(struct kt_json_member)KT_RAW(NULL, "null"));
}

FILE *kt_json_stream(struct kt_json_writer *w, const char *key)
{
	if (key) {
		kt_json_key(w, key);
	}
	separate(w);
	kt_json_flush(w);
	return w->out;
}

void kt_json_print(struct kt_json_writer *w, const char *key, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(kt_json_stream(w, key), format, args);
	va_end(args);
}

/* --- containers --- */

static void begin(struct kt_json_writer *w, const char *key, bool array, bool rows)
{
	const struct kt_json_level *around = &w->levels[w->depth];
	/*
	 * Lines in a container begin in even columns. The exception is a container that is
	 * an element of an array: lines in it begin one column after its bracket or brace.
	 */
	unsigned indent = around->array ? around->indent + 1 : (around->indent + 2) & ~1u;

	if (key) {
		kt_json_key(w, key);
	}
	separate(w);
	put_char(w, array ? '[' : '{');
	w->depth++;
	w->levels[w->depth] =
		(struct kt_json_level){.array = array, .rows = rows, .indent = indent};
	w->filled = false;
}

void kt_json_object(struct kt_json_writer *w, const char *key)
{
	begin(w, key, false, false);
}

void kt_json_array(struct kt_json_writer *w, const char *key)
{
	begin(w, key, true, false);
}

void kt_json_rows(struct kt_json_writer *w, const char *key)
{
	begin(w, key, true, true);
}

void kt_json_end(struct kt_json_writer *w)
{
	const struct kt_json_level *level = &w->levels[w->depth];

	if (w->line || (level->rows && w->filled)) {
		break_line(w, level->indent - 2);
	}
	put_char(w, level->array ? ']' : '}');
	w->depth--;
	w->filled = w->depth > 0;
	if (w->depth == 0) {
		put(w, "\n", w->compact ? 1 : 0);
		kt_json_flush(w);
	}
}

void kt_json_object_of(struct kt_json_writer *w, const char *key,
		       const struct kt_json_member *members)
{
	kt_json_object(w, key);
	kt_json_members(w, members);
	kt_json_end(w);
}

int kt_json_finish(struct kt_json_writer *w, const char *what)
{
	kt_json_end(kt_json_line(w));
	putc('\n', w->out);
	return ferror(w->out) ? kt_error_errno(KT_E_IO, "%s", what) : KT_OK;
}

void kt_json_texts(struct kt_json_writer *w, const char *key, char *const *texts, size_t n)
{
	kt_json_array(w, key);
	for (size_t i = 0; i < n; i++) {
		kt_json_text(w, texts[i]);
	}
	kt_json_end(w);
}

void kt_json_numbers(struct kt_json_writer *w, const char *key, const uint32_t *numbers,
		     size_t n)
{
	kt_json_array(w, key);
	for (size_t i = 0; i < n; i++) {
		kt_json_number(w, numbers[i]);
	}
	kt_json_end(w);
}
