/* SPDX-License-Identifier: MIT */
#include "annotate/labels/occurrences.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

int kt_occurrences_add(struct kt_occurrences *occurrences,
		       const struct kt_labelled *labelled)
{
	struct kt_occurrence occurrence = {
		.placed = *labelled->placed, .trace = labelled->trace, .label = SIZE_MAX};
	size_t i = occurrences->n_labels;

	/* Labels are few; the last one often comes again. */
	while (labelled->label && i > 0 &&
	       strcmp(occurrences->labels[i - 1], labelled->label) != 0) {
		i--;
	}
	if (labelled->label && i == 0) {
		KT_TRY(kt_array_reserve(&occurrences->labels, &occurrences->labels_capacity,
					occurrences->n_labels + 1));
		occurrences->labels[occurrences->n_labels] = strdup(labelled->label);
		if (!occurrences->labels[occurrences->n_labels]) {
			return kt_no_memory("keep labels of letters");
		}
		i = ++occurrences->n_labels;
	}
	if (labelled->label) {
		occurrence.label = i - 1;
	}
	KT_TRY(kt_array_reserve(&occurrences->list, &occurrences->capacity,
				occurrences->n + 1));
	occurrences->list[occurrences->n++] = occurrence;
	return KT_OK;
}

void kt_occurrences_free(struct kt_occurrences *occurrences)
{
	for (size_t i = 0; i < occurrences->n_labels; i++) {
		free(occurrences->labels[i]);
	}
	free(occurrences->labels);
	free(occurrences->list);
	memset(occurrences, 0, sizeof(*occurrences));
}

/* --- the table --- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right)
{
	const struct kt_occurrence *a = left;
	const struct kt_occurrence *b = right;
	int order = compare_numbers(a->trace, b->trace);

	order = order ? order : compare_numbers(a->placed.life, b->placed.life);
	order = order ? order : compare_numbers(a->placed.seq, b->placed.seq);
	order = order ? order : compare_numbers(a->placed.word, b->placed.word);
	return order ? order : compare_numbers(a->placed.position, b->placed.position);
}

int kt_occurrences_write(FILE *out, const struct kt_occurrences *occurrences,
			 const struct kt_fsm *fsm, const char *const *paths)
{
	size_t bytes = occurrences->n * sizeof(*occurrences->list);
	struct kt_occurrence *sorted = malloc(bytes + 1);

	if (!sorted) {
		return kt_no_memory("keep labels of letters");
	}
	if (occurrences->n > 0) {
		memcpy(sorted, occurrences->list, bytes);
		qsort(sorted, occurrences->n, sizeof(*sorted), compare);
	}
	fputs("trace\tprocess\tseq\ttime\tletter\ttransition\tlabel\n", out);
	for (size_t i = 0; i < occurrences->n; i++) {
		const struct kt_occurrence *row = &sorted[i];
		const struct kt_placed *placed = &row->placed;

		fprintf(out, "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t",
			paths[row->trace], placed->life, placed->seq, placed->time,
			placed->letter != KT_UNPLACED ? fsm->letters[placed->letter] : "-");
		if (placed->transition != KT_UNPLACED) {
			fprintf(out, "%" PRIu32 "\t", placed->transition);
		} else {
			fputs("-\t", out);
		}
		fprintf(out, "%s\n",
			row->label != SIZE_MAX ? occurrences->labels[row->label] : "-");
	}
	free(sorted);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write labels of letters") : KT_OK;
}
