/* SPDX-License-Identifier: MIT */
/*
 * Styles of the origins in a difference: both machines grey and thin, only the new one
 * green and bold, only the old one red and dashed; additions and removals also have a sign.
 * All three can be distinguished without colours.
 */
#ifndef KTAIL_VIZ_DIFF_STYLE_H
#define KTAIL_VIZ_DIFF_STYLE_H

#include <ktail/fsm.h>

#include "viz/temperature.h"

struct kt_diff_style {
	const char *verb;        /* the change: "kept", "added", "removed" */
	const char *sign;        /* before letters: "", "+ ", "− " */
	struct kt_colour stroke; /* of lines */
	struct kt_colour
		text; /* contrast at least 4.5 to 1 on white, as in temperature.h */
	struct kt_colour tint; /* of filled areas */
	double pen;            /* line width in points */
	bool dashed;
};

/*
 * Returns the style of an origin; KT_PRESENCE_NONE has that of KT_PRESENCE_BOTH. Static
 * storage.
 */
const struct kt_diff_style *kt_diff_style(enum kt_presence presence);

#endif
