/* SPDX-License-Identifier: MIT */
#include "base/distilled/read-distilled.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/fsm-json.h"
#include "base/json.h"
#include "base/try.h"

/* JSON key of a list, and the keys in its elements. */
struct list_kind {
	const char *key;
	const char *text;
	const char *count;
	const char *calls; /* NULL: the elements have no number of calls */
	const char *name;  /* key of a member that replaces `text` if present; NULL: none */
};

static const struct list_kind system_kind = {"system", "label", "count", NULL, NULL};
static const struct list_kind letters_kind = {"letters", "letter", "count", NULL, "name"};
static const struct list_kind raw_kind = {"letters", "letter", "count", NULL, NULL};
static const struct list_kind user_kind = {"user", "name", "letters", "calls", NULL};
static const struct list_kind during_kind = {"during", "name", "count", NULL, NULL};

/*
 * Reads the member "in", a set of some of the n machines. Only a merged machine (n is not
 * 0) must have this set.
 */
static int read_set(uint64_t *out, const json_t *object, size_t n)
{
	const json_t *array;

	if (n == 0 && !json_object_get(object, "in")) {
		return KT_OK;
	}
	KT_TRY(kt_json_get_array(&array, object, "in"));
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *value = json_array_get(array, i);
		json_int_t machine = json_integer_value(value);

		if (!json_is_integer(value) || machine < 0 || (uint64_t)machine >= n) {
			int code = kt_json_mismatch(
				"", value, "the index of one of %zu \"machines\"", n);

			return kt_json_within(code, "in", i);
		}
		*out |= UINT64_C(1) << machine;
	}
	return *out || n == 0 ? KT_OK : kt_json_error("in", "must not be empty");
}

static int read_line(struct kt_distilled_lines *lines, const json_t *object,
		     const struct list_kind *kind)
{
	struct kt_distilled_line *line = &lines->items[lines->n];
	const char *key = kind->text;
	const json_t *name = kind->name ? json_object_get(object, kind->name) : NULL;
	const json_t *text;

	if (json_object_get(object, "more")) {
		KT_TRY(kt_json_get_number(&lines->more, object, "more", INT64_MAX));
		lines->open = lines->more == 0;
		return KT_OK;
	}
	KT_TRY(kt_json_get_number(&line->count, object, kind->count, INT64_MAX));
	if (kind->calls) {
		KT_TRY(kt_json_get_number(&line->calls, object, kind->calls, INT64_MAX));
	}
	if (name && !json_is_null(name)) {
		key = kind->name;
	}
	text = json_object_get(object, key);
	if (text && !json_is_null(text)) {
		KT_TRY(kt_json_get_string(&line->text, object, key));
	}
	lines->n++;
	return key == kind->name ? kt_json_get_string(&line->letter, object, kind->text)
				 : KT_OK;
}

static int read_lines(struct kt_distilled_lines *lines, const json_t *state,
		      const struct list_kind *kind)
{
	const json_t *array;

	KT_TRY(kt_json_get_array(&array, state, kind->key));
	lines->items = calloc(json_array_size(array) + 1, sizeof(*lines->items));
	if (!lines->items) {
		return kt_error(KT_E_MEMORY, "out of memory");
	}
	for (size_t i = 0; i < json_array_size(array); i++) {
		int code = read_line(lines, json_array_get(array, i), kind);

		KT_TRY(kt_json_within(code, kind->key, i));
	}
	return KT_OK;
}

/* Reads the counts of phases; skips what is not a number above 0. */
static int read_phases(struct kt_distilled_lines *phases, json_t *object)
{
	const char *key;
	json_t *value;

	phases->items = calloc(json_object_size(object) + 1, sizeof(*phases->items));
	if (!phases->items) {
		return kt_error(KT_E_MEMORY, "out of memory");
	}
	json_object_foreach(object, key, value)
	{
		struct kt_distilled_line *line = &phases->items[phases->n];

		if (json_is_integer(value) && json_integer_value(value) > 0) {
			line->count = (uint64_t)json_integer_value(value);
			line->text = strdup(key);
			if (!line->text) {
				return kt_error(KT_E_MEMORY, "out of memory");
			}
			phases->n++;
		}
	}
	return KT_OK;
}

