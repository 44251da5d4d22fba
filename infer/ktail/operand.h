/* SPDX-License-Identifier: MIT */
/* What a command line gives where a machine is wanted: its file, or traces of it. */
#ifndef KTAIL_OPERAND_H
#define KTAIL_OPERAND_H

#include <jansson.h>

#include <ktail/ktail.h>

#include "infer/files/machine.h"
#include "infer/ktail/load.h"

/* How traces become a machine. */
struct kt_operand_options {
	struct kt_load_options load; /* first: see KT_LOAD_ROWS */
	unsigned long k;
	bool has_k;      /* if not, it is chosen, and said on standard error */
	bool wants_auto; /* --k auto was given */
	enum kt_machine machine;
	bool has_machine; /* it was given */
};

#define KT_OPERAND_OPTIONS_INIT                                                            \
	{                                                                                  \
		.load = KT_LOAD_OPTIONS_INIT                                               \
	}

/* Setters of --k and --machine, for a context that begins with struct kt_operand_options.
 */
int kt_operand_set_k(void *context, const char *value);
int kt_operand_set_machine(void *context, const char *value);

/*
 * How words become a machine: with the k that was given, else one that is chosen for them.
 * `alphabet` and the unit's name stay the caller's.
 */
int kt_operand_infer_options(struct kt_infer_options *out, const kt_words *words,
			     const char *alphabet,
			     const struct kt_operand_options *options);

/* One of words and fsm is there. */
struct kt_operand {
	kt_words *words;    /* Owned by this; NULL of a machine that was read */
	char *alphabet;     /* Owned by this, or NULL */
	struct kt_fsm *fsm; /* Owned by this; NULL until words are inferred */
	json_t *annotation; /* Owned by this: of a machine that was read; NULL: none */
};

/*
 * What paths[0..n) stand for: one file of a machine, or traces. `what` names it in messages
 * ("the old side"). KT_E_USAGE if there are files of machines among several paths, or it is
 * the difference of two machines: neither language is that of all its states. A
 * machine's filter of letters becomes that of the options, for traces that are read after
 * it; KT_E_USAGE if they have another one. On failure there is nothing to clear.
 */
int kt_operand_read(struct kt_operand *out, char **paths, int n, const char *what,
		    struct kt_operand_options *options);

/* The machine of the words, if there is none yet. */
int kt_operand_infer(struct kt_operand *operand, const struct kt_operand_options *options);

void kt_operand_clear(struct kt_operand *operand);

/*
 * Says on standard error where two machines that are compared are of different kinds: units
 * of words, alphabets. Of one of another program nothing is known.
 */
void kt_operand_warn(const struct kt_fsm *a, const char *a_name, const struct kt_fsm *b,
		     const char *b_name);

#endif
