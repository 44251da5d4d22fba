/* SPDX-License-Identifier: MIT */
#include "viz/plots/arrange-distilled.h"

#include <math.h>
#include <stdlib.h>

#include <ktail/status.h>

#define FOOT_HEIGHT 8.0
#define PORT_HEIGHT 13.0
#define ROW_GAP     20.0
#define SELDOM      200 /* arrows below 1/SELDOM of all counts are drawn only if needed */

static bool is_loop(const struct kt_distilled_arrow *a)
{
	return a->from == a->to;
}

/*
 * Returns whether arrow i has the highest count of the arrows that leave its source box, or
 * if `out` is false, of the arrows that enter its target box. Loops are not considered. Of
 * arrows with equal counts, only the first qualifies.
 */
static bool is_most(const struct kt_drawn_column *column, size_t i, bool out)
{
	const struct kt_distilled_arrow *a = &column->arrows[i];

	for (size_t j = 0; j < column->n_arrows; j++) {
		const struct kt_distilled_arrow *b = &column->arrows[j];
		bool beside = out ? b->from == a->from : b->to == a->to;

		if (beside && !is_loop(b) &&
		    (b->count > a->count || (b->count == a->count && j < i))) {
			return false;
		}
	}
	return true;
}

/*
 * Chooses more arrows: those on the strongest ways from the boxes in `reached` to every box
 * that can be reached from them, or if `backwards`, to the boxes in `reached` from every
 * other box. The strength of a way is the count of its rarest arrow. Adds the boxes to
 * `reached`.
 *
 * The function always adds the most frequent arrow that reaches a new box, as Prim's
 * algorithm does for a spanning tree. This finds the strongest ways.
 */
static void connect_boxes(bool *chosen, bool *reached, const struct kt_drawn_column *column,
			  bool backwards)
{
	size_t next;

	do {
		next = column->n_arrows;
		for (size_t i = 0; i < column->n_arrows; i++) {
			const struct kt_distilled_arrow *a = &column->arrows[i];

			if (reached[backwards ? a->to : a->from] &&
			    !reached[backwards ? a->from : a->to] &&
			    (next == column->n_arrows ||
			     a->count > column->arrows[next].count)) {
				next = i;
			}
		}
		if (next < column->n_arrows) {
			const struct kt_distilled_arrow *a = &column->arrows[next];

			chosen[next] = true;
			reached[backwards ? a->from : a->to] = true;
		}
	} while (next < column->n_arrows);
}

/*
 * Connects all boxes to the last box. Boxes from which no way leads to the last box,
 * because words with an unknown end stop in them, are connected to boxes that only loops
 * leave.
 */
static void connect_ends(bool *chosen, bool *reached, const struct kt_drawn_column *column)
{
	bool left[KT_DISTILLED_STATES] = {false};

	for (size_t i = 0; i < column->n_arrows; i++) {
		left[column->arrows[i].from] |= !is_loop(&column->arrows[i]);
	}
	for (size_t i = 0; i < column->n_states; i++) {
		reached[i] = i + 1 == column->n_states;
	}
	connect_boxes(chosen, reached, column, true);
	for (size_t i = 0; i < column->n_states; i++) {
		reached[i] |= !left[i];
	}
	connect_boxes(chosen, reached, column, true);
}

/*
 * Chooses the arrows to draw, which are never loops. `all` is the sum of the counts. Sets
 * *out to an array that says for each arrow whether it is chosen; the caller frees the
 * array, also on failure. KT_E_MEMORY.
 */
static int choose_arrows(bool **out, const struct kt_drawn_column *column, uint64_t all)
{
	bool *chosen = calloc(column->n_arrows + 1, sizeof(*chosen));
	bool reached[KT_DISTILLED_STATES] = {true};

	*out = chosen;
	if (!chosen) {
		return kt_no_memory("arrange machine");
	}
	for (size_t i = 0; i < column->n_arrows; i++) {
		const struct kt_distilled_arrow *a = &column->arrows[i];

		chosen[i] = !is_loop(a) &&
			    (a->count >= all / SELDOM || is_most(column, i, true) ||
			     is_most(column, i, false));
	}
	connect_boxes(chosen, reached, column, false);
	connect_ends(chosen, reached, column);
	return KT_OK;
}

/*
 * Makes each box as high as its contents (`heights`) and ports need, and places it below
 * the previous box. An arrow straight down to the next box spans the gap between the two
 * boxes.
 */
static void lay_out_boxes(struct kt_arrangement *out, const struct kt_drawn_column *column,
			  const double *heights, double top)
{
	for (size_t i = 0; i < column->n_states; i++) {
		struct kt_placed_box *placed = &out->boxes[i];
		uint32_t ports = placed->ports[0] > placed->ports[1] ? placed->ports[0]
								     : placed->ports[1];

		placed->top = top;
		placed->height = fmax(heights[i], ports * PORT_HEIGHT + FOOT_HEIGHT);
		top += placed->height + ROW_GAP;
	}
	out->bottom = top - ROW_GAP;
	for (size_t i = 0; i < out->n_arrows; i++) {
		struct kt_placed_arrow *a = &out->arrows[i];
		const struct kt_placed_box *from = &out->boxes[a->arrow->from];

		if (a->margin == KT_LANE_NONE) {
			a->from = from->top + from->height;
			a->to = out->boxes[a->arrow->to].top;
		}
	}
}

