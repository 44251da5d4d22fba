/* SPDX-License-Identifier: MIT */
#include "annotate/phases/phases.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/graph/dominators.h"
#include "base/wrap.h"

#define GROUPS_MAX  64 /* 12 pairs of different phases x 2 to choose x 2 reasons = 48 */
#define NUMBERS_MAX 16 /* limit of state numbers shown per group */
#define PIECES_MAX  40 /* limit of course pieces shown */

static const char *name_of(int phase)
{
	return kt_api_phase_name((enum kt_api_phase)phase);
}

static void put_state(struct kt_wrap *line, const char *what, uint32_t state)
{
	if (state != KT_NO_STATE) {
		kt_wrap_put(line, ",");
		kt_wrap_put(line, " %s state %" PRIu32, what, state);
	}
}

static uint64_t sum_of(const struct kt_phase_table *table, int row, int column)
{
	uint64_t sum = 0;

	for (int i = 0; i < KT_PHASES; i++) {
		for (int j = 0; j < KT_PHASES; j++) {
			if ((row < 0 || i == row) && (column < 0 || j == column)) {
				sum += table->cells[i][j];
			}
		}
	}
	return sum;
}

static void put_table(const struct kt_phase_table *table, const char *rows,
		      const char *what, FILE *out)
{
	uint64_t agree = 0;
	uint64_t of = 0;

	fprintf(out, "  %s, %s (down) and by calls (across):\n  %10s", what, rows, "");
	for (int j = 1; j <= KT_PHASES; j++) {
		fprintf(out, " %9s", name_of(j % KT_PHASES));
	}
	putc('\n', out);
	for (int i = 1; i <= KT_PHASES; i++) {
		int row = i % KT_PHASES;

		if (sum_of(table, row, -1) == 0) {
			continue;
		}
		fprintf(out, "  %10s", name_of(row));
		for (int j = 1; j <= KT_PHASES; j++) {
			fprintf(out, " %9" PRIu64, table->cells[row][j % KT_PHASES]);
		}
		putc('\n', out);
	}
	for (int i = 1; i < KT_PHASES; i++) {
		agree += table->cells[i][i];
		of += sum_of(table, i, -1) - table->cells[i][KT_API_PHASE_NONE];
	}
	fprintf(out, "  %" PRIu64 " of %" PRIu64 " agree\n", agree, of);
}

/* States for which structure and calls disagree in the same way: same_way(). */
struct group {
	/* Weak: phases of the state `busiest`, which has most visits */
	const struct kt_phase_of *of;
	uint32_t busiest;
	size_t states;
	uint64_t visits;
};

static bool same_way(const struct kt_phase_of *a, const struct kt_phase_of *b)
{
	return a->structure == b->structure && a->calls == b->calls &&
	       a->taken == b->taken && strcmp(kt_phase_reason(a), kt_phase_reason(b)) == 0;
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a;
	const struct group *y = b;

	if (x->visits != y->visits) {
		return x->visits > y->visits ? -1 : 1;
	}
	return x->busiest < y->busiest ? -1 : x->busiest > y->busiest;
}

/* Fills groups[0..n), most visits first, and returns n. */
static size_t find_groups(struct group groups[GROUPS_MAX], const struct kt_phases *phases)
{
	const struct kt_fsm_state *states = phases->input->fsm->states;
	size_t n = 0;

	for (uint32_t i = 0; i < phases->check.n_states; i++) {
		const struct kt_phase_of *of = &phases->check.states[i];
		struct group *group = groups;

		if (!kt_phase_disagrees(of)) {
			continue;
		}
		while (group < groups + n && !same_way(group->of, of)) {
			group++;
		}
		if (group == groups + GROUPS_MAX) {
			continue;
		}
		n += group == groups + n;
		if (!group->of || states[i].visits > states[group->busiest].visits) {
			group->of = of;
			group->busiest = i;
		}
		group->states++;
		group->visits += states[i].visits;
	}
	qsort(groups, n, sizeof(*groups), compare_groups);
	return n;
}

