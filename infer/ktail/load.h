/* SPDX-License-Identifier: MIT */
/* Reads the traces and files of a command line into one word set, and prints warnings. */
#ifndef KTAIL_LOAD_H
#define KTAIL_LOAD_H

#include <stdbool.h>

#include <ktail/words.h>

#include "infer/ktail/parse.h"
#include "infer/words/read/report.h"
#include "infer/words/read/trace.h"

/* Options of all subcommands that read traces. */
struct kt_load_options {
	struct kt_asked asked; /* must be first: see KT_LAST_ROWS */
	const char *alphabet;  /* Weak */
	const char *word;      /* Weak: "process", "thread" or "channel" */
	enum kt_source source;
	bool strict;
	/*
	 * true: warn of letters of --runs or --without that no word has; false: do not
	 * warn, because inputs that are read separately may have these letters
	 */
	bool all;
	/*
	 * Weak: name of the words' group, with which warnings about the words begin; NULL:
	 * none
	 */
	const char *group;
	enum kt_names names; /* for subcommands with KT_NAMES_ROW */
	/* Owned by this: the part of traces to read; for subcommands with KT_PART_ROWS */
	struct kt_trace_filter part;
	struct kt_letter_filter filter; /* Owned by this: --runs and --without */
	/* the caller drops letters of accesses later, so words do not end without them */
	bool drops_accesses;
};

#define KT_LOAD_OPTIONS_INIT                                                               \
	{                                                                                  \
		.alphabet = KT_ALPHABET_DEFAULT, .word = "process"                         \
	}

/* Frees what the options own. */
void kt_load_options_clear(struct kt_load_options *options);

/* Setters of --runs and --without. */
int kt_load_add_runs(void *context, const char *value);
int kt_load_add_without(void *context, const char *value);

/* Rows for option tables whose context begins with struct kt_load_options. */
#define KT_FILTER_ROWS                                                                     \
	{"runs", 'r', "LETTER", "a run of this letter counts as one; may be repeated",     \
	 KT_SET(kt_load_add_runs)},                                                        \
	{                                                                                  \
		"without", 'x', "LETTER", "leave this letter out; may be repeated",        \
			KT_SET(kt_load_add_without)                                        \
	}

#define KT_PART_ROWS                                                                       \
	KT_TRACE_FILTER_ROWS(struct kt_load_options, part),                                \
		KT_TRACE_FILTER_CALL_ROWS(struct kt_load_options, part)

/* For tables of options whose context begins with a struct kt_load_options. */
#define KT_LOAD_ROWS                                                                       \
	KT_ALPHABET_ROW("alphabet: table1 (default), atc13, roles, rm, api, calls, "       \
			"submission, methods, or a file"),                                 \
		KT_LOAD_MORE_ROWS

#define KT_ALPHABET_ROW(text)                                                              \
	{                                                                                  \
		"alphabet", 'a', "NAME|FILE", text,                                        \
			KT_TEXT(struct kt_load_options, alphabet),                         \
			KT_PROPOSE(KT_ALPHABET_NAMES)                                      \
	}

#define KT_LOAD_MORE_ROWS                                                                  \
	{"word", 'w', "UNIT", "unit of words: process (default), thread or channel",       \
	 KT_CHOICE(struct kt_load_options, word, KT_WORD_UNIT_NAMES)},                     \
		{"source", 0, "SIDE",                                                      \
		 "which events to use of a process recorded in user space and kernel: "    \
		 "user (default), kernel or both",                                         \
		 KT_ENUM(struct kt_load_options, source, KT_WORD_SOURCE_NAMES)},           \
	{                                                                                  \
		"strict", 's', NULL, "fail if events are missing or a word is truncated",  \
			KT_FLAG(struct kt_load_options, strict)                            \
	}

/*
 * Completes options->part and reads that part of all traces into a new set; sets
 * options->word to the unit of words that is used. The caller owns *words and frees
 * *alphabet_json, which is NULL if no trace was read and there is no letter filter. Prints
 * warnings to standard error.
 */
int kt_load(kt_words **words, char **alphabet_json, char **paths, int n,
	    struct kt_load_options *options);

enum kt_load_kind {
	KT_LOAD_FOLDER = 0, /* folder of a trace */
	/* an .events file, standard input, or another file that is not regular */
	KT_LOAD_EVENTS,
	KT_LOAD_EXAMPLES, /* a .dat file: words in the Abbadingo format */
};

/*
 * Finds the kind of input at a path of the command line. *read_standard_input becomes true
 * for "-". KT_E_IO if the path does not exist, KT_E_MALFORMED if it cannot be read as
 * words, KT_E_USAGE if standard input is named twice.
 */
int kt_load_kind(enum kt_load_kind *out, const char *path, bool *read_standard_input);

/*
 * Appends the words of a .dat file to `words`; reports skipped examples on standard error.
 */
int kt_load_examples(kt_words *words, const char *path);

/*
 * KT_E_USAGE if the options have --source kernel or both, or select a part of traces: these
 * have no effect on the file of words at `path`.
 */
int kt_load_refuse_parts(const struct kt_load_options *options, const char *path);

/*
 * Reports the losses of the traces and files called `name`, which have n words. With
 * options->strict, returns KT_E_LOSS if there is any loss, and lists all losses in the
 * message; otherwise warns of truncated words.
 */
int kt_load_judge_losses(const struct kt_load_options *options, const char *name,
			 const struct kt_trace_losses *losses, size_t n);

#endif
