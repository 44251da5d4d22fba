/* SPDX-License-Identifier: MIT */
#include <ktail/status.h>

#include "annotate/labels/labels.h"
#include "base/try.h"

/*
 * Counts the letters of the trace with their known labels. Machines of the same words place
 * the same letters in the same order.
 */
static int on_end(void *context)
{
	struct kt_labels *labels = context;
	const struct kt_annotation_input *input = labels->input;
	const struct kt_meanings *known = input->known;
	size_t n;
	const struct kt_placed *placed = kt_placement_letters(input->placement, &n);

	for (size_t i = 0; i < n && i < known->n; i++) {
		const struct kt_meaning *meaning = &known->letters[i];
		struct kt_labelled labelled = {
			.placed = &placed[i], .role = meaning->role, .trace = input->trace};

		if (meaning->label != KT_NO_LABEL) {
			labelled.label = kt_texts_keep(&labels->texts,
						       known->labels.items[meaning->label]);
			if (!labelled.label) {
				return KT_E_MEMORY;
			}
		}
		KT_TRY(kt_label_tally_add(&labels->tally, &labelled));
	}
	return KT_OK;
}

const struct kt_activity_visitor kt_known_labels_visitor = {.end = on_end};
