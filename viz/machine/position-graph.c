/* SPDX-License-Identifier: MIT */
#include "viz/machine/position-graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "viz/machine/print-dot.h"

#define STEPS   12   /* number of straight pieces that replace a curve */
#define OUTSIDE 60   /* how far labels may go beyond the drawing, in points */
#define HEAD    5    /* an arrow head is wider than its line by this many points */
#define GAP     14   /* between the drawing and the list of letters, in points */
/* Blank parts of a label, at its left, and above and below, by the size of its letters. */
#define INDENT 0.55
#define ABOVE  0.2

#define WIDER   1.03 /* a viewer's fonts may be this much wider than Graphviz assumes */

static struct kt_span2 box_around(pointf centre, double width, double height)
{
	return (struct kt_span2){{centre.x - width / 2, centre.y - height / 2},
				 {centre.x + width / 2, centre.y + height / 2}};
}

/* Returns where the letters of a label are, which is left-justified. */
static struct kt_span2 span_of(const textlabel_t *label)
{
	const double left = label->pos.x - label->dimen.x / 2;
	const double high = label->dimen.y / 2 - ABOVE * label->fontsize;

	return (struct kt_span2){{left + INDENT * label->fontsize, label->pos.y - high},
				 {left + label->dimen.x * WIDER, label->pos.y + high}};
}

static bool is_letters(Agnode_t *node)
{
	return strcmp(agnameof(node), KT_DOT_LETTERS) == 0;
}

static struct kt_point2 curve_point(const pointf p[4], double t)
{
	double s = 1 - t;
	double w[4] = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t};

	return (struct kt_point2){
		w[0] * p[0].x + w[1] * p[1].x + w[2] * p[2].x + w[3] * p[3].x,
		w[0] * p[0].y + w[1] * p[1].y + w[2] * p[2].y + w[3] * p[3].y};
}

/* Makes straight pieces of an edge's curve. KT_E_MEMORY. */
static int flatten(struct kt_labelled_line *line, Agedge_t *edge)
{
	const splines *curve = ED_spl(edge);
	const textlabel_t *label = ED_label(edge);
	static char penwidth[] = "penwidth";
	const char *pen = agget(edge, penwidth);
	size_t n = 0;

	*line = (struct kt_labelled_line){.width = pen && *pen ? strtod(pen, NULL) : 1};
	for (int i = 0; curve && i < curve->size; i++) {
		n += 3 + (size_t)curve->list[i].size * STEPS;
	}
	line->points = calloc(n + 1, sizeof(*line->points));
	if (!line->points) {
		return kt_no_memory("position labels");
	}
	for (int i = 0; curve && i < curve->size; i++) {
		const bezier *b = &curve->list[i];

		if (b->sflag) {
			line->points[line->n_points++] =
				(struct kt_point2){b->sp.x, b->sp.y};
		}
		for (int j = 0; j + 3 < b->size; j += 3) {
			for (int step = j ? 1 : 0; step <= STEPS; step++) {
				line->points[line->n_points++] =
					curve_point(b->list + j, (double)step / STEPS);
			}
		}
		if (b->eflag) {
			line->points[line->n_points++] =
				(struct kt_point2){b->ep.x, b->ep.y};
		}
	}
	if (label && label->set && label->dimen.x > 0 && line->n_points > 1) {
		line->has_label = true;
		line->label = span_of(label);
	}
	return KT_OK;
}

static void include(boxf *box, struct kt_span2 s)
{
	box->LL.x = fmin(box->LL.x, s.low.x);
	box->LL.y = fmin(box->LL.y, s.low.y);
	box->UR.x = fmax(box->UR.x, s.high.x);
	box->UR.y = fmax(box->UR.y, s.high.y);
}

