/* SPDX-License-Identifier: MIT */
/* Damaged inputs for every reader, determined by a seed. */
#ifndef KTAIL_TESTS_MUTATE_H
#define KTAIL_TESTS_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- random numbers --- */

struct kt_random {
	uint64_t state;
};

uint64_t kt_random_next(struct kt_random *random);

/* Returns a number below n; 0 if n is 0. */
uint64_t kt_random_below(struct kt_random *random, uint64_t n);

/* --- inputs --- */

struct kt_bytes {
	unsigned char *data; /* Owned by this */
	size_t length;
	size_t capacity;
};

/* If they fail, these functions print a message and end the program. */
void kt_bytes_read(struct kt_bytes *bytes, const char *path);
void kt_bytes_write(const struct kt_bytes *bytes, const char *path);
void kt_bytes_replace(struct kt_bytes *bytes, size_t at, size_t length, const void *with,
		      size_t size);
void kt_bytes_free(struct kt_bytes *bytes);

/* --- damage --- */

enum kt_damage {
	KT_DAMAGE_TEXT,     /* bits, bytes, chunks, lines, odd UTF-8 */
	KT_DAMAGE_JSON,     /* a node of the JSON tree, or the text */
	KT_DAMAGE_BINARY,   /* bits, bytes, chunks, integers at limits of a type */
	KT_DAMAGE_STREAM,   /* a stream file or index of a trace, including headers */
	KT_DAMAGE_PAYLOAD,  /* a stream file of a trace, after its packet headers */
	KT_DAMAGE_METADATA, /* a trace's metadata: its packets, or as plain text */
};

void kt_mutate_binary(struct kt_bytes *bytes, struct kt_random *random);
void kt_mutate_text(struct kt_bytes *bytes, struct kt_random *random);
void kt_mutate_json(struct kt_bytes *bytes, struct kt_random *random);

/* Damages bytes after the first `from`, and keeps the length. */
void kt_mutate_fixed_length(struct kt_bytes *bytes, size_t from, struct kt_random *random);

/* Damages one file of the trace in a folder. */
void kt_mutate_trace(const char *folder, enum kt_damage damage, struct kt_random *random);

/* --- readers --- */

/*
 * A reader of one kind of input. In its commands, IN is the damaged input, OUT... an
 * output, and GOOD/... an undamaged file that was made before.
 */
struct kt_reader {
	const char *name;
	enum kt_damage damage;
	const char *ending; /* ending of the input's name */
	const char *inputs[6];
	const char *commands[20]; /* ends with NULL */
};

extern const struct kt_reader kt_readers[];
extern const size_t kt_readers_n;

/* Commands that make further files in GOOD, from GOOD/streams and GOOD/calls. */
extern const char *const kt_preparations[];

/* --- runs --- */

struct kt_run {
	int status;     /* as waitpid() returns it */
	double seconds; /* processor time, including that of child processes */
	long megabytes; /* memory of the process with the largest resident set */
	bool hung;      /* the run was ended because it took too long */
};

#define KT_RUN_SECONDS   10   /* processor time after which a run counts as hung */
#define KT_RUN_MEGABYTES 1024 /* a run that takes more has failed */

/* Runs argv, with output and errors in files and TMPDIR set to `tmp`. */
void kt_run(struct kt_run *run, char *const *argv, const char *out, const char *err,
	    const char *tmp);

/*
 * Returns what was wrong with a run, NULL if it was right. The folder has out/, tmp/,
 * stdout and stderr; argv is the command, whose outputs are paths in out/.
 */
const char *kt_check_run(const struct kt_run *run, const char *folder, char *const *argv);

#endif
