/* SPDX-License-Identifier: MIT */
/* What a command line gives where a machine is wanted: its file, or traces of it. */
#ifndef KTAIL_OPERAND_H
#define KTAIL_OPERAND_H

#include <ktail/ktail.h>

#include "infer/ktail/load.h"

/* How traces become a machine. */
struct kt_operand_options {
	const struct kt_load_options *load; /* Weak */
	bool has_k; /* if not, it is chosen, and said on standard error */
	uint64_t k;
	enum kt_machine machine;
};

/*
 * The machine that paths[0..n) stand for: one file of a machine, read, or traces, inferred.
 * `what` names it in messages ("MACHINE"). The caller owns *out. KT_E_USAGE if there are
 * files of machines among several paths, or it is the difference of two machines.
 */
int kt_operand_machine(struct kt_fsm **out, char **paths, int n, const char *what,
		       const struct kt_operand_options *options);

/* Says on standard error where two machines that are compared are of different kinds:
 * alphabets, units of words. */
void kt_operand_warn(const struct kt_fsm *a, const char *a_name, const struct kt_fsm *b,
		     const char *b_name);

#endif
