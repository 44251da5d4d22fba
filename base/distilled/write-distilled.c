/* SPDX-License-Identifier: MIT */
#include "base/distilled/write-distilled.h"

#include <ktail/status.h>

#include "base/json.h"

static json_t *texts(char *const *items, size_t n)
{
	json_t *array = json_array();
	bool whole = array != NULL;

	for (size_t i = 0; i < n && whole; i++) {
		whole = kt_json_append(array, json_string(items[i]));
	}
	return kt_json_if_whole(array, whole);
}

/*
 * Sets *out to the indices of the machines in a set or, if the machine is not a merged one,
 * to NULL, which json_pack() leaves out. Returns false if memory is exhausted.
 */
static bool indices(json_t **out, uint64_t in)
{
	json_t *array = in ? json_array() : NULL;
	bool whole = !in || array;

	for (int i = 0; i < KT_DISTILLED_MACHINES && whole && in; i++) {
		whole = !(in >> i & 1) ||
			kt_json_append(array, kt_json_integer((uint64_t)i));
	}
	*out = kt_json_if_whole(array, whole);
	return whole;
}

static json_t *line(const struct kt_distilled_line *l, const char *key, bool letters)
{
	json_t *in;

	if (!indices(&in, l->in)) {
		return NULL;
	}
	if (letters) {
		return json_pack("{s:s?, s:s*, s:o, s:o*}", "letter",
				 l->letter ? l->letter : l->text, "name",
				 l->letter ? l->text : NULL, "count",
				 kt_json_integer(l->count), "in", in);
	}
	return json_pack("{s:s?, s:o, s:o*}", key, l->text, "count",
			 kt_json_integer(l->count), "in", in);
}

/*
 * Appends the number of further lines to a list, unless there are none; 0 means that it is
 * not known whether there are any.
 */
static bool append_more(json_t *array, const struct kt_distilled_lines *list)
{
	return (!list->more && !list->open) ||
	       kt_json_append(array,
			      json_pack("{s:o}", "more", kt_json_integer(list->more)));
}

static json_t *lines(const struct kt_distilled_lines *list, const char *key)
{
	json_t *array = json_array();
	bool whole = array != NULL;

	for (size_t i = 0; i < list->n && whole; i++) {
		whole = kt_json_append(array, line(&list->items[i], key, key == NULL));
	}
	whole = whole && append_more(array, list);
	return kt_json_if_whole(array, whole);
}

static json_t *calls(const struct kt_distilled_lines *list)
{
	json_t *array = json_array();
	bool whole = array != NULL;

	for (size_t i = 0; i < list->n && whole; i++) {
		const struct kt_distilled_line *l = &list->items[i];

		whole = kt_json_append(array,
				       json_pack("{s:s?, s:o, s:o}", "name", l->text,
						 "calls", kt_json_integer(l->calls),
						 "letters", kt_json_integer(l->count)));
	}
	whole = whole && append_more(array, list);
	return kt_json_if_whole(array, whole);
}

static json_t *phases(const struct kt_distilled_lines *list)
{
	json_t *object = json_object();
	bool whole = object != NULL;

	for (size_t i = 0; i < list->n && whole; i++) {
		whole = json_object_set_new(object, list->items[i].text,
					    kt_json_integer(list->items[i].count)) == 0;
	}
	return kt_json_if_whole(object, whole);
}

static json_t *state(const struct kt_distilled_box *box, size_t i)
{
	json_t *in;

	if (!indices(&in, box->in)) {
		return NULL;
	}
	return json_pack("{s:o, s:s, s:b, s:o, s:o*, s:o, s:o, s:o, s:o, s:o, s:[]}", "id",
			 kt_json_integer(i), "name", box->name, "paper", (int)box->paper,
			 "visits", kt_json_integer(box->visits), "in", in, "phases",
			 phases(&box->phases), "system", lines(&box->system, "label"),
			 "letters", lines(&box->letters, NULL), "user", calls(&box->user),
			 "during", lines(&box->during, "name"), "merged");
}

static json_t *states(const struct kt_drawn_column *column)
{
	json_t *array = json_array();
	bool whole = array != NULL;

	for (size_t i = 0; i < column->n_states && whole; i++) {
		whole = kt_json_append(array, state(&column->states[i], i));
	}
	return kt_json_if_whole(array, whole);
}

static json_t *transitions(const struct kt_drawn_column *column)
{
	json_t *array = json_array();
	bool whole = array != NULL;

	for (size_t i = 0; i < column->n_arrows && whole; i++) {
		const struct kt_distilled_arrow *a = &column->arrows[i];
		json_t *in;

		whole = indices(&in, a->in) &&
			kt_json_append(array,
				       json_pack("{s:o, s:o, s:o, s:o*, s:o}", "from",
						 kt_json_integer(a->from), "to",
						 kt_json_integer(a->to), "count",
						 kt_json_integer(a->count), "in", in,
						 "letters", lines(&a->letters, NULL)));
	}
	return kt_json_if_whole(array, whole);
}

int kt_distilled_view_write_json(FILE *out, const struct kt_distilled_view *view)
{
	json_t *root = json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "format",
		KT_DISTILLED_FORMAT, "k",
		view->no_k ? json_null() : kt_json_integer(view->k), "machines",
		texts(view->machines, view->n_machines), "traces",
		texts(view->traces, view->n_traces), "words", kt_json_integer(view->words),
		"ended", kt_json_integer(view->ended), "letters",
		kt_json_integer(view->letters), "unplaced", kt_json_integer(view->unplaced),
		"calls", (int)view->calls, "states", states(&view->user), "transitions",
		transitions(&view->user));
	json_t *system = NULL;
	int bad = !root;

	if (root && view->system.n_states) {
		system = json_pack("{s:o, s:o}", "states", states(&view->system),
				   "transitions", transitions(&view->system));
		bad = json_object_set_new(root, "system", system) != 0;
	}
	bad = bad || json_dumpf(root, out, JSON_INDENT(1)) != 0;
	json_decref(root);
	putc('\n', out);
	if (ferror(out)) {
		return kt_error_errno(KT_E_IO, "write distilled machine as JSON");
	}
	return bad ? kt_no_memory("write distilled machine") : KT_OK;
}
