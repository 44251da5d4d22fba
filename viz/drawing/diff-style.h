/* SPDX-License-Identifier: MIT */
/*
 * Styles for states and transitions of a difference: grey and thin if both machines have
 * them, green and bold if only the new machine does, red and dashed if only the old one
 * does. Added and removed letters also have a sign. The three styles can be distinguished
 * without colours.
 */
#ifndef KTAIL_VIZ_DIFF_STYLE_H
#define KTAIL_VIZ_DIFF_STYLE_H

#include <ktail/fsm.h>

#include "viz/drawing/temperature.h"

struct kt_diff_style {
	const char *verb;        /* the change: "kept", "added", "removed" */
	const char *sign;        /* before letters: "", "+ ", "− " */
	struct kt_colour stroke; /* colour of lines */
	/* colour of text; contrast at least 4.5 to 1 on white, as in temperature.h */
	struct kt_colour text;
	struct kt_colour tint; /* colour of filled areas */
	double pen;            /* line width in points */
	bool dashed;
};

/*
 * Returns the style of an origin, in static storage; KT_PRESENCE_NONE has the style of
 * KT_PRESENCE_BOTH.
 */
const struct kt_diff_style *kt_diff_style(enum kt_presence presence);

#endif