static void put_group(const struct kt_phases *phases, const struct group *group, FILE *out)
{
	struct kt_wrap line = kt_wrap_line(out, 8);
	size_t n = 0;

	kt_wrap_put(&line, "    %zu state%s, %" PRIu64 " visit%s: %s by structure,",
		    group->states, group->states == 1 ? "" : "s", group->visits,
		    group->visits == 1 ? "" : "s", name_of(group->of->structure));
	kt_wrap_put(&line, " %s by calls, chosen %s:", name_of(group->of->calls),
		    name_of(group->of->taken));
	kt_wrap_words(&line, kt_phase_reason(group->of));
	kt_wrap_end(&line);
	if (group->states > 1) {
		/* Print the numbers of the first states in the group. */
		kt_wrap_put(&line, "      states");
		for (uint32_t i = 0; i < phases->check.n_states; i++) {
			const struct kt_phase_of *of = &phases->check.states[i];

			if (kt_phase_disagrees(of) && same_way(of, group->of) &&
			    n++ < NUMBERS_MAX) {
				kt_wrap_put(&line, " %" PRIu32, i);
			}
		}
		kt_wrap_put(&line, n > NUMBERS_MAX ? " ..." : "");
		kt_wrap_end(&line);
	}
	for (size_t i = 0; i < phases->n_examples; i++) {
		const struct kt_phase_example *e = &phases->examples[i];

		if (e->state == group->busiest) {
			kt_wrap_put(&line, "      state %" PRIu32 ": %s %s,", e->state,
				    phases->input->paths[e->trace], e->process);
			kt_wrap_put(&line, " event %" PRIu64 ", %.6f s:", e->seq,
				    (double)e->time / 1e9);
			kt_wrap_put(&line, " in %s", e->call ? e->call : "no call");
			kt_wrap_end(&line);
			return;
		}
	}
}

static void put_call(const struct kt_course_call *c, FILE *out)
{
	struct kt_wrap line = kt_wrap_line(out, 16);

	kt_wrap_put(&line, "    %-9s %-36s %6" PRIu64 " calls", name_of(c->phase),
		    c->name ? c->name : "(outside of calls)", c->calls);
	kt_wrap_put(&line, " %8" PRIu64 " letters", c->letters);
	kt_wrap_put(&line, " %6" PRIu64 " doorbells;", c->doorbells);
	for (int i = 1; i <= KT_PHASES; i++) {
		if (c->structure[i % KT_PHASES] > 0) {
			kt_wrap_put(&line, " %s %" PRIu64, name_of(i % KT_PHASES),
				    c->structure[i % KT_PHASES]);
		}
	}
	kt_wrap_end(&line);
}

int kt_phases_text(void *part, FILE *out)
{
	const struct kt_phases *phases = part;
	const struct kt_structure *s = &phases->structure;
	size_t n = phases->course.n_pieces;
	struct group groups[GROUPS_MAX] = {0};
	struct kt_wrap line = kt_wrap_line(out, 4);
	size_t n_groups;
	size_t states = 0;

	fputs("\nPhases\n", out);
	if (phases->refusal) {
		fprintf(out, "  by structure: none (%s)\n", phases->refusal);
	} else {
		kt_wrap_put(&line,
			    "  by structure: the work is %" PRIu32 " state%s %s %" PRIu64
			    " doorbell%s",
			    s->work_states, s->work_states == 1 ? "" : "s",
			    s->repeats ? "in a cycle with" : "between", s->doorbells,
			    s->doorbells == 1 ? "" : "s");
		put_state(&line, "entered only through", s->gate);
		put_state(&line, "left only through", s->exit);
		kt_wrap_end(&line);
	}
	if (phases->letters_of_calls == 0) {
		fputs("  by calls: none (no call in the traces implies a phase)\n", out);
		return KT_OK;
	}
	put_table(&phases->check.letters, "by structure", "letters", out);
	put_table(&phases->check.state_table, "by structure", "states", out);
	put_table(&phases->check.taken_letters, "as chosen", "letters", out);
	n_groups = find_groups(groups, phases);
	for (size_t i = 0; i < n_groups; i++) {
		states += groups[i].states;
	}
	if (n_groups > 0) {
		fprintf(out, "  %zu state%s on which they disagree:\n", states,
			states == 1 ? "" : "s");
	}
	for (size_t i = 0; i < n_groups; i++) {
		put_group(phases, &groups[i], out);
	}
	fputs("  by process and phase; each call with its phase, its letters by "
	      "structure:\n",
	      out);
	for (size_t i = 0; i < n && i < PIECES_MAX; i++) {
		const struct kt_course_piece *p = &phases->course.pieces[i];

		kt_wrap_put(&line, "  %s %s: %s,", phases->input->paths[p->trace],
			    p->process, name_of(p->phase));
		kt_wrap_put(&line, " %.6f to %.6f s,", (double)p->begin / 1e9,
			    (double)p->end / 1e9);
		kt_wrap_put(&line, " %" PRIu64 " letters, %" PRIu64 " doorbells",
			    p->letters, p->doorbells);
		kt_wrap_end(&line);
		for (size_t j = 0; j < p->n_calls; j++) {
			put_call(&p->calls[j], out);
		}
	}
	if (n > PIECES_MAX) {
		fprintf(out, "  and %zu more piece%s\n", n - PIECES_MAX,
			n - PIECES_MAX == 1 ? "" : "s");
	}
	return KT_OK;
}
