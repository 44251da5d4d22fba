/* SPDX-License-Identifier: MIT */
/* What the part `labels` adds to the machine's JSON. */
#include <ktail/status.h>

#include "annotate/labels/labels-part.h"

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "write labels as JSON: out of memory");
}

static int add_time(const struct kt_label_tally *tally, uint32_t transition, json_t *object)
{
	struct kt_time_summary time = kt_times_of(&tally->times, transition);

	if (time.n == 0) {
		return KT_OK;
	}
	return json_object_set_new(object, "time",
				   json_pack("{s:I, s:I}", "median",
					     (json_int_t)time.median, "p99",
					     (json_int_t)time.p99))
		       ? no_memory()
		       : KT_OK;
}

static int add_state(const struct kt_labels *labels, size_t state, json_t *object)
{
	const struct kt_label_tally *tally = &labels->tally;
	uint32_t owner = kt_label_tally_state(tally, state);
	int code = kt_counts_json(tally->labels, owner, object, "labels", "label");

	code = code ? code : kt_counts_json(tally->calls, owner, object, "calls", "name");
	return code ? code
		    : kt_evidence_json(&tally->evidence, owner, labels->input->paths,
				       object);
}

static int add_transition(const struct kt_labels *labels, uint32_t t, json_t *object)
{
	const struct kt_label_tally *tally = &labels->tally;
	int code = kt_counts_json(tally->labels, t, object, "labels", "label");

	code = code ? code : kt_counts_json(tally->calls, t, object, "calls", "name");
	code = code ? code : kt_counts_json(tally->details, t, object, "detail", "text");
	code = code ? code
		    : kt_counts_json(tally->submissions, t, object, "submissions", "text");
	code = code ? code : add_time(tally, t, object);
	return code ? code
		    : kt_evidence_json(&tally->evidence, t, labels->input->paths, object);
}

/* {"label", "role", "count", "states"} of each label, the most frequent first. */
static json_t *list_labels(const struct kt_labels *labels)
{
	const struct kt_label_tally *tally = &labels->tally;
	size_t n;
	const struct kt_counted *all =
		kt_counts_of(tally->labels, kt_label_tally_all(tally), &n);
	json_t *list = json_array();

	for (size_t i = 0; list && i < n; i++) {
		const char *role =
			kt_label_role_name(kt_label_tally_role(tally, all[i].text));

		if (json_array_append_new(
			    list, json_pack("{s:s, s:s, s:I}", "label", all[i].text, "role",
					    role, "count", (json_int_t)all[i].count))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *list_texts(const char *const *texts, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < n; i++) {
		if (json_array_append_new(list, json_string(texts[i]))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static int add_top(const struct kt_labels *labels, json_t *top)
{
	const struct kt_annotation_input *input = labels->input;
	const char *name = input->rules_name ? input->rules_name : "built-in";
	json_int_t n = (json_int_t)kt_label_rules_count(input->rules);

	if (json_object_set_new(top, "traces", list_texts(input->paths, input->n_paths)) ||
	    json_object_set_new(top, "rules",
				json_pack("{s:s, s:I}", "name", name, "count", n)) ||
	    json_object_set_new(top, "placed",
				json_integer((json_int_t)labels->tally.placed)) ||
	    json_object_set_new(top, "unplaced",
				json_integer((json_int_t)labels->annotation->unplaced)) ||
	    json_object_set_new(top, "unlabelled",
				json_integer((json_int_t)labels->tally.unlabelled)) ||
	    json_object_set_new(top, "labels", list_labels(labels))) {
		return no_memory();
	}
	return KT_OK;
}

int kt_labels_json(void *part, json_t *top, json_t *const *states,
		   json_t *const *transitions)
{
	const struct kt_labels *labels = part;
	const struct kt_fsm *fsm = labels->input->fsm;
	int code = add_top(labels, top);

	for (size_t i = 0; i < fsm->n_states && !code; i++) {
		code = add_state(labels, i, states[i]);
	}
	for (size_t i = 0; i < fsm->n_transitions && !code; i++) {
		code = add_transition(labels, (uint32_t)i, transitions[i]);
	}
	return code;
}
