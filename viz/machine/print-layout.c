/* SPDX-License-Identifier: MIT */
#include "viz/machine/print-layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <ktail/status.h>

#include "base/json-writer.h"
#include "base/try.h"

#define BORDER 4.0 /* around the drawing, since a viewer's font may be wider */

struct printer {
	struct kt_json_writer w;
	const struct kt_drawing *d; /* Weak */
	/* The drawing's upper left corner for Graphviz, whose y grows upwards. */
	double left, top;
};

/* --- numbers, paths, texts --- */

#define LENGTH_SIZE 32

/* Writes a length with at most one decimal to `text`; -0 as 0. */
static const char *length_text(char text[static LENGTH_SIZE], double length)
{
	const long tenths = lround(length * 10);
	const char *sign = tenths < 0 ? "-" : "";

	if (tenths % 10) {
		snprintf(text, LENGTH_SIZE, "%s%ld.%ld", sign, labs(tenths) / 10,
			 labs(tenths) % 10);
	} else {
		snprintf(text, LENGTH_SIZE, "%s%ld", sign, labs(tenths) / 10);
	}
	return text;
}

static void put_length(struct printer *p, const char *key, double length)
{
	char text[LENGTH_SIZE];

	kt_json_print(&p->w, key, "%s", length_text(text, length));
}

static double number(const json_t *array, size_t i)
{
	return json_number_value(json_array_get(array, i));
}

/*
 * Writes the points of all operations as an SVG path: B-splines are cubic Bezier curves,
 * polygons are closed.
 */
static void put_path(struct printer *p, const char *key, const json_t *draw)
{
	FILE *out = kt_json_stream(&p->w, key);
	const json_t *op;
	size_t i;

	putc('"', out);
	json_array_foreach(draw, i, op)
	{
		const char *kind = json_string_value(json_object_get(op, "op"));
		const json_t *points = json_object_get(op, "points");
		const bool curve = kind && (kind[0] == 'b' || kind[0] == 'B');
		const size_t n = json_array_size(points);

		for (size_t k = 0; k < n; k++) {
			const json_t *point = json_array_get(points, k);
			char x[LENGTH_SIZE];
			char y[LENGTH_SIZE];

			fprintf(out, "%s%s,%s",
				k == 0  ? "M"
				: k > 1 ? " "
				: curve ? "C"
					: "L",
				length_text(x, number(point, 0) - p->left),
				length_text(y, p->top - number(point, 1)));
		}
		fputs(n > 0 && !curve ? "Z" : "", out);
	}
	putc('"', out);
}

/* Writes [[x, baseline, text], ...], without the blanks by which DOT indents labels. */
static void put_texts(struct printer *p, const char *key, const json_t *draw)
{
	const json_t *op;
	size_t i;

	kt_json_array(&p->w, key);
	json_array_foreach(draw, i, op)
	{
		const char *text = json_string_value(json_object_get(op, "text"));
		const json_t *at = json_object_get(op, "pt");

		if (text && text[strspn(text, " ")]) {
			kt_json_array(&p->w, NULL);
			put_length(p, NULL, number(at, 0) - p->left);
			put_length(p, NULL, p->top - number(at, 1));
			kt_json_text(&p->w, text);
			kt_json_end(&p->w);
		}
	}
	kt_json_end(&p->w);
}

/* Writes centre and size of a node: x, y, width, height. */
static void put_box(struct printer *p, const json_t *node)
{
	const char *at = json_string_value(json_object_get(node, "pos"));
	const char *width = json_string_value(json_object_get(node, "width"));
	const char *height = json_string_value(json_object_get(node, "height"));
	double x = 0;
	double y = 0;

	if (at) {
		char *end;

		x = strtod(at, &end);
		y = *end == ',' ? strtod(end + 1, NULL) : 0;
	}
	put_length(p, NULL, x - p->left);
	put_length(p, NULL, p->top - y);
	/* Graphviz gives sizes in inches. */
	put_length(p, NULL, 72 * (width ? strtod(width, NULL) : 0));
	put_length(p, NULL, 72 * (height ? strtod(height, NULL) : 0));
}

/* --- states and edges --- */

/* Returns the number of a state in an id "s<state>", or SIZE_MAX. */
static size_t state_of(const struct printer *p, const char *id)
{
	char *end = NULL;
	unsigned long long state = id && id[0] == 's' ? strtoull(id + 1, &end, 10) : 0;

	return end && end > id + 1 && !*end && state < p->d->fsm->n_states ? (size_t)state
									   : SIZE_MAX;
}

/* Returns the edge of an id "t<from>-<ordinal>", or NULL. O(log edges). */
static const struct kt_drawn_edge *edge_of(const struct printer *p, const char *id)
{
	size_t low = 0;
	size_t high = p->d->n_edges;
	unsigned long from;
	unsigned long ordinal;
	char *end;

	if (!id || id[0] != 't') {
		return NULL;
	}
	from = strtoul(id + 1, &end, 10);
	ordinal = *end == '-' ? strtoul(end + 1, NULL, 10) : 0;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct kt_drawn_edge *edge = &p->d->edges[middle];

		if (edge->from == from && edge->ordinal == ordinal) {
			return edge;
		}
		if (edge->from < from || (edge->from == from && edge->ordinal < ordinal)) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return NULL;
}

