/* SPDX-License-Identifier: MIT */
#include "annotate/labels/labels.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/labels/labels-part.h"

static void free_part(void *part)
{
	struct kt_labels *labels = part;

	if (!labels) {
		return;
	}
	kt_label_tally_free(&labels->tally);
	kt_occurrences_free(&labels->occurrences);
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
		return kt_error(KT_E_MEMORY, "label machine: out of memory");
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
		return kt_error(KT_E_MEMORY, "label machine: out of memory");
	}
	free(*out);
	*out = copy;
	return KT_OK;
}

/* The label that most of an owner's letters have; NULL: none has one. */
static const char *majority(const struct kt_label_tally *tally, uint32_t owner)
{
	size_t n;
	const struct kt_counted *labels = kt_counts_of(tally->labels, owner, &n);

	return n > 0 ? labels[0].text : NULL;
}

static int label_transitions(const struct kt_label_tally *tally,
			     struct kt_annotation *annotation)
{
	struct kt_fsm *fsm = annotation->fsm;
	int code = KT_OK;

	for (size_t i = 0; i < fsm->n_transitions && !code; i++) {
		const char *label = majority(tally, (uint32_t)i);

		annotation->letters[i] = tally->letters[i];
		if (label) {
			annotation->roles[i] = kt_label_tally_role(tally, label);
			code = set_text(&fsm->transitions[i].label, label);
		}
	}
	return code;
}

/* Words begin in the start; those that are over are in a state without a way out. */
static int label_states(const struct kt_label_tally *tally,
			struct kt_annotation *annotation)
{
	struct kt_fsm *fsm = annotation->fsm;
	bool *leaves = calloc(fsm->n_states + 1, sizeof(*leaves));
	int code = leaves ? KT_OK : kt_error(KT_E_MEMORY, "label machine: out of memory");

	for (size_t i = 0; leaves && i < fsm->n_transitions; i++) {
		leaves[fsm->transitions[i].from] = true;
	}
	for (size_t i = 0; i < fsm->n_states && !code; i++) {
		const char *label = majority(tally, kt_label_tally_state(tally, i));

		if (label) {
			annotation->state_roles[i] = kt_label_tally_role(tally, label);
		}
		label = i == fsm->start                         ? "begin"
			: fsm->states[i].ends > 0 && !leaves[i] ? "end"
								: label;
		code = label ? set_text(&fsm->states[i].label, label) : KT_OK;
	}
	free(leaves);
	return code;
}

static int finish(void *part, struct kt_annotation *annotation)
{
	struct kt_labels *labels = part;
	int code = kt_label_tally_sort(&labels->tally);

	labels->annotation = annotation;
	annotation->placed = labels->tally.placed;
	annotation->labels = labels->tally.labels;
	annotation->calls = labels->tally.calls;
	code = code ? code : label_transitions(&labels->tally, annotation);
	return code ? code : label_states(&labels->tally, annotation);
}

static int write_occurrences(FILE *out, const void *part)
{
	const struct kt_labels *labels = part;

	return kt_occurrences_write(out, &labels->occurrences, labels->input->fsm,
				    labels->input->paths);
}

static const struct kt_output_format occurrence_formats[] = {
	{".tsv", NULL, write_occurrences},
	{NULL, NULL, NULL},
};

static const struct kt_output_kind occurrence_kind = {
	.what = "labels of letters",
	.formats = occurrence_formats,
};

static const struct kt_annotation_file occurrence_file = {
	.option = "occurrences",
	.help = "each letter with its label, as a table: .tsv",
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
