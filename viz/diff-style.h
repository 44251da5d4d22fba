/* SPDX-License-Identifier: MIT */
/*
 * How the sides of a difference look: what both machines have is grey and thin, what only
 * the new one has green and bold, what only the old one has red and dashed, with a sign in
 * front of it. Each differs from the others without its colour too.
 */
#ifndef KTAIL_VIZ_DIFF_STYLE_H
#define KTAIL_VIZ_DIFF_STYLE_H

#include <ktail/fsm.h>

#include "viz/temperature.h"

struct kt_diff_style {
	const char *verb;        /* what happened to it: "kept", "added", "removed" */
	const char *sign;        /* before letters: "", "+ ", "− " */
	struct kt_colour stroke; /* of lines */
	struct kt_colour
		text; /* contrast 4.5 to 1 on white at least, as in temperature.h */
	struct kt_colour tint; /* of areas */
	double pen;            /* width of lines in points */
	bool dashed;
};

/* How a side looks; of KT_PRESENCE_NONE, as KT_PRESENCE_BOTH does. Static storage. */
const struct kt_diff_style *kt_diff_style(enum kt_presence presence);

#endif
