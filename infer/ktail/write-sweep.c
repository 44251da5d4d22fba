/* SPDX-License-Identifier: MIT */
/* A sweep as JSON and as a table. */
#include "infer/ktail/sweep-result.h"

#include <inttypes.h>

#include <ktail/status.h>

#include "base/json-writer.h"
#include "infer/graph/say-choice.h"

/*
 * Writes part / whole, rounded, with four digits after the point, so that it is the same
 * everywhere; 0 of 0 is 0.
 */
static void write_share(FILE *out, const char *before, uint64_t part, uint64_t whole)
{
	double share = whole ? (double)part / (double)whole : 0;
	unsigned digits = (unsigned)(share * 10000 + 0.5);

	fprintf(out, "%s%u.%04u", before, digits / 10000, digits % 10000);
}

/* --- JSON --- */

static void write_size(struct kt_json_writer *w, const struct kt_sweep_row *row)
{
	KT_JSON(w, KT_U64("states", row->states), KT_U64("transitions", row->transitions),
		KT_U64("complex", row->complex));
}

static void write_rows(struct kt_json_writer *w, const struct kt_sweep_result *sweep)
{
	const struct kt_curve *curve = &sweep->curve;
	size_t n;
	const struct kt_cross_row *cross =
		sweep->cross ? kt_cross_rows(sweep->cross, &n) : NULL;

	if (cross) {
		KT_JSON(kt_json_line(w), KT_U64("folds", kt_cross_folds(sweep->cross)));
	}
	kt_json_rows(kt_json_line(w), "rows");
	for (size_t i = 0; i < curve->n_points; i++) {
		const struct kt_curve_point *point = &curve->points[i];
		const struct kt_measures *m = &point->measures;

		kt_json_object(w, NULL);
		KT_JSON(w, KT_U64("k", point->row.k));
		write_size(w, &point->row);
		KT_JSON(w, KT_KNOWN("components", m->components, point->measured),
			KT_KNOWN("shortest_cycle", m->shortest_cycle, point->measured),
			KT_KNOWN("cycle_states", m->cycle_states, point->measured));
		if (point->measured) {
			write_share(kt_json_stream(w, "self_loops"), "", m->self_loops,
				    m->letters);
			write_share(kt_json_stream(w, "cycles"), "", m->cycles, m->letters);
			write_share(kt_json_stream(w, "mixed"), "", m->mixed, m->letters);
		} else {
			KT_JSON(w, KT_RAW("self_loops", "null"), KT_RAW("cycles", "null"),
				KT_RAW("mixed", "null"));
		}
		if (cross) {
			KT_JSON(w, KT_U64("held_out", cross[i].words),
				KT_U64("accepted", cross[i].accepted));
			write_share(kt_json_stream(w, "fitting"), "", cross[i].fitting,
				    cross[i].letters);
		}
		kt_json_end(w);
	}
	kt_json_end(kt_json_line(w));
}

int kt_sweep_write_json(FILE *out, const void *result)
{
	const struct kt_sweep_result *sweep = result;
	const struct kt_curve *curve = &sweep->curve;
	struct kt_json_writer w = kt_json_document(out, "ktail-sweep/1");
	const struct kt_plateau *plateau;
	char text[KT_SAY_SIZE];

	KT_JSON(&w, KT_STR("machine", sweep->machine), KT_STR("word", sweep->word));
	KT_JSON(kt_json_line(&w),
		KT_RAW("alphabet", sweep->alphabet_json ? sweep->alphabet_json : "null"));
	KT_JSON(kt_json_line(&w), KT_U64("words", curve->words),
		KT_U64("events", curve->letters));
	write_rows(&w, sweep);
	kt_json_rows(kt_json_line(&w), "plateaus");
	for (size_t i = 0; i < curve->n_plateaus; i++) {
		const struct kt_sweep_row *row;

		plateau = &curve->plateaus[i];
		row = &curve->points[plateau->first].row;
		kt_json_object(&w, NULL);
		KT_JSON(&w, KT_U64("from", row->k),
			KT_U64("to", curve->points[plateau->last].row.k));
		write_size(&w, row);
		KT_JSON(&w, KT_BOOL("candidate", plateau->verdict == KT_VERDICT_GOOD));
		kt_say_plateau(text, curve, plateau);
		KT_JSON(kt_json_line(&w), KT_STR("reason", text));
		kt_json_end(&w);
	}
	kt_json_end(&w);
	kt_say_choice(text, curve);
	kt_json_object(kt_json_line(&w), "auto");
	KT_JSON(&w, KT_U64("k", curve->points[curve->choice.point].row.k),
		KT_BOOL("convincing", curve->choice.kind == KT_CHOICE_PLATEAU));
	KT_JSON(kt_json_line(&w), KT_STR("reason", text));
	kt_json_array(kt_json_line(&w), "runners_up");
	for (size_t i = 0; (plateau = kt_runner_up(curve, i)) != NULL; i++) {
		kt_json_number(&w, curve->points[plateau->first].row.k);
	}
	kt_json_end(&w);
	kt_json_end(&w);
	return kt_json_finish(&w, "write sweep as JSON");
}

/* --- a table --- */

int kt_sweep_write_tsv(FILE *out, const void *result)
{
	const struct kt_sweep_result *sweep = result;
	const struct kt_curve *curve = &sweep->curve;
	size_t n;
	const struct kt_cross_row *cross =
		sweep->cross ? kt_cross_rows(sweep->cross, &n) : NULL;

	fputs("k\tstates\ttransitions\tcomplex\tcomponents\tshortest_cycle\tcycle_states"
	      "\tself_loops\tcycles\tmixed",
	      out);
	fputs(cross ? "\theld_out\taccepted\tfitting\n" : "\n", out);
	for (size_t i = 0; i < curve->n_points; i++) {
		const struct kt_curve_point *point = &curve->points[i];
		const struct kt_measures *m = &point->measures;

		fprintf(out, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
			point->row.k, point->row.states, point->row.transitions,
			point->row.complex);
		if (point->measured) {
			fprintf(out, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, m->components,
				m->shortest_cycle, m->cycle_states);
			write_share(out, "\t", m->self_loops, m->letters);
			write_share(out, "\t", m->cycles, m->letters);
			write_share(out, "\t", m->mixed, m->letters);
		} else {
			fputs("\t\t\t\t\t\t", out);
		}
		if (cross) {
			fprintf(out, "\t%" PRIu64 "\t%" PRIu64, cross[i].words,
				cross[i].accepted);
			write_share(out, "\t", cross[i].fitting, cross[i].letters);
		}
		putc('\n', out);
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write sweep as TSV") : KT_OK;
}
