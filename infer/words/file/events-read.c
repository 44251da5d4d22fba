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
#include "base/path-list.h"
#include "base/try.h"
#include "base/utf8.h"
#include "infer/words/file/file.h"

#define ENDING     ".events"
#define CACHE_BITS 10
#define BATCH      16384
#define SHORT      16

/* A cached letter: its line of up to 16 bytes, padded with zeros, and its number. */
struct cached {
	uint64_t head;
	uint64_t tail;
	uint32_t length; /* 0: no entry */
	uint32_t letter;
};

struct reader {
	const struct kt_events_taker *taker; /* Weak */
	bool streams; /* letters are passed on while the file is still being read */
	bool begun;
	const char *path; /* Weak */
	const char *end;  /* end of the text */
	uint64_t line;
	struct kt_word_info info;
	struct kt_versions versions;
	char *name; /* Owned by this: from the directive `name` */
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

static int unknown(const struct reader *r)
{
	return fail(
		r,
		"expected only name NAME, lost N, version WHAT, cut-begin or cut-end after "
		"'#ktail'");
}

/*
 * Reads the directive `version`: what, version, id and detail of a component with which the
 * word was recorded, divided by tabs. Only the first of the four texts is required.
 */
static int read_version(struct reader *r, const char *text, size_t length)
{
	char *copy = strndup(text, length);
	char empty[] = "";
	char *parts[4] = {copy, empty, empty, empty};
	size_t n = 1;
	int code = KT_OK;

	if (!copy) {
		return kt_error(KT_E_MEMORY, "read %s: out of memory", r->path);
	}
	for (char *c = copy; *c; c++) {
		if (*c == '\t' && n < 4) {
			*c = '\0';
			parts[n++] = c + 1;
		}
	}
	for (size_t i = 0; i < n && !code; i++) {
		if (!kt_utf8_is_printable(parts[i], strlen(parts[i])) || !parts[0][0]) {
			code = fail(r, "expected texts without control characters, "
				       "divided by tabs, after '#ktail version'");
		}
	}
	if (!code) {
		code = kt_versions_add(&r->versions, parts[0], parts[1], parts[2],
				       parts[3]);
	}
	free(copy);
	return code;
}

/*
 * Reads a line that begins with '#': a comment or one of ktail's directives. An unknown
 * directive is an error, because it may say that events are missing.
 */
static int read_comment(struct reader *r, const char *text, size_t length)
{
	if (!takes(&text, &length, "#ktail") ||
	    (length > 0 && *text != ' ' && *text != '\t' && *text != '\r')) {
		return KT_OK;
	}
	if (takes(&text, &length, " name ")) {
		if (length == 0 || !kt_utf8_is_printable(text, length)) {
			return fail(r, "expected a name without control characters after "
				       "'#ktail name'");
		}
		free(r->name);
		r->name = strndup(text, length);
		if (!r->name) {
			return kt_error(KT_E_MEMORY, "read %s: out of memory", r->path);
		}
		r->info.name = r->name;
		return KT_OK;
	}
	if (takes(&text, &length, " version ")) {
		return read_version(r, text, length);
	}
	if (takes(&text, &length, " lost ")) {
		uint64_t lost = 0;
		size_t i = 0;

		for (; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
			unsigned digit = (unsigned)(text[i] - '0');

			if (lost > (KT_LOST_MAX - digit) / 10) {
				break;
			}
			lost = lost * 10 + digit;
		}
		if (i < length || length == 0) {
			return fail(
				r,
				"expected the number of lost events after '#ktail lost'");
		}
		r->info.lost = lost;
		return KT_OK;
	}
	if (takes(&text, &length, " cut-begin")) {
		if (r->streams && (r->begun || r->n_batch > 0)) {
			return fail(r, "'#ktail cut-begin' comes after a letter, but "
				       "letters are read as they come");
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
	size_t n = r->n_batch;
	bool begins = !r->begun;

	r->begun = true;
	r->n_batch = 0;
	if (begins) {
		r->info.versions = &r->versions;
		KT_TRY(taker->begin(taker->context, &r->info));
	}
	return taker->append(taker->context, r->batch, n);
}

/* Loads text[0..length), at most 16 bytes, padded with zeros. */
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

static int read_line(struct reader *r, const char *text, size_t length)
{
	struct cached *c = NULL;
	uint32_t letter;
	uint64_t head = 0;
	uint64_t tail = 0;
	size_t blanks = 0;

	while (blanks < length && (text[blanks] == ' ' || text[blanks] == '\t')) {
		blanks++;
	}
	if (blanks == length) {
		return KT_OK;
	}
	if (*text == '#') {
		return read_comment(r, text, length);
	}
	if (length <= SHORT) {
		load(r, text, length, &head, &tail);
		c = &r->cache[((head ^ (tail + length) * UINT64_C(0xff51afd7ed558ccd)) *
			       UINT64_C(0x9e3779b97f4a7c15)) >>
			      (64 - CACHE_BITS)];
	}
	if (c && c->head == head && c->tail == tail && c->length == length) {
		letter = c->letter;
	} else {
		int code;

		if (memchr(text, '\r', length)) {
			return fail(r,
				    "a letter with a control character: the line ends in "
				    "CR LF instead of LF");
		}
		if (!kt_utf8_is_printable(text, length)) {
			return fail(r, "a letter with control characters or invalid UTF-8");
		}
		code = r->taker->letter(r->taker->context, &letter, text, length);
		if (code) {
			return kt_error_prepend(code, "read %s:%llu", r->path,
						(unsigned long long)r->line);
		}
		if (c) {
			*c = (struct cached){head, tail, (uint32_t)length, letter};
		}
	}
	r->batch[r->n_batch++] = letter;
	return r->n_batch == BATCH ? flush(r) : KT_OK;
}

static int read_lines(struct reader *r, const char *text)
{
	while (text < r->end) {
		const char *newline = memchr(text, '\n', (size_t)(r->end - text));
		const char *stop = newline ? newline : r->end;

		r->line++;
		KT_TRY(read_line(r, text, (size_t)(stop - text)));
		text = stop + 1;
	}
	return KT_OK;
}

/* --- words --- */

static int reserve_words(struct reader *r)
{
	r->cache = calloc((size_t)1 << CACHE_BITS, sizeof(*r->cache));
	r->batch = malloc(BATCH * sizeof(*r->batch));
	return r->cache && r->batch
		       ? KT_OK
		       : kt_error(KT_E_MEMORY, "read %s: out of memory", r->path);
}

static int end_word(struct reader *r)
{
	KT_TRY(flush(r));
	r->info.versions = &r->versions;
	return r->taker->describe(r->taker->context, &r->info);
}

static void clear(struct reader *r)
{
	free(r->cache);
	free(r->batch);
	free(r->name);
	kt_versions_clear(&r->versions);
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
	int code;

	KT_TRY_END(reserve_words(&r));
	KT_TRY_END(read_lines(&r, text));
	KT_TRY_END(end_word(&r));
end:
	clear(&r);
	return code;
}

/*
 * Returns the printable word name for a path: "dir/a.events" gives "a". The caller frees
 * it.
 */
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
	code = name ? kt_events_parse(words, kt_path_name(path), name, file.data,
				      file.length)
		    : kt_error(KT_E_MEMORY, "read %s: out of memory", path);
	free(name);
	kt_file_close(&file);
	return code;
}

/* --- streaming --- */

#define CHUNK 65536

int kt_events_stream(const char *path, const struct kt_events_taker *taker)
{
	bool standard = strcmp(path, "-") == 0;
	struct reader r = {.taker = taker, .path = kt_path_name(path), .streams = true};
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	/* input that is not parsed yet; whole lines are removed from its start */
	char *text = NULL;
	size_t length = 0;
	size_t capacity = 0;
	ssize_t n = 1;
	char *name;
	int code;

	if (fd < 0) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	name = name_of(path);
	r.info.name = name;
	if (!name) {
		code = kt_error(KT_E_MEMORY, "read %s: out of memory", path);
		goto end;
	}
	KT_TRY_END(reserve_words(&r));
	while (n != 0) {
		const char *newline;
		size_t whole;

		KT_TRY_END(kt_array_reserve(&text, &capacity, length + CHUNK));
		n = read(fd, text + length, CHUNK);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			code = kt_error_errno(KT_E_IO, "read %s", r.path);
			goto end;
		}
		length += (size_t)n;
		newline = memrchr(text + length - n, '\n', (size_t)n);
		whole = n == 0 ? length : newline ? (size_t)(newline - text) + 1 : 0;
		r.end = text + whole;
		KT_TRY_END(read_lines(&r, text));
		/*
		 * Passes letters on even if the batch is not full, because a pipe may bring
		 * no more lines for a long time.
		 */
		if (n != 0 && r.n_batch > 0) {
			KT_TRY_END(flush(&r));
		}
		memmove(text, text + whole, length - whole);
		length -= whole;
	}
	KT_TRY_END(end_word(&r));
end:
	clear(&r);
	free(text);
	free(name);
	if (!standard) {
		close(fd);
	}
	return code;
}
