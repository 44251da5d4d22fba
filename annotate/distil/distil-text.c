/* SPDX-License-Identifier: MIT */
#include "annotate/distil/distil.h"

#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#define LISTED 6

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/*
 * Writes the entries of `list` with their counts. The entries are labels or, if `texts` is
 * NULL, letters of `fsm`.
 */
static void put_counts(FILE *out, const char *what, const struct kt_distilled_list *list,
		       const struct kt_texts *texts, const struct kt_fsm *fsm)
{
	for (size_t i = 0; i < list->n && i < LISTED; i++) {
		uint32_t text = list->items[i].text;

		fprintf(out, "%s %s (%" PRIu64 ")", i ? "," : what,
			text == KT_NO_TEXT ? "no label"
			: texts            ? texts->items[text]
					   : kt_fsm_letter_name(fsm, text),
			list->items[i].count);
	}
	if (list->n > LISTED) {
		fprintf(out, ", %zu more", list->n - LISTED);
	}
	fputs(list->n ? "\n" : "", out);
}

/*
 * Writes how many states of the machine were merged into `state`, and the number of visits
 * for each reason.
 */
static void put_merges(FILE *out, const struct kt_distilled_state *state)
{
	const struct kt_distilled_merge *merges = state->merges;
	size_t n_states = 0;

	for (size_t i = 0; i < state->n_merges; i++) {
		n_states += i == 0 || merges[i].state != merges[i - 1].state;
	}
	if (n_states) {
		fprintf(out, "    of %zu state%s:\n", n_states, plural(n_states));
	}
	for (size_t i = 0; i < state->n_merges; i++) {
		uint64_t visits = 0;
		bool printed = false;

		for (size_t j = 0; j < state->n_merges; j++) {
			bool same = strcmp(merges[j].reason, merges[i].reason) == 0;

			printed = printed || (same && j < i);
			visits += same ? merges[j].visits : 0;
		}
		if (!printed) {
			fprintf(out, "      %" PRIu64 ": %s\n", visits, merges[i].reason);
		}
	}
}

static void put_calls(FILE *out, const struct kt_distilled_list *calls,
		      const struct kt_texts *texts)
{
	for (size_t j = 0; j < calls->n && j < LISTED; j++) {
		const struct kt_distilled_count *c = &calls->items[j];

		fputs(j ? ", " : "    user: ", out);
		if (c->text == KT_NO_TEXT) {
			fprintf(out, "outside of calls (%" PRIu64 " letter%s)", c->count,
				plural(c->count));
		} else {
			fprintf(out, "%s (%" PRIu64 " call%s, %" PRIu64 " letter%s)",
				texts->items[c->text], c->calls, plural(c->calls), c->count,
				plural(c->count));
		}
	}
	if (calls->n > LISTED) {
		fprintf(out, ", %zu more", calls->n - LISTED);
	}
	fputs(calls->n ? "\n" : "", out);
}

/* Writes, on one line, the states that follow state i. */
static void put_followers(FILE *out, const struct kt_distilled_column *column, size_t i)
{
	const char *between = "    on to:";

	for (size_t to = 0; to < column->n_states; to++) {
		uint64_t count = kt_distilled_edge(column, i, to)->count;

		if (count) {
			fprintf(out, "%s %s (%" PRIu64 ")", between,
				column->states[to].name, count);
			between = ",";
		}
	}
	fputs(between[0] == ',' ? "\n" : "", out);
}

/* Writes a line for each state that follows state i, with the letters. */
static void put_edges(FILE *out, const struct kt_distilled_column *column, size_t i,
		      const struct kt_fsm *fsm)
{
	for (size_t to = 0; to < column->n_states; to++) {
		const struct kt_distilled_edge *edge = kt_distilled_edge(column, i, to);

		if (!edge->count) {
			continue;
		}
		fprintf(out, "    on to %s (%" PRIu64 ")%s", column->states[to].name,
			edge->count, edge->letters.n ? "" : "\n");
		put_counts(out, ":", &edge->letters, NULL, fsm);
	}
}

static void put_column(FILE *out, const struct kt_distilled *distilled,
		       enum kt_state_column which, const struct kt_distilled_origin *origin)
{
	const struct kt_distilled_column *user = &distilled->columns[KT_COLUMN_USER];
	const struct kt_distilled_column *column = &distilled->columns[which];

	for (size_t i = 0; i < column->n_states; i++) {
		const struct kt_distilled_state *s = &column->states[i];

		if (!s->visits) {
			continue;
		}
		fprintf(out, "%s%s: %" PRIu64 " visit%s\n", s->name,
			s->paper ? "" : " (not in the figure of 2013)", s->visits,
			plural(s->visits));
		if (which == KT_COLUMN_USER) {
			put_counts(out, "    system:", &s->labels, origin->texts, NULL);
			put_counts(out, "    letters:", &s->letters, NULL, origin->fsm);
			put_calls(out, &s->calls, origin->texts);
			put_merges(out, s);
			put_followers(out, column, i);
			continue;
		}
		for (size_t j = 0; j < s->during.n; j++) {
			fprintf(out, "%s %s (%" PRIu64 ")", j ? "," : "    during:",
				user->states[s->during.items[j].text].name,
				s->during.items[j].count);
		}
		fputs(s->during.n ? "\n" : "", out);
		put_merges(out, s);
		put_edges(out, column, i, origin->fsm);
	}
}

int kt_distilled_write_text(FILE *out, const struct kt_distilled *distilled,
			    const struct kt_distilled_origin *origin)
{
	fprintf(out,
		"%" PRIu64 " letter%s of %" PRIu64 " word%s, %" PRIu64 " with a known end",
		distilled->letters, plural(distilled->letters), distilled->words,
		plural(distilled->words), distilled->ended);
	if (origin->unplaced) {
		fprintf(out, "; %" PRIu64 " letters are not in the machine",
			origin->unplaced);
	}
	putc('\n', out);
	fputs("\nUser interface: what the driver does for the program\n\n", out);
	put_column(out, distilled, KT_COLUMN_USER, origin);
	fputs("\nSystem interface: the lifetime of a buffer\n\n", out);
	put_column(out, distilled, KT_COLUMN_SYSTEM, origin);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write distilled machine as text")
			   : KT_OK;
}
