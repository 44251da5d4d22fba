/* SPDX-License-Identifier: MIT */
#include "viz/read-distilled.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/json.h"

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "out of memory");
}

static int get_text_or_null(char **out, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	*out = NULL;
	return !value || json_is_null(value) ? KT_OK : kt_json_get_string(out, object, key);
}

/* How a list's elements are called. */
struct list_kind {
	const char *key;
	const char *text;
	const char *count;
	const char *calls; /* NULL: there are none */
};

static const struct list_kind system_kind = {"system", "label", "count", NULL};
static const struct list_kind letters_kind = {"letters", "letter", "count", NULL};
static const struct list_kind user_kind = {"user", "name", "letters", "calls"};

static int read_line(struct kt_distilled_lines *lines, const json_t *object,
		     const struct list_kind *kind)
{
	struct kt_distilled_line *line = &lines->items[lines->n];
	int code;

	if (json_object_get(object, "more")) {
		return kt_json_get_number(&lines->more, object, "more", INT64_MAX);
	}
	code = kt_json_get_number(&line->count, object, kind->count, INT64_MAX);
	if (!code && kind->calls) {
		code = kt_json_get_number(&line->calls, object, kind->calls, INT64_MAX);
	}
	code = code ? code : get_text_or_null(&line->text, object, kind->text);
	lines->n += !code;
	return code;
}

static int read_lines(struct kt_distilled_lines *lines, const json_t *state,
		      const struct list_kind *kind)
{
	const json_t *array;
	int code = kt_json_get_array(&array, state, kind->key);

	if (!code) {
		lines->items = calloc(json_array_size(array) + 1, sizeof(*lines->items));
		code = lines->items ? KT_OK : no_memory();
	}
	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		code = read_line(lines, json_array_get(array, i), kind);
		code = kt_json_within(code, kind->key, i);
	}
	return code;
}

/* The phase of most letters. */
static int read_phase(struct kt_distilled_box *box, const json_t *state)
{
	const json_t *phases = json_object_get(state, "phases");
	const char *most = NULL;
	json_int_t n = 0;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)phases, key, value)
	{
		if (json_is_integer(value) && json_integer_value(value) > n) {
			n = json_integer_value(value);
			most = key;
		}
	}
	box->phase = most ? strdup(most) : NULL;
	return most && !box->phase ? no_memory() : KT_OK;
}

/* How many states of the machine are named, each once, as they come in order. */
static int count_merged(struct kt_distilled_box *box, const json_t *state)
{
	const json_t *array;
	int code = kt_json_get_array(&array, state, "merged");
	uint64_t last = UINT64_MAX;

	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		uint64_t id = 0;

		code = kt_json_get_number(&id, json_array_get(array, i), "state",
					  INT64_MAX);
		code = kt_json_within(code, "merged", i);
		box->merged += id != last;
		last = id;
	}
	return code;
}

static int read_state(struct kt_distilled_box *box, const json_t *object, size_t place)
{
	uint64_t id = 0;
	int code = kt_json_get_number(&id, object, "id", INT64_MAX);

	if (!code && id != place) {
		return kt_json_mismatch("id", json_object_get(object, "id"), "%zu", place);
	}
	code = code ? code : kt_json_get_string(&box->name, object, "name");
	code = code ? code : kt_json_get_boolean(&box->paper, object, "paper");
	code = code ? code : kt_json_get_number(&box->visits, object, "visits", INT64_MAX);
	code = code ? code : read_phase(box, object);
	code = code ? code : read_lines(&box->system, object, &system_kind);
	code = code ? code : read_lines(&box->letters, object, &letters_kind);
	code = code ? code : read_lines(&box->user, object, &user_kind);
	return code ? code : count_merged(box, object);
}

static int read_states(struct kt_distilled_view *view, const json_t *root)
{
	const json_t *array;
	int code = kt_json_get_array(&array, root, "states");

	if (!code &&
	    (json_array_size(array) == 0 || json_array_size(array) > KT_DISTILLED_STATES)) {
		return kt_json_error("states", "has %zu elements, must have 1 to %d",
				     json_array_size(array), KT_DISTILLED_STATES);
	}
	if (!code) {
		view->states = calloc(json_array_size(array), sizeof(*view->states));
		code = view->states ? KT_OK : no_memory();
	}
	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		view->n_states++;
		code = read_state(&view->states[i], json_array_get(array, i), i);
		code = kt_json_within(code, "states", i);
	}
	return code;
}

static int read_arrow(struct kt_distilled_arrow *arrow, const json_t *object,
		      const struct kt_distilled_view *view)
{
	uint64_t from = 0;
	uint64_t to = 0;
	int code = kt_json_get_number(&from, object, "from", view->n_states - 1);

	code = code ? code : kt_json_get_number(&to, object, "to", view->n_states - 1);
	code = code ? code : kt_json_get_number(&arrow->count, object, "count", INT64_MAX);
	if (!code && arrow->count == 0) {
		return kt_json_error("count", "must be above 0, not 0");
	}
	arrow->from = (uint32_t)from;
	arrow->to = (uint32_t)to;
	return code;
}

