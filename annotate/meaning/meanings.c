/* SPDX-License-Identifier: MIT */
#include "annotate/meaning/meanings.h"

#include <stdlib.h>

#include <ktail/status.h>

int kt_meanings_begin(struct kt_meanings *meanings, const kt_placement *placement)
{
	kt_meanings_end(meanings);
	meanings->placed = kt_placement_letters(placement, &meanings->n);
	meanings->letters = malloc((meanings->n + 1) * sizeof(*meanings->letters));
	if (!meanings->letters) {
		meanings->n = 0;
		return kt_no_memory("label letters");
	}
	for (size_t i = 0; i < meanings->n; i++) {
		meanings->letters[i] = (struct kt_meaning){KT_NO_LABEL, KT_LABEL_OTHER};
	}
	return KT_OK;
}

int kt_meanings_set(struct kt_meanings *meanings, const struct kt_placed *placed,
		    const char *label, enum kt_label_role role)
{
	struct kt_meaning *meaning = &meanings->letters[placed - meanings->placed];

	meaning->role = role;
	meaning->label = KT_NO_LABEL;
	return label ? kt_texts_add(&meanings->labels, label, &meaning->label) : KT_OK;
}

void kt_meanings_end(struct kt_meanings *meanings)
{
	free(meanings->letters);
	meanings->letters = NULL;
	meanings->placed = NULL;
	meanings->n = 0;
}

void kt_meanings_free(struct kt_meanings *meanings)
{
	kt_meanings_end(meanings);
	kt_texts_free(&meanings->labels);
}
