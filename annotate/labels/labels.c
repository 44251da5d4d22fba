/* SPDX-License-Identifier: MIT */
#include "annotate/labels/labels.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/labels/labels-part.h"
#include "base/try.h"

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

/* The label that most of an owner's letters have; NULL: none has one. */
static const char *majority(const struct kt_label_tally *tally, uint32_t owner)
{
	size_t n;
	const struct kt_counted *labels = kt_counts_of(tally->labels, owner, &n);

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
		const char *label = majority(tally, (uint32_t)i);

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
		const char *label = majority(tally, kt_label_tally_state(tally, i));

		if (label) {
			annotation->state_roles[i] = kt_label_tally_role(tally, label);
		}
		/* Words begin in the start; those that are over are in a state without a
		 * way out. */
		if (i == fsm->start) {
			label = "begin";
		} else if (fsm->states[i].ends > 0 && !leaves[i]) {
			label = "end";
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
