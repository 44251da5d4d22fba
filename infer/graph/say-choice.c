/* SPDX-License-Identifier: MIT */
#include "infer/graph/say-choice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* A text that grows up to KT_SAY_SIZE. */
struct text {
	char *out; /* Weak */
	size_t used;
};

static void __attribute__((format(printf, 2, 3)))
say(struct text *text, const char *format, ...)
{
	size_t room = KT_SAY_SIZE - text->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->out + text->used, room, format, args);
	va_end(args);
	text->used += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

/* "44.4 %" */
static void say_share(struct text *text, uint64_t part, uint64_t letters)
{
	uint64_t tenths =
		letters ? (uint64_t)((double)part * 1000 / (double)letters + 0.5) : 0;

	say(text, "%" PRIu64 ".%" PRIu64 " %%", tenths / 10, tenths % 10);
}

static void say_size(struct text *text, const struct kt_sweep_row *row)
{
	say(text, "%" PRIu64 " states, %" PRIu64 " transitions, %" PRIu64 " complex",
	    row->states, row->transitions, row->complex);
}

static void say_cycles(struct text *text, const struct kt_measures *m)
{
	say_share(text, m->cycles, m->letters);
	say(text,
	    " of the letters run through cycles of more than one state (the shortest has "
	    "%" PRIu64 "), ",
	    m->shortest_cycle);
	say_share(text, m->mixed, m->letters);
	say(text, " mix on self-loops");
}

static void say_verdict(struct text *text, enum kt_verdict verdict,
			const struct kt_curve_point *point)
{
	static const char *const against[] = {
		[KT_VERDICT_GOOD] = "",
		[KT_VERDICT_UNKNOWN] = "too large to be measured",
		[KT_VERDICT_NO_CYCLE] = "no cycle goes through more than one state",
		[KT_VERDICT_MIXED] = "small extreme: ",
		[KT_VERDICT_RARE] = "cycles of more than one state are rare: ",
		[KT_VERDICT_UNFOLDED] = "large extreme: nearly chains",
	};

	say(text, "%s", against[verdict]);
	if (verdict == KT_VERDICT_GOOD || verdict == KT_VERDICT_MIXED ||
	    verdict == KT_VERDICT_RARE) {
		say_cycles(text, &point->measures);
	}
}

void kt_say_plateau(char out[KT_SAY_SIZE], const struct kt_curve *curve,
		    const struct kt_plateau *plateau)
{
	struct text text = {.out = out};

	say_verdict(&text, plateau->verdict, &curve->points[plateau->first]);
}

static void say_range(struct text *text, const struct kt_curve *curve)
{
	say(text,
	    "no k from %" PRIu64 " to %" PRIu64 " is convincing: ", curve->points[0].row.k,
	    curve->points[curve->n_points - 1].row.k);
}

static void say_good(struct text *text, const struct kt_curve *curve)
{
	const struct kt_plateau *plateau = &curve->plateaus[curve->choice.plateau];
	const struct kt_curve_point *point = &curve->points[plateau->first];

	say(text, "the smallest machine on a plateau (k = %" PRIu64 " to %" PRIu64 ": ",
	    point->row.k, curve->points[plateau->last].row.k);
	say_size(text, &point->row);
	say(text, ") in which repeated work shows as cycles: ");
	say_cycles(text, &point->measures);
}

static void say_no_plateau(struct text *text, const struct kt_curve *curve)
{
	const struct kt_curve_point *point = &curve->points[curve->choice.point];

	say_range(text, curve);
	say(text,
	    "machines in which repeated work shows as cycles are not on a plateau; the "
	    "smallest of them (");
	say_size(text, &point->row);
	say(text, "): ");
	say_cycles(text, &point->measures);
}

static void say_kinds(struct text *text, const struct kt_curve *curve)
{
	const struct kt_plateau *plateau = &curve->plateaus[curve->choice.plateau];
	const struct kt_curve_point *point = &curve->points[plateau->first];

	say_range(text, curve);
	say(text,
	    "what is done most often shows as cycles of more than one state in none; the "
	    "smallest machine on a plateau (k = %" PRIu64 " to %" PRIu64 ": ",
	    point->row.k, curve->points[plateau->last].row.k);
	say_size(text, &point->row);
	say(text,
	    ") in which most kinds of letters that repeat (%" PRIu64 " of %" PRIu64 ") do",
	    point->measures.kinds_in_cycles, point->measures.kinds);
}

static void say_no_cycles(struct text *text, const struct kt_curve *curve)
{
	const struct kt_curve_point *point = &curve->points[curve->choice.point];

	say_range(text, curve);
	say(text, "in none %sdoes repeated work show as cycles of more than one state; ",
	    point->measured ? "" : "that could be measured ");
	if (!point->measured) {
		say(text, "the smallest that is too large for that (");
	} else if (curve->choice.kind == KT_CHOICE_ORDER) {
		say(text, "the smallest at which no more than half of the letters mix on "
			  "self-loops (");
	} else {
		say(text, "the largest, as letters mix on self-loops everywhere (");
	}
	say_size(text, &point->row);
	say(text, ")");
}

void kt_say_choice(char out[KT_SAY_SIZE], const struct kt_curve *curve)
{
	struct text text = {.out = out};

	switch (curve->choice.kind) {
	case KT_CHOICE_PLATEAU: say_good(&text, curve); break;
	case KT_CHOICE_CYCLES: say_no_plateau(&text, curve); break;
	case KT_CHOICE_KINDS: say_kinds(&text, curve); break;
	case KT_CHOICE_ORDER:
	case KT_CHOICE_LAST: say_no_cycles(&text, curve); break;
	}
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
