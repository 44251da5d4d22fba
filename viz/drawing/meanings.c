/* SPDX-License-Identifier: MIT */
#include "viz/drawing/meanings.h"

#include <math.h>
#include <string.h>

#include "viz/drawing/dot-text.h"

/* Limits of a state's label: bytes in a line of several words, and number of lines. */
#define LINE_LIMIT 16
#define MOST_LINES 4

static const struct {
	const char *phase;
	struct kt_colour tint;
	struct kt_colour grey; /* for pictures without colour */
} tints[] = {
	{"CREATE", {0xd9, 0xe8, 0xf7}, {0xff, 0xff, 0xff}},
	{"INIT", {0xdd, 0xf0, 0xdc}, {0xec, 0xec, 0xec}},
	{"USE", {0xfd, 0xee, 0xc8}, {0xd8, 0xd8, 0xd8}},
	{"DESTROY", {0xf3, 0xdd, 0xe8}, {0xc2, 0xc2, 0xc2}},
};
#define KNOWN (sizeof(tints) / sizeof(tints[0]))

static size_t rank_of(const char *phase)
{
	size_t i = 0;

	while (i < KNOWN && strcmp(tints[i].phase, phase) != 0) {
		i++;
	}
	return i;
}

struct kt_colour kt_phase_tint(const char *phase)
{
	size_t rank = rank_of(phase);

	if (kt_colours_are_grey() && rank < KNOWN) {
		return tints[rank].grey;
	}
	return rank < KNOWN ? tints[rank].tint : (struct kt_colour){0xe8, 0xe8, 0xea};
}

size_t kt_phases_of(const char **phases, size_t most_phases, const struct kt_fsm *fsm)
{
	size_t n = 0;

	for (size_t i = 0; i < fsm->n_states; i++) {
		const char *phase = fsm->states[i].phase;
		size_t rank = phase ? rank_of(phase) : 0;
		size_t at = 0;

		while (phase && at < n &&
		       (rank_of(phases[at]) < rank ||
			(rank_of(phases[at]) == rank && strcmp(phases[at], phase) < 0))) {
			at++;
		}
		if (!phase || (at < n && strcmp(phases[at], phase) == 0) ||
		    n == most_phases) {
			continue;
		}
		memmove(&phases[at + 1], &phases[at], (n - at) * sizeof(*phases));
		phases[at] = phase;
		n++;
	}
	return n;
}

void kt_label_put_share(FILE *out, double share)
{
	if (share > 0 && share < 1) {
		/* Do not round to 0 % or 100 %: the share is neither. */
		fprintf(out, "%.0f %% ", fmin(fmax(100 * share, 1), 99));
	}
}

void kt_label_put_lines(FILE *out, const char *label, double share)
{
	for (size_t line = 0; *label && line < MOST_LINES; line++) {
		char text[4 * LINE_LIMIT + 8];
		size_t n = strcspn(label, " ");

		/* Break lines at blanks only; each line takes at least one word. */
		if (n == 0) {
			n = 1 + strcspn(label + 1, " ");
		}
		while (label[n]) {
			size_t more = n + 1 + strcspn(label + n + 1, " ");

			if (more > LINE_LIMIT) {
				break;
			}
			n = more;
		}
		snprintf(text, sizeof(text), "%.*s",
			 n < sizeof(text) ? (int)n : (int)sizeof(text) - 1, label);
		fputs("\\n", out);
		kt_label_put_share(out, line == 0 ? share : 0);
		kt_dot_put_some(out, KT_DOT_LABEL, text, 2 * LINE_LIMIT);
		label += n;
		label += *label == ' ';
	}
	if (*label) {
		fputs("…", out);
	}
}
