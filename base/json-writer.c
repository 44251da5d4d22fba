/* SPDX-License-Identifier: MIT */
#include "base/json-writer.h"

#include <inttypes.h>
#include <stdarg.h>

#include <ktail/status.h>

#include "base/json-string.h"

struct kt_json_writer kt_json_document(FILE *out, const char *format)
{
	struct kt_json_writer w = {.out = out};

	kt_json_object(&w, NULL);
	putc(' ', out);
	KT_JSON(&w, KT_STR("format", format));
	return w;
}

struct kt_json_writer kt_json_resume(FILE *out)
{
	return (struct kt_json_writer){
		.out = out, .filled = true, .depth = 1, .levels[1].indent = 2};
}

void kt_json_line(struct kt_json_writer *w)
{
	w->line = true;
}

static void break_line(struct kt_json_writer *w, unsigned indent)
{
	fprintf(w->out, "\n%*s", (int)indent, "");
	w->line = false;
}

/* What stands between the value or key that comes next and what is in front of it. */
static void separate(struct kt_json_writer *w)
{
	const struct kt_json_level *level = &w->levels[w->depth];

	if (w->keyed) {
		w->keyed = false;
		return;
	}
	if (w->filled) {
		putc_unlocked(',', w->out);
	}
	if (w->line || level->rows) {
		break_line(w, level->indent);
	} else if (w->filled && !w->compact) {
		putc_unlocked(' ', w->out);
	}
	w->filled = true;
}

/* --- containers --- */

static void begin(struct kt_json_writer *w, const char *key, bool array, bool rows)
{
	const struct kt_json_level *around = &w->levels[w->depth];
	/* Elements of an array stand at even places, members of an element one behind. */
	unsigned indent = around->array ? around->indent + 1 : (around->indent + 2) & ~1u;

	if (key) {
		kt_json_key(w, key);
	}
	separate(w);
	putc_unlocked(array ? '[' : '{', w->out);
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
	putc_unlocked(level->array ? ']' : '}', w->out);
	w->depth--;
	w->filled = w->depth > 0;
	if (w->compact && w->depth == 0) {
		putc_unlocked('\n', w->out);
	}
}

int kt_json_finish(struct kt_json_writer *w, const char *what)
{
	kt_json_line(w);
	kt_json_end(w);
	putc('\n', w->out);
	return ferror(w->out) ? kt_error_errno(KT_E_IO, "%s", what) : KT_OK;
}

/* --- values --- */

static void write_number(FILE *out, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	fwrite(&digits[at], 1, sizeof(digits) - at, out);
}

static void write_value(FILE *out, const struct kt_json_member *value)
{
	switch (value->kind) {
	case KT_JSON_NUMBER: write_number(out, value->number); break;
	case KT_JSON_SIGNED: fprintf(out, "%" PRId64, (int64_t)value->number); break;
	case KT_JSON_HEX: fprintf(out, "\"0x%" PRIx64 "\"", value->number); break;
	case KT_JSON_BOOL: fputs(value->number ? "true" : "false", out); break;
	case KT_JSON_TEXT: kt_json_string(out, value->text); break;
	case KT_JSON_RAW: fputs(value->text, out); break;
	case KT_JSON_NULL: fputs("null", out); break;
	}
}

void kt_json_key(struct kt_json_writer *w, const char *key)
{
	separate(w);
	kt_json_string(w->out, key);
	putc_unlocked(':', w->out);
	if (!w->compact) {
		putc_unlocked(' ', w->out);
	}
	w->keyed = true;
}

void kt_json_text(struct kt_json_writer *w, const char *text)
{
	separate(w);
	kt_json_string(w->out, text);
}

void kt_json_number(struct kt_json_writer *w, uint64_t number)
{
	separate(w);
	write_number(w->out, number);
}

void kt_json_bool(struct kt_json_writer *w, bool value)
{
	separate(w);
	fputs(value ? "true" : "false", w->out);
}

void kt_json_null(struct kt_json_writer *w)
{
	separate(w);
	fputs("null", w->out);
}

void kt_json_members(struct kt_json_writer *w, const struct kt_json_member *members)
{
	for (; members->key; members++) {
		if (members->kind == KT_JSON_TEXT && !members->text) {
			continue;
		}
		kt_json_key(w, members->key);
		separate(w);
		write_value(w->out, members);
	}
}

void kt_json_print(struct kt_json_writer *w, const char *key, const char *format, ...)
{
	va_list args;

	kt_json_key(w, key);
	separate(w);
	va_start(args, format);
	vfprintf(w->out, format, args);
	va_end(args);
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
