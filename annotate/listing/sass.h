/* SPDX-License-Identifier: MIT */
/* The scheduling fields of a cubin's instructions, as a listing. */
#ifndef KTAIL_ANNOTATE_SASS_H
#define KTAIL_ANNOTATE_SASS_H

#include <stdbool.h>
#include <stdio.h>

/* KT_E_IO or KT_E_MALFORMED, with a message; what was found before stays written. */
int kt_print_sass(FILE *out, const char *path, bool json);

#endif
