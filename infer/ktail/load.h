/* SPDX-License-Identifier: MIT */
/* From the traces on a command line to one word set; what is said about them on the way. */
#ifndef KTAIL_LOAD_H
#define KTAIL_LOAD_H

#include <stdbool.h>

#include <ktail/words.h>

#include "base/option-table.h"
#include "infer/words/trace.h"

/* What the options of every subcommand that reads traces fill in. */
struct kt_load_options {
	const char *alphabet; /* Weak */
	const char *word;     /* Weak: "process", "thread" or "channel" */
	const char *source;   /* Weak: "user" or "kernel" */
	bool strict;
};

#define KT_LOAD_OPTIONS_INIT                                                               \
	{                                                                                  \
		.alphabet = KT_ALPHABET_DEFAULT, .word = "process", .source = "user"       \
	}

/* Setters for rows of an option table whose context begins with struct kt_load_options. */
int kt_load_set_alphabet(void *context, const char *value);
int kt_load_set_word(void *context, const char *value);
int kt_load_set_source(void *context, const char *value);
int kt_load_set_strict(void *context, const char *value);

/* Their rows. */
#define KT_LOAD_ROWS                                                                       \
	{"alphabet", 'a', "NAME|FILE",                                                     \
	 "what makes a letter: table1 (default), rm, submission, methods, or a file",      \
	 kt_load_set_alphabet},                                                            \
		{"word", 'w', "UNIT",                                                      \
		 "what makes a word: process (default), thread or channel",                \
		 kt_load_set_word},                                                        \
		{"source", 0, "SIDE",                                                      \
		 "of processes seen from both sides: user (default) or kernel",            \
		 kt_load_set_source},                                                      \
	{                                                                                  \
		"strict", 's', NULL, "fail where events are missing or a word is cut",     \
			kt_load_set_strict                                                 \
	}

/*
 * Reads all traces into a new set; the caller owns *words, and frees *alphabet_json, which
 * stays NULL where no trace was one that an alphabet was used for. Warnings go to standard
 * error.
 */
int kt_load(kt_words **words, char **alphabet_json, char **paths, int n,
	    const struct kt_load_options *options);

/* Prints "ktail: warning: ..." on standard error. */
void kt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
