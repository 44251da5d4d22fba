/* SPDX-License-Identifier: MIT */
#include "annotate/table/figures.h"

const char *kt_figure_key(enum kt_figure figure)
{
	static const struct kt_column columns[] = {KT_FIGURES(KT_FIGURE_COLUMN)};

	return columns[figure].key;
}

void kt_figures_add(struct kt_figures *sum, const struct kt_figures *more)
{
	for (size_t i = 0; i < KT_FIGURE_COUNT; i++) {
		sum->n[i] += more->n[i];
	}
}

void kt_figures_add_copy(struct kt_figures *sum, enum kt_figure way, uint64_t bytes,
			 uint64_t n)
{
	/* Of the five sizes all but the last. */
	static const uint64_t ends[] = {64, 4096, 24576, 1048576};
	enum kt_figure sizes = way == KT_FIGURE_INLINE   ? KT_FIGURE_INLINE_TO_64
			       : way == KT_FIGURE_DIRECT ? KT_FIGURE_DIRECT_TO_64
							 : KT_FIGURE_STAGED_TO_64;
	size_t size = 0;

	while (size < sizeof(ends) / sizeof(ends[0]) && bytes > ends[size]) {
		size++;
	}
	sum->n[way] += n;
	sum->n[way + 1] += bytes * n; /* the way's bytes stand behind it */
	sum->n[KT_FIGURE_COPIED] += bytes * n;
	sum->n[sizes + size] += n;
}
