/* SPDX-License-Identifier: MIT */
/* Writes a score as JSON of the format "ktail-score/1", see ktail-score(1). */
#include <math.h>

#include <ktail/status.h>

#include "base/json-writer.h"
#include "infer/ktail/score-report.h"

static void write_number(struct kt_json_writer *w, const char *name, double number)
{
	if (isfinite(number)) {
		kt_json_print(w, name, "%.6f", number);
	} else {
		KT_JSON(w, KT_RAW(name, "null"));
	}
}

static void write_machine(struct kt_json_writer *w, const char *what,
			  const struct kt_score_report_machine *machine)
{
	const struct kt_fsm *fsm = machine->fsm;

	KT_OBJECT(kt_json_line(w), what, KT_STR("name", machine->name),
		  KT_KNOWN("k", fsm->k, !fsm->no_k), KT_U64("states", fsm->n_states),
		  KT_U64("transitions", fsm->n_transitions));
}

/* Writes the beginning of an object; the caller ends it. */
static void write_share(struct kt_json_writer *w, const char *name,
			const struct kt_score_share *share)
{
	kt_json_object(w, name);
	KT_JSON(w, KT_U64("part", share->part), KT_U64("whole", share->whole));
	write_number(w, "share", share->value);
}

static void write_walks(struct kt_json_writer *w, const char *name,
			const struct kt_score_walks *walks)
{
	kt_json_object(kt_json_line(w), name);
	write_share(w, "words", &walks->words);
	write_number(w, "low", walks->words.low);
	write_number(w, "high", walks->words.high);
	write_number(w, "expected", walks->words_expected);
	kt_json_end(w);
	write_share(kt_json_line(w), "letters", &walks->letters);
	write_number(w, "expected", walks->letters_expected);
	kt_json_end(w);
	KT_JSON(kt_json_line(w), KT_U64("stuck", walks->stuck));
	kt_json_end(w);
}

/* Writes each reachable transition whose fate is not KT_SCORE_COVERED. */
static void write_transitions(struct kt_json_writer *w,
			      const struct kt_score_report *report, int truth)
{
	const struct kt_score_figures *f = kt_score_figures(report->score);
	const struct kt_score_transitions *all = truth ? &f->truth : &f->machine;
	const kt_compare *compare = kt_score_compare(report->score);
	const struct kt_fsm *fsm = report->machine[truth].fsm;
	static const char *const fates[] = {"covered", "partly", "lacking", "out of way",
					    "unreachable"};

	kt_json_object(kt_json_line(w),
		       truth ? "truth_transitions" : "machine_transitions");
	write_share(w, "covered", &all->covered);
	kt_json_end(w);
	KT_JSON(w, KT_U64("partly", all->partly));
	kt_json_array(kt_json_line(w), truth ? "missed" : "untrue");
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];
		enum kt_score_fate what = kt_score_report_fate(report, truth, i);
		uint64_t n_word;

		if (what == KT_SCORE_COVERED || what == KT_SCORE_UNREACHABLE) {
			continue;
		}
		n_word = kt_score_report_word(report, truth, i);
		kt_json_object(kt_json_line(w), NULL);
		KT_JSON(w, KT_U64("from", t->from),
			KT_STR("letter", fsm->letters[t->letter]), KT_U64("to", t->to),
			KT_STR("why", fates[what]));
		if (n_word > 0) {
			kt_json_array(kt_json_line(w), "word");
			for (uint64_t j = 0; j < n_word; j++) {
				kt_json_text(w,
					     kt_compare_letter(compare, report->word[j]));
			}
			kt_json_end(w);
		}
		kt_json_end(w);
	}
	kt_json_end(w);
	kt_json_end(w);
}

int kt_score_write_json(FILE *out, const void *result)
{
	static const char *const answers[] = {"false", "true", "null"};
	const struct kt_score_report *report = result;
	const struct kt_score_figures *f = kt_score_figures(report->score);
	const struct kt_score_language *l = &f->language;
	struct kt_json_writer w = kt_json_document(out, "ktail-score/1");

	write_machine(&w, "machine", &report->machine[0]);
	write_machine(&w, "truth", &report->machine[1]);
	KT_OBJECT(kt_json_line(&w), "walks", KT_U64("number", report->options.walks),
		  KT_U64("length", report->options.length),
		  KT_U64("seed", report->options.seed),
		  KT_STR("by",
			 report->options.choice == KT_SCORE_COUNTS ? "counts" : "uniform"));
	write_walks(&w, "precision", &f->precision);
	write_walks(&w, "recall", &f->recall);
	kt_json_object(kt_json_line(&w), "f1");
	write_number(&w, "words", f->f1);
	write_number(&w, "letters", f->letters_f1);
	kt_json_end(&w);
	write_share(kt_json_line(&w), "exactness", &f->exactness);
	write_number(&w, "expected", f->exactness_expected);
	kt_json_end(&w);
	kt_json_object(kt_json_line(&w), "language");
	KT_JSON(&w, KT_BOOL("equal", l->equal),
		KT_RAW("machine_in_truth", answers[l->precise]),
		KT_RAW("truth_in_machine", answers[l->recalls]),
		KT_BOOL("complete", l->complete));
	write_share(kt_json_line(&w), "exact_pairs", &l->exact);
	kt_json_end(&w);
	write_share(kt_json_line(&w), "next_precision", &l->next_precision);
	kt_json_end(&w);
	write_share(kt_json_line(&w), "next_recall", &l->next_recall);
	kt_json_end(&w);
	kt_json_end(&w);
	write_transitions(&w, report, 1);
	write_transitions(&w, report, 0);
	return kt_json_finish(&w, "write score as JSON");
}