static int read_state(struct kt_distilled_box *box, const json_t *object, size_t position,
		      enum kt_names names, size_t n_machines)
{
	uint64_t last = UINT64_MAX;
	const json_t *merged;
	uint64_t id = 0;

	KT_TRY(kt_json_get_number(&id, object, "id", INT64_MAX));
	if (id != position) {
		return kt_json_mismatch("id", json_object_get(object, "id"), "%zu",
					position);
	}
	KT_TRY(kt_json_get_string(&box->name, object, "name"));
	KT_TRY(kt_json_get_boolean(&box->paper, object, "paper"));
	KT_TRY(kt_json_get_number(&box->visits, object, "visits", INT64_MAX));
	KT_TRY(read_set(&box->in, object, n_machines));
	KT_TRY(read_phases(&box->phases, json_object_get(object, "phases")));
	KT_TRY(read_lines(&box->system, object, &system_kind));
	KT_TRY(read_lines(&box->letters, object,
			  names == KT_NAMES_ON ? &letters_kind : &raw_kind));
	KT_TRY(read_lines(&box->user, object, &user_kind));
	if (json_object_get(object, "during")) {
		KT_TRY(read_lines(&box->during, object, &during_kind));
	}
	/*
	 * Count the distinct states of the machine. Elements that name the same state are
	 * consecutive.
	 */
	KT_TRY(kt_json_get_array(&merged, object, "merged"));
	for (size_t i = 0; i < json_array_size(merged); i++) {
		int code = kt_json_get_number(&id, json_array_get(merged, i), "state",
					      INT64_MAX);

		KT_TRY(kt_json_within(code, "merged", i));
		box->merged += id != last;
		last = id;
	}
	return KT_OK;
}

/*
 * Refuses the last state if another state has the same name, because states are merged by
 * name.
 */
static int check_name(const struct kt_drawn_column *column)
{
	const struct kt_distilled_box *last = &column->states[column->n_states - 1];

	for (const struct kt_distilled_box *box = column->states; box < last; box++) {
		if (strcmp(box->name, last->name) == 0) {
			return kt_json_error("name", "must not be that of states[%td]",
					     box - column->states);
		}
	}
	return KT_OK;
}

static int read_states(struct kt_drawn_column *view, const json_t *root,
		       enum kt_names names, size_t n_machines)
{
	const json_t *array;
	size_t n;

	KT_TRY(kt_json_get_array(&array, root, "states"));
	n = json_array_size(array);
	if (n == 0 || n > KT_DISTILLED_STATES) {
		return kt_json_error("states", "has %zu elements, must have 1 to %d", n,
				     KT_DISTILLED_STATES);
	}
	view->states = calloc(n, sizeof(*view->states));
	if (!view->states) {
		return kt_error(KT_E_MEMORY, "out of memory");
	}
	for (size_t i = 0; i < n; i++) {
		int code;

		view->n_states++;
		code = read_state(&view->states[i], json_array_get(array, i), i, names,
				  n_machines);
		if (!code) {
			code = check_name(view);
		}
		KT_TRY(kt_json_within(code, "states", i));
	}
	return KT_OK;
}

static int read_arrow(struct kt_distilled_arrow *arrow, const json_t *object,
		      const struct kt_drawn_column *view, enum kt_names names,
		      size_t n_machines)
{
	const json_t *letters;
	uint64_t from = 0;
	uint64_t to = 0;

	KT_TRY(kt_json_get_number(&from, object, "from", view->n_states - 1));
	KT_TRY(kt_json_get_number(&to, object, "to", view->n_states - 1));
	KT_TRY(kt_json_get_number(&arrow->count, object, "count", INT64_MAX));
	if (arrow->count == 0) {
		return kt_json_error("count", "must not be 0");
	}
	arrow->from = (uint32_t)from;
	arrow->to = (uint32_t)to;
	KT_TRY(read_set(&arrow->in, object, n_machines));
	letters = json_object_get(object, "letters");
	if (!letters) {
		arrow->letters.open = true;
		return KT_OK;
	}
	KT_TRY(read_lines(&arrow->letters, object,
			  names == KT_NAMES_ON ? &letters_kind : &raw_kind));
	for (size_t i = 0; i < arrow->letters.n; i++) {
		int code = read_set(&arrow->letters.items[i].in, json_array_get(letters, i),
				    n_machines);

		KT_TRY(kt_json_within(code, "letters", i));
	}
	return KT_OK;
}

