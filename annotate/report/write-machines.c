/* SPDX-License-Identifier: MIT */
#include "annotate/report/write-report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/graph/say-choice.h"

/* Writes the JSON of the layout without the line end. */
static void put_layout(struct kt_report_writer *to, const char *layout)
{
	if (layout) {
		kt_json_print(&to->w, "layout", "%.*s", (int)strcspn(layout, "\n"), layout);
	} else {
		kt_json_key(&to->w, "layout");
		kt_json_null(&to->w);
	}
}

static int put_states(struct kt_report_writer *to, const struct kt_report_machine *m)
{
	kt_json_array(&to->w, "states");
	for (size_t i = 0; i < m->fsm->n_states; i++) {
		const struct kt_fsm_state *state = &m->fsm->states[i];

		kt_json_object(&to->w, NULL);
		KT_JSON(&to->w, KT_BOOL("final", state->ends > 0),
			KT_U64("visits", state->visits), KT_U64("ends", state->ends),
			KT_STR("phase", state->phase), KT_STR("label", state->label),
			KT_U64("role", m->annotate.annotation.state_roles[i]));
		kt_json_end(&to->w);
	}
	kt_json_end(&to->w);
	return KT_OK;
}

static int put_transitions(struct kt_report_writer *to, const struct kt_report_machine *m)
{
	kt_json_array(&to->w, "transitions");
	for (size_t i = 0; i < m->fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &m->fsm->transitions[i];

		kt_json_array(&to->w, NULL);
		kt_json_number(&to->w, t->from);
		kt_json_number(&to->w, t->to);
		kt_json_number(&to->w, t->letter);
		kt_json_number(&to->w, t->count);
		KT_TRY(kt_report_put_name(to, t->label));
		kt_json_number(&to->w, m->annotate.annotation.roles[i]);
		kt_json_end(&to->w);
	}
	kt_json_end(&to->w);
	return KT_OK;
}

static int put_machine(struct kt_report_writer *to, const struct kt_report_machine *m)
{
	kt_json_object(&to->w, NULL);
	KT_JSON(&to->w, KT_U64("k", m->fsm->k), KT_U64("from", m->from),
		KT_U64("to", m->to), KT_U64("initial", m->fsm->start));
	KT_TRY(put_states(to, m));
	KT_TRY(put_transitions(to, m));
	kt_json_array(&to->w, "words");
	for (size_t i = 0; i < m->fsm->n_words; i++) {
		kt_json_array(&to->w, NULL);
		kt_json_number(&to->w, m->fsm->words[i].entry);
		kt_json_number(&to->w, m->fsm->words[i].exit);
		kt_json_end(&to->w);
	}
	kt_json_end(&to->w);
	put_layout(to, m->layout);
	kt_json_end(&to->w);
	return KT_OK;
}

/*
 * Writes the letters, each with the meaning that most of its occurrences have in the chosen
 * machine.
 */
static int put_letters(struct kt_report_writer *to)
{
	const struct kt_report_machine *m = &to->report->machines[to->report->chosen];
	const struct kt_fsm *fsm = m->fsm;
	/* The most frequent transition of each letter. */
	const struct kt_fsm_transition **of = calloc(fsm->n_letters + 1, sizeof(*of));

	if (!of) {
		return kt_no_memory("write letters");
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (!of[t->letter] || t->count > of[t->letter]->count) {
			of[t->letter] = t;
		}
	}
	kt_json_array(&to->w, "letters");
	for (size_t i = 0; i < fsm->n_letters; i++) {
		const struct kt_fsm_transition *most = of[i];

		kt_json_object(&to->w, NULL);
		KT_JSON(&to->w, KT_STR("letter", fsm->letters[i]),
			KT_STR("name", kt_fsm_letter_name(fsm, i)),
			KT_STR("label", most ? most->label : NULL),
			KT_U64("role",
			       most ? m->annotate.annotation.roles[most - fsm->transitions]
				    : KT_LABEL_OTHER));
		kt_json_end(&to->w);
	}
	kt_json_end(&to->w);
	free(of);
	return KT_OK;
}

static void put_curve(struct kt_report_writer *to)
{
	const struct kt_curve *curve = &to->report->curve;
	char text[KT_SAY_SIZE];

	kt_json_array(&to->w, "sizes");
	for (size_t i = 0; i < curve->n_points; i++) {
		const struct kt_sweep_row *row = &curve->points[i].row;

		kt_json_array(&to->w, NULL);
		kt_json_number(&to->w, row->k);
		kt_json_number(&to->w, row->states);
		kt_json_number(&to->w, row->transitions);
		kt_json_number(&to->w, row->complex);
		kt_json_end(&to->w);
	}
	kt_json_end(&to->w);
	kt_json_array(&to->w, "plateaus");
	for (size_t i = 0; i < curve->n_plateaus; i++) {
		const struct kt_plateau *plateau = &curve->plateaus[i];

		kt_say_plateau(text, curve, plateau);
		kt_json_array(&to->w, NULL);
		kt_json_number(&to->w, curve->points[plateau->first].row.k);
		kt_json_number(&to->w, curve->points[plateau->last].row.k);
		kt_json_bool(&to->w, plateau->verdict == KT_VERDICT_GOOD);
		kt_json_text(&to->w, text);
		kt_json_end(&to->w);
	}
	kt_json_end(&to->w);
	if (to->report->options->has_k) {
		snprintf(text, sizeof(text), "it was asked for by --k");
	} else {
		kt_say_choice(text, curve);
	}
	KT_JSON(&to->w, KT_STR("why", text));
}

int kt_report_write_machines(struct kt_report_writer *to)
{
	const struct kt_report *r = to->report;

	KT_TRY(put_letters(to));
	kt_json_array(&to->w, "roles");
	for (int i = 0; i < KT_LABEL_ROLES; i++) {
		kt_json_text(&to->w, kt_label_role_name((enum kt_label_role)i));
	}
	kt_json_end(&to->w);
	put_curve(to);
	KT_JSON(&to->w, KT_U64("chosen", r->machines[r->chosen].fsm->k));
	kt_json_array(&to->w, "machines");
	for (size_t i = 0; i < r->n_machines; i++) {
		KT_TRY(put_machine(to, &r->machines[i]));
	}
	kt_json_end(&to->w);
	kt_json_key(&to->w, "distilled");
	if (r->distilled) {
		kt_json_text(&to->w, r->distilled);
	} else {
		kt_json_null(&to->w);
	}
	return KT_OK;
}
