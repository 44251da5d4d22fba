/* SPDX-License-Identifier: MIT */
#include "viz/plots/read-sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/json.h"
#include "base/try.h"

/* Gets a number. Sets *has to false if the number is null or absent: not measured. */
static int get_optional(uint64_t *out, bool *has, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	*has = value && !json_is_null(value);
	return *has ? kt_json_get_number(out, object, key, INT64_MAX) : KT_OK;
}

static int get_reason(char **out, const json_t *object)
{
	const json_t *value = json_object_get(object, "reason");

	if (value && !json_is_null(value)) {
		return kt_json_get_string(out, object, "reason");
	}
	*out = strdup("");
	return *out ? KT_OK : kt_error(KT_E_MEMORY, "out of memory");
}

static int read_row(struct kt_sweep_size *row, const json_t *object)
{
	const json_t *share = json_object_get(object, "self_loops");

	KT_TRY(kt_json_get_number(&row->k, object, "k", KT_SWEEP_K_MAX));
	KT_TRY(kt_json_get_number(&row->states, object, "states", INT64_MAX));
	KT_TRY(kt_json_get_number(&row->transitions, object, "transitions", INT64_MAX));
	KT_TRY(kt_json_get_number(&row->complex, object, "complex", INT64_MAX));
	KT_TRY(get_optional(&row->components, &row->has_components, object, "components"));
	KT_TRY(get_optional(&row->shortest, &row->has_shortest, object, "shortest_cycle"));
	row->has_self_loops = share && !json_is_null(share);
	row->self_loops = json_number_value(share);
	if (row->has_self_loops &&
	    (!json_is_number(share) || !(row->self_loops >= 0 && row->self_loops <= 1))) {
		return kt_json_mismatch("self_loops", share, "a number from 0 to 1");
	}
	if (row->complex > row->states) {
		return kt_json_mismatch("complex", json_object_get(object, "complex"),
					"at most \"states\"");
	}
	return KT_OK;
}

static int read_rows(struct kt_sweep_table *sweep, const json_t *root)
{
	const json_t *array;

	KT_TRY(kt_json_get_array(&array, root, "rows"));
	if (json_array_size(array) == 0) {
		return kt_json_error("rows", "is empty");
	}
	sweep->rows = calloc(json_array_size(array), sizeof(*sweep->rows));
	if (!sweep->rows) {
		return kt_error(KT_E_MEMORY, "out of memory");
	}
	for (size_t i = 0; i < json_array_size(array); i++) {
		int code = read_row(&sweep->rows[i], json_array_get(array, i));

		if (!code && i && sweep->rows[i - 1].k >= sweep->rows[i].k) {
			code = kt_json_error(
				"k", "must be greater than that of the previous row");
		}
		KT_TRY(kt_json_within(code, "rows", i));
		sweep->n_rows++;
	}
	return KT_OK;
}

static int read_plateau(struct kt_sweep_plateau *plateau, const json_t *object,
			const struct kt_sweep_table *sweep)
{
	KT_TRY(kt_json_get_number(&plateau->from, object, "from", KT_SWEEP_K_MAX));
	KT_TRY(kt_json_get_number(&plateau->to, object, "to", KT_SWEEP_K_MAX));
	if (plateau->from > plateau->to || plateau->from < sweep->rows[0].k ||
	    plateau->to > sweep->rows[sweep->n_rows - 1].k) {
		return kt_json_error("",
				     "\"from\" and \"to\" are outside the k of \"rows\"");
	}
	KT_TRY(kt_json_get_boolean(&plateau->candidate, object, "candidate"));
	return get_reason(&plateau->reason, object);
}

static int read_plateaus(struct kt_sweep_table *sweep, const json_t *root)
{
	const json_t *array;

	KT_TRY(kt_json_get_array(&array, root, "plateaus"));
	sweep->plateaus = calloc(json_array_size(array) + 1, sizeof(*sweep->plateaus));
	if (!sweep->plateaus) {
		return kt_error(KT_E_MEMORY, "out of memory");
	}
	for (size_t i = 0; i < json_array_size(array); i++) {
		struct kt_sweep_plateau *p = &sweep->plateaus[sweep->n_plateaus++];
		int code = read_plateau(p, json_array_get(array, i), sweep);

		if (!code && i && p[-1].to >= p->from) {
			code = kt_json_error(
				"from", "must be greater than \"to\" of the previous one");
		}
		KT_TRY(kt_json_within(code, "plateaus", i));
	}
	return KT_OK;
}

static int read_auto(struct kt_sweep_table *sweep, const json_t *picked)
{
	if (!json_is_object(picked)) {
		return kt_json_mismatch("auto", picked, "an object or null");
	}
	KT_TRY(kt_json_get_number(&sweep->auto_k, picked, "k", KT_SWEEP_K_MAX));
	if (!kt_sweep_row_of(sweep, sweep->auto_k)) {
		return kt_json_error("k", "no row has k = %" PRIu64 "", sweep->auto_k);
	}
	return get_reason(&sweep->auto_reason, picked);
}

