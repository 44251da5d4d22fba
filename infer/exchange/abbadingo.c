/* SPDX-License-Identifier: MIT */
/*
 * Examples in the Abbadingo format and FlexFringe's variants of it. In the variants, data
 * may follow a symbol after '/' or '|'; if the first line names attributes, their values
 * may follow a symbol, or the length of an example, after ':'.
 */
#include <ktail/exchange.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "base/utf8.h"

#define BATCH      4096
#define CACHE      1024 /* a power of two, since a mask selects an entry */
#define CACHED_MAX 28

/* A symbol without attributes, and its letter. */
struct cached {
	char text[CACHED_MAX];
	uint32_t length; /* 0: unused entry */
	uint32_t letter;
};

struct reader {
	kt_words *words; /* Weak */
	FILE *in;        /* Weak */
	const char *path;
	const char *name;
	char *line; /* Owned by this */
	size_t line_capacity;
	uint64_t n_lines;
	uint64_t declared; /* number of examples that the first line states */
	uint64_t read;
	bool attributes; /* the first line names attributes, which symbols then have */
	struct kt_abbadingo_report report;
	char *letter; /* Owned by this: a decoded symbol */
	size_t letter_capacity;
	struct cached cache[CACHE];
	uint32_t batch[BATCH];
	size_t n_batch;
};

struct token {
	const char *text;
	size_t length;
};

__attribute__((format(printf, 2, 3))) static int fail(const struct reader *r,
						      const char *format, ...)
{
	char reason[256];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return kt_error(KT_E_MALFORMED, "read %s:%" PRIu64 ": %s", r->path, r->n_lines,
			reason);
}

/* --- lines and tokens --- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Reads the next line, without its newline; *line is NULL after the last line. */
static int next_line(struct reader *r, const char **line)
{
	ssize_t n = getline(&r->line, &r->line_capacity, r->in);

	*line = NULL;
	if (n < 0) {
		if (feof(r->in)) {
			return KT_OK;
		}
		return ferror(r->in)
			       ? kt_error_errno(KT_E_IO, "read %s", r->path)
			       : kt_error(KT_E_MEMORY, "read %s: out of memory", r->path);
	}
	r->n_lines++;
	if (memchr(r->line, '\0', (size_t)n)) {
		return fail(r, "a control character");
	}
	if (n > 0 && r->line[n - 1] == '\n') {
		r->line[n - 1] = '\0';
	}
	*line = r->line;
	return KT_OK;
}

/* Returns the next token of a line; its length is 0 at the end. */
static struct token next_token(const char **line)
{
	struct token token;

	while (is_blank(**line)) {
		(*line)++;
	}
	token.text = *line;
	while (**line && !is_blank(**line)) {
		(*line)++;
	}
	token.length = (size_t)(*line - token.text);
	return token;
}

static bool is_text(struct token token, const char *text)
{
	return token.length == strlen(text) && memcmp(token.text, text, token.length) == 0;
}

/*
 * Parses a number. *more tells whether attributes (after ':') or data (after '/') follow
 * the number.
 */
static bool take_number(struct token token, uint64_t *out, bool *more)
{
	char *end;

	errno = 0;
	*out = strtoull(token.text, &end, 10);
	*more = end < token.text + token.length;
	return *token.text >= '0' && *token.text <= '9' && !errno &&
	       (!*more || *end == ':' || *end == '/');
}

