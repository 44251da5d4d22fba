/* SPDX-License-Identifier: MIT */
#include "annotate/labels/labels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

static void free_part(void *part)
{
	struct kt_labels *labels = part;

	if (!labels) {
		return;
	}
	kt_label_tally_free(&labels->tally);
	kt_texts_free(&labels->texts);
	free(labels->occurrences);
	kt_bursts_free(&labels->bursts);
	kt_unfinished_free(&labels->unfinished);
	kt_labels_forget_processes(labels);
	free(labels->processes);
	free(labels);
}

static int make(void **part, const struct kt_annotation_input *input)
{
	struct kt_labels *labels = calloc(1, sizeof(*labels));
	int code;

	*part = labels;
	if (!labels) {
		return kt_no_memory("label machine");
	}
	labels->input = input;
	code = kt_label_tally_make(&labels->tally, input->fsm, input->evidence);
	if (code) {
		free_part(labels);
		*part = NULL;
	}
	return code;
}

static int set_text(char **out, const char *text)
{
	char *copy = strdup(text);

	if (!copy) {
		return kt_no_memory("label machine");
	}
	free(*out);
	*out = copy;
	return KT_OK;
}

/*
 * Returns the most frequent label of an owner; NULL if the owner has no labelled letters.
 * Sets *share to the fraction of the owner's labelled letters that have this label.
 */
static const char *majority(double *share, const struct kt_label_tally *tally,
			    uint32_t owner)
{
	size_t n;
	const struct kt_counted *labels = kt_counts_of(tally->labels, owner, &n);
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++) {
		all += labels[i].count;
	}
	*share = n > 0 ? (double)labels[0].count / (double)all : 0;
	return n > 0 ? labels[0].text : NULL;
}

static int finish(void *part, struct kt_annotation *annotation)
{
	struct kt_labels *labels = part;
	const struct kt_label_tally *tally = &labels->tally;
	struct kt_fsm *fsm = annotation->fsm;
	bool *leaves = NULL;
	int code;

	KT_TRY(kt_label_tally_sort(&labels->tally));
	labels->annotation = annotation;
	annotation->placed = tally->placed;
	annotation->labels = tally->labels;
	annotation->calls = tally->calls;
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		double *share = &fsm->transitions[i].label_share;
		const char *label = majority(share, tally, (uint32_t)i);

		annotation->letters[i] = tally->letters[i];
		if (label) {
			annotation->roles[i] = kt_label_tally_role(tally, label);
			KT_TRY(set_text(&fsm->transitions[i].label, label));
		}
	}
	leaves = calloc(fsm->n_states + 1, sizeof(*leaves));
	if (!leaves) {
		return kt_no_memory("label machine");
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		leaves[fsm->transitions[i].from] = true;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		double *share = &fsm->states[i].label_share;
		const char *label = majority(share, tally, kt_label_tally_state(tally, i));

		if (label) {
			annotation->state_roles[i] = kt_label_tally_role(tally, label);
		}
		/*
		 * The start is labelled "begin". A state at which words end, and which no
		 * transition leaves, is labelled "end". The letters that lead to these
		 * states do not matter.
		 */
		if (i == fsm->start) {
			label = "begin";
			*share = 0;
		} else if (fsm->states[i].ends > 0 && !leaves[i]) {
			label = "end";
			*share = 0;
		}
		if (label) {
			KT_TRY_END(set_text(&fsm->states[i].label, label));
		}
	}
	code = KT_OK;
end:
	free(leaves);
	return code;
}

/* --- table of labelled letters --- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right)
{
	const struct kt_occurrence *a = left;
	const struct kt_occurrence *b = right;
	int order = compare_numbers(a->trace, b->trace);

	order = order ? order : compare_numbers(a->placed.instance, b->placed.instance);
	order = order ? order : compare_numbers(a->placed.seq, b->placed.seq);
	order = order ? order : compare_numbers(a->placed.word, b->placed.word);
	return order ? order : compare_numbers(a->placed.position, b->placed.position);
}

/*
 * Writes tab-separated columns with a header: trace (path), process (process instance, from
 * 0), seq (of the event in the instance), time (ns since the trace's first event), letter,
 * transition (index), label. "-" stands for a missing value. Rows are sorted by trace, process
 * instance, sequence number, word and position in the word.
 */
static int write_occurrences(FILE *out, const void *part)
{
	const struct kt_labels *labels = part;
	const struct kt_annotation_input *input = labels->input;
	size_t bytes = labels->n_occurrences * sizeof(*labels->occurrences);
	struct kt_occurrence *sorted = malloc(bytes + 1);

	if (!sorted) {
		return kt_no_memory("keep labels of letters");
	}
	if (labels->n_occurrences > 0) {
		memcpy(sorted, labels->occurrences, bytes);
		qsort(sorted, labels->n_occurrences, sizeof(*sorted), compare);
	}
	fputs("trace\tprocess\tseq\ttime\tletter\ttransition\tlabel\n", out);
	for (size_t i = 0; i < labels->n_occurrences; i++) {
		const struct kt_placed *placed = &sorted[i].placed;

		fprintf(out, "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t",
			input->paths[sorted[i].trace], placed->instance, placed->seq,
			placed->time,
			placed->letter != KT_UNPLACED ? input->fsm->letters[placed->letter]
						      : "-");
		if (placed->transition != KT_UNPLACED) {
			fprintf(out, "%" PRIu32 "\t", placed->transition);
		} else {
			fputs("-\t", out);
		}
		fprintf(out, "%s\n", sorted[i].label ? sorted[i].label : "-");
	}
	free(sorted);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write labels of letters") : KT_OK;
}

static int write_occurrences_csv(FILE *out, const void *part)
{
	return kt_output_convert_tsv(out, part, write_occurrences, kt_table_print_csv,
				     NULL);
}

static int write_occurrences_text(FILE *out, const void *part)
{
	return kt_output_convert_tsv(out, part, write_occurrences, kt_table_print_whole,
				     NULL);
}

static int write_occurrences_json(FILE *out, const void *part)
{
	static const char *const numbers[] = {"process", "seq", "time", "transition", NULL};

	return kt_output_convert_tsv(out, part, write_occurrences, kt_table_print_json,
				     numbers);
}

static const struct kt_output_format occurrence_formats[] = {
	{".tsv", NULL, write_occurrences},
	{".csv", NULL, write_occurrences_csv},
	{".json", NULL, write_occurrences_json},
	{".txt", NULL, write_occurrences_text},
	{NULL, NULL, NULL},
};

static const struct kt_output_kind occurrence_kind = {
	.what = "labels of letters",
	.formats = occurrence_formats,
};

static const struct kt_annotation_file occurrence_file = {
	.option = "occurrences",
	.help = "each letter with its label, as a table: .tsv .csv .json .txt",
	.kind = &occurrence_kind,
};

const struct kt_annotation_part kt_labels_part = {
	.name = "labels",
	.make = make,
	.visitor = &kt_labels_visitor,
	.finish = finish,
	.json = kt_labels_json,
	.text = kt_labels_text,
	.file = &occurrence_file,
	.free = free_part,
};

const struct kt_annotation_part kt_known_labels_part = {
	.name = "labels",
	.make = make,
	.visitor = &kt_known_labels_visitor,
	.finish = finish,
	.free = free_part,
};