/*
 * Assigns the arrows of one margin to ports so that few arrows cross. At each box, arrows
 * from or to higher boxes use the upper ports: the topmost port is for the nearest box.
 * Arrows from or to lower boxes use the lower ports: the lowest port is for the nearest
 * box.
 */
static void lay_out_ports(struct kt_arrangement *out, size_t n, enum kt_lane_margin margin)
{
	for (size_t at = 0; at < n; at++) {
		struct kt_placed_box *box = &out->boxes[at];

		for (size_t step = 1; step < 2 * n; step++) {
			size_t wanted = step < n ? at - step : at + (2 * n - step);

			for (size_t i = 0; i < out->n_arrows; i++) {
				struct kt_placed_arrow *a = &out->arrows[i];
				bool leaves = a->arrow->from == at;

				if (a->margin != margin ||
				    (!leaves && a->arrow->to != at) ||
				    (leaves ? a->arrow->to : a->arrow->from) != wanted) {
					continue;
				}
				*(leaves ? &a->from : &a->to) =
					box->top + box->height *
							   (box->used[margin]++ + 0.5) /
							   (double)box->ports[margin];
			}
		}
	}
}

static bool lane_is_free(const struct kt_arrangement *out, const bool *placed,
			 const struct kt_placed_arrow *a)
{
	for (size_t j = 0; j < out->n_arrows; j++) {
		const struct kt_placed_arrow *b = &out->arrows[j];

		if (placed[j] && b->margin == a->margin && b->lane == a->lane &&
		    fmin(a->from, a->to) < fmax(b->from, b->to) + 3 &&
		    fmin(b->from, b->to) < fmax(a->from, a->to) + 3) {
			return false;
		}
	}
	return true;
}

static double span(const struct kt_placed_arrow *a)
{
	return fabs(a->to - a->from);
}

/*
 * Assigns lanes to the shortest arrows first, so that short arrows run next to the boxes.
 */
static int lay_out_lanes(struct kt_arrangement *out)
{
	bool *placed = calloc(out->n_arrows + 1, sizeof(*placed));

	if (!placed) {
		return kt_no_memory("arrange machine");
	}
	for (;;) {
		struct kt_placed_arrow *a = NULL;

		for (size_t i = 0; i < out->n_arrows; i++) {
			if (!placed[i] && out->arrows[i].margin != KT_LANE_NONE &&
			    (!a || span(&out->arrows[i]) < span(a))) {
				a = &out->arrows[i];
			}
		}
		if (!a) {
			break;
		}
		while (!lane_is_free(out, placed, a)) {
			a->lane++;
		}
		placed[a - out->arrows] = true;
		if (a->lane >= out->lanes[a->margin]) {
			out->lanes[a->margin] = a->lane + 1;
		}
	}
	free(placed);
	return KT_OK;
}

int kt_arrange_distilled(struct kt_arrangement *out, const struct kt_drawn_column *column,
			 uint64_t all, const double *heights, double top)
{
	bool *chosen = NULL;
	int code = KT_OK;

	*out = (struct kt_arrangement){
		.boxes = calloc(column->n_states + 1, sizeof(*out->boxes)),
		.arrows = calloc(column->n_arrows + 1, sizeof(*out->arrows)),
	};
	if (!out->boxes || !out->arrows) {
		code = kt_no_memory("arrange machine");
	} else {
		code = choose_arrows(&chosen, column, all);
	}
	if (code) {
		free(chosen);
		kt_arrangement_clear(out);
		return code;
	}
	for (size_t i = 0; i < column->n_arrows; i++) {
		const struct kt_distilled_arrow *a = &column->arrows[i];
		enum kt_lane_margin margin = a->to < a->from        ? KT_LANE_LEFT
					     : a->to == a->from + 1 ? KT_LANE_NONE
								    : KT_LANE_RIGHT;

		if (is_loop(a)) {
			continue;
		}
		if (!chosen[i]) {
			out->left_out++;
			out->left_out_counts += a->count;
			continue;
		}
		out->arrows[out->n_arrows++] =
			(struct kt_placed_arrow){.arrow = a, .margin = margin};
		if (margin != KT_LANE_NONE) {
			out->boxes[a->from].ports[margin]++;
			out->boxes[a->to].ports[margin]++;
		}
	}
	free(chosen);
	lay_out_boxes(out, column, heights, top);
	lay_out_ports(out, column->n_states, KT_LANE_LEFT);
	lay_out_ports(out, column->n_states, KT_LANE_RIGHT);
	code = lay_out_lanes(out);
	if (code) {
		kt_arrangement_clear(out);
	}
	return code;
}

void kt_arrangement_clear(struct kt_arrangement *arrangement)
{
	free(arrangement->boxes);
	free(arrangement->arrows);
	*arrangement = (struct kt_arrangement){0};
}
