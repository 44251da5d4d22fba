/* SPDX-License-Identifier: MIT */
/* The parts of an annotation, in the order in which they finish and write. */
#include <stddef.h>

#include "annotate/labels.h"

const struct kt_annotation_part *const kt_annotation_parts[] = {
	&kt_labels_part,
	NULL,
};
