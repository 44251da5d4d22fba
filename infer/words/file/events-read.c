/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "infer/words/file/events-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/utf8.h"
#include "infer/words/file/file.h"

#define ENDING     ".events"
#define CACHE_BITS 10
#define BATCH      16384
#define SHORT      16

/* Lines of up to 16 bytes, padded with zeros, and their letters. */
struct cached {
	uint64_t head;
	uint64_t tail;
	uint32_t length; /* 0: empty */
	uint32_t letter;
};

struct reader {
	const struct kt_events_taker *taker; /* Weak */
	bool streams;                        /* letters may have been handed on */
	bool begun;
	const char *path; /* Weak */
	const char *end;  /* behind the text */
	uint64_t line;
	struct kt_word_info info;
	char *name; /* Owned by this: given by a directive */
	struct cached *cache;
	uint32_t *batch;
	size_t n_batch;
};

/* --- directives --- */

__attribute__((format(printf, 2, 3))) static int fail(const struct reader *r,
						      const char *format, ...)
{
	char reason[256];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return kt_error(KT_E_MALFORMED, "read %s:%llu: %s", r->path,
			(unsigned long long)r->line, reason);
}

static bool takes(const char **text, size_t *length, const char *word)
{
	size_t n = strlen(word);

	if (*length < n || memcmp(*text, word, n) != 0) {
		return false;
	}
	*text += n;
	*length -= n;
	return true;
}

static int set_lost(struct reader *r, const char *digits, size_t length)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned digit = (unsigned)(digits[i] - '0');

		if (digits[i] < '0' || digits[i] > '9' ||
		    lost > (KT_LOST_MAX - digit) / 10) {
			length = 0;
			break;
		}
		lost = lost * 10 + digit;
	}
	if (length == 0) {
		return fail(r, "behind '#ktail lost' comes the number of lost events");
	}
	r->info.lost = lost;
	return KT_OK;
}

static int set_name(struct reader *r, const char *name, size_t length)
{
	if (length == 0 || !kt_utf8_is_printable(name, length)) {
		return fail(r,
			    "behind '#ktail name' comes a name without control characters");
	}
	free(r->name);
	r->name = strndup(name, length);
	if (!r->name) {
		return kt_error(KT_E_MEMORY, "read %s: out of memory", r->path);
	}
	r->info.name = r->name;
	return KT_OK;
}

static int unknown(const struct reader *r)
{
	return fail(r, "behind '#ktail' comes name NAME, lost N, cut-begin or cut-end, and "
		       "nothing else");
}

/*
 * A line that begins with '#': a comment unless it is for us. One that is for us and is not
 * understood may say that something is missing: it must not pass for a comment.
 */
static int read_comment(struct reader *r, const char *text, size_t length)
{
	if (!takes(&text, &length, "#ktail") ||
	    (length > 0 && *text != ' ' && *text != '\t' && *text != '\r')) {
		return KT_OK;
	}
	if (takes(&text, &length, " name ")) {
		return set_name(r, text, length);
	}
	if (takes(&text, &length, " lost ")) {
		return set_lost(r, text, length);
	}
	if (takes(&text, &length, " cut-begin")) {
		if (r->streams && (r->begun || r->n_batch > 0)) {
			return fail(r, "'#ktail cut-begin' stands behind a letter: it is "
				       "read as it comes, and the beginning is over");
		}
		r->info.cut_begin = true;
	} else if (takes(&text, &length, " cut-end")) {
		r->info.cut_end = true;
	} else {
		return unknown(r);
	}
	return length == 0 ? KT_OK : unknown(r);
}

/* --- letters --- */

static int flush(struct reader *r)
{
	const struct kt_events_taker *taker = r->taker;
	int code = r->begun ? KT_OK : taker->begin(taker->context, &r->info);

	r->begun = true;
	code = code ? code : taker->append(taker->context, r->batch, r->n_batch);
	r->n_batch = 0;
	return code;
}

static bool is_blank(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] != ' ' && text[i] != '\t') {
			return false;
		}
	}
	return true;
}

