/* SPDX-License-Identifier: MIT */
#include "infer/distilled/merge-distilled.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

/* A machine to be merged. */
struct part {
	const struct kt_distilled_view *view; /* Weak */
	const char *name;                     /* Weak */
	unsigned first; /* index of the part's first machine among those of the merged
			 * machine */
};

/* Names the part in the message of an error. */
static int blame(const struct part *part, int code)
{
	return code ? kt_error_prepend(code, "merge %s", part->name) : KT_OK;
}

/* --- sets of machines, and sums --- */

/* Translates a set of machines of the part into a set of machines of the merged machine. */
static uint64_t moved(const struct part *part, uint64_t in)
{
	return (in ? in : 1) << part->first;
}

static int add(uint64_t *sum, uint64_t n)
{
	return *sum > INT64_MAX - n || n > INT64_MAX
		       ? kt_error(KT_E_MALFORMED, "counts are too large to add up")
		       : (*sum += n, KT_OK);
}

static int copy(char **out, const char *text)
{
	*out = text ? strdup(text) : NULL;
	return text && !*out ? kt_error(KT_E_MEMORY, "out of memory") : KT_OK;
}

static int copy_all(char **out, size_t *n, char *const *texts, size_t n_texts)
{
	for (size_t i = 0; i < n_texts; i++) {
		KT_TRY(copy(&out[*n], texts[i]));
		++*n;
	}
	return KT_OK;
}

/* --- lists --- */

/*
 * Returns the text by which lines are compared: the letter if the line is a letter, with or
 * without a name, else the text of the line.
 */
static const char *key(const struct kt_distilled_line *line)
{
	const char *text = line->letter ? line->letter : line->text;

	return text ? text : "";
}

static int compare_keys(const void *a, const void *b)
{
	const struct kt_distilled_line *x = a;
	const struct kt_distilled_line *y = b;

	/* A missing text comes before an empty one. */
	return x->text && y->text ? strcmp(key(x), key(y)) : !!x->text - !!y->text;
}

static int compare_lines(const void *a, const void *b)
{
	const struct kt_distilled_line *x = a;
	const struct kt_distilled_line *y = b;
	int order;

	if (x->count != y->count) {
		return x->count < y->count ? 1 : -1;
	}
	order = strcmp(x->text ? x->text : "", y->text ? y->text : "");
	return order ? order : compare_keys(a, b);
}

/*
 * Adds `line` to `to`, which has the same key, and clears `line`. If letters have several
 * names, the first in order is kept, so that the order of the machines does not matter.
 */
static int fold(struct kt_distilled_line *to, struct kt_distilled_line *line)
{
	if (line->letter && (!to->letter || strcmp(line->text, to->text) < 0)) {
		char *text = to->text;
		char *letter = to->letter;

		to->text = line->text;
		to->letter = line->letter;
		line->text = text;
		line->letter = letter;
	}
	free(line->text);
	free(line->letter);
	line->text = line->letter = NULL;
	to->in |= line->in;
	KT_TRY(add(&to->count, line->count));
	return add(&to->calls, line->calls);
}

/*
 * Adds the lines of a list to another list. If `part` is not NULL, marks the added lines
 * with the machines of the part. The lines that the JSON omits may be the same in both
 * lists, so the number of omitted lines becomes the greater of the two numbers.
 */
static int add_lines(struct kt_distilled_lines *out, const struct kt_distilled_lines *lines,
		     const struct part *part)
{
	struct kt_distilled_line *items =
		realloc(out->items, (out->n + lines->n + 1) * sizeof(*items));
	size_t n = 0;

	if (!items) {
		return kt_error(KT_E_MEMORY, "out of memory");
	}
	out->items = items;
	out->more = lines->more > out->more ? lines->more : out->more;
	out->open = out->open || lines->open;
	for (size_t i = 0; i < lines->n; i++) {
		const struct kt_distilled_line *line = &lines->items[i];
		struct kt_distilled_line *to = &items[out->n++];

		*to = (struct kt_distilled_line){.count = line->count,
						 .calls = line->calls,
						 .in = part ? moved(part, line->in) : 0};
		KT_TRY(copy(&to->text, line->text));
		KT_TRY(copy(&to->letter, line->letter));
	}
	qsort(items, out->n, sizeof(*items), compare_keys);
	for (size_t i = 1; i < out->n; i++) {
		if (compare_keys(&items[n], &items[i]) == 0) {
			KT_TRY(fold(&items[n], &items[i]));
		} else if (++n < i) {
			items[n] = items[i];
			items[i] = (struct kt_distilled_line){0};
		}
	}
	out->n = out->n ? n + 1 : 0;
	qsort(items, out->n, sizeof(*items), compare_lines);
	return KT_OK;
}

