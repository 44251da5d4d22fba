/* SPDX-License-Identifier: MIT */
/* Prints the results of a checker as text or JSON ("ktail-check/1", see ktail-check(1)). */
#ifndef KTAIL_CHECK_PRINT_H
#define KTAIL_CHECK_PRINT_H

#include <stdio.h>

#include "infer/check/checker.h"

#define KT_CHECK_FORMAT "ktail-check/1"

/*
 * Prints one misfit of the checker's word `number`, called `name`. The expected letters are
 * left out if an earlier misfit of the word has the same letter, states, preceding letters
 * and expected letters. O(n) for the n misfits recorded before this one, of which at most
 * 256 are compared.
 */
int kt_print_misfit(FILE *out, const kt_checker *checker, size_t number, const char *name,
		    const struct kt_misfit *misfit);

/* Prints a line per word, and a summary. */
int kt_print_checked(FILE *out, const kt_checker *checker);

/* Writes all results as JSON; the same words give the same bytes. */
int kt_check_write_json(FILE *out, const kt_checker *checker);

/*
 * Writes JUnit XML, as CI systems read it: a test case for each word, which fails with the
 * text of its misfits if it does not fit. `machine` names the suite.
 */
int kt_check_write_junit(FILE *out, const kt_checker *checker, const char *machine);

#endif