static int intern(struct reader *r, const char *text, size_t length, uint32_t *letter)
{
	int code;

	if (memchr(text, '\r', length)) {
		return fail(r, "a letter with a control character: a line ends in CR LF; "
			       "write LF alone");
	}
	if (!kt_utf8_is_printable(text, length)) {
		return fail(r, "a letter with control characters or no valid UTF-8");
	}
	code = r->taker->letter(r->taker->context, letter, text, length);
	return code ? kt_error_prepend(code, "read %s:%llu", r->path,
				       (unsigned long long)r->line)
		    : KT_OK;
}

/* The 16 bytes at text[0..length), zeros behind it. */
static void load(const struct reader *r, const char *text, size_t length, uint64_t *head,
		 uint64_t *tail)
{
	unsigned char copy[SHORT] = {0};

	if (r->end - text >= SHORT) {
		memcpy(copy, text, SHORT);
	} else {
		memcpy(copy, text, length);
	}
	memcpy(head, copy, 8);
	memcpy(tail, copy + 8, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (length < 8) {
		*head &= (UINT64_C(1) << 8 * length) - 1;
		*tail = 0;
	} else if (length < SHORT) {
		*tail &= (UINT64_C(1) << 8 * (length - 8)) - 1;
	}
#else
	memset(copy + length, 0, SHORT - length);
	memcpy(head, copy, 8);
	memcpy(tail, copy + 8, 8);
#endif
}

static int find_letter(struct reader *r, const char *text, size_t length, uint32_t *letter)
{
	struct cached *c;
	uint64_t head;
	uint64_t tail;
	int code;

	if (length > SHORT) {
		return intern(r, text, length, letter);
	}
	load(r, text, length, &head, &tail);
	c = &r->cache[((head ^ (tail + length) * UINT64_C(0xff51afd7ed558ccd)) *
		       UINT64_C(0x9e3779b97f4a7c15)) >>
		      (64 - CACHE_BITS)];
	if (c->head == head && c->tail == tail && c->length == length) {
		*letter = c->letter;
		return KT_OK;
	}
	code = intern(r, text, length, letter);
	if (!code) {
		*c = (struct cached){head, tail, (uint32_t)length, *letter};
	}
	return code;
}

static int read_line(struct reader *r, const char *text, size_t length)
{
	uint32_t letter;
	int code;

	if (length == 0 || ((*text == ' ' || *text == '\t') && is_blank(text, length))) {
		return KT_OK;
	}
	if (*text == '#') {
		return read_comment(r, text, length);
	}
	code = find_letter(r, text, length, &letter);
	if (code) {
		return code;
	}
	r->batch[r->n_batch++] = letter;
	return r->n_batch == BATCH ? flush(r) : KT_OK;
}

static int read_lines(struct reader *r, const char *text)
{
	int code = KT_OK;

	while (text < r->end && !code) {
		const char *newline = memchr(text, '\n', (size_t)(r->end - text));
		const char *stop = newline ? newline : r->end;

		r->line++;
		code = read_line(r, text, (size_t)(stop - text));
		text = stop + 1;
	}
	return code;
}

/* --- words --- */

static int make_room(struct reader *r)
{
	r->cache = calloc((size_t)1 << CACHE_BITS, sizeof(*r->cache));
	r->batch = malloc(BATCH * sizeof(*r->batch));
	return r->cache && r->batch
		       ? KT_OK
		       : kt_error(KT_E_MEMORY, "read %s: out of memory", r->path);
}

static int end_word(struct reader *r)
{
	int code = flush(r);

	return code ? code : r->taker->describe(r->taker->context, &r->info);
}

static void clear(struct reader *r)
{
	free(r->cache);
	free(r->batch);
	free(r->name);
}

static int name_letter(void *words, uint32_t *out, const char *name, size_t length)
{
	return kt_words_letter(out, words, name, length);
}

static int begin_word(void *words, const struct kt_word_info *info)
{
	return kt_words_begin(words, info);
}

static int append(void *words, const uint32_t *letters, size_t n)
{
	return kt_words_append(words, letters, n);
}

static int describe(void *words, const struct kt_word_info *info)
{
	return kt_words_describe(words, info);
}

int kt_events_parse(kt_words *words, const char *path, const char *name, const char *text,
		    size_t length)
{
	const struct kt_events_taker taker = {
		.letter = name_letter,
		.begin = begin_word,
		.append = append,
		.describe = describe,
		.context = words,
	};
	struct reader r = {
		.taker = &taker, .path = path, .end = text + length, .info.name = name};
	int code = make_room(&r);

	code = code ? code : read_lines(&r, text);
	code = code ? code : end_word(&r);
	clear(&r);
	return code;
}

/* "dir/a.events" -> "a", made printable; the caller frees it. */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	char *name = kt_utf8_printable_copy(strcmp(path, "-") == 0 ? "stdin" : base);
	size_t length = name ? strlen(name) : 0;
	size_t ending = strlen(ENDING);

	if (length > ending && strcmp(name + length - ending, ENDING) == 0) {
		name[length - ending] = '\0';
	}
	return name;
}

