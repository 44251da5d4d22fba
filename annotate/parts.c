/* SPDX-License-Identifier: MIT */
/* Parts of an annotation, in the order in which they finish and write their results. */
#include <stddef.h>

#include "annotate/calls/calls-part.h"
#include "annotate/distil/distil-part.h"
#include "annotate/labels/labels.h"
#include "annotate/merges/merges-part.h"
#include "annotate/pairs/pairs-part.h"
#include "annotate/phases/phases.h"
#include "annotate/requests/requests.h"

const struct kt_annotation_part *const kt_annotation_parts[] = {
	&kt_labels_part,
	&kt_merges_part,
	&kt_calls_part,
	&kt_phases_part,
	&kt_distil_part,
	&kt_requests_part,
	&kt_pairs_part,
	NULL,
};
