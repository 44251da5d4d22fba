/* SPDX-License-Identifier: MIT */
#include "annotate/merges/merges-part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/meaning/state-ranges.h"
#include "annotate/merges/merges.h"
#include "base/order.h"
#include "base/try.h"

struct part {
	const struct kt_annotation_input *input; /* Weak */
	/* The old states, grouped by the state that they became. */
	struct kt_groups members;
};

/* A state after the merge that has a name, or was several states before. */
struct merged {
	uint32_t state;
	const char *name; /* NULL: merged only to keep the machine deterministic */
	const uint32_t *members;
	size_t n;
	/* Owned by this: the members that were chosen, then the others. */
	uint32_t *sorted;
	size_t n_chosen;
};

static void free_part(void *part)
{
	struct part *p = part;

	if (p) {
		kt_groups_clear(&p->members);
		free(p);
	}
}

static int make(void **part, const struct kt_annotation_input *input)
{
	const struct kt_merges *merges = input->merges;
	struct part *p = calloc(1, sizeof(*p));
	struct item {
		uint32_t after;
	};
	int code = KT_OK;

	*part = p;
	if (!p) {
		return kt_no_memory("list merged states");
	}
	p->input = input;
	if (merges && kt_merges_any(merges)) {
		code = kt_group(&p->members, (const struct item *)merges->after, after,
				merges->n_before, merges->n_after, NULL,
				"list merged states");
	}
	if (code) {
		free_part(p);
		*part = NULL;
	}
	return code;
}

/* Describes a state. merged->n is 0 if the state has no name and was one state before. */
static int describe(struct merged *merged, const struct part *p, uint32_t state)
{
	const struct kt_merges *merges = p->input->merges;
	const size_t first = p->members.first[state];
	size_t n_others = 0;

	*merged = (struct merged){
		.state = state,
		.members = p->members.member + first,
		.n = p->members.first[state + (size_t)1] - first,
	};
	merged->sorted = malloc((merged->n + 1) * sizeof(*merged->sorted));
	if (!merged->sorted) {
		return kt_no_memory("list merged states");
	}
	for (size_t i = 0; i < merged->n; i++) {
		uint32_t name = merges->choices[merged->members[i]].name;

		if (name != KT_NOT_MERGED) {
			merged->name = merges->names[name];
			merged->sorted[merged->n_chosen++] = merged->members[i];
		}
	}
	for (size_t i = 0; i < merged->n; i++) {
		if (merges->choices[merged->members[i]].name == KT_NOT_MERGED) {
			merged->sorted[merged->n_chosen + n_others++] = merged->members[i];
		}
	}
	if (!merged->name && merged->n < 2) {
		merged->n = 0;
	}
	return KT_OK;
}

/* Calls `each` for every merged state, in the order of their numbers. */
static int visit(const struct part *p,
		 int (*each)(void *context, const struct merged *merged), void *context)
{
	int code = KT_OK;

	if (!p->members.first) {
		return KT_OK;
	}
	for (uint32_t s = 0; s < p->input->merges->n_after && !code; s++) {
		struct merged merged;

		code = describe(&merged, p, s);
		if (!code && merged.n > 0) {
			code = each(context, &merged);
		}
		free(merged.sorted);
	}
	return code;
}

/* --- results --- */

static int set_label(void *context, const struct merged *merged)
{
	struct kt_fsm_state *state = &((struct kt_fsm *)context)->states[merged->state];
	char *label;

	if (!merged->name) {
		return KT_OK;
	}
	label = strdup(merged->name);
	if (!label) {
		return kt_no_memory("name merged states");
	}
	free(state->label);
	state->label = label;
	state->label_share = 0;
	return KT_OK;
}

static int finish(void *part, struct kt_annotation *annotation)
{
	return visit(part, set_label, annotation->fsm);
}

static int put_member(void *context, const struct merged *merged)
{
	json_t *chosen = json_array();
	json_t *others = json_array();
	bool failed = false;

	for (size_t i = 0; i < merged->n; i++) {
		failed |= json_array_append_new(i < merged->n_chosen ? chosen : others,
						json_integer(merged->sorted[i])) != 0;
	}
	failed |= json_array_append_new(context, json_pack("{s:I, s:s?, s:o, s:o}", "state",
							   (json_int_t)merged->state,
							   "name", merged->name, "chosen",
							   chosen, "also", others)) != 0;
	return failed ? kt_no_memory("write merged states") : KT_OK;
}

static int json(void *part, json_t *top, json_t *const *states, json_t *const *transitions)
{
	const struct part *p = part;
	json_t *list;

	(void)states;
	(void)transitions;
	if (!p->members.first) {
		return KT_OK;
	}
	list = json_array();
	if (!list || json_object_set_new(top, kt_merges_part.name, list) != 0) {
		return kt_no_memory("write merged states");
	}
	return visit(p, put_member, list);
}

static int put_line(void *context, const struct merged *merged)
{
	FILE *out = context;

	fprintf(out, "%8" PRIu32 "  ", merged->state);
	kt_state_ranges_put(out, merged->sorted, merged->n_chosen, SIZE_MAX);
	fputs(merged->name ? merged->name : "", out);
	if (merged->n_chosen < merged->n) {
		fputs(merged->name ? ", and " : "", out);
		kt_state_ranges_put(out, merged->sorted + merged->n_chosen,
				    merged->n - merged->n_chosen, SIZE_MAX);
		fputs("to stay deterministic", out);
	}
	fputs("\n", out);
	return KT_OK;
}

static int text(void *part, FILE *out)
{
	const struct part *p = part;

	if (!p->members.first) {
		return KT_OK;
	}
	fprintf(out,
		"\nStates merged by hand: %zu states instead of %zu\n"
		"   state  numbers before, and name\n",
		p->input->merges->n_after, p->input->merges->n_before);
	return visit(p, put_line, out);
}

/* --- the rules --- */

static int write_rules(FILE *out, const void *part)
{
	const struct kt_annotation_input *input = ((const struct part *)part)->input;
	const char *rules = kt_label_rules_text(input->rules);
	const char *lines = input->merges ? input->merges->lines : NULL;

	if (rules) {
		fputs(rules, out);
		fputs(*rules && rules[strlen(rules) - 1] != '\n' ? "\n" : "", out);
	}
	if (lines) {
		fprintf(out, "# States of %s\n%s", input->fsm_name, lines);
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write rules") : KT_OK;
}

static const struct kt_output_format formats[] = {
	{".tsv", NULL, write_rules},
	{NULL, NULL, NULL},
};

static const struct kt_output_kind kind = {
	.what = "rules",
	.formats = formats,
};

static const struct kt_annotation_file file = {
	.option = "save-rules",
	.help = "write the rules of --rules, and rules that repeat --merge: .tsv",
	.kind = &kind,
};

const struct kt_annotation_part kt_merges_part = {
	.name = "merges",
	.make = make,
	.finish = finish,
	.json = json,
	.text = text,
	.file = &file,
	.free = free_part,
};