/* --- symbols --- */

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_plain(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/*
 * Decodes a symbol as kt_words_write_abbadingo() encodes letters, into r->letter. A symbol
 * that kt_words_write_abbadingo() cannot have written is returned unchanged.
 */
static struct token decode(struct reader *r, struct token symbol)
{
	struct token letter = {.text = r->letter};

	for (size_t i = 0; i < symbol.length; i++) {
		int c = (unsigned char)symbol.text[i];

		if (c == '_' && i + 2 < symbol.length) {
			int high = hex_digit(symbol.text[i + 1]);
			int low = hex_digit(symbol.text[i + 2]);

			c = high < 0 || low < 0 ? -1 : high * 16 + low;
			i += 2;
			if (is_plain(c)) {
				return symbol;
			}
		} else if (!is_plain(c)) {
			return symbol;
		}
		if (c < 0) {
			return symbol;
		}
		r->letter[letter.length++] = (char)c;
	}
	return kt_utf8_is_printable(letter.text, letter.length) ? letter : symbol;
}

static int flush(struct reader *r)
{
	int code = kt_words_append(r->words, r->batch, r->n_batch);

	r->n_batch = 0;
	return code;
}

/* Reads a symbol, and skips the attributes and data after the symbol. */
static int read_symbol(struct reader *r, struct token token)
{
	struct cached *c = &r->cache[XXH3_64bits(token.text, token.length) & (CACHE - 1)];
	struct token symbol = {.text = token.text};
	uint32_t letter;
	bool whole;
	int code;

	if (c->length == token.length && memcmp(c->text, token.text, token.length) == 0) {
		r->batch[r->n_batch++] = c->letter;
		return r->n_batch == BATCH ? flush(r) : KT_OK;
	}
	while (symbol.length < token.length && symbol.text[symbol.length] != '/' &&
	       symbol.text[symbol.length] != '|' &&
	       !(symbol.text[symbol.length] == ':' && r->attributes)) {
		symbol.length++;
	}
	if (symbol.length == 0) {
		return fail(r, "a symbol without a name: '%.*s'", (int)token.length,
			    token.text);
	}
	whole = symbol.length == token.length;
	r->report.attributes += !whole;
	KT_TRY(kt_array_reserve(&r->letter, &r->letter_capacity, symbol.length));
	symbol = decode(r, symbol);
	code = kt_words_letter(&letter, r->words, symbol.text, symbol.length);
	if (code) {
		return kt_error_prepend(code, "read %s:%" PRIu64, r->path, r->n_lines);
	}
	if (token.length <= CACHED_MAX && whole) {
		memcpy(c->text, token.text, token.length);
		c->length = (uint32_t)token.length;
		c->letter = letter;
	}
	r->batch[r->n_batch++] = letter;
	return r->n_batch == BATCH ? flush(r) : KT_OK;
}

/* --- examples --- */

static int read_example(struct reader *r, const char *line)
{
	struct kt_word_info info = KT_WORD_INFO_INIT;
	struct token label = next_token(&line);
	struct token specifier = next_token(&line);
	size_t size = strlen(r->name) + 24;
	uint64_t length = 0;
	uint64_t n = 0;
	char *name;
	bool more;
	int code;

	if (label.length == 0) {
		return KT_OK;
	}
	if (!take_number(specifier, &length, &more)) {
		return fail(r, "expected the number of symbols after the label");
	}
	r->report.negative += is_text(label, "0");
	r->report.unlabelled += is_text(label, "-1");
	if (is_text(label, "0") || is_text(label, "-1")) {
		r->read++;
		return KT_OK;
	}
	name = malloc(size);
	if (!name) {
		return kt_error(KT_E_MEMORY, "read %s: out of memory", r->path);
	}
	snprintf(name, size, "%s.%" PRIu64, r->name, r->read);
	info.name = name;
	r->report.words++;
	r->read++;
	code = kt_words_begin(r->words, &info);
	free(name);
	if (code) {
		return code;
	}
	for (struct token t = next_token(&line); t.length > 0; t = next_token(&line)) {
		KT_TRY(read_symbol(r, t));
		n++;
	}
	KT_TRY(flush(r));
	if (n != length) {
		return fail(r,
			    "the example has %" PRIu64 " symbol%s, but declares %" PRIu64,
			    n, n == 1 ? "" : "s", length);
	}
	return KT_OK;
}

int kt_words_read_abbadingo(kt_words *words, FILE *in, const char *path, const char *name,
			    struct kt_abbadingo_report *report)
{
	struct reader *r = calloc(1, sizeof(*r));
	const char *line;
	uint64_t symbols;
	bool more;
	int code;

	if (!r) {
		return kt_error(KT_E_MEMORY, "read %s: out of memory", path);
	}
	r->words = words;
	r->in = in;
	r->path = path;
	r->name = name;
	KT_TRY_END(next_line(r, &line));
	if (!line || !take_number(next_token(&line), &r->declared, &more) ||
	    !take_number(next_token(&line), &symbols, &r->attributes) ||
	    next_token(&line).length != 0) {
		r->n_lines = 1;
		code = fail(r, "the first line is not the number of examples and the "
			       "number of symbols");
		goto end;
	}
	KT_TRY_END(next_line(r, &line));
	while (line) {
		KT_TRY_END(read_example(r, line));
		KT_TRY_END(next_line(r, &line));
	}
	if (r->read != r->declared) {
		code = kt_error(KT_E_MALFORMED,
				"read %s: it has %" PRIu64
				" example%s, but declares %" PRIu64,
				path, r->read, r->read == 1 ? "" : "s", r->declared);
	}
end:
	if (report) {
		*report = r->report;
	}
	free(r->line);
	free(r->letter);
	free(r);
	return code;
}

/* --- writing --- */

/*
 * The format of the Abbadingo One competition (Lang, Pearlmutter, Price, 1998) as
 * FlexFringe reads it: a line with the numbers of examples and symbols, then for each
 * example a line with its label, its length and its symbols.
 */
static void put_symbol(FILE *out, const char *name)
{
	putc(' ', out);
	for (const char *c = name; *c; c++) {
		if (is_plain(*c)) {
			putc(*c, out);
		} else {
			fprintf(out, "_%02x", (unsigned char)*c);
		}
	}
}

int kt_words_write_abbadingo(const kt_words *words, FILE *out)
{
	uint32_t *window = malloc(BATCH * sizeof(*window));
	int code = KT_OK;

	if (!window) {
		return kt_no_memory("write words as Abbadingo");
	}
	fprintf(out, "%zu %zu\n", kt_words_count(words), kt_words_letter_count(words));
	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint64_t n = 0;

		KT_TRY_END(kt_words_get(words, i, &info, &n));
		fprintf(out, "1 %" PRIu64, n);
		for (uint64_t from = 0; from < n; from += BATCH) {
			size_t part = n - from < BATCH ? (size_t)(n - from) : BATCH;

			KT_TRY_END(kt_words_read(words, i, from, part, window));
			for (size_t j = 0; j < part; j++) {
				put_symbol(out, kt_words_letter_name(words, window[j]));
			}
		}
		putc('\n', out);
	}
	if (ferror(out)) {
		code = kt_error_errno(KT_E_IO, "write words as Abbadingo");
	}
end:
	free(window);
	return code;
}