/* --- states --- */

static size_t find_state(const struct kt_drawn_column *column, const char *name)
{
	size_t i = 0;

	while (i < column->n_states && strcmp(column->states[i].name, name) != 0) {
		i++;
	}
	return i;
}

/*
 * Adds the names of the states of `column`. A new state is inserted directly below the
 * state that is above it in `column`.
 */
static int add_names(struct kt_drawn_column *out, const struct kt_drawn_column *column)
{
	size_t at = 0;

	for (size_t i = 0; i < column->n_states; i++) {
		const char *name = column->states[i].name;
		size_t found = find_state(out, name);

		if (found < out->n_states) {
			at = found + 1;
			continue;
		}
		if (out->n_states == KT_DISTILLED_STATES) {
			return kt_error(KT_E_USAGE, "more than %d states in one column",
					KT_DISTILLED_STATES);
		}
		memmove(&out->states[at + 1], &out->states[at],
			(out->n_states - at) * sizeof(*out->states));
		out->states[at] = (struct kt_distilled_box){0};
		out->n_states++;
		KT_TRY(copy(&out->states[at++].name, name));
	}
	return KT_OK;
}

static int add_state(struct kt_distilled_box *out, const struct kt_distilled_box *box,
		     const struct part *part)
{
	out->in |= moved(part, box->in);
	out->paper = out->paper || box->paper;
	KT_TRY(add(&out->visits, box->visits));
	KT_TRY(add_lines(&out->phases, &box->phases, NULL));
	KT_TRY(add_lines(&out->system, &box->system, NULL));
	KT_TRY(add_lines(&out->letters, &box->letters, NULL));
	KT_TRY(add_lines(&out->user, &box->user, NULL));
	return add_lines(&out->during, &box->during, NULL);
}

/* --- transitions --- */

/*
 * Returns the transition between two states. If there is none, inserts one in order; the
 * array must have space for it.
 */
static struct kt_distilled_arrow *arrow_of(struct kt_drawn_column *out, uint32_t from,
					   uint32_t to)
{
	struct kt_distilled_arrow *at = out->arrows;
	struct kt_distilled_arrow *end = out->arrows + out->n_arrows;

	while (at < end && (at->from < from || (at->from == from && at->to < to))) {
		at++;
	}
	if (at == end || at->from != from || at->to != to) {
		memmove(at + 1, at, (size_t)(end - at) * sizeof(*at));
		*at = (struct kt_distilled_arrow){.from = from, .to = to};
		out->n_arrows++;
	}
	return at;
}

static int add_arrow(struct kt_drawn_column *out, const struct kt_distilled_arrow *arrow,
		     const struct kt_drawn_column *column, const struct part *part)
{
	size_t from = find_state(out, column->states[arrow->from].name);
	size_t to = find_state(out, column->states[arrow->to].name);
	struct kt_distilled_arrow *sum = arrow_of(out, (uint32_t)from, (uint32_t)to);

	sum->in |= moved(part, arrow->in);
	KT_TRY(add(&sum->count, arrow->count));
	return add_lines(&sum->letters, &arrow->letters, part);
}

/* --- columns --- */

static const struct kt_drawn_column *column_of(const struct part *part, bool system)
{
	return system ? &part->view->system : &part->view->user;
}

/* Refuses columns that begin or end with different states. */
static int check_columns(const struct part *parts, size_t n, bool system)
{
	const struct part *ended = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct kt_drawn_column *first = column_of(&parts[0], system);
		const struct kt_drawn_column *column = column_of(&parts[i], system);
		const struct kt_drawn_column *end;
		const char *last;

		if ((first->n_states == 0) != (column->n_states == 0)) {
			return kt_error(KT_E_USAGE,
					"merge %s and %s: only one has the system's column",
					parts[0].name, parts[i].name);
		}
		if (column->n_states == 0) {
			continue;
		}
		if (strcmp(column->states[0].name, first->states[0].name) != 0) {
			return kt_error(KT_E_USAGE,
					"merge %s and %s: words begin in the state \"%s\" "
					"and in \"%s\"",
					parts[0].name, parts[i].name, first->states[0].name,
					column->states[0].name);
		}
		if (!parts[i].view->ended) {
			continue;
		}
		ended = ended ? ended : &parts[i];
		end = column_of(ended, system);
		last = column->states[column->n_states - 1].name;
		if (strcmp(last, end->states[end->n_states - 1].name) != 0) {
			return kt_error(KT_E_USAGE,
					"merge %s and %s: words end in the state \"%s\" "
					"and in \"%s\"",
					ended->name, parts[i].name,
					end->states[end->n_states - 1].name, last);
		}
	}
	return KT_OK;
}

