/* SPDX-License-Identifier: MIT */
#include "annotate/meaning/evidence.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

int kt_evidence_make(struct kt_evidence *out, size_t n_owners, size_t most)
{
	*out = (struct kt_evidence){.most = most, .n_owners = n_owners};
	out->found = calloc(n_owners + 1, sizeof(*out->found));
	return out->found ? KT_OK : kt_no_memory("keep examples");
}

void kt_evidence_free(struct kt_evidence *evidence)
{
	kt_texts_free(&evidence->processes);
	free(evidence->examples);
	free(evidence->found);
	memset(evidence, 0, sizeof(*evidence));
}

int kt_evidence_add(struct kt_evidence *evidence, const struct kt_example *example,
		    const char *process)
{
	struct kt_example *kept;

	if (evidence->found[example->owner] >= evidence->most) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&evidence->examples, &evidence->capacity, evidence->n + 1));
	kept = &evidence->examples[evidence->n];
	*kept = *example;
	kept->process = kt_texts_keep(&evidence->processes, process);
	if (!kept->process) {
		return KT_E_MEMORY;
	}
	evidence->found[example->owner]++;
	evidence->n++;
	return KT_OK;
}

static int compare(const void *a, const void *b)
{
	const struct kt_example *x = a;
	const struct kt_example *y = b;

	if (x->owner != y->owner) {
		return x->owner < y->owner ? -1 : 1;
	}
	if (x->trace != y->trace) {
		return x->trace < y->trace ? -1 : 1;
	}
	if (x->time != y->time) {
		return x->time < y->time ? -1 : 1;
	}
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/*
 * Replaces found[owner], the number of the owner's examples, by the index after the owner's
 * last example.
 */
void kt_evidence_sort(struct kt_evidence *evidence)
{
	uint32_t end = 0;

	if (evidence->n > 0) {
		qsort(evidence->examples, evidence->n, sizeof(*evidence->examples),
		      compare);
	}
	for (size_t i = 0; i < evidence->n_owners; i++) {
		end += evidence->found[i];
		evidence->found[i] = end;
	}
}

int kt_evidence_json(const struct kt_evidence *evidence, uint32_t owner,
		     const char *const *traces, json_t *object)
{
	uint32_t from = owner > 0 ? evidence->found[owner - 1] : 0;
	uint32_t to = evidence->found[owner];
	json_t *list;

	if (from == to) {
		return KT_OK;
	}
	list = json_array();
	for (uint32_t i = from; list && i < to; i++) {
		const struct kt_example *example = &evidence->examples[i];
		json_t *one = json_pack("{s:s, s:s, s:I, s:I}", "trace",
					traces[example->trace], "process", example->process,
					"seq", (json_int_t)example->seq, "time",
					(json_int_t)example->time);

		if (json_array_append_new(list, one)) {
			json_decref(list);
			return kt_no_memory("keep examples");
		}
	}
	return json_object_set_new(object, "evidence", list) ? kt_no_memory("keep examples")
							     : KT_OK;
}
