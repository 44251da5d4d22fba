/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing report each failed allocation, leak nothing and do not crash.
 *
 * The machines have no escapes in their JSON: jansson 2.14 itself stops the program if an
 * allocation fails within an escape.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "tests/refuse.h"

/* --- operations under test: each returns a status and frees what it allocated --- */

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
		code = KT_E_INTERNAL; /* the reader failed, but returned a machine */
	}
	kt_fsm_free(fsm);
	return code;
}

static int read_dot(void *path)
{
	return read_only(path, kt_fsm_read_dot);
}

static int read_graphml(void *path)
{
	return read_only(path, kt_fsm_read_graphml);
}

static int read_words(void *path)
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

static int write_dot(void *path)
{
	(void)path;
	return kt_fsm_write_dot(known, KT_DOT_KTAIL, nowhere);
}

static int write_graphml(void *path)
{
	(void)path;
	return kt_fsm_write_graphml(known, nowhere);
}

static bool check(const char *name, int (*work)(void *), char *path, bool exact, long left)
{
	struct kt_trial trial = {name, work, path, !exact, left};

	work(path); /* Libraries make some allocations in the first call only. */
	return kt_refuse_each(&trial) > 3;
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
	fputs("x", nowhere); /* allocates the stream's buffer */
	good = check("read DOT of others", read_dot, argv[2], true, 0) &&
	       check("read words", read_words, argv[4], true, 0) &&
	       check("read DOT of ours", read_dot, argv[1], false, 0) &&
	       check("read GraphML", read_graphml, argv[3], false, 4) &&
	       check("write DOT", write_dot, NULL, false, 0) &&
	       check("write GraphML", write_graphml, NULL, false, 0);
	kt_fsm_free(known);
	fclose(nowhere);
	return !good;
}
