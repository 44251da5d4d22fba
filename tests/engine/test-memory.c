/* SPDX-License-Identifier: MIT */
/*
 * Whichever allocation fails, the engine says so, leaves nothing behind and does not crash.
 * The allocation functions of this program count, and one of them refuses.
 */
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <ktail/ktail.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

KT_EXPORT void *malloc(size_t size);
KT_EXPORT void *calloc(size_t n, size_t size);
KT_EXPORT void *realloc(void *memory, size_t size);
KT_EXPORT void free(void *memory);

static long until_failure = -1; /* allocations that still work; negative: all */
static long live;
static bool failed;

static bool refuse(void)
{
	if (until_failure == 0) {
		failed = true;
		until_failure = -1;
		errno = ENOMEM;
		return true;
	}
	until_failure -= until_failure > 0;
	return false;
}

void *malloc(size_t size)
{
	void *memory = refuse() ? NULL : __libc_malloc(size);

	live += memory != NULL;
	return memory;
}

void *calloc(size_t n, size_t size)
{
	void *memory = refuse() ? NULL : __libc_calloc(n, size);

	live += memory != NULL;
	return memory;
}

void *realloc(void *memory, size_t size)
{
	void *grown = refuse() ? NULL : __libc_realloc(memory, size);

	live += !memory && grown;
	return grown;
}

void free(void *memory)
{
	live -= memory != NULL;
	__libc_free(memory);
}

static int add_letter(kt_words *words, uint32_t i)
{
	char name[8];
	int length = snprintf(name, sizeof(name), "%u", i);
	uint32_t letter;
	int code = kt_words_letter(&letter, words, name, (size_t)length);

	return code ? code : kt_words_append(words, &letter, 1);
}

/* A word of all kinds of letters, then some that merge states with many transitions. */
static int fill(kt_words *words, uint32_t kinds)
{
	struct kt_word_info info = {.name = "whole"};
	int code = kt_words_begin(words, &info);

	for (uint32_t i = 0; !code && i < kinds; i++) {
		code = add_letter(words, i);
	}
	info.cut_begin = true;
	code = code ? code : kt_words_begin(words, &info);
	for (uint32_t i = 0; !code && i < 200; i++) {
		code = add_letter(words, i * i % 31 % kinds);
	}
	info.name = "cut";
	info.cut_end = true;
	return code ? code : kt_words_describe(words, &info);
}

/* What a reader of words needs: whole words, and one that may be in many states. */
static int read_back(const struct kt_fsm *fsm, const kt_words *words)
{
	uint64_t fitting[2];
	const uint32_t *letters;
	kt_check_word *word = NULL;
	kt_check *reader = NULL;
	size_t n;
	int code = kt_check_new(&reader, fsm);

	code = code ? code : kt_check_words(fitting, reader, words);
	code = code ? code : kt_check_begin(&word, reader, true);
	code = code ? code : kt_check_expected(&letters, &n, word);
	kt_check_end(word);
	kt_check_free(reader);
	return code;
}

static enum kt_machine machine;

static int infer(uint32_t kinds, uint64_t k)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm = NULL;
	kt_words *words = NULL;
	int code = kt_words_new(&words);

	options.k = k;
	options.machine = machine;
	options.alphabet_json = "{}";
	code = code ? code : fill(words, kinds);
	code = code ? code : kt_infer(&fsm, words, &options);
	if (code && fsm) {
		code = KT_E_INTERNAL; /* half a machine */
	}
	code = code ? code : read_back(fsm, words);
	kt_fsm_free(fsm);
	kt_words_free(words);
	return code;
}

static int count(kt_kgrams **out, uint32_t kinds, uint64_t k)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	kt_words *words = NULL;
	int code = kt_words_new(&words);

	options.k = k;
	options.alphabet_json = "{}";
	code = code ? code : fill(words, kinds);
	code = code ? code : kt_kgrams_count(out, words, &options);
	kt_words_free(words);
	return code;
}

/* All k from the largest down, with a machine now and then. */
static int sweep_down(kt_sweep *sweep)
{
	struct kt_sweep_row row;
	struct kt_fsm *fsm = NULL;
	bool more = true;
	int code = KT_OK;

	while (!code && more) {
		code = kt_sweep_next(&more, &row, sweep);
		if (!code && more && row.k % 2 == 1) {
			code = kt_sweep_machine(&fsm, sweep);
			if (code && fsm) {
				code = KT_E_INTERNAL;
			}
			kt_fsm_free(fsm);
			fsm = NULL;
		}
	}
	return code;
}

static int sweep(uint32_t kinds, uint64_t hi)
{
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	kt_sweep *sweep = NULL;
	kt_words *words = NULL;
	int code = kt_words_new(&words);

	options.lo = 0;
	options.hi = hi;
	options.machine = machine;
	options.alphabet_json = "{}";
	code = code ? code : fill(words, kinds);
	code = code ? code : kt_sweep_new(&sweep, words, &options);
	code = code ? code : sweep_down(sweep);
	kt_sweep_free(sweep);
	kt_words_free(words);
	return code;
}

/* Never refuses. */
static void *allocate(size_t size)
{
	void *memory = __libc_malloc(size);

	live += memory != NULL;
	return memory;
}

/*
 * To a file and back. jansson 2.14 does not survive a lack of memory while it parses, so
 * that there it is given what it asks for. The buffer is ours: without memory for one,
 * stdio reads nothing.
 */
static int keep(kt_kgrams **out, const kt_kgrams *kgrams)
{
	static char buffer[BUFSIZ];
	FILE *file = tmpfile();
	int code;

	if (!file) {
		return kt_error(KT_E_MEMORY, "make file: out of memory");
	}
	setvbuf(file, buffer, _IOFBF, sizeof(buffer));
	code = kt_kgrams_write(kgrams, file);
	rewind(file);
	json_set_alloc_funcs(allocate, free);
	code = code ? code : kt_kgrams_read(out, file, "file");
	json_set_alloc_funcs(malloc, free);
	fclose(file);
	return code;
}

