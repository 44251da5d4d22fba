/* SPDX-License-Identifier: MIT */
/*
 * Alphabets: which fields of which events become which letter. The language is
 * ktail-alphabet(5); `table1` and `rm` are built in as text in that language. `submission`
 * and `methods` are built in as code (command-letters.h), because the work that a doorbell
 * submits is spread over several events.
 *
 * An alphabet is immutable; any number of threads may read it.
 */
#ifndef KTAIL_WORDS_ALPHABET_H
#define KTAIL_WORDS_ALPHABET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/words/alphabet/letter-filter.h"

#define KT_ALPHABET_DEFAULT "table1"
/* All built-in alphabets. */
#define KT_ALPHABET_NAMES "table1", "rm", "api", "calls", "submission", "methods"

/* Maximum number of fields that the rules of one event may use. */
#define KT_ALPHABET_MAX_FIELDS 16

struct kt_condition {
	uint32_t slot;   /* index of the field among the event's fields */
	bool unequal;    /* holds if the field differs from the value */
	bool is_number;  /* the text can be read as a number too */
	bool negative;   /* the number is below 0 */
	uint64_t number; /* in two's complement */
	char *text;      /* Owned by this */
};

/* A part of a letter: literal text or the value of a field. */
struct kt_part {
	char *literal; /* Owned by this; NULL: the field in `slot` */
	uint32_t slot;
	bool hex; /* 0x and lower-case hexadecimal digits, else decimal */
};

enum kt_run {
	KT_RUN_NONE = 0, /* every event gives a letter */
	KT_RUN_OPEN,     /* gives a letter only where it opens a run of accesses */
	KT_RUN_ONCE,     /* gives a letter once per run of accesses */
};

struct kt_rule {
	uint32_t id; /* unique within the alphabet */
	size_t line; /* line in its file, from 1 */
	struct kt_condition *conditions;
	size_t n_conditions;
	struct kt_part *parts; /* NULL: the event gives no letter */
	size_t n_parts;
	enum kt_run run;
};

/* The rules of one event, in order: the first one whose conditions hold decides. */
struct kt_event_rules {
	/* Owned by the alphabet if it has rules */
	const char *event;
	/* the fields that the rules use, by slot */
	const char *fields[KT_ALPHABET_MAX_FIELDS];
	size_t n_fields;
	struct kt_rule *rules;
	size_t n_rules;
	size_t capacity;
	bool has_runs;
	uint32_t mapping; /* slot of the field that separates runs, if has_runs */
};

/* Alphabets that are code instead of rules. */
enum kt_command_alphabet {
	KT_COMMANDS_NONE = 0,
	/* one letter per doorbell write: the work submitted to a channel */
	KT_COMMANDS_SUBMISSION,
	KT_COMMANDS_METHODS, /* one letter per run of one method */
};

typedef struct kt_alphabet {
	enum kt_command_alphabet commands; /* if not NONE, the alphabet has no rules */
	char *name;
	char *file;      /* file name for messages */
	bool in_machine; /* the file is a machine's JSON: line N is alphabet.rules[N - 1] */
	char **lines;    /* the rules as text, without comments and blank lines */
	size_t n_lines;
	size_t lines_capacity;
	struct kt_event_rules *events;
	size_t n_events;
	size_t events_capacity;
	uint32_t n_rules;
	/* Owned by this: letters left out or merged into runs */
	struct kt_letter_filter filter;
} kt_alphabet;

/*
 * Opens a built-in alphabet by name, or else the file of that name. The caller owns *out.
 * KT_E_IO if there is neither, KT_E_MALFORMED naming file and line.
 */
int kt_alphabet_open(kt_alphabet **out, const char *name_or_file);

/* Reads an alphabet from text[0..length); messages call it `file`. O(length). */
int kt_alphabet_parse(kt_alphabet **out, const char *name, const char *file,
		      const char *text, size_t length);

/* Same for the rules in a machine's JSON, one per line. */
int kt_alphabet_parse_rules(kt_alphabet **out, const char *name, const char *file,
			    const char *text, size_t length);

/* `alphabet` may be NULL. */
void kt_alphabet_free(kt_alphabet *alphabet);

/*
 * Returns the rules of an event by its name without the provider, or NULL if there are
 * none. For an alphabet that is code, the result lists the fields needed and has no rules.
 */
const struct kt_event_rules *kt_alphabet_find(const kt_alphabet *alphabet,
					      const char *event);

/*
 * Returns whether letters depend on single accesses, so that they change where only runs of
 * accesses are recorded: by fields other than op, space and mapping, by rules without runs,
 * or in a command alphabet.
 */
bool kt_alphabet_needs_accesses(const kt_alphabet *alphabet);

/*
 * Writes {"name": ..., "rules": [...]} as in fsm.json, with "runs" and "without" of the
 * filter. The caller frees *out.
 */
int kt_alphabet_json(char **out, const kt_alphabet *alphabet);

/*
 * Reads an alphabet from the JSON of the machine in `file`. The caller owns *out, which is
 * NULL if the JSON has neither name nor rules (kt_letter_filter_json()). KT_E_MALFORMED
 * naming the file and the member.
 */
int kt_alphabet_from_json(kt_alphabet **out, const char *json, const char *file);

/*
 * Returns KT_E_MALFORMED with "read alphabet FILE:LINE: reason", or with "read FILE:
 * alphabet.rules[N]: reason" for a machine's rules. Line 0 omits the line.
 */
int kt_alphabet_error(const kt_alphabet *alphabet, size_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether two alphabets have the same rules, and so give the same letters. */
bool kt_alphabet_same(const kt_alphabet *a, const kt_alphabet *b);

#endif
