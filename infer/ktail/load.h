/* SPDX-License-Identifier: MIT */
/* From the traces on a command line to one word set; what is said about them on the way. */
#ifndef KTAIL_LOAD_H
#define KTAIL_LOAD_H

#include <stdbool.h>

#include <ktail/words.h>

#include "infer/ktail/parse.h"
#include "infer/words/read/report.h"
#include "infer/words/read/trace.h"

/* What the options of every subcommand that reads traces fill in. */
struct kt_load_options {
	struct kt_asked asked; /* first: see KT_LAST_ROWS */
	const char *alphabet;  /* Weak */
	const char *word;      /* Weak: "process", "thread" or "channel" */
	enum kt_source source;
	bool strict;
	enum kt_names names;            /* rows of their own: KT_NAMES_ROW */
	struct kt_letter_filter filter; /* Owned by this; kt_letter_filter_clear() */
};

#define KT_LOAD_OPTIONS_INIT                                                               \
	{                                                                                  \
		.alphabet = KT_ALPHABET_DEFAULT, .word = "process"                         \
	}

/* Setters of KT_FILTER_ROWS. */
int kt_load_add_runs(void *context, const char *value);
int kt_load_add_without(void *context, const char *value);

/* Rows of an option table whose context begins with struct kt_load_options. */
#define KT_FILTER_ROWS                                                                     \
	{"runs", 'r', "LETTER",                                                            \
	 "a run of this letter counts as one; may be given several times",                 \
	 KT_SET(kt_load_add_runs)},                                                        \
	{                                                                                  \
		"without", 'x', "LETTER",                                                  \
			"leave this letter out; may be given several times",               \
			KT_SET(kt_load_add_without)                                        \
	}

#define KT_LOAD_ROWS                                                                       \
	{"alphabet",                                                                       \
	 'a',                                                                              \
	 "NAME|FILE",                                                                      \
	 "what makes a letter: table1 (default), rm, api, submission, methods, or a file", \
	 KT_TEXT(struct kt_load_options, alphabet),                                        \
	 KT_PROPOSE(KT_ALPHABET_NAMES)},                                                   \
		{"word", 'w', "UNIT",                                                      \
		 "what makes a word: process (default), thread or channel",                \
		 KT_CHOICE(struct kt_load_options, word, KT_WORD_UNIT_NAMES)},             \
		{"source", 0, "SIDE",                                                      \
		 "which events to use of a process recorded in user space and kernel: "    \
		 "user (default) or kernel",                                               \
		 KT_ENUM(struct kt_load_options, source, KT_SOURCE_NAMES)},                \
	{                                                                                  \
		"strict", 's', NULL, "fail where events are missing or a word is cut",     \
			KT_FLAG(struct kt_load_options, strict)                            \
	}

/*
 * Reads all traces into a new set; the caller owns *words, and frees *alphabet_json, which
 * stays NULL where no trace was one that an alphabet was used for, and nothing is filtered.
 * Warnings go to standard error.
 */
int kt_load(kt_words **words, char **alphabet_json, char **paths, int n,
	    const struct kt_load_options *options);

enum kt_load_kind {
	KT_LOAD_FOLDER = 0, /* of a trace */
	KT_LOAD_EVENTS,     /* an .events file, or standard input */
	KT_LOAD_EXAMPLES,   /* a .dat file: words as Abbadingo has them */
};

/*
 * What lies at a path of a command line. KT_E_IO if there is nothing, KT_E_MALFORMED if
 * it is nothing that can be read; KT_E_USAGE of standard input, if it was read already.
 */
int kt_load_kind(enum kt_load_kind *out, const char *path, bool *read_standard_input);

/* Reads a .dat file to the end of `words`; what is skipped is said on standard error. */
int kt_load_examples(kt_words *words, const char *path);

/*
 * Why --strict refuses the traces of that name, all that is known to be wrong: KT_E_LOSS,
 * or 0 if nothing is. `cut` of `n` words are cut, and lack `lost` events.
 */
int kt_load_refuse(const char *name, const struct kt_trace_losses *losses, size_t cut,
		   size_t n, uint64_t lost);

/* Prints "ktail: warning: ..." on standard error. */
void kt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
