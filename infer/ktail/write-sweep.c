/* SPDX-License-Identifier: MIT */
/* Writes a sweep as JSON and as a table. */
#include "infer/ktail/sweep-result.h"

#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "base/terminal.h"
#include "base/json-writer.h"
#include "base/table.h"
#include "base/try.h"
#include "infer/graph/say-choice.h"

/* Writes a share with four decimals. */
static void write_share(FILE *out, uint64_t part, uint64_t whole)
{
	uint64_t share = kt_share(part, whole);

	fprintf(out, "%" PRIu64 ".%04" PRIu64, share / 10000, share % 10000);
}

/* --- JSON --- */

static void write_size(struct kt_json_writer *w, const struct kt_sweep_row *row)
{
	KT_JSON(w, KT_U64("states", row->states), KT_U64("transitions", row->transitions),
		KT_U64("complex", row->complex));
}

/* Returns the rows of a cross-validation, one for each k; NULL if there is none. */
static const struct kt_cross_row *cross_rows(const struct kt_sweep_part *part)
{
	size_t n;

	return part->cross ? kt_cross_rows(part->cross, &n) : NULL;
}

static void write_rows(struct kt_json_writer *w, const struct kt_sweep_part *part)
{
	const struct kt_curve *curve = &part->curve;
	const struct kt_cross_row *cross = cross_rows(part);

	if (cross) {
		KT_JSON(kt_json_line(w), KT_U64("folds", kt_cross_folds(part->cross)));
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
			write_share(kt_json_stream(w, "self_loops"), m->self_loops,
				    m->letters);
			write_share(kt_json_stream(w, "cycles"), m->cycles, m->letters);
			write_share(kt_json_stream(w, "mixed"), m->mixed, m->letters);
		} else {
			KT_JSON(w, KT_RAW("self_loops", "null"), KT_RAW("cycles", "null"),
				KT_RAW("mixed", "null"));
		}
		if (cross) {
			KT_JSON(w, KT_U64("held_out", cross[i].words),
				KT_U64("accepted", cross[i].accepted));
			write_share(kt_json_stream(w, "fitting"), cross[i].fitting,
				    cross[i].letters);
		}
		kt_json_end(w);
	}
	kt_json_end(kt_json_line(w));
}

static void write_part(struct kt_json_writer *w, const struct kt_sweep_part *part)
{
	const struct kt_curve *curve = &part->curve;
	const struct kt_plateau *plateau;
	char text[KT_SAY_SIZE];

	KT_JSON(kt_json_line(w),
		KT_RAW("alphabet", part->alphabet_json ? part->alphabet_json : "null"));
	KT_JSON(kt_json_line(w), KT_U64("words", curve->words),
		KT_U64("events", curve->letters));
	write_rows(w, part);
	kt_json_rows(kt_json_line(w), "plateaus");
	for (size_t i = 0; i < curve->n_plateaus; i++) {
		const struct kt_sweep_row *row;

		plateau = &curve->plateaus[i];
		row = &curve->points[plateau->first].row;
		kt_json_object(w, NULL);
		KT_JSON(w, KT_U64("from", row->k),
			KT_U64("to", curve->points[plateau->last].row.k));
		write_size(w, row);
		KT_JSON(w, KT_BOOL("candidate", plateau->verdict == KT_VERDICT_GOOD));
		kt_say_plateau(text, curve, plateau);
		KT_JSON(kt_json_line(w), KT_STR("reason", text));
		kt_json_end(w);
	}
	kt_json_end(w);
	kt_say_choice(text, curve);
	kt_json_object(kt_json_line(w), "auto");
	KT_JSON(w, KT_U64("k", curve->points[curve->choice.point].row.k),
		KT_BOOL("convincing", curve->choice.kind == KT_CHOICE_PLATEAU));
	KT_JSON(kt_json_line(w), KT_STR("reason", text));
	kt_json_array(kt_json_line(w), "runners_up");
	for (size_t i = 0; (plateau = kt_runner_up(curve, i)) != NULL; i++) {
		kt_json_number(w, curve->points[plateau->first].row.k);
	}
	kt_json_end(w);
	kt_json_end(w);
}

