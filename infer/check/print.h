/* SPDX-License-Identifier: MIT */
/* What a checker found, for people and as JSON ("ktail-check/1", see ktail-check(1)). */
#ifndef KTAIL_CHECK_PRINT_H
#define KTAIL_CHECK_PRINT_H

#include <stdio.h>

#include "infer/check/checker.h"

#define KT_CHECK_FORMAT "ktail-check/1"

/* One misfit of a word called `name`. */
int kt_print_misfit(FILE *out, const kt_checker *checker, const char *name,
		    const struct kt_misfit *misfit);

/* A line for each word, and one for all. */
int kt_print_checked(FILE *out, const kt_checker *checker);

/* All of it as JSON; the same words give the same bytes. */
int kt_check_write_json(FILE *out, const kt_checker *checker);

#endif
