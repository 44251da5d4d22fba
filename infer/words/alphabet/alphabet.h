/* SPDX-License-Identifier: MIT */
/*
 * Alphabets: which event, which of its fields, which letter. The language is
 * ktail-alphabet(5); `table1` and `rm` are built in, as text in the same language.
 * `submission` and `methods` are built in as code (command-letters.h): what doorbells
 * submitted is no field of one event.
 *
 * An alphabet does not change once it is made; any number of threads may read it.
 */
#ifndef KTAIL_WORDS_ALPHABET_H
#define KTAIL_WORDS_ALPHABET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/words/alphabet/letter-filter.h"

#define KT_ALPHABET_DEFAULT "table1"
/* All that are built in. */
#define KT_ALPHABET_NAMES "table1", "rm", "api", "submission", "methods"

/* Most fields that the rules of one event may look at. */
#define KT_ALPHABET_MAX_FIELDS 16

struct kt_condition {
	uint32_t slot;   /* which of the event's fields */
	bool unequal;    /* holds iff the field is not this value */
	bool is_number;  /* text reads as a number as well */
	bool negative;   /* that number is below 0 */
	uint64_t number; /* in two's complement */
	char *text;      /* Owned by this */
};

/* A piece of a letter: a text, or a field's value. */
struct kt_part {
	char *literal; /* Owned by this; NULL: the field in `slot` */
	uint32_t slot;
	bool hex; /* 0x and lower-case hexadecimal digits, else decimal */
};

enum kt_run {
	KT_RUN_NONE = 0, /* every event is a letter */
	KT_RUN_OPEN,     /* a letter only where it opens a run of accesses */
	KT_RUN_ONCE,     /* a letter the first time in a run of accesses */
};

struct kt_rule {
	uint32_t id; /* unique within the alphabet */
	size_t line; /* in its file, from 1 */
	struct kt_condition *conditions;
	size_t n_conditions;
	struct kt_part *parts; /* none: this event is no letter */
	size_t n_parts;
	enum kt_run run;
};

/* The rules of one event, in order; the first whose conditions hold decides. */
struct kt_event_rules {
	const char *event;                          /* Owned by an alphabet of rules */
	const char *fields[KT_ALPHABET_MAX_FIELDS]; /* what its rules look at: the slots */
	size_t n_fields;
	struct kt_rule *rules;
	size_t n_rules;
	size_t capacity;
	bool has_runs;
	uint32_t mapping; /* slot of the field that tells runs apart, if has_runs */
};

/* Alphabets that are code instead of rules. */
enum kt_command_alphabet {
	KT_COMMANDS_NONE = 0,
	KT_COMMANDS_SUBMISSION, /* a letter for what a doorbell submitted to a channel */
	KT_COMMANDS_METHODS,    /* a letter for each run of one method */
};

typedef struct kt_alphabet {
	enum kt_command_alphabet commands; /* if not NONE it has no rules */
	char *name;
	char *file;      /* what messages call it */
	bool in_machine; /* the file is a machine's JSON: line N is alphabet.rules[N - 1] */
	char **lines;    /* the rules as text, comments and blank lines left out */
	size_t n_lines;
	size_t lines_capacity;
	struct kt_event_rules *events;
	size_t n_events;
	size_t events_capacity;
	uint32_t n_rules;
	struct kt_letter_filter filter; /* Owned by this: which letters words have */
} kt_alphabet;

/*
 * Opens a built-in alphabet by its name, or else the file called that. The caller owns
 * *out. KT_E_IO if there is neither, KT_E_MALFORMED naming file and line.
 */
int kt_alphabet_open(kt_alphabet **out, const char *name_or_file);

/* Reads an alphabet from text[0..length). `file` stands in messages. O(length). */
int kt_alphabet_parse(kt_alphabet **out, const char *name, const char *file,
		      const char *text, size_t length);

/* The same of a machine's rules, a line each. */
int kt_alphabet_parse_rules(kt_alphabet **out, const char *name, const char *file,
			    const char *text, size_t length);

/* NULL is allowed. */
void kt_alphabet_free(kt_alphabet *alphabet);

/*
 * The rules of an event by its name without the provider; NULL if there are none. Of an
 * alphabet of commands: the fields that it needs, and no rule.
 */
const struct kt_event_rules *kt_alphabet_find(const kt_alphabet *alphabet,
					      const char *event);

/*
 * {"name": ..., "rules": [...]} as in fsm.json, and "runs" and "without" of the filter. The
 * caller frees *out.
 */
int kt_alphabet_json(char **out, const kt_alphabet *alphabet);

/*
 * The alphabet that such JSON text says, of the machine in that file. The caller owns *out,
 * which is NULL where it has neither name nor rules (kt_letter_filter_json()).
 * KT_E_MALFORMED naming the file and the member.
 */
int kt_alphabet_from_json(kt_alphabet **out, const char *json, const char *file);

/*
 * KT_E_MALFORMED with "read alphabet FILE:LINE: reason", or "read FILE: alphabet.rules[N]:
 * reason" of a machine's; line 0: of no line.
 */
int kt_alphabet_error(const kt_alphabet *alphabet, size_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether two alphabets give the same letters, since they have the same rules. */
bool kt_alphabet_same(const kt_alphabet *a, const kt_alphabet *b);

#endif
