/* SPDX-License-Identifier: MIT */
#include "infer/ktail/auto-k.h"

#include <inttypes.h>
#include <stdio.h>

#include <ktail/status.h>

#include "base/terminal.h"
#include "base/try.h"
#include "infer/graph/say-choice.h"

#define RUNNERS_UP 3 /* maximum number of other plateaus reported; they fit in `line` */
#define INDENT     7 /* length of "ktail: " */

uint64_t kt_auto_k_largest(const kt_words *words)
{
	uint64_t longest = 1;

	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint64_t n;

		if (kt_words_get(words, i, &info, &n) == KT_OK && n > longest) {
			longest = n;
		}
	}
	return longest < KT_AUTO_K_MAX ? longest : KT_AUTO_K_MAX;
}

void kt_auto_k_say(const struct kt_curve *curve, const char *group)
{
	const size_t width = kt_terminal_width(stderr);
	const struct kt_plateau *plateau;
	char text[KT_SAY_SIZE];
	char line[KT_SAY_SIZE + 64 + KT_GROUP_SIZE];
	char of[KT_GROUP_SIZE + 2] = "";
	size_t n = 0;

	kt_say_choice(text, curve);
	if (group) {
		snprintf(of, sizeof(of), "%s: ", group);
	}
	snprintf(line, sizeof(line), "ktail: %s%sk = %" PRIu64 ": %s",
		 curve->choice.kind == KT_CHOICE_PLATEAU ? "" : "warning: ", of,
		 curve->points[curve->choice.point].row.k, text);
	kt_print_wrapped(stderr, line, 0, INDENT, width);
	for (size_t i = 0; i < RUNNERS_UP && (plateau = kt_runner_up(curve, i)); i++) {
		const struct kt_sweep_row *row = &curve->points[plateau->first].row;

		n += (size_t)snprintf(line + n, sizeof(line) - n,
				      "%s%s%s%" PRIu64 " to %" PRIu64 " (%" PRIu64
				      " states)",
				      i ? ", " : "ktail: ", i ? "" : of,
				      i ? "" : "other plateaus: k = ", row->k,
				      curve->points[plateau->last].row.k, row->states);
	}
	if (n > 0) {
		kt_print_wrapped(stderr, line, 0, INDENT, width);
	}
}

int kt_auto_k(uint64_t *k, const kt_words *words, enum kt_machine machine)
{
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	struct kt_curve curve;
	int code;

	options.lo = 1;
	options.hi = kt_auto_k_largest(words);
	options.machine = machine;
	KT_TRY_END(kt_curve_make(&curve, words, &options));
	*k = curve.points[curve.choice.point].row.k;
	kt_auto_k_say(&curve, NULL);
end:
	kt_curve_clear(&curve);
	return code;
}
