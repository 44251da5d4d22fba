/* SPDX-License-Identifier: MIT */
/* A sweep as JSON and as a table. */
#include "infer/ktail/sweep-result.h"

#include <inttypes.h>

#include <ktail/status.h>

#include "infer/graph/say-choice.h"

/*
 * Writes part / whole, rounded, with four digits behind the point, so that it is the same
 * everywhere; 0 of 0 is 0.
 */
static void write_share(FILE *out, const char *before, uint64_t part, uint64_t whole)
{
	double share = whole ? (double)part / (double)whole : 0;
	unsigned digits = (unsigned)(share * 10000 + 0.5);

	fprintf(out, "%s%u.%04u", before, digits / 10000, digits % 10000);
}

/* --- JSON --- */

static void write_size(FILE *out, const struct kt_sweep_row *row)
{
	fprintf(out,
		", \"states\": %" PRIu64 ", \"transitions\": %" PRIu64
		", \"complex\": %" PRIu64,
		row->states, row->transitions, row->complex);
}

static void write_rows(FILE *out, const struct kt_sweep_result *sweep)
{
	const struct kt_curve *curve = &sweep->curve;
	size_t n;
	const struct kt_cross_row *cross =
		sweep->cross ? kt_cross_rows(sweep->cross, &n) : NULL;

	if (cross) {
		fprintf(out, "  \"folds\": %" PRIu64 ",\n", kt_cross_folds(sweep->cross));
	}
	fputs("  \"rows\": [", out);
	for (size_t i = 0; i < curve->n_points; i++) {
		const struct kt_curve_point *point = &curve->points[i];
		const struct kt_measures *m = &point->measures;

		fprintf(out, "%s\n    {\"k\": %" PRIu64, i ? "," : "", point->row.k);
		write_size(out, &point->row);
		if (point->measured) {
			fprintf(out,
				", \"components\": %" PRIu64
				", \"shortest_cycle\": %" PRIu64
				", \"cycle_states\": %" PRIu64,
				m->components, m->shortest_cycle, m->cycle_states);
			write_share(out, ", \"self_loops\": ", m->self_loops, m->letters);
			write_share(out, ", \"cycles\": ", m->cycles, m->letters);
			write_share(out, ", \"mixed\": ", m->mixed, m->letters);
		} else {
			fputs(", \"components\": null, \"shortest_cycle\": null, "
			      "\"cycle_states\": null, \"self_loops\": null, "
			      "\"cycles\": null, \"mixed\": null",
			      out);
		}
		if (cross) {
			fprintf(out, ", \"held_out\": %" PRIu64 ", \"accepted\": %" PRIu64,
				cross[i].words, cross[i].accepted);
			write_share(out, ", \"fitting\": ", cross[i].fitting,
				    cross[i].letters);
		}
		putc('}', out);
	}
	fputs("\n  ],\n", out);
}

int kt_sweep_write_json(FILE *out, const void *result)
{
	const struct kt_sweep_result *sweep = result;
	const struct kt_curve *curve = &sweep->curve;
	const struct kt_plateau *plateau;
	char text[KT_SAY_SIZE];

	/* None of the strings needs to be escaped: they are ours. */
	fprintf(out,
		"{ \"format\": \"ktail-sweep/1\", \"machine\": \"%s\", \"word\": \"%s\",\n"
		"  \"alphabet\": %s,\n  \"words\": %" PRIu64 ", \"events\": %" PRIu64 ",\n",
		sweep->machine, sweep->word,
		sweep->alphabet_json ? sweep->alphabet_json : "null", curve->words,
		curve->letters);
	write_rows(out, sweep);
	fputs("  \"plateaus\": [", out);
	for (size_t i = 0; i < curve->n_plateaus; i++) {
		const struct kt_sweep_row *row;

		plateau = &curve->plateaus[i];
		row = &curve->points[plateau->first].row;
		fprintf(out, "%s\n    {\"from\": %" PRIu64 ", \"to\": %" PRIu64,
			i ? "," : "", row->k, curve->points[plateau->last].row.k);
		write_size(out, row);
		kt_say_plateau(text, curve, plateau);
		fprintf(out, ", \"candidate\": %s,\n     \"reason\": \"%s\"}",
			plateau->verdict == KT_VERDICT_GOOD ? "true" : "false", text);
	}
	fputs(curve->n_plateaus ? "\n  ],\n" : "],\n", out);
	kt_say_choice(text, curve);
	fprintf(out,
		"  \"auto\": {\"k\": %" PRIu64 ", \"convincing\": %s,\n"
		"    \"reason\": \"%s\",\n    \"runners_up\": [",
		curve->points[curve->choice.point].row.k,
		curve->choice.kind == KT_CHOICE_PLATEAU ? "true" : "false", text);
	for (size_t i = 0; (plateau = kt_runner_up(curve, i)) != NULL; i++) {
		fprintf(out, "%s%" PRIu64, i ? ", " : "",
			curve->points[plateau->first].row.k);
	}
	fputs("]}\n}\n", out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write sweep as JSON") : KT_OK;
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
