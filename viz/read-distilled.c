/* SPDX-License-Identifier: MIT */
#include "viz/read-distilled.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/json.h"

static int malformed(const char *what)
{
	return kt_error(KT_E_MALFORMED, "%s", what);
}

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "out of memory");
}

static int get_array(const json_t **out, const json_t *root, const char *key)
{
	*out = json_object_get(root, key);
	return json_is_array(*out) ? KT_OK
				   : kt_error(KT_E_MALFORMED, "\"%s\" is no array", key);
}

static int get_flag(bool *out, const json_t *root, const char *key)
{
	const json_t *value = json_object_get(root, key);

	*out = json_is_true(value);
	return json_is_boolean(value)
		       ? KT_OK
		       : kt_error(KT_E_MALFORMED, "\"%s\" is neither true nor false", key);
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
	int code = get_array(&array, state, kind->key);

	if (!code) {
		lines->items = calloc(json_array_size(array) + 1, sizeof(*lines->items));
		code = lines->items ? KT_OK : no_memory();
	}
	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		code = read_line(lines, json_array_get(array, i), kind);
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
	int code = get_array(&array, state, "merged");
	uint64_t last = UINT64_MAX;

	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		uint64_t id = 0;

		code = kt_json_get_number(&id, json_array_get(array, i), "state",
					  INT64_MAX);
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
		return malformed("\"states\" are not in order of their ids");
	}
	code = code ? code : kt_json_get_string(&box->name, object, "name");
	code = code ? code : get_flag(&box->paper, object, "paper");
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
	int code = get_array(&array, root, "states");

	if (!code &&
	    (json_array_size(array) == 0 || json_array_size(array) > KT_DISTILLED_STATES)) {
		return malformed("\"states\" are none, or too many to be distilled");
	}
	if (!code) {
		view->states = calloc(json_array_size(array), sizeof(*view->states));
		code = view->states ? KT_OK : no_memory();
	}
	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		view->n_states++;
		code = read_state(&view->states[i], json_array_get(array, i), i);
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
		return malformed("a transition is never taken");
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
	int code = get_array(&array, root, "transitions");

	if (!code) {
		view->arrows = calloc(json_array_size(array) + 1, sizeof(*view->arrows));
		code = view->arrows ? KT_OK : no_memory();
	}
	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		code = read_arrow(&view->arrows[i], json_array_get(array, i), view);
		if (!code && i && !in_order(&view->arrows[i])) {
			return malformed(
				"\"transitions\" are not in order, or one has a twin");
		}
		view->n_arrows++;
	}
	return code;
}

static int read_traces(struct kt_distilled_view *view, const json_t *root)
{
	const json_t *array;
	int code = get_array(&array, root, "traces");

	if (!code) {
		view->traces = calloc(json_array_size(array) + 1, sizeof(*view->traces));
		code = view->traces ? KT_OK : no_memory();
	}
	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		const char *text = json_string_value(json_array_get(array, i));

		if (!text) {
			return malformed("a trace's name is no string");
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
	for (size_t i = 0; i < view->n_states; i++) {
		uint64_t visits = view->states[i].visits;

		fits = fits && out[i] <= visits &&
		       (i == 0 ? in[0] == 0 && visits == view->words : in[i] == visits);
	}
	if (!fits || all != expected) {
		return malformed("visits and counts do not add up");
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
	const char *format = json_string_value(json_object_get(root, "format"));
	int code;

	if (!format || strcmp(format, KT_DISTILLED_FORMAT) != 0) {
		return malformed("\"format\" is not \"" KT_DISTILLED_FORMAT "\"");
	}
	code = read_k(view, root);
	code = code ? code : kt_json_get_number(&view->words, root, "words", INT64_MAX);
	code = code ? code : kt_json_get_number(&view->ended, root, "ended", INT64_MAX);
	code = code ? code : kt_json_get_number(&view->letters, root, "letters", INT64_MAX);
	code = code ? code
		    : kt_json_get_number(&view->unplaced, root, "unplaced", INT64_MAX);
	code = code ? code : get_flag(&view->calls, root, "calls");
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
