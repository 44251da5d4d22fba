/* SPDX-License-Identifier: MIT */
/* Prints the results of a checker as text or JSON ("ktail-check/1", see ktail-check(1)). */
#ifndef KTAIL_CHECK_PRINT_H
#define KTAIL_CHECK_PRINT_H

#include <stdio.h>

#include "decode/letter-names.h"
#include "infer/check/checker.h"

#define KT_CHECK_FORMAT "ktail-check/1"

/*
 * Prints one misfit of the checker's word `number`, called `name`. If an earlier misfit of
 * the word has the same letter, states, preceding letters and expected letters, the text
 * refers to that misfit instead of repeating the states and letters. Only the first 256
 * misfits of the word are compared.
 */
int kt_print_misfit(FILE *out, const kt_checker *checker, size_t number, const char *name,
		    const struct kt_misfit *misfit);

/* Prints a line per word, with unusual numbers of letters if any, and a summary. */
int kt_print_checked(FILE *out, const kt_checker *checker);

/*
 * Returns the readable name of a letter, from the machine or, if the machine has none, from
 * the tables; the letter itself if it has no name, or if names are off. The result is
 * `letter`, in `buffer`, or owned by the machine or a table.
 */
const char *kt_check_letter_text(const kt_checker *checker, const char *letter,
				 char buffer[static KT_LETTER_NAME]);

/*
 * Returns the first of the word's recorded misfits before `misfit` that differs from
 * `misfit` only in its position, as for kt_print_misfit(); NULL if there is none.
 */
const struct kt_misfit *kt_misfit_find_earlier(const struct kt_checked_word *word,
					       const struct kt_misfit *misfit);

/* Writes all results as JSON; the same words give the same bytes. */
int kt_check_write_json(FILE *out, const kt_checker *checker);

/*
 * Writes JUnit XML, as CI systems read it, with a test case for each word. The test case of
 * a word that does not fit fails with the text of the word's misfits. `machine` names the
 * suite.
 */
int kt_check_write_junit(FILE *out, const kt_checker *checker, const char *machine);

/*
 * Writes SARIF 2.1.0 (OASIS), as code-scanning dashboards read it: a result for each group
 * of misfits that differ only in their positions, and a result for each word that ends too
 * early.
 */
int kt_check_write_sarif(FILE *out, const kt_checker *checker);

#endif
