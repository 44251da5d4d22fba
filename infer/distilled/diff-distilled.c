/* SPDX-License-Identifier: MIT */
#include "infer/distilled/diff-distilled.h"

#include <inttypes.h>

#include <ktail/status.h>

/* --- origins --- */

enum origin { OLD, NEW, ORIGINS };

static const char *const origin_names[ORIGINS] = {"old", "new"};

static bool is_only(const struct kt_distilled_diff *diff, uint64_t in, enum origin origin)
{
	uint64_t old = diff->n_old < 64 ? (UINT64_C(1) << diff->n_old) - 1 : UINT64_MAX;

	return (in & (origin == OLD ? ~old : old)) == 0;
}

static bool is_shared(const struct kt_distilled_diff *diff, uint64_t in)
{
	return !is_only(diff, in, OLD) && !is_only(diff, in, NEW);
}

/*
 * Counts the letters that only `origin` has in a transition that both sides have. Returns 0
 * if the list of letters is not complete.
 */
static size_t count_letters(const struct kt_distilled_diff *diff,
			    const struct kt_distilled_arrow *arrow, enum origin origin)
{
	size_t n = 0;

	if (arrow->letters.more || arrow->letters.open || !is_shared(diff, arrow->in)) {
		return 0;
	}
	for (size_t i = 0; i < arrow->letters.n; i++) {
		n += is_only(diff, arrow->letters.items[i].in, origin);
	}
	return n;
}

/* --- differences --- */

/* Counts what only `origin` has in a column: states, transitions and letters. */
static size_t count(const struct kt_distilled_diff *diff,
		    const struct kt_drawn_column *column, enum origin origin)
{
	size_t n = 0;

	for (size_t i = 0; i < column->n_states; i++) {
		n += is_only(diff, column->states[i].in, origin);
	}
	for (size_t i = 0; i < column->n_arrows; i++) {
		n += is_only(diff, column->arrows[i].in, origin);
		n += count_letters(diff, &column->arrows[i], origin);
	}
	return n;
}

bool kt_distilled_differ(const struct kt_distilled_diff *diff)
{
	size_t n = 0;

	for (int origin = OLD; origin < ORIGINS; origin++) {
		n += count(diff, &diff->view->user, (enum origin)origin);
		n += count(diff, &diff->view->system, (enum origin)origin);
	}
	return n > 0;
}

/* --- text --- */

static void put_arrow(FILE *out, const struct kt_drawn_column *column,
		      const struct kt_distilled_arrow *a)
{
	fprintf(out, "    %s to %s", column->states[a->from].name,
		column->states[a->to].name);
}

/*
 * Writes letters of a transition with their counts: all letters if `all` is true, else the
 * letters that only `origin` has.
 */
static void put_letters(FILE *out, const struct kt_distilled_diff *diff,
			const struct kt_distilled_arrow *a, enum origin origin, bool all)
{
	const char *between = ": ";

	for (size_t i = 0; i < a->letters.n; i++) {
		const struct kt_distilled_line *l = &a->letters.items[i];

		if (all || is_only(diff, l->in, origin)) {
			fprintf(out, "%s%s (%" PRIu64 ")", between, l->text ? l->text : "?",
				l->count);
			between = ", ";
		}
	}
	if (all && a->letters.more) {
		fprintf(out, ", %" PRIu64 " more", a->letters.more);
	}
	putc('\n', out);
}

static void put_origin(FILE *out, const struct kt_distilled_diff *diff,
		       const struct kt_drawn_column *column, enum origin origin)
{
	bool headed = false;

	for (size_t i = 0; i < column->n_states; i++) {
		if (is_only(diff, column->states[i].in, origin)) {
			fprintf(out, "%s%s",
				headed ? ", " : "  states: ", column->states[i].name);
			headed = true;
		}
	}
	fputs(headed ? "\n" : "", out);
	headed = false;
	for (size_t i = 0; i < column->n_arrows; i++) {
		const struct kt_distilled_arrow *a = &column->arrows[i];

		if (is_only(diff, a->in, origin)) {
			fputs(headed ? "" : "  transitions:\n", out);
			headed = true;
			put_arrow(out, column, a);
			fprintf(out, " (%" PRIu64 ")", a->count);
			put_letters(out, diff, a, origin, true);
		}
	}
	headed = false;
	for (size_t i = 0; i < column->n_arrows; i++) {
		if (count_letters(diff, &column->arrows[i], origin)) {
			fputs(headed ? "" : "  letters of transitions that both have:\n",
			      out);
			headed = true;
			put_arrow(out, column, &column->arrows[i]);
			put_letters(out, diff, &column->arrows[i], origin, false);
		}
	}
}

static void put_column(FILE *out, const struct kt_distilled_diff *diff,
		       const struct kt_drawn_column *column, const char *title)
{
	size_t shared = 0;

	if (!column->n_states) {
		return;
	}
	for (size_t i = 0; i < column->n_arrows; i++) {
		shared += is_shared(diff, column->arrows[i].in);
	}
	fprintf(out, "\n%s: both have %zu of %zu transitions\n", title, shared,
		column->n_arrows);
	for (int origin = OLD; origin < ORIGINS; origin++) {
		if (count(diff, column, (enum origin)origin)) {
			fprintf(out, "\nonly %s:\n", origin_names[origin]);
			put_origin(out, diff, column, (enum origin)origin);
		}
	}
}

int kt_distilled_diff_write_text(FILE *out, const struct kt_distilled_diff *diff)
{
	fprintf(out, "old: %s\nnew: %s\n\n%s\n", diff->names[OLD], diff->names[NEW],
		kt_distilled_differ(diff)
			? "The distilled machines differ."
			: "The distilled machines have the same states, transitions and "
			  "letters.");
	put_column(out, diff, &diff->view->user, "User interface");
	put_column(out, diff, &diff->view->system, "System interface");
	return ferror(out) ? kt_error_errno(KT_E_IO, "write difference as text") : KT_OK;
}
