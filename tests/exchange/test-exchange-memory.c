/* SPDX-License-Identifier: MIT */
/*
 * Whichever allocation fails, reading and writing say so, leave nothing behind and do not
 * crash. The allocation functions of this program count, and one of them refuses.
 *
 * The machines have no escapes in their JSON: jansson 2.14 itself stops the program where
 * memory ends within one.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

/* --- what is tried: each gives a status, and leaves nothing --- */

typedef int (*machine_fn)(struct kt_fsm **out, FILE *in, const char *name);

static int read_machine(const char *path, machine_fn read, struct kt_fsm **out)
{
	FILE *in = fopen(path, "re");
	int code;

	if (!in) {
		return kt_error(KT_E_MEMORY, "open: out of memory");
	}
	code = read(out, in, "x");
	fclose(in);
	return code;
}

static int read_only(const char *path, machine_fn read)
{
	struct kt_fsm *fsm = NULL;
	int code = read_machine(path, read, &fsm);

	if (code && fsm) {
		code = KT_E_INTERNAL; /* half a machine */
	}
	kt_fsm_free(fsm);
	return code;
}

static int read_dot(const char *path)
{
	return read_only(path, kt_fsm_read_dot);
}

static int read_graphml(const char *path)
{
	return read_only(path, kt_fsm_read_graphml);
}

static int read_words(const char *path)
{
	kt_words *words = NULL;
	int code = kt_words_new(&words);
	FILE *in = code ? NULL : fopen(path, "re");

	if (!in) {
		kt_words_free(words);
		return kt_error(KT_E_MEMORY, "open: out of memory");
	}
	code = kt_words_read_abbadingo(words, in, "x", "x", NULL);
	fclose(in);
	kt_words_free(words);
	return code;
}

static struct kt_fsm *known;
static FILE *nowhere;

static int write_dot(const char *path)
{
	(void)path;
	return kt_fsm_write_dot(known, KT_DOT_KTAIL, nowhere);
}

static int write_graphml(const char *path)
{
	(void)path;
	return kt_fsm_write_graphml(known, nowhere);
}

/*
 * A stream whose buffer cannot be had goes on without, so a failure need not show. `exact`:
 * it is told as what it is; jansson and libxml2 may call it a malformed file.
 * `left`: what libxml2 2.9 itself leaves behind at most where it runs out of memory.
 */
static bool check(const char *name, int (*try)(const char *), const char *path, bool exact,
		  long left)
{
	long n = 0;

	try(path); /* what libraries allocate once */
	do {
		long before = live;
		int code;

		failed = false;
		until_failure = n++;
		code = try(path);
		until_failure = -1;
		if ((code && !failed) ||
		    (code && code != KT_E_MEMORY && (exact || code != KT_E_MALFORMED)) ||
		    labs(live - before) > left) {
			fprintf(stderr, "%s %s, allocation %ld: %d, %s; %ld left\n", name,
				path, n, code, kt_error_message(), live - before);
			return false;
		}
	} while (failed);
	printf("%s: %ld allocations\n", name, n - 1);
	return n > 3;
}

int main(int argc, char **argv)
{
	bool good;

	if (argc != 5 || read_machine(argv[1], kt_fsm_read_dot, &known) ||
	    !(nowhere = fopen("/dev/null", "we"))) {
		fputs("usage: test-exchange-memory OURS.gv OTHER.dot FILE.graphml "
		      "FILE.dat\n",
		      stderr);
		return 2;
	}
	fputs("x", nowhere); /* its buffer */
	good = check("read DOT of others", read_dot, argv[2], true, 0) &&
	       check("read words", read_words, argv[4], true, 0) &&
	       check("read DOT of ours", read_dot, argv[1], false, 0) &&
	       check("read GraphML", read_graphml, argv[3], false, 4) &&
	       check("write DOT", write_dot, "", false, 0) &&
	       check("write GraphML", write_graphml, "", false, 0);
	kt_fsm_free(known);
	fclose(nowhere);
	return !good;
}
