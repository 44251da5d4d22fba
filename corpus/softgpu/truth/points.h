/* SPDX-License-Identifier: MIT */
/*
 * What a driver does at its lower interface, procedure by procedure, as a file says it
 * (driver.points, whose head explains the language), in memory. Plain data.
 */
#ifndef KTAIL_SOFTGPU_POINTS_H
#define KTAIL_SOFTGPU_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>

#include "base/texts.h"

/* What a file may hold at most: expanding it takes bounded work and a bounded stack. */
#define KT_POINTS_MAX_MEMORIES 32
#define KT_POINTS_MAX_DEPTH    32 /* braces within each other */

enum kt_statement_kind {
	KT_STATEMENT_LETTER = 0, /* ioctl, map, unmap, doorbell: a letter of its own */
	KT_STATEMENT_READ,
	KT_STATEMENT_WRITE,
	KT_STATEMENT_CALL,
	KT_STATEMENT_MAYBE,
	KT_STATEMENT_REPEAT,
	KT_STATEMENT_SOME,
	KT_STATEMENT_CHOOSE,
	KT_STATEMENT_WHEN,
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
	const char *text;        /* as written, "read notifier (sys)" for accesses */
	const char *letter;      /* of LETTER, READ, WRITE; else NULL */
	const char *name;        /* whom CALL calls; else NULL */
	uint32_t index;          /* READ, WRITE: memory; CALL: procedure; WHEN: setting */
	uint32_t value;          /* WHEN: of the setting */
	struct kt_block *blocks; /* Owned by this: one, or the alternatives of CHOOSE */
	size_t n_blocks;
	size_t capacity;
};

/* Memory that is read and written: one mapping in a process, or one of several. */
struct kt_memory_role {
	const char *name;
	const char *space;
	bool many;
};

/* What `when` asks for. */
struct kt_setting {
	const char *name;
	const char **values;
	size_t n_values;
	size_t capacity;
	uint32_t chosen; /* 0, the first value, until kt_points_set() */
};

struct kt_procedure {
	const char *name;
	size_t line;
	struct kt_block body;
};

struct kt_points {
	struct kt_texts texts; /* all that is named here; this and what follows is owned */
	const char *file;      /* what messages call it */
	struct kt_memory_role memories[KT_POINTS_MAX_MEMORIES];
	size_t n_memories;
	struct kt_setting *settings;
	size_t n_settings;
	size_t settings_capacity;
	struct kt_procedure *procedures;
	size_t n_procedures;
	size_t procedures_capacity;
	uint32_t main; /* procedure that a process runs */
};

/*
 * Reads text[0..length). `file` stands in messages. The caller owns *out. KT_E_MALFORMED
 * "read FILE:LINE: reason". O(length times procedures).
 */
int kt_points_parse(struct kt_points **out, const char *file, const char *text,
		    size_t length);

/* The same from a file. KT_E_IO if it cannot be read. */
int kt_points_read(struct kt_points **out, const char *path);

/* Chooses a value, "setting=value". KT_E_USAGE if there is no such one. */
int kt_points_set(struct kt_points *points, const char *assignment);

/* NULL is allowed. */
void kt_points_free(struct kt_points *points);

/*
 * The machine as fsm.json has it ("machine": "truth"), under the settings that are chosen,
 * in letters of `table1`. The caller owns *out, which does not need `points`.
 * KT_E_MALFORMED naming the line: a procedure calls itself, or all is too large.
 */
int kt_truth_make(struct kt_fsm **out, const struct kt_points *points);

#endif
