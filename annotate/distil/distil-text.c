/* SPDX-License-Identifier: MIT */
#include "annotate/distil/distil.h"

#include <inttypes.h>

#include <ktail/status.h>

#define LISTED 6

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Writes `list` with counts: labels, or, if `texts` is NULL, letters of `fsm`. */
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
			bool same = merges[j].reason == merges[i].reason;

			printed = printed || (same && j < i);
			visits += same ? merges[j].visits : 0;
		}
		if (!printed) {
			fprintf(out, "      %" PRIu64 ": %s\n", visits, merges[i].reason);
		}
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
	for (int i = 0; i < KT_DISTILLED_KINDS; i++) {
		const struct kt_distilled_state *s = &distilled->states[i];
		const char *between = "    on to:";

		if (!s->visits) {
			continue;
		}
		fprintf(out, "%s%s: %" PRIu64 " visit%s\n", kt_distilled_name(s->kind),
			kt_distilled_in_paper(s->kind) ? ""
						       : " (not in the figure of 2013)",
			s->visits, plural(s->visits));
		put_counts(out, "    system:", &s->labels, origin->texts, NULL);
		put_counts(out, "    letters:", &s->letters, NULL, origin->fsm);
		for (size_t j = 0; j < s->calls.n && j < LISTED; j++) {
			const struct kt_distilled_count *c = &s->calls.items[j];

			fputs(j ? ", " : "    user: ", out);
			if (c->text == KT_NO_TEXT) {
				fprintf(out, "outside of calls (%" PRIu64 " letter%s)",
					c->count, plural(c->count));
			} else {
				fprintf(out,
					"%s (%" PRIu64 " call%s, %" PRIu64 " letter%s)",
					origin->texts->items[c->text], c->calls,
					plural(c->calls), c->count, plural(c->count));
			}
		}
		if (s->calls.n > LISTED) {
			fprintf(out, ", %zu more", s->calls.n - LISTED);
		}
		fputs(s->calls.n ? "\n" : "", out);
		put_merges(out, s);
		for (int to = 0; to < KT_DISTILLED_KINDS; to++) {
			if (distilled->counts[i][to]) {
				fprintf(out, "%s %s (%" PRIu64 ")", between,
					kt_distilled_name((enum kt_distilled_kind)to),
					distilled->counts[i][to]);
				between = ",";
			}
		}
		fputs(between[0] == ',' ? "\n" : "", out);
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write distilled machine as text")
			   : KT_OK;
}