static int read_arrows(struct kt_drawn_column *view, const json_t *root,
		       enum kt_names names, size_t n_machines)
{
	const json_t *array;

	KT_TRY(kt_json_get_array(&array, root, "transitions"));
	view->arrows = calloc(json_array_size(array) + 1, sizeof(*view->arrows));
	if (!view->arrows) {
		return kt_error(KT_E_MEMORY, "out of memory");
	}
	for (size_t i = 0; i < json_array_size(array); i++) {
		const struct kt_distilled_arrow *a = &view->arrows[i];
		int code;

		view->n_arrows++;
		code = read_arrow(&view->arrows[i], json_array_get(array, i), view, names,
				  n_machines);
		if (!code && i &&
		    (a[-1].from > a->from ||
		     (a[-1].from == a->from && a[-1].to >= a->to))) {
			code = kt_json_error("",
					     "not sorted by from and to, or a duplicate");
		}
		KT_TRY(kt_json_within(code, "transitions", i));
	}
	return KT_OK;
}

static bool add(uint64_t *sum, uint64_t n)
{
	return !__builtin_add_overflow(*sum, n, sum);
}

static int check_counts(const struct kt_drawn_column *column,
			const struct kt_distilled_view *view)
{
	uint64_t in[KT_DISTILLED_STATES] = {0};
	uint64_t out[KT_DISTILLED_STATES] = {0};
	uint64_t all = 0;
	uint64_t expected = view->letters;
	bool fits = add(&expected, view->ended);

	for (size_t i = 0; i < column->n_arrows; i++) {
		const struct kt_distilled_arrow *a = &column->arrows[i];

		fits = fits && add(&all, a->count) && add(&in[a->to], a->count) &&
		       add(&out[a->from], a->count);
	}
	if (!fits) {
		return kt_error(KT_E_MALFORMED, "counts are too large to add up");
	}
	if (in[0]) {
		return kt_json_within(kt_json_error("", "is the start, but is entered"),
				      "states", 0);
	}
	for (size_t i = 0; i < column->n_states; i++) {
		uint64_t visits = column->states[i].visits;
		uint64_t entered = i == 0 ? view->words : in[i];

		if (entered != visits || out[i] > visits) {
			return kt_json_within(kt_json_error("visits",
							    "%" PRIu64
							    ", but it is entered %" PRIu64
							    " times and left %" PRIu64,
							    visits, entered, out[i]),
					      "states", i);
		}
	}
	if (all != expected) {
		return kt_error(KT_E_MALFORMED,
				"the \"count\" of \"transitions\" adds up to %" PRIu64
				", but \"letters\" and \"ended\" to %" PRIu64,
				all, expected);
	}
	return KT_OK;
}

/* Reads a column: the root of the file, or its member "system". */
static int read_column(struct kt_drawn_column *column, const json_t *object,
		       const struct kt_distilled_view *view, enum kt_names names)
{
	KT_TRY(read_states(column, object, names, view->n_machines));
	KT_TRY(read_arrows(column, object, names, view->n_machines));
	return check_counts(column, view);
}

static int read_texts(char ***texts, size_t *n, const json_t *root, const char *key)
{
	const json_t *array;

	KT_TRY(kt_json_get_array(&array, root, key));
	*texts = calloc(json_array_size(array) + 1, sizeof(**texts));
	if (!*texts) {
		return kt_error(KT_E_MEMORY, "out of memory");
	}
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *value = json_array_get(array, i);
		const char *text = json_string_value(value);

		if (!text) {
			return kt_json_within(kt_json_mismatch("", value, "a string"), key,
					      i);
		}
		(*texts)[i] = strdup(text);
		if (!(*texts)[i]) {
			return kt_error(KT_E_MEMORY, "out of memory");
		}
		++*n;
	}
	return KT_OK;
}