int kt_sweep_write_json(FILE *out, const void *result)
{
	const struct kt_sweep_result *sweep = result;
	const bool grouped = sweep->parts[0].group != NULL;
	struct kt_json_writer w =
		kt_json_document(out, grouped ? "ktail-sweeps/1" : "ktail-sweep/1");

	KT_JSON(&w, KT_STR("machine", sweep->machine), KT_STR("word", sweep->word));
	if (!grouped) {
		write_part(&w, &sweep->parts[0]);
		return kt_json_finish(&w, "write sweep as JSON");
	}
	kt_json_rows(kt_json_line(&w), "groups");
	for (size_t i = 0; i < sweep->n; i++) {
		kt_json_object(&w, NULL);
		KT_JSON(&w, KT_STR("group", sweep->parts[i].group));
		write_part(&w, &sweep->parts[i]);
		kt_json_end(&w);
	}
	kt_json_end(&w);
	return kt_json_finish(&w, "write sweep as JSON");
}

/* --- tables --- */

static const struct kt_column columns[] = {
	{"group", "group", KT_COLUMN_TEXT, 0}, /* with --group */
	{"k", "k", KT_COLUMN_COUNT, 0},
	{"states", "states", KT_COLUMN_COUNT, 0},
	{"transitions", "transitions", KT_COLUMN_COUNT, 0},
	{"complex", "complex", KT_COLUMN_COUNT, 0},
	{"components", "components", KT_COLUMN_COUNT, 3},
	{"shortest_cycle", "shortest cycle", KT_COLUMN_COUNT, 3},
	{"cycle_states", "cycle states", KT_COLUMN_COUNT, 2},
	{"self_loops", "self-loops", KT_COLUMN_SHARE, 1},
	{"cycles", "cycles", KT_COLUMN_SHARE, 1},
	{"mixed", "mixed", KT_COLUMN_SHARE, 1},
	/* with --cross-validate */
	{"held_out", "held out", KT_COLUMN_COUNT, 0},
	{"accepted", "accepted", KT_COLUMN_COUNT, 0},
	{"fitting", "fitting", KT_COLUMN_SHARE, 0},
};

#define N_SIZES    4
#define N_MEASURES 6
#define N_CROSS    3

/* Returns whether row `i` equals the row before it, except for k. */
static bool repeats(const struct kt_sweep_part *part, size_t i)
{
	const struct kt_curve_point *a = &part->curve.points[i];
	const struct kt_curve_point *b = a - 1;
	const struct kt_cross_row *cross = cross_rows(part);

	return i > 0 && a->row.states == b->row.states &&
	       a->row.transitions == b->row.transitions &&
	       a->row.complex == b->row.complex && a->measured == b->measured &&
	       (!a->measured ||
		memcmp(&a->measures, &b->measures, sizeof(a->measures)) == 0) &&
	       (!cross || (cross[i].accepted == cross[i - 1].accepted &&
			   cross[i].fitting == cross[i - 1].fitting));
}

