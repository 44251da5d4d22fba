/* SPDX-License-Identifier: MIT */
/*
 * An alphabet says which fields of which events become which letter. `table1`, `atc13`,
 * `rm`, `api` and `calls` are built in as text in the language of ktail-alphabet(5).
 * `submission` and `methods` are built in as code (command-letters.h), because the work
 * that a doorbell submits is spread over several events. `roles` is text and code
 * (role-letters.h), because later events show what memory is for.
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
#define KT_ALPHABET_NAMES                                                                  \
	"table1", "atc13", "roles", "rm", "api", "calls", "submission", "methods"

/* The usual spaces of memory. Others are "other" and classes, 0x... (ktail-events(7)). */
#define KT_SPACE_NAMES "fb", "pin", "reg", "sys", "uvm"

/* Maximum number of fields that the rules of one event may use. */
#define KT_ALPHABET_MAX_FIELDS 16

struct kt_condition {
	uint32_t slot;   /* index in kt_event_rules.fields */
	bool unequal;    /* the operator is != instead of = */
	bool is_number;  /* `text` is a number without quotes */
	bool negative;   /* `number` is below 0 */
	uint64_t number; /* value of `text` if it is a number, in two's complement */
	char *text;      /* Owned by this */
};

/* A part of a letter: literal text or the value of a field. */
struct kt_part {
	char *literal; /* Owned by this; NULL: the part is the field in `slot` */
	uint32_t slot;
	bool hex; /* format: 0x and lower-case hexadecimal digits, else decimal */
};

enum kt_run {
	KT_RUN_NONE = 0, /* every event gives a letter */
	KT_RUN_OPEN,     /* run:open: only the first access of a run gives a letter */
	KT_RUN_ONCE,     /* run:once: gives each letter once per run of accesses */
};

struct kt_rule {
	uint32_t id; /* unique within the alphabet */
	size_t line; /* line in the file, from 1 */
	struct kt_condition *conditions;
	size_t n_conditions;
	struct kt_part *parts; /* NULL: the event gives no letter */
	size_t n_parts;
	enum kt_run run;
};

/* The rules of one event, in order: the first one whose conditions hold decides. */
struct kt_event_rules {
	/*
	 * name without the provider; owned by the alphabet, or static if the alphabet is
	 * code
	 */
	const char *event;
	/* names of the fields that the rules use, by slot; owned as `event` is */
	const char *fields[KT_ALPHABET_MAX_FIELDS];
	size_t n_fields;
	struct kt_rule *rules;
	size_t n_rules;
	size_t capacity;
	bool has_runs;
	/*
	 * slot of the field `mapping`, set if has_runs: another value in this field ends a
	 * run
	 */
	uint32_t mapping;
	/* Only if the alphabet is code: */
	int command; /* enum kt_command_event_kind */
	size_t kept; /* slot of the first field that is kept, see command-fields.h */
};

/* A line "require MODE=VALUE": the mode in which a trace must have been recorded. */
struct kt_requirement {
	char *mode;  /* Owned by this: "access", see kt_versions_mode() */
	char *value; /* Owned by this: "exact" */
};

/* Alphabets that are code instead of rules. */
enum kt_command_alphabet {
	KT_COMMANDS_NONE = 0,
	/* one letter for the work that a doorbell submits to a channel */
	KT_COMMANDS_SUBMISSION,
	KT_COMMANDS_METHODS, /* one letter per sequence of equal methods */
	/* letters by rules, except those of accesses, which are named by roles */
	KT_COMMANDS_ROLES,
};

typedef struct kt_alphabet {
	/* if not NONE, the alphabet is code; it has rules only if ROLES */
	enum kt_command_alphabet commands;
	char *name;
	char *file;      /* file name for messages */
	bool both;       /* opened for words of both sources (--source both) */
	bool in_machine; /* the file is a machine's JSON: line N is alphabet.rules[N - 1] */
	char **lines;    /* the rules as text, without comments and blank lines */
	size_t n_lines;
	size_t lines_capacity;
	struct kt_event_rules *events;
	size_t n_events;
	size_t events_capacity;
	uint32_t n_rules;
	struct kt_requirement *required; /* Owned by this */
	size_t n_required;
	size_t required_capacity;
	/* Owned by this: which letters --without and --runs drop */
	struct kt_letter_filter filter;
	/* the caller drops letters of accesses, kt_letter_is_access(), after reading */
	bool drops_accesses;
} kt_alphabet;