static bool in_order(const struct kt_distilled_arrow *a)
{
	return a[-1].from < a->from || (a[-1].from == a->from && a[-1].to < a->to);
}

static int read_arrows(struct kt_distilled_view *view, const json_t *root)
{
	const json_t *array;
	int code = kt_json_get_array(&array, root, "transitions");

	if (!code) {
		view->arrows = calloc(json_array_size(array) + 1, sizeof(*view->arrows));
		code = view->arrows ? KT_OK : no_memory();
	}
	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		code = read_arrow(&view->arrows[i], json_array_get(array, i), view);
		if (!code && i && !in_order(&view->arrows[i])) {
			code = kt_json_error("",
					     "not behind the one before by from and to, "
					     "or a twin of it");
		}
		code = kt_json_within(code, "transitions", i);
		view->n_arrows++;
	}
	return code;
}

static int read_traces(struct kt_distilled_view *view, const json_t *root)
{
	const json_t *array;
	int code = kt_json_get_array(&array, root, "traces");

	if (!code) {
		view->traces = calloc(json_array_size(array) + 1, sizeof(*view->traces));
		code = view->traces ? KT_OK : no_memory();
	}
	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		const json_t *value = json_array_get(array, i);
		const char *text = json_string_value(value);

		if (!text) {
			return kt_json_within(kt_json_mismatch("", value, "a string"),
					      "traces", i);
		}
		view->traces[i] = strdup(text);
		code = view->traces[i] ? KT_OK : no_memory();
		view->n_traces += !code;
	}
	return code;
}

static bool add(uint64_t *sum, uint64_t n)
{
	return !__builtin_add_overflow(*sum, n, sum);
}

static int check_counts(const struct kt_distilled_view *view)
{
	uint64_t in[KT_DISTILLED_STATES] = {0};
	uint64_t out[KT_DISTILLED_STATES] = {0};
	uint64_t all = 0;
	uint64_t expected = view->letters;
	bool fits = add(&expected, view->ended);

	for (size_t i = 0; i < view->n_arrows; i++) {
		const struct kt_distilled_arrow *a = &view->arrows[i];

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
	for (size_t i = 0; i < view->n_states; i++) {
		uint64_t visits = view->states[i].visits;
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
				"the \"count\" of \"transitions\" is %" PRIu64
				" in all, but \"letters\" and \"ended\" are %" PRIu64,
				all, expected);
	}
	return KT_OK;
}

static int read_k(struct kt_distilled_view *view, const json_t *root)
{
	view->no_k = json_is_null(json_object_get(root, "k"));
	return view->no_k ? KT_OK : kt_json_get_number(&view->k, root, "k", INT64_MAX);
}

static int read_members(struct kt_distilled_view *view, const json_t *root)
{
	int code = kt_json_check_text(root, "format", KT_DISTILLED_FORMAT);

	code = code ? code : read_k(view, root);
	code = code ? code : kt_json_get_number(&view->words, root, "words", INT64_MAX);
	code = code ? code : kt_json_get_number(&view->ended, root, "ended", INT64_MAX);
	code = code ? code : kt_json_get_number(&view->letters, root, "letters", INT64_MAX);
	code = code ? code
		    : kt_json_get_number(&view->unplaced, root, "unplaced", INT64_MAX);
	code = code ? code : kt_json_get_boolean(&view->calls, root, "calls");
	code = code ? code : read_traces(view, root);
	code = code ? code : read_states(view, root);
	code = code ? code : read_arrows(view, root);
	return code ? code : check_counts(view);
}

int kt_distilled_from_json(struct kt_distilled_view **out, const json_t *root,
			   const char *name)
{
	struct kt_distilled_view *view = calloc(1, sizeof(*view));
	int code = view ? read_members(view, root) : no_memory();

	*out = NULL;
	if (code) {
		kt_distilled_view_free(view);
		return kt_error_prepend(code, "read %s", name);
	}
	*out = view;
	return KT_OK;
}

static void free_lines(struct kt_distilled_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++) {
		free(lines->items[i].text);
	}
	free(lines->items);
}

void kt_distilled_view_free(struct kt_distilled_view *view)
{
	if (!view) {
		return;
	}
	for (size_t i = 0; i < view->n_states; i++) {
		free(view->states[i].name);
		free(view->states[i].phase);
		free_lines(&view->states[i].system);
		free_lines(&view->states[i].letters);
		free_lines(&view->states[i].user);
	}
	for (size_t i = 0; i < view->n_traces; i++) {
		free(view->traces[i]);
	}
	free(view->traces);
	free(view->states);
	free(view->arrows);
	free(view);
}
