/* SPDX-License-Identifier: MIT */
#include "infer/ktail/sweep-result.h"

#include <inttypes.h>

#include <ktail/status.h>

#include "infer/ktail/share.h"

static void write_measures(FILE *out, const struct kt_measures *m)
{
	fprintf(out, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, m->components,
		m->shortest_cycle, m->cycle_states);
	putc('\t', out);
	kt_share_write(out, m->self_loops, m->letters);
	putc('\t', out);
	kt_share_write(out, m->cycles, m->letters);
	putc('\t', out);
	kt_share_write(out, m->mixed, m->letters);
}

static void write_cross(FILE *out, const struct kt_cross_row *row)
{
	fprintf(out, "\t%" PRIu64 "\t%" PRIu64 "\t", row->words, row->accepted);
	kt_share_write(out, row->fitting, row->letters);
}

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

		fprintf(out, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
			point->row.k, point->row.states, point->row.transitions,
			point->row.complex);
		if (point->measured) {
			write_measures(out, &point->measures);
		} else {
			fputs("\t\t\t\t\t\t", out);
		}
		if (cross) {
			write_cross(out, &cross[i]);
		}
		putc('\n', out);
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write sweep as TSV") : KT_OK;
}
