/* SPDX-License-Identifier: MIT */
/* An operand of a command line that stands for a machine: the machine's file, or traces. */
#ifndef KTAIL_OPERAND_H
#define KTAIL_OPERAND_H

#include <jansson.h>

#include <ktail/ktail.h>

#include "infer/files/machine.h"
#include "infer/ktail/load.h"

/* Options for inferring a machine from traces. */
struct kt_operand_options {
	struct kt_load_options load; /* must be first: see KT_LOAD_ROWS */
	unsigned long k;
	/* --k N was given; if false, k is chosen and reported on standard error */
	bool has_k;
	bool wants_auto; /* --k auto was given */
	enum kt_machine machine;
	bool has_machine; /* --machine was given */
};

#define KT_OPERAND_OPTIONS_INIT                                                            \
	{                                                                                  \
		.load = KT_LOAD_OPTIONS_INIT                                               \
	}

/* Setters of --k and --machine, for contexts that begin with struct kt_operand_options. */
int kt_operand_set_k(void *context, const char *value);
int kt_operand_set_machine(void *context, const char *value);

/*
 * Fills in the options for inferring a machine from words, with the given k or one chosen
 * for the words. *out then points to `alphabet` and to options->load.word, both of which
 * must outlive *out.
 */
int kt_operand_infer_options(struct kt_infer_options *out, const kt_words *words,
			     const char *alphabet,
			     const struct kt_operand_options *options);

/* At least one of `words` and `fsm` is set. */
struct kt_operand {
	kt_words *words;    /* Owned by this; NULL if the machine was read from a file */
	char *alphabet;     /* Owned by this; may be NULL */
	struct kt_fsm *fsm; /* Owned by this; NULL until it is inferred from the words */
	json_t *annotation; /* Owned by this: from the machine's file; NULL: none */
};

/*
 * Reads paths[0..n): one file of a machine, or traces. `what` ("the old side") names the
 * operand in messages. KT_E_USAGE if a machine is one of several paths, or is the
 * difference of two machines, which has two languages. The letter filter of a machine is
 * copied to the options, for traces that are read later; KT_E_USAGE if the options have a
 * different filter. On failure there is nothing to clear.
 */
int kt_operand_read(struct kt_operand *out, char **paths, int n, const char *what,
		    struct kt_operand_options *options);

/* Infers the machine from the words, if there is none yet. */
int kt_operand_infer(struct kt_operand *operand, const struct kt_operand_options *options);

void kt_operand_clear(struct kt_operand *operand);

/*
 * Warns on standard error if two machines that are compared have different units of words,
 * alphabets, sources or letter filters, or if the letters of one alone suggest so. Gives no
 * warning if one of them was imported from another program, since these properties are then
 * unknown.
 */
void kt_operand_warn(const struct kt_fsm *a, const char *a_name, const struct kt_fsm *b,
		     const char *b_name);

/*
 * Warns if the machine has letters of API calls and its words were recorded with other
 * --api-calls than `calls`, those of `other_name` (kt_versions_api_calls()), as far as both
 * are known.
 */
void kt_operand_warn_calls(const struct kt_fsm *machine, const char *name,
			   const char *calls, const char *other_name);

#endif