/* Reads what a sweep and a group have in common. */
static int read_table(struct kt_sweep_table *sweep, const json_t *object)
{
	const json_t *picked = json_object_get(object, "auto");

	KT_TRY(kt_json_get_number(&sweep->words, object, "words", INT64_MAX));
	KT_TRY(kt_json_get_number(&sweep->events, object, "events", INT64_MAX));
	KT_TRY(read_rows(sweep, object));
	KT_TRY(read_plateaus(sweep, object));
	sweep->has_auto = picked && !json_is_null(picked);
	return sweep->has_auto ? kt_json_in_member(read_auto(sweep, picked), "auto")
			       : KT_OK;
}

int kt_sweep_from_json(struct kt_sweep_table **out, const json_t *root, const char *name)
{
	struct kt_sweep_table *sweep = calloc(1, sizeof(*sweep));
	int code = KT_OK;

	*out = NULL;
	if (!sweep) {
		code = kt_error(KT_E_MEMORY, "out of memory");
		goto end;
	}
	KT_TRY_END(kt_json_check_text(root, "format", KT_SWEEP_FORMAT));
	KT_TRY_END(kt_json_get_string(&sweep->machine, root, "machine"));
	KT_TRY_END(kt_json_get_string(&sweep->word, root, "word"));
	KT_TRY_END(read_table(sweep, root));
end:
	if (code) {
		kt_sweep_table_free(sweep);
		return kt_error_prepend(code, "read %s", name);
	}
	*out = sweep;
	return KT_OK;
}

static int read_group(struct kt_sweep_table **out, const json_t *object)
{
	*out = calloc(1, sizeof(**out));
	if (!*out) {
		return kt_error(KT_E_MEMORY, "out of memory");
	}
	KT_TRY(kt_json_get_string(&(*out)->group, object, "group"));
	return read_table(*out, object);
}

static int read_groups(struct kt_sweep_groups *groups, const json_t *root)
{
	const json_t *array;

	KT_TRY(kt_json_check_text(root, "format", KT_SWEEPS_FORMAT));
	KT_TRY(kt_json_get_string(&groups->machine, root, "machine"));
	KT_TRY(kt_json_get_string(&groups->word, root, "word"));
	KT_TRY(kt_json_get_array(&array, root, "groups"));
	if (json_array_size(array) == 0) {
		return kt_json_error("groups", "is empty");
	}
	groups->items = calloc(json_array_size(array), sizeof(struct kt_sweep_table *));
	if (!groups->items) {
		return kt_error(KT_E_MEMORY, "out of memory");
	}
	for (size_t i = 0; i < json_array_size(array); i++) {
		int code =
			read_group(&groups->items[groups->n++], json_array_get(array, i));

		KT_TRY(kt_json_within(code, "groups", i));
	}
	return KT_OK;
}

int kt_sweep_groups_from_json(struct kt_sweep_groups **out, const json_t *root,
			      const char *name)
{
	struct kt_sweep_groups *groups = calloc(1, sizeof(*groups));
	int code =
		groups ? read_groups(groups, root) : kt_error(KT_E_MEMORY, "out of memory");

	*out = code ? NULL : groups;
	if (code) {
		kt_sweep_groups_free(groups);
		return kt_error_prepend(code, "read %s", name);
	}
	return KT_OK;
}

void kt_sweep_groups_free(struct kt_sweep_groups *groups)
{
	if (!groups) {
		return;
	}
	for (size_t i = 0; i < groups->n; i++) {
		kt_sweep_table_free(groups->items[i]);
	}
	free(groups->items);
	free(groups->machine);
	free(groups->word);
	free(groups);
}

void kt_sweep_table_free(struct kt_sweep_table *sweep)
{
	if (!sweep) {
		return;
	}
	for (size_t i = 0; i < sweep->n_plateaus; i++) {
		free(sweep->plateaus[i].reason);
	}
	free(sweep->machine);
	free(sweep->word);
	free(sweep->group);
	free(sweep->rows);
	free(sweep->plateaus);
	free(sweep->auto_reason);
	free(sweep);
}

static int compare_k(const void *key, const void *element)
{
	uint64_t k = *(const uint64_t *)key;
	uint64_t other = ((const struct kt_sweep_size *)element)->k;

	return (k > other) - (k < other);
}

const struct kt_sweep_size *kt_sweep_row_of(const struct kt_sweep_table *sweep, uint64_t k)
{
	return bsearch(&k, sweep->rows, sweep->n_rows, sizeof(*sweep->rows), compare_k);
}