static int add_column(struct kt_drawn_column *out, const struct part *part, bool system)
{
	const struct kt_drawn_column *column = column_of(part, system);

	for (size_t i = 0; i < column->n_states; i++) {
		const struct kt_distilled_box *box = &column->states[i];

		KT_TRY(add_state(&out->states[find_state(out, box->name)], box, part));
	}
	for (size_t i = 0; i < column->n_arrows; i++) {
		KT_TRY(add_arrow(out, &column->arrows[i], column, part));
	}
	return KT_OK;
}

static int merge_columns(struct kt_drawn_column *out, const struct part *parts, size_t n,
			 bool system)
{
	size_t n_arrows = 0;

	KT_TRY(check_columns(parts, n, system));
	for (size_t i = 0; i < n; i++) {
		n_arrows += column_of(&parts[i], system)->n_arrows;
	}
	out->states = calloc(KT_DISTILLED_STATES, sizeof(*out->states));
	out->arrows = calloc(n_arrows + 1, sizeof(*out->arrows));
	if (!out->states || !out->arrows) {
		return kt_no_memory("merge machines");
	}
	/* Machines with known ends come first, so that the state where words end is last.
	 */
	for (int ends = 1; ends >= 0; ends--) {
		for (size_t i = 0; i < n; i++) {
			if ((parts[i].view->ended > 0) == ends) {
				KT_TRY(blame(&parts[i],
					     add_names(out, column_of(&parts[i], system))));
			}
		}
	}
	for (size_t i = 0; i < n; i++) {
		KT_TRY(blame(&parts[i], add_column(out, &parts[i], system)));
	}
	return KT_OK;
}

/* --- machines --- */

static int add_head(struct kt_distilled_view *out, const struct part *part)
{
	const struct kt_distilled_view *view = part->view;
	char *name = NULL;

	out->no_k = out->no_k || view->no_k || view->k != out->k;
	out->calls = out->calls || view->calls;
	KT_TRY(add(&out->words, view->words));
	KT_TRY(add(&out->ended, view->ended));
	KT_TRY(add(&out->letters, view->letters));
	KT_TRY(add(&out->unplaced, view->unplaced));
	KT_TRY(copy_all(out->traces, &out->n_traces, view->traces, view->n_traces));
	if (view->n_machines) {
		return copy_all(out->machines, &out->n_machines, view->machines,
				view->n_machines);
	}
	KT_TRY(copy(&name, part->name));
	out->machines[out->n_machines++] = name;
	return KT_OK;
}

int kt_distilled_merge(struct kt_distilled_view **out,
		       struct kt_distilled_view *const *machines, const char *const *names,
		       size_t n)
{
	struct kt_distilled_view *sum = calloc(1, sizeof(*sum));
	struct part *parts = calloc(n + 1, sizeof(*parts));
	size_t n_traces = 0;
	size_t n_machines = 0;
	int code = KT_OK;

	*out = NULL;
	for (size_t i = 0; i < n && parts; i++) {
		parts[i] = (struct part){machines[i], names[i], (unsigned)n_machines};
		n_traces += machines[i]->n_traces;
		n_machines += machines[i]->n_machines ? machines[i]->n_machines : 1;
		if (n_machines > KT_DISTILLED_MACHINES) {
			code = kt_error(KT_E_USAGE,
					"merge %s: these are more than %d machines",
					names[i], KT_DISTILLED_MACHINES);
			goto end;
		}
	}
	if (sum) {
		sum->traces = calloc(n_traces + 1, sizeof(*sum->traces));
		sum->machines = calloc(n_machines + 1, sizeof(*sum->machines));
	}
	if (!sum || !parts || !sum->traces || !sum->machines) {
		code = kt_no_memory("merge machines");
		goto end;
	}
	sum->k = machines[0]->k;
	for (size_t i = 0; i < n; i++) {
		KT_TRY_END(blame(&parts[i], add_head(sum, &parts[i])));
	}
	KT_TRY_END(merge_columns(&sum->user, parts, n, false));
	code = merge_columns(&sum->system, parts, n, true);
end:
	free(parts);
	if (code) {
		kt_distilled_view_free(sum);
		sum = NULL;
	}
	*out = sum;
	return code;
}
