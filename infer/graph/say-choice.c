/* SPDX-License-Identifier: MIT */
#include "infer/graph/say-choice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* A text that grows up to KT_SAY_SIZE bytes. */
struct text {
	char *out; /* Weak */
	size_t used;
};

static void __attribute__((format(printf, 2, 3)))
say(struct text *text, const char *format, ...)
{
	size_t space = KT_SAY_SIZE - text->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->out + text->used, space, format, args);
	va_end(args);
	text->used += n < 0 ? 0 : (size_t)n < space ? (size_t)n : space - 1;
}

/* Appends a percentage such as "44.4 %". */
static void say_share(struct text *text, uint64_t part, uint64_t letters)
{
	uint64_t tenths =
		letters ? (uint64_t)((double)part * 1000 / (double)letters + 0.5) : 0;

	say(text, "%" PRIu64 ".%" PRIu64 " %%", tenths / 10, tenths % 10);
}

static void say_size(struct text *text, const struct kt_sweep_row *row)
{
	say(text, "%" PRIu64 " states, %" PRIu64 " transitions, %" PRIu64 " complex %s",
	    row->states, row->transitions, row->complex,
	    row->complex == 1 ? "state" : "states");
}

static void say_cycles(struct text *text, const struct kt_measures *m)
{
	say_share(text, m->cycles, m->letters);
	say(text,
	    " of the letters run through cycles of more than one state (the shortest has "
	    "%" PRIu64 "), ",
	    m->shortest_cycle);
	say_share(text, m->mixed, m->letters);
	say(text, " lose their order on self-loops");
}

void kt_say_plateau(char out[KT_SAY_SIZE], const struct kt_curve *curve,
		    const struct kt_plateau *plateau)
{
	static const char *const against[] = {
		[KT_VERDICT_GOOD] = "",
		[KT_VERDICT_UNKNOWN] = "too large to be measured",
		[KT_VERDICT_NO_CYCLE] = "no cycle goes through more than one state",
		[KT_VERDICT_MIXED] = "small extreme: ",
		[KT_VERDICT_RARE] = "cycles of more than one state are rare: ",
		[KT_VERDICT_UNFOLDED] = "large extreme: nearly chains",
	};
	struct text text = {.out = out};

	say(&text, "%s", against[plateau->verdict]);
	if (plateau->verdict == KT_VERDICT_GOOD || plateau->verdict == KT_VERDICT_MIXED ||
	    plateau->verdict == KT_VERDICT_RARE) {
		say_cycles(&text, &curve->points[plateau->first].measures);
	}
}

/*
 * Says how many doorbells are self-loops in the chosen machine. Also says from which k on
 * most doorbells are not, and how large the machine for that k is.
 */
static void say_doorbells(struct text *text, const struct kt_curve *curve)
{
	const struct kt_measures *m = &curve->points[curve->choice.point].measures;

	if (m->looping_doorbells == 0) {
		return;
	}
	say(text, "; %" PRIu64 " of %" PRIu64 " doorbells are self-loops",
	    m->looping_doorbells, m->doorbells);
	for (size_t i = curve->choice.point + 1; i < curve->n_points; i++) {
		const struct kt_curve_point *point = &curve->points[i];

		if (point->measured && point->row.k > 0 &&
		    kt_curve_doorbells_loop(curve, curve->choice.point) &&
		    !kt_curve_doorbells_loop(curve, i)) {
			say(text, ", most are not at k = %" PRIu64 " (%" PRIu64 " states)",
			    point->row.k, point->row.states);
			return;
		}
	}
}

void kt_say_choice(char out[KT_SAY_SIZE], const struct kt_curve *curve)
{
	const struct kt_curve_point *points = curve->points;
	const struct kt_curve_point *point = &points[curve->choice.point];
	const struct kt_plateau *plateau;
	struct text text = {.out = out};

	if (curve->choice.kind != KT_CHOICE_PLATEAU) {
		say(&text,
		    "no k from %" PRIu64 " to %" PRIu64 " is convincing: ", points[0].row.k,
		    points[curve->n_points - 1].row.k);
	}
	switch (curve->choice.kind) {
	case KT_CHOICE_PLATEAU:
		plateau = &curve->plateaus[curve->choice.plateau];
		say(&text,
		    "the smallest machine on a plateau (nearly the same for k = %" PRIu64
		    " to %" PRIu64 ": ",
		    point->row.k, points[plateau->last].row.k);
		say_size(&text, &point->row);
		say(&text, ") in which repeated work shows as cycles: ");
		say_cycles(&text, &point->measures);
		break;
	case KT_CHOICE_CYCLES:
		say(&text,
		    "machines in which repeated work shows as cycles are not on a plateau; "
		    "the smallest of them (");
		say_size(&text, &point->row);
		say(&text, "): ");
		say_cycles(&text, &point->measures);
		break;
	case KT_CHOICE_KINDS:
		plateau = &curve->plateaus[curve->choice.plateau];
		say(&text,
		    "the most frequent work forms cycles of more than one state in none; "
		    "the smallest machine on a plateau (nearly the same for k = %" PRIu64
		    " to %" PRIu64 ": ",
		    point->row.k, points[plateau->last].row.k);
		say_size(&text, &point->row);
		say(&text,
		    ") in which most kinds of letters that repeat (%" PRIu64 " of %" PRIu64
		    ") do",
		    point->measures.kinds_in_cycles, point->measures.kinds);
		break;
	case KT_CHOICE_ORDER:
	case KT_CHOICE_LAST:
		say(&text,
		    "in none %sdoes repeated work show as cycles of more than one state; ",
		    point->measured ? "" : "that could be measured ");
		say(&text, "%s (",
		    !point->measured ? "the smallest that is too large for that"
		    : curve->choice.kind == KT_CHOICE_ORDER
			    ? "the smallest at which no more than half of the letters lose "
			      "their order on self-loops"
			    : "the largest, as more than half of the letters lose their "
			      "order "
			      "on self-loops everywhere");
		say_size(&text, &point->row);
		say(&text, ")");
		break;
	}
	say_doorbells(&text, curve);
}

const struct kt_plateau *kt_runner_up(const struct kt_curve *curve, size_t i)
{
	for (size_t j = 0; j < curve->n_plateaus; j++) {
		const struct kt_plateau *plateau = &curve->plateaus[j];

		if (plateau->verdict == KT_VERDICT_GOOD &&
		    plateau->first != curve->choice.point && i-- == 0) {
			return plateau;
		}
	}
	return NULL;
}
