/* SPDX-License-Identifier: MIT */
/*
 * The requests and accesses of a driver at its lower interface, by procedure, as parsed
 * from a file such as driver.points, whose head explains the language. Plain data.
 */
#ifndef KTAIL_SOFTGPU_POINTS_H
#define KTAIL_SOFTGPU_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>

#include "base/texts.h"

/* Limits of a file, so that its expansion takes bounded work and a bounded stack. */
#define KT_POINTS_MAX_MEMORIES 32
#define KT_POINTS_MAX_DEPTH    32 /* nesting depth of braces */
#define KT_POINTS_MAX_PARTS    2  /* roles of one memory */

/* Alphabets of machines (ktail-alphabet(5)). */
enum kt_points_alphabet {
	KT_POINTS_TABLE1 = 0,
	KT_POINTS_ROLES,
	KT_POINTS_ALPHABETS,
};

enum kt_statement_kind {
	KT_STATEMENT_LETTER = 0, /* ioctl, map, unmap, doorbell: each one is a letter */
	KT_STATEMENT_READ,
	KT_STATEMENT_WRITE,
	KT_STATEMENT_CALL,
	KT_STATEMENT_MAYBE,
	KT_STATEMENT_REPEAT,
	KT_STATEMENT_SOME,
	KT_STATEMENT_CHOOSE,
	KT_STATEMENT_WHEN,
};

/*
 * Whether a read of a semaphore is a poll: the first read of a semaphore of a channel since
 * the channel's latest submission.
 */
enum kt_poll {
	KT_POLL_MAYBE = 0,
	KT_POLL_ALWAYS,
	KT_POLL_NEVER,
};

struct kt_statement;

struct kt_block {
	struct kt_statement *statements; /* Owned by this */
	size_t n;
	size_t capacity;
};

struct kt_statement {
	enum kt_statement_kind kind;
	size_t line;
	/*
	 * As written; for accesses also the memory's space, as in "read notifier (sys)", or
	 * its roles.
	 */
	const char *texts[KT_POINTS_ALPHABETS];
	/*
	 * For LETTER, READ, WRITE; otherwise NULL. The second letter is that of the
	 * memory's second role, of a poll, or of a doorbell without a poll.
	 */
	const char *letters[KT_POINTS_ALPHABETS][KT_POINTS_MAX_PARTS];
	const char *name; /* CALL: the called procedure; otherwise NULL */
	uint32_t index;   /* READ, WRITE: memory; CALL: procedure; WHEN: setting */
	uint32_t value;   /* WHEN: value of the setting */
	/*
	 * READ: of this read; CALL: ALWAYS concerns the callee's first read, NEVER all its
	 * reads
	 */
	enum kt_poll poll;
	/* Owned by this: one block, or the alternatives of CHOOSE */
	struct kt_block *blocks;
	size_t n_blocks;
	size_t capacity;
};

/*
 * Memory that is read and written. A process has one mapping of it, or several if `many`
 * is set.
 */
struct kt_memory_role {
	const char *name;
	const char *space;
	bool many;
	/*
	 * Indices in kt_points_roles: the role of each part of the memory. An access goes
	 * to each part in turn.
	 */
	uint32_t parts[KT_POINTS_MAX_PARTS];
	size_t n_parts;
};

/* Roles of memory in letters of the alphabet `roles`; the last is NULL. */
extern const char *const kt_points_roles[];
#define KT_POINTS_SEMAPHORE 0u /* index of "semaphore" */
#define KT_POINTS_OTHER     1u /* index of "other" */
#define KT_POINTS_N_ROLES   10u

/* A setting that `when` tests. */
struct kt_setting {
	const char *name;
	const char **values;
	size_t n_values;
	size_t capacity;
	uint32_t chosen; /* index of the value; 0, the first, until kt_points_set() */
};

struct kt_procedure {
	const char *name;
	size_t line;
	struct kt_block body;
};

struct kt_points {
	/* All strings of this struct. Owned by this, like the arrays below */
	struct kt_texts texts;
	const char *file; /* name of the file, for messages */
	struct kt_memory_role memories[KT_POINTS_MAX_MEMORIES];
	size_t n_memories;
	struct kt_setting *settings;
	size_t n_settings;
	size_t settings_capacity;
	struct kt_procedure *procedures;
	size_t n_procedures;
	size_t procedures_capacity;
	uint32_t main;                    /* index of the procedure that a process runs */
	enum kt_points_alphabet alphabet; /* of the machine */
};

/*
 * Parses text[0..length); messages name `file`. The caller owns *out. Returns
 * KT_E_MALFORMED with "read FILE:LINE: reason". O(length times procedures).
 */
int kt_points_parse(struct kt_points **out, const char *file, const char *text,
		    size_t length);

/* Like kt_points_parse, for a file. Returns KT_E_IO if it cannot be read. */
int kt_points_read(struct kt_points **out, const char *path);

/*
 * Selects a value by "setting=value". Returns KT_E_USAGE if there is no such setting or
 * value.
 */
int kt_points_set(struct kt_points *points, const char *assignment);

/*
 * Selects an alphabet by its name. Returns KT_E_USAGE if no machine can be made in this
 * alphabet.
 */
int kt_points_set_alphabet(struct kt_points *points, const char *name);

/* The name of the selected alphabet. Static storage. */
const char *kt_points_alphabet_name(const struct kt_points *points);

/* NULL is allowed. */
void kt_points_free(struct kt_points *points);

/*
 * Makes the machine in the format of fsm.json ("machine": "truth") under the selected
 * settings, in letters of the selected alphabet. The caller owns *out, which does not refer
 * to `points`. Returns KT_E_MALFORMED with the line if a procedure calls itself or the
 * machine is too large.
 */
int kt_truth_make(struct kt_fsm **out, const struct kt_points *points);

#endif
