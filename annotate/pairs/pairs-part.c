/* SPDX-License-Identifier: MIT */
#include "annotate/pairs/pairs-part.h"

#include <inttypes.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/pairs/pair-sums.h"
#include "annotate/pairs/pair-table.h"
#include "annotate/pairs/pairs.h"
#include "base/table.h"
#include "base/try.h"
#include "base/wrap.h"

/*
 * `pairs` must be the first member, because kt_pairs_visitor receives the part and uses it as
 * a struct kt_pairs.
 */
struct part {
	struct kt_pairs pairs;
	const struct kt_annotation_input *input; /* Weak */
};

static int make(void **out, const struct kt_annotation_input *input)
{
	struct part *part = calloc(1, sizeof(*part));

	if (!part) {
		return kt_no_memory("match pairs");
	}
	part->input = input;
	*out = part;
	return KT_OK;
}

static void free_part(void *context)
{
	struct part *part = context;

	if (part) {
		kt_pairs_free(&part->pairs);
		free(part);
	}
}

/* --- tables --- */

static int all(struct kt_table *out, const void *of)
{
	const struct part *part = of;

	return kt_pair_table_resources(out, &part->pairs, part->input->paths, false);
}

static int left(struct kt_table *out, const void *of)
{
	const struct part *part = of;

	return kt_pair_table_resources(out, &part->pairs, part->input->paths, true);
}

static int wrong(struct kt_table *out, const void *of)
{
	const struct part *part = of;

	return kt_pair_table_wrong(out, &part->pairs, part->input->paths);
}

static int left_sums(struct kt_table *out, const void *of)
{
	const struct part *part = of;

	return kt_pair_sums_left(out, &part->pairs, part->input->paths);
}

static int wrong_sums(struct kt_table *out, const void *of)
{
	const struct part *part = of;

	return kt_pair_sums_wrong(out, &part->pairs, part->input->paths);
}

static int kinds(struct kt_table *out, const void *of)
{
	return kt_pair_table_kinds(out, &((const struct part *)of)->pairs);
}

static int counted(struct kt_table *out, const void *of)
{
	return kt_pair_counts_table(out, &((const struct part *)of)->pairs.counts);
}

/* --- JSON, text --- */

static int json(void *context, json_t *top, json_t *const *states,
		json_t *const *transitions)
{
	json_t *object = json_object();

	(void)states;
	(void)transitions;
	if (!object || json_object_set_new(top, kt_pairs_part.name, object)) {
		return kt_no_memory("write pairs");
	}
	KT_TRY(kt_table_output_member(object, "kinds", context, kinds));
	KT_TRY(kt_table_output_member(object, "left", context, left));
	KT_TRY(kt_table_output_member(object, "wrong", context, wrong));
	return kt_table_output_member(object, "counted", context, counted);
}

static int text(void *context, FILE *out)
{
	const struct part *part = context;
	const struct kt_pairs *pairs = &part->pairs;
	uint64_t ends[KT_RESOURCE_ENDS] = {0};
	struct kt_wrap line = kt_wrap_line(out, 2);

	for (size_t i = 0; i < pairs->n; i++) {
		ends[pairs->resources[i].end]++;
	}
	fprintf(out, "\nSet up: %zu mappings, objects, files and memory ranges\n",
		pairs->n);
	kt_wrap_put(&line, "%" PRIu64 " were taken down,", ends[KT_END_OWN]);
	kt_wrap_put(&line, " %" PRIu64 " with an ancestor,", ends[KT_END_ANCESTOR]);
	kt_wrap_put(&line, " %" PRIu64 " left at exit;", ends[KT_END_LEFT]);
	kt_wrap_put(&line, " %zu were taken down but never set up", pairs->n_wrong);
	kt_wrap_end(&line);
	KT_TRY(kt_table_output_under(out, "Kinds of resources and their lifetimes (us)",
				     part, kinds));
	KT_TRY(kt_table_output_under(out, "Pairs that are only counted", part, counted));
	if (ends[KT_END_LEFT]) {
		KT_TRY(kt_table_output_under(out,
					     "Left at exit, by the call that set them up",
					     part, left_sums));
	}
	return !pairs->n_wrong ? KT_OK
			       : kt_table_output_under(out, "Taken down but never set up",
						       part, wrong_sums);
}

/* --- the list --- */

static const struct kt_output_kind kind = {
	.what = "list of pairs",
	.formats = kt_table_formats,
	.table = all,
};

static const struct kt_annotation_file file = {
	.option = "pairs",
	.help = "write all resources and how they ended (.tsv .csv .json .txt)",
	.kind = &kind,
};

const struct kt_annotation_part kt_pairs_part = {
	.name = "pairs",
	.make = make,
	.visitor = &kt_pairs_visitor,
	.json = json,
	.text = text,
	.file = &file,
	.free = free_part,
};