/*
 * Opens the built-in alphabet called `name_or_file` or, if there is no such alphabet, reads
 * the file with that name. The caller owns *out. KT_E_IO if the file cannot be read,
 * KT_E_MALFORMED naming file and line, KT_E_MEMORY.
 */
int kt_alphabet_open(kt_alphabet **out, const char *name_or_file);

/*
 * Like kt_alphabet_open(), for words of both sources: the built-in alphabets table1, atc13,
 * rm and calls also have letters for events that only the kernel records.
 */
int kt_alphabet_open_both(kt_alphabet **out, const char *name_or_file);

/*
 * KT_E_USAGE if the kernel's events could add no letter to words of both sources, because
 * the alphabet is code, or has no rule for an event that only the kernel records.
 */
int kt_alphabet_check_both(const kt_alphabet *alphabet);

/*
 * Returns whether only the kernel records events with this name, which is given without the
 * provider.
 */
bool kt_event_only_kernel(const char *event);

/* Returns whether --source both adds this letter to built-in alphabets. */
bool kt_letter_only_kernel(const char *letter);

/*
 * Reads an alphabet called `name` from text[0..length). Messages call the text `file`. The
 * caller owns *out. O(length).
 */
int kt_alphabet_parse(kt_alphabet **out, const char *name, const char *file,
		      const char *text, size_t length);

/*
 * Like kt_alphabet_parse(), for the rules of a machine, one per line; `file` is the
 * machine's JSON. Messages name alphabet.rules[N] instead of a line.
 */
int kt_alphabet_parse_rules(kt_alphabet **out, const char *name, const char *file,
			    const char *text, size_t length);

/* `alphabet` may be NULL. */
void kt_alphabet_free(kt_alphabet *alphabet);

/*
 * Returns the rules of an event, or NULL if the alphabet does not use the event; `event` is
 * its name without the provider. For an alphabet that is code, the result lists the fields
 * needed and has no rules.
 */
const struct kt_event_rules *kt_alphabet_find(const kt_alphabet *alphabet,
					      const char *event);

/* Returns whether each letter belongs to a channel, as in `submission` and `methods`. */
bool kt_alphabet_has_channels(const kt_alphabet *alphabet);

/*
 * Returns whether a letter may depend on later events, so that letters are known only when
 * the process has ended. If so, *why, in static storage, is the reason.
 */
bool kt_alphabet_needs_later_events(const kt_alphabet *alphabet, const char **why);

/* What the recorder may leave out from an event `detail` on. */
enum kt_detail {
	KT_DETAIL_SINGLE, /* single accesses: only their runs are recorded */
	KT_DETAIL_ACCESSES,
	KT_DETAIL_COMMANDS, /* ring entries and commands */
	KT_DETAILS,
};

/*
 * Returns whether letters depend on such detail, so that a trace without it gives other
 * letters. `methods` depends on commands, `submission` and `roles` on all of it, others on
 * what their rules make letters of that the filter keeps; on single accesses if a rule for
 * `access` gives a letter without run:open or run:once, or uses a field other than op,
 * space and mapping. `space`: accesses to memory of this space alone; NULL: of any of
 * KT_SPACE_NAMES.
 */
bool kt_alphabet_needs(const kt_alphabet *alphabet, enum kt_detail detail,
		       const char *space);

/*
 * Writes {"name": ..., "rules": [...]}, the member "alphabet" of fsm.json, with "source":
 * "both" for words of both sources. The lists "runs" and "without" of the filter are added
 * if they are not empty. The caller frees *out.
 */
int kt_alphabet_json(char **out, const kt_alphabet *alphabet);

/*
 * Reads an alphabet from `json`, the member "alphabet" of the machine in `file`. The caller
 * owns *out. *out is NULL if `json` has only a filter, as kt_letter_filter_json() writes
 * it. KT_E_MALFORMED naming the file and the member.
 */
int kt_alphabet_from_json(kt_alphabet **out, const char *json, const char *file);

/*
 * Returns KT_E_MALFORMED with "read alphabet FILE:LINE: reason", or with "read FILE:
 * alphabet.rules[N]: reason" for a machine's rules. If `line` is 0, the message names no
 * line or rule.
 */
int kt_alphabet_error(const kt_alphabet *alphabet, size_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Returns whether two alphabets have the same rules as text, or are the same code. Names
 * and filters are not compared.
 */
bool kt_alphabet_same(const kt_alphabet *a, const kt_alphabet *b);

#endif
