/* SPDX-License-Identifier: MIT */
/*
 * The part `labels` of an annotation: what each letter means by the rules, so what each
 * transition and state mean; with what calls drive them, what the alphabet left out, how
 * long they take and where in the traces they are to be seen.
 */
#ifndef KTAIL_ANNOTATE_LABELS_H
#define KTAIL_ANNOTATE_LABELS_H

#include "annotate/meaning/annotation.h"

extern const struct kt_annotation_part kt_labels_part;

#endif