int kt_events_read(kt_words *words, const char *path)
{
	struct kt_file file;
	char *name;
	int code = kt_file_open(&file, path, KT_FILE_WHOLE);

	if (code) {
		return code;
	}
	name = name_of(path);
	code = name ? kt_events_parse(words,
				      strcmp(path, "-") == 0 ? "standard input" : path,
				      name, file.data, file.length)
		    : kt_error(KT_E_MEMORY, "read %s: out of memory", path);
	free(name);
	kt_file_close(&file);
	return code;
}

/* --- as it comes --- */

#define CHUNK 65536

/* Text that was read, of which whole lines are taken from the front. */
struct chunk {
	char *text; /* Owned by this */
	size_t length;
	size_t capacity;
};

/* Reads all whole lines of it, if the last `n` bytes, that are new, end one. */
static int take_lines(struct reader *r, struct chunk *c, size_t n)
{
	const char *newline = memrchr(c->text + c->length - n, '\n', n);
	size_t whole = newline ? (size_t)(newline - c->text) + 1 : 0;
	int code;

	r->end = c->text + whole;
	code = read_lines(r, c->text);
	/* Whoever waits at the other end of a pipe wants to know now. */
	if (!code && r->n_batch > 0) {
		code = flush(r);
	}
	memmove(c->text, c->text + whole, c->length - whole);
	c->length -= whole;
	return code;
}

static int read_chunks(struct reader *r, struct chunk *c, int fd)
{
	for (;;) {
		ssize_t n;
		int code = kt_array_reserve(&c->text, &c->capacity, c->length + CHUNK);

		if (code) {
			return code;
		}
		n = read(fd, c->text + c->length, CHUNK);
		if (n < 0 && errno != EINTR) {
			return kt_error_errno(KT_E_IO, "read %s", r->path);
		}
		c->length += n > 0 ? (size_t)n : 0;
		if (n == 0) {
			r->end = c->text + c->length;
			return read_lines(r, c->text);
		}
		code = n > 0 ? take_lines(r, c, (size_t)n) : KT_OK;
		if (code) {
			return code;
		}
	}
}

static int stream(struct reader *r, int fd)
{
	struct chunk chunk = {0};
	int code = make_room(r);

	code = code ? code : read_chunks(r, &chunk, fd);
	code = code ? code : end_word(r);
	clear(r);
	free(chunk.text);
	return code;
}

int kt_events_stream(const char *path, const struct kt_events_taker *taker)
{
	bool standard = strcmp(path, "-") == 0;
	struct reader r = {.taker = taker,
			   .path = standard ? "standard input" : path,
			   .streams = true};
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	char *name;
	int code;

	if (fd < 0) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	name = name_of(path);
	r.info.name = name;
	code = name ? stream(&r, fd)
		    : kt_error(KT_E_MEMORY, "read %s: out of memory", path);
	free(name);
	if (!standard) {
		close(fd);
	}
	return code;
}