static const char *id_of(const json_t *object)
{
	return json_string_value(json_object_get(object, "id"));
}

/* Writes an element for each state: [x, y, width, height, texts], or null if not drawn. */
static int put_states(struct printer *p, const json_t *nodes)
{
	const size_t n = p->d->fsm->n_states;
	const json_t **of = calloc(n + 1, sizeof(*of));
	const json_t *node;
	size_t i;

	if (!of) {
		return kt_no_memory("write layout");
	}
	json_array_foreach(nodes, i, node)
	{
		const size_t state = state_of(p, id_of(node));

		if (state != SIZE_MAX) {
			of[state] = node;
		}
	}
	kt_json_array(&p->w, "states");
	for (i = 0; i < n; i++) {
		if (!of[i]) {
			kt_json_null(&p->w);
			continue;
		}
		kt_json_array(&p->w, NULL);
		put_box(p, of[i]);
		put_texts(p, NULL, json_object_get(of[i], "_ldraw_"));
		kt_json_end(&p->w);
	}
	kt_json_end(&p->w);
	free(of);
	return KT_OK;
}

static void put_line(struct printer *p, const json_t *line)
{
	put_path(p, "path", json_object_get(line, "_draw_"));
	put_path(p, "arrow", json_object_get(line, "_hdraw_"));
}

static void put_edges(struct printer *p, const json_t *lines)
{
	const json_t *line;
	size_t i;

	kt_json_array(&p->w, "edges");
	json_array_foreach(lines, i, line)
	{
		const struct kt_drawn_edge *edge = edge_of(p, id_of(line));

		if (!edge) {
			continue;
		}
		kt_json_object(&p->w, NULL);
		kt_json_numbers(&p->w, "transitions", &p->d->order[edge->first], edge->n);
		KT_JSON(&p->w, KT_BOOL("chain", edge->chain));
		put_line(p, line);
		put_texts(p, "texts", json_object_get(line, "_ldraw_"));
		kt_json_end(&p->w);
	}
	kt_json_end(&p->w);
}

/* Writes the arrows that lead into states from outside: where words begin. */
static void put_markers(struct printer *p, const json_t *nodes, const json_t *lines)
{
	const json_t *line;
	size_t i;

	kt_json_array(&p->w, "markers");
	json_array_foreach(lines, i, line)
	{
		const json_t *tail = json_array_get(
			nodes, (size_t)json_integer_value(json_object_get(line, "tail")));
		const json_t *head = json_array_get(
			nodes, (size_t)json_integer_value(json_object_get(line, "head")));
		const size_t state = state_of(p, id_of(head));

		if (edge_of(p, id_of(line)) || state == SIZE_MAX) {
			continue;
		}
		kt_json_object(&p->w, NULL);
		KT_JSON(&p->w, KT_U64("state", state));
		kt_json_array(&p->w, "box");
		put_box(p, tail);
		kt_json_end(&p->w);
		put_texts(p, "texts", json_object_get(tail, "_ldraw_"));
		put_line(p, line);
		kt_json_end(&p->w);
	}
	kt_json_end(&p->w);
}

int kt_print_layout(FILE *out, FILE *picture, const struct kt_drawing *drawing)
{
	struct printer p = {.w = {.out = out, .compact = true}, .d = drawing};
	json_error_t error;
	json_t *root = json_loadf(picture, 0, &error);
	const char *bounds = json_string_value(json_object_get(root, "bb"));
	const json_t *nodes = json_object_get(root, "objects");
	const json_t *lines = json_object_get(root, "edges");
	double corner[4] = {0};
	int code;

	if (!root) {
		return kt_error(KT_E_IO, "read layout: %s", error.text);
	}
	for (size_t i = 0; i < 4 && bounds; i++) {
		char *end;

		corner[i] = strtod(bounds, &end);
		bounds = *end == ',' ? end + 1 : NULL;
	}
	/* Labels at the border may lie beyond Graphviz's origin. */
	p.left = corner[0] - BORDER;
	p.top = corner[3] + BORDER;
	kt_json_object(&p.w, NULL);
	KT_JSON(&p.w, KT_STR("format", KT_LAYOUT_FORMAT));
	put_length(&p, "width", corner[2] - corner[0] + 2 * BORDER);
	put_length(&p, "height", corner[3] - corner[1] + 2 * BORDER);
	code = put_states(&p, nodes);
	put_edges(&p, lines);
	put_markers(&p, nodes, lines);
	kt_json_end(&p.w);
	json_decref(root);
	return code ? code : ferror(out) ? kt_error_errno(KT_E_IO, "write layout") : KT_OK;
}