static int add_rows(struct kt_table *out, const struct kt_sweep_part *part, bool all)
{
	const struct kt_curve *curve = &part->curve;
	const struct kt_cross_row *cross = cross_rows(part);

	for (size_t i = 0; i < curve->n_points; i++) {
		const struct kt_curve_point *point = &curve->points[i];
		const struct kt_measures *m = &point->measures;
		const struct kt_cell sizes[N_SIZES] = {
			KT_CELL(point->row.k), KT_CELL(point->row.states),
			KT_CELL(point->row.transitions), KT_CELL(point->row.complex)};
		const struct kt_cell measures[N_MEASURES] = {
			KT_CELL(m->components),
			KT_CELL(m->shortest_cycle),
			KT_CELL(m->cycle_states),
			KT_CELL(kt_share(m->self_loops, m->letters)),
			KT_CELL(kt_share(m->cycles, m->letters)),
			KT_CELL(kt_share(m->mixed, m->letters))};
		struct kt_cell *cells;

		if (!all && repeats(part, i)) {
			continue;
		}
		KT_TRY(kt_table_add(out, &cells));
		if (part->group) {
			*cells++ = (struct kt_cell)KT_TEXT_CELL(part->group);
		}
		memcpy(cells, sizes, sizeof(sizes));
		cells += N_SIZES;
		if (point->measured) {
			memcpy(cells, measures, sizeof(measures));
		}
		cells += N_MEASURES;
		if (cross) {
			const struct kt_cell held_out[N_CROSS] = {
				KT_CELL(cross[i].words), KT_CELL(cross[i].accepted),
				KT_CELL(kt_share(cross[i].fitting, cross[i].letters))};

			memcpy(cells, held_out, sizeof(held_out));
		}
	}
	return KT_OK;
}

/*
 * Makes a table of the rows of all k. Without `all`, leaves out each row that repeats the
 * row before it.
 */
static int make_rows(struct kt_table *out, const void *result, bool all)
{
	const struct kt_sweep_result *sweep = result;

	*out = KT_TABLE_OF(columns);
	out->n_columns -= sweep->parts[0].cross ? 0 : N_CROSS;
	if (!sweep->parts[0].group) {
		out->columns++;
		out->n_columns--;
	}
	out->all_in = "-o FILE.tsv";
	for (size_t i = 0; i < sweep->n; i++) {
		KT_TRY(add_rows(out, &sweep->parts[i], all));
	}
	return KT_OK;
}

static int make_table(struct kt_table *out, const void *result)
{
	return make_rows(out, result, true);
}

static int make_text(struct kt_table *out, const void *result)
{
	return make_rows(out, result, false);
}

static int write_table(FILE *out, const void *result, kt_table_make_fn *make,
		       kt_table_print_fn *print)
{
	KT_TRY(kt_table_output(out, result, make, print));
	return ferror(out) ? kt_error_errno(KT_E_IO, "write sweep") : KT_OK;
}

/* Writes the table as text, without rows that repeat the row before them. */
static int write_text(FILE *out, const void *result, kt_table_print_fn *print)
{
	const struct kt_sweep_result *sweep = result;
	bool left_out = false;

	for (size_t i = 0; i < sweep->n; i++) {
		for (size_t j = 0; j < sweep->parts[i].curve.n_points; j++) {
			left_out = left_out || repeats(&sweep->parts[i], j);
		}
	}
	KT_TRY(write_table(out, result, make_text, print));
	if (left_out) {
		fputs("A k that is left out has the row of the k before it.\n", out);
	}
	fputs("Without --k, ktail chooses k = ", out);
	for (size_t i = 0; i < sweep->n; i++) {
		const struct kt_sweep_part *part = &sweep->parts[i];
		const struct kt_curve *curve = &part->curve;

		fprintf(out, "%s%" PRIu64 "%s%s", i ? ", " : "",
			curve->points[curve->choice.point].row.k,
			part->group ? " for " : "", part->group ? part->group : "");
	}
	fputs(".\n", out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write sweep") : KT_OK;
}

int kt_sweep_write_table(FILE *out, const void *result)
{
	return kt_terminal_width(out)
		       ? write_text(out, result, kt_table_print_here)
		       : write_table(out, result, make_table, kt_table_print_tsv);
}

int kt_sweep_write_csv(FILE *out, const void *result)
{
	return write_table(out, result, make_table, kt_table_print_csv);
}

int kt_sweep_write_text(FILE *out, const void *result)
{
	return write_text(out, result, kt_table_print_whole);
}