int kt_distilled_from_json(struct kt_distilled_view **out, const json_t *root,
			   const char *name, enum kt_names names)
{
	struct kt_distilled_view *view = calloc(1, sizeof(*view));
	const json_t *system;
	int code = KT_OK;

	*out = NULL;
	if (!view) {
		code = kt_error(KT_E_MEMORY, "out of memory");
		goto end;
	}
	KT_TRY_END(kt_json_check_text(root, "format", KT_DISTILLED_FORMAT));
	view->no_k = json_is_null(json_object_get(root, "k"));
	if (!view->no_k) {
		KT_TRY_END(kt_json_get_number(&view->k, root, "k", INT64_MAX));
	}
	KT_TRY_END(kt_json_get_number(&view->words, root, "words", INT64_MAX));
	KT_TRY_END(kt_json_get_number(&view->ended, root, "ended", INT64_MAX));
	KT_TRY_END(kt_json_get_number(&view->letters, root, "letters", INT64_MAX));
	KT_TRY_END(kt_json_get_number(&view->unplaced, root, "unplaced", INT64_MAX));
	KT_TRY_END(kt_json_get_boolean(&view->calls, root, "calls"));
	KT_TRY_END(read_texts(&view->traces, &view->n_traces, root, "traces"));
	if (json_object_get(root, "alphabet")) {
		KT_TRY_END(kt_json_get_string(&view->alphabet, root, "alphabet"));
	}
	KT_TRY_END(kt_versions_read_json(&view->versions, root));
	if (json_object_get(root, "machines")) {
		KT_TRY_END(
			read_texts(&view->machines, &view->n_machines, root, "machines"));
	}
	if (view->n_machines > KT_DISTILLED_MACHINES) {
		code = kt_json_error("machines", "has %zu elements, must have at most %d",
				     view->n_machines, KT_DISTILLED_MACHINES);
		goto end;
	}
	KT_TRY_END(read_column(&view->user, root, view, names));
	system = json_object_get(root, "system");
	if (system) {
		code = kt_json_in_member(read_column(&view->system, system, view, names),
					 "system");
	}
end:
	if (code) {
		kt_distilled_view_free(view);
		return kt_error_prepend(code, "read %s", name);
	}
	*out = view;
	return KT_OK;
}

int kt_distilled_read(struct kt_distilled_view **out, const char *path, enum kt_names names)
{
	FILE *in = fopen(path, "re");
	json_t *root = NULL;
	int code;

	*out = NULL;
	if (!in) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	code = kt_json_load(&root, in, path);
	fclose(in);
	KT_TRY(code);
	code = kt_distilled_from_json(out, root, path, names);
	json_decref(root);
	return code;
}

static void free_lines(struct kt_distilled_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++) {
		free(lines->items[i].text);
		free(lines->items[i].letter);
	}
	free(lines->items);
}

static void free_texts(char **texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(texts[i]);
	}
	free(texts);
}

static void free_column(struct kt_drawn_column *column)
{
	for (size_t i = 0; i < column->n_states; i++) {
		free(column->states[i].name);
		free_lines(&column->states[i].phases);
		free_lines(&column->states[i].system);
		free_lines(&column->states[i].letters);
		free_lines(&column->states[i].user);
		free_lines(&column->states[i].during);
	}
	for (size_t i = 0; i < column->n_arrows; i++) {
		free_lines(&column->arrows[i].letters);
	}
	free(column->states);
	free(column->arrows);
}

void kt_distilled_view_free(struct kt_distilled_view *view)
{
	if (!view) {
		return;
	}
	free_column(&view->user);
	free_column(&view->system);
	free_texts(view->traces, view->n_traces);
	free_texts(view->machines, view->n_machines);
	free(view->alphabet);
	kt_versions_clear(&view->versions);
	free(view);
}