static int grow(uint32_t kinds, uint64_t k)
{
	kt_kgrams *parts[2] = {NULL, NULL};
	kt_kgrams *merged = NULL;
	struct kt_fsm *fsm = NULL;
	int code = count(&parts[0], kinds, k);

	code = code ? code : keep(&parts[1], parts[0]);
	code = code ? code : kt_kgrams_merge(&merged, (const kt_kgrams *const *)parts, 2);
	code = code ? code : kt_kgrams_infer(&fsm, merged, k);
	kt_fsm_free(fsm);
	for (size_t i = 0; i < 2; i++) {
		kt_kgrams_free(parts[i]);
	}
	kt_kgrams_free(merged);
	return code;
}

static FILE *nowhere; /* with a buffer of its own */

/* A machine, the same with another k, and both reduced. */
static int diff_machines(const struct kt_fsm *old, const struct kt_fsm *new)
{
	const char *const letters[] = {"1", "2"};
	struct kt_reduction reduction = {letters, 2, false};
	struct kt_fsm *reduced = NULL;
	kt_diff *diff = NULL;
	bool cut = false;
	int code = kt_diff_new(&diff, old, new, NULL);

	code = code ? code : kt_diff_write_json(diff, nowhere);
	kt_diff_free(diff);
	code = code ? code
		    : kt_reduce_machine(&reduced, &cut, old, &reduction, 10000, NULL);
	kt_fsm_free(reduced);
	return code;
}

static int diff(uint32_t kinds, uint64_t k)
{
	const char *const letters[] = {"1", "2"};
	const struct kt_reduction reduction = {letters, 2, true};
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *old = NULL;
	struct kt_fsm *new = NULL;
	kt_words *words = NULL;
	kt_words *reduced = NULL;
	int code = kt_words_new(&words);

	code = code ? code : fill(words, kinds);
	code = code ? code : kt_reduce_words(&reduced, words, &reduction);
	options.k = k;
	code = code ? code : kt_infer(&old, words, &options);
	options.k = k + 1;
	code = code ? code : kt_infer(&new, reduced, &options);
	code = code ? code : diff_machines(old, new);
	kt_fsm_free(old);
	kt_fsm_free(new);
	kt_words_free(words);
	kt_words_free(reduced);
	return code;
}

/* A machine of k scored by that of k + 1, then by itself. */
static int score(uint32_t kinds, uint64_t k)
{
	struct kt_score_options options = KT_SCORE_OPTIONS_INIT;
	struct kt_infer_options infer_options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *machines[2] = {NULL, NULL};
	kt_score *score = NULL;
	kt_words *words = NULL;
	int code = kt_words_new(&words);

	options.walks = 2;
	options.length = 20;
	code = code ? code : fill(words, kinds);
	for (int i = 0; !code && i < 2; i++) {
		infer_options.k = k + (uint64_t)i;
		code = kt_infer(&machines[i], words, &infer_options);
	}
	for (int i = 1; !code && i >= 0; i--) {
		code = kt_score_new(&score, machines[0], machines[i], &options);
		if (code && score) {
			code = KT_E_INTERNAL;
		}
		kt_score_free(score);
		score = NULL;
	}
	kt_fsm_free(machines[0]);
	kt_fsm_free(machines[1]);
	kt_words_free(words);
	return code;
}

static int cross_validate(uint32_t kinds, uint64_t k)
{
	struct kt_cross_options options = KT_CROSS_OPTIONS_INIT;
	kt_cross *cross = NULL;
	kt_words *words = NULL;
	int code = kt_words_new(&words);

	options.hi = k;
	code = code ? code : fill(words, kinds);
	code = code ? code : kt_cross_new(&cross, words, &options);
	if (code && cross) {
		code = KT_E_INTERNAL;
	}
	kt_cross_free(cross);
	kt_words_free(words);
	return code;
}

typedef int (*work_fn)(uint32_t kinds, uint64_t k);

static bool check(work_fn work, uint32_t kinds, uint64_t k)
{
	long n = 0;

	do {
		long before = live;
		int code;

		failed = false;
		until_failure = n++;
		code = work(kinds, k);
		until_failure = -1;
		if ((code && (code != KT_E_MEMORY || !failed ||
			      !strstr(kt_error_message(), "out of memory"))) ||
		    live != before) {
			fprintf(stderr,
				"%u kinds, k %u, allocation %ld: %d, %s; %ld left\n", kinds,
				(unsigned)k, n, code, kt_error_message(), live - before);
			return false;
		}
	} while (failed);
	return n > 20;
}

static bool check_all(enum kt_machine which)
{
	machine = which;
	return check(infer, 30, 1) && check(infer, 30, 2) && check(infer, 300, 1) &&
	       check(infer, 300, 3) && check(sweep, 30, 4) && check(sweep, 300, 3);
}

int main(void)
{
	static char buffer[4096];
	bool good = check_all(KT_MACHINE_PTA) && check_all(KT_MACHINE_CHAINS) &&
		    check(grow, 30, 0) && check(grow, 30, 3);

	nowhere = fopen("/dev/null", "w");
	if (!nowhere) {
		return 1;
	}
	setvbuf(nowhere, buffer, _IOFBF, sizeof(buffer));
	good = good && check(diff, 30, 1) && check(diff, 30, 2) && check(score, 30, 1) &&
	       check(score, 300, 2) && check(cross_validate, 30, 3) &&
	       check(cross_validate, 300, 2);
	fclose(nowhere);
	return !good;
}
