/* SPDX-License-Identifier: MIT */
/* Members that the part `labels` adds to the machine's JSON. */
#include <ktail/status.h>

#include "annotate/labels/labels.h"
#include "base/try.h"

int kt_labels_json(void *part, json_t *top, json_t *const *states,
		   json_t *const *transitions)
{
	const struct kt_labels *labels = part;
	const struct kt_annotation_input *input = labels->input;
	const struct kt_label_tally *tally = &labels->tally;
	const struct kt_evidence *evidence = &tally->evidence;
	json_t *paths = json_array();
	json_t *list = json_array();
	bool failed = false;
	size_t n;
	const struct kt_counted *all =
		kt_counts_of(tally->labels, kt_label_tally_all(tally), &n);

	for (size_t i = 0; i < input->n_paths; i++) {
		failed |= json_array_append_new(paths, json_string(input->paths[i])) != 0;
	}
	/* Labels, the most frequent first. */
	for (size_t i = 0; i < n; i++) {
		const char *role =
			kt_label_role_name(kt_label_tally_role(tally, all[i].text));

		failed |= json_array_append_new(
				  list,
				  json_pack("{s:s, s:s, s:I}", "label", all[i].text, "role",
					    role, "count", (json_int_t)all[i].count)) != 0;
	}
	failed |= json_object_update_new(
			  top,
			  json_pack("{s:o, s:{s:s, s:I}, s:I, s:I, s:I, s:o}", "traces",
				    paths, "rules", "name",
				    input->rules_name ? input->rules_name : "built-in",
				    "count", (json_int_t)kt_label_rules_count(input->rules),
				    "placed", (json_int_t)tally->placed, "unplaced",
				    (json_int_t)labels->annotation->unplaced, "unlabelled",
				    (json_int_t)tally->unlabelled, "labels", list)) != 0;
	if (failed) {
		return kt_no_memory("write labels as JSON");
	}
	for (size_t i = 0; i < input->fsm->n_states; i++) {
		uint32_t owner = kt_label_tally_state(tally, i);

		KT_TRY(kt_counts_json(tally->labels, owner, states[i], "labels", "label"));
		KT_TRY(kt_counts_json(tally->calls, owner, states[i], "calls", "name"));
		KT_TRY(kt_evidence_json(evidence, owner, input->paths, states[i]));
	}
	for (uint32_t t = 0; t < input->fsm->n_transitions; t++) {
		struct kt_time_summary time = kt_times_of(&tally->times, t);
		json_t *object = transitions[t];

		KT_TRY(kt_counts_json(tally->labels, t, object, "labels", "label"));
		KT_TRY(kt_counts_json(tally->calls, t, object, "calls", "name"));
		KT_TRY(kt_counts_json(tally->details, t, object, "detail", "text"));
		KT_TRY(kt_counts_json(tally->submissions, t, object, "submissions",
				      "text"));
		if (time.n > 0 &&
		    json_object_set_new(object, "time",
					json_pack("{s:I, s:I}", "median",
						  (json_int_t)time.median, "p99",
						  (json_int_t)time.p99))) {
			return kt_no_memory("write labels as JSON");
		}
		KT_TRY(kt_evidence_json(evidence, t, input->paths, object));
	}
	return KT_OK;
}