/* Places the list of letters below everything, at the left. */
static void put_letters(Agraph_t *graph)
{
	static char name[] = KT_DOT_LETTERS;
	Agnode_t *node = agnode(graph, name, 0);
	boxf *all = &GD_bb(graph);
	pointf size;

	if (!node) {
		return;
	}
	size = ND_label(node)->dimen;
	ND_coord(node) = (pointf){all->LL.x + size.x / 2, all->LL.y - GAP - size.y / 2};
	include(all, box_around(ND_coord(node), size.x, size.y));
}

static void add_heads(struct kt_labelled_line *line, Agedge_t *edge)
{
	const splines *curve = ED_spl(edge);

	for (int i = 0; curve && i < curve->size && i < 2; i++) {
		const bezier *b = &curve->list[i];
		pointf from = b->eflag ? b->list[b->size - 1] : b->list[0];
		pointf to = b->eflag ? b->ep : b->sp;

		if (b->eflag || b->sflag) {
			line->heads[line->n_heads++] = box_around(
				(pointf){(from.x + to.x) / 2, (from.y + to.y) / 2},
				fabs(from.x - to.x) + HEAD, fabs(from.y - to.y) + HEAD);
		}
	}
}

static int collect(struct kt_label_positions *positions, Agraph_t *graph)
{
	size_t n_nodes = (size_t)agnnodes(graph);
	size_t n_edges = (size_t)agnedges(graph);
	const textlabel_t *head = GD_label(graph);
	int code = KT_OK;

	positions->boxes = calloc(n_nodes + 1, sizeof(*positions->boxes));
	positions->lines = calloc(n_edges + 1, sizeof(*positions->lines));
	if (!positions->boxes || !positions->lines) {
		return kt_no_memory("position labels");
	}
	if (head && head->set) {
		positions->boxes[positions->n_boxes++] =
			box_around(head->pos, head->dimen.x, head->dimen.y);
	}
	for (Agnode_t *node = agfstnode(graph); node; node = agnxtnode(graph, node)) {
		double width = ND_lw(node) + ND_rw(node);

		if (!is_letters(node)) {
			positions->boxes[positions->n_boxes++] =
				box_around(ND_coord(node), width, ND_ht(node));
		}
		for (Agedge_t *edge = agfstout(graph, node); edge && !code;
		     edge = agnxtout(graph, edge)) {
			struct kt_labelled_line *line =
				&positions->lines[positions->n_lines++];

			code = flatten(line, edge);
			add_heads(line, edge);
		}
	}
	return code;
}

/* Writes the positions of labels back, in the order of collect(). */
static void move_labels(Agraph_t *graph, const struct kt_label_positions *positions)
{
	const struct kt_labelled_line *line = positions->lines;

	for (Agnode_t *node = agfstnode(graph); node; node = agnxtnode(graph, node)) {
		for (Agedge_t *edge = agfstout(graph, node); edge;
		     edge = agnxtout(graph, edge), line++) {
			if (line->has_label) {
				textlabel_t *label = ED_label(edge);
				const struct kt_span2 before = span_of(label);

				label->pos.x += line->label.low.x - before.low.x;
				label->pos.y += line->label.low.y - before.low.y;
				include(&GD_bb(graph), line->label);
			}
		}
	}
}

int kt_position_graph(Agraph_t *graph, struct kt_label_faults *faults)
{
	const boxf all = GD_bb(graph);
	struct kt_label_positions positions = {
		.area = {{all.LL.x - OUTSIDE, all.LL.y - OUTSIDE},
			 {all.UR.x + OUTSIDE, all.UR.y}}};
	int code = collect(&positions, graph);

	*faults = (struct kt_label_faults){0};
	if (!code) {
		code = kt_position_labels(&positions, faults);
	}
	if (!code) {
		move_labels(graph, &positions);
		put_letters(graph);
	}
	for (size_t i = 0; i < positions.n_lines; i++) {
		free(positions.lines[i].points);
	}
	free(positions.boxes);
	free(positions.lines);
	return code;
}
