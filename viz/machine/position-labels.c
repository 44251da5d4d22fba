/* SPDX-License-Identifier: MIT */
#include "viz/machine/position-labels.h"

#include <math.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

#define CELL       48.0     /* width and height of the cells of the index */
#define MOST_SIDE  512      /* maximum number of cells in a row or column of the index */
#define CLEAR      2.0      /* least distance of a label from everything */
#define NEARER     1.0      /* a label is at least this much nearer to its own line */
#define NO_LINE    SIZE_MAX
#define FRACTIONS  41       /* positions tried along a line */
#define MOST_STEPS 50000000 /* after this many steps, about a second, labels stay */

/* Distances from the line that are tried. A farther label seems to belong to no line. */
static const double distances[] = {2.2, 3, 4, 5, 6, 8, 10, 15, 21, 30, 42};

#define N_DISTANCES (sizeof(distances) / sizeof(distances[0]))

/* A straight piece of a line; a box is the piece from one corner to the other. */
struct piece {
	struct kt_span2 span; /* of a line: from `low` to `high`, in any direction */
	double width;
	bool box;
	size_t line; /* number of the line; NO_LINE: neither a line nor its arrow head */
};

struct cell {
	size_t *pieces; /* Owned by this: indices into index.pieces */
	size_t n;
	size_t capacity;
};

struct index {
	struct piece *pieces; /* Owned by this */
	size_t n;
	size_t capacity;
	struct cell *cells; /* Owned by this: columns * rows */
	size_t columns;
	size_t rows;
	struct kt_span2 area;
	double cell_width;
	double cell_height;
	size_t steps; /* so far: points, cells and pieces that were tested */
	size_t most_steps;
};

/* --- the index: which pieces are near --- */

static size_t cell_at(double at, double low, double size, size_t n)
{
	double i = (at - low) / size;

	return i < 0 ? 0 : i >= (double)n ? n - 1 : (size_t)i;
}

static struct kt_span2 ordered(struct kt_span2 s, double margin)
{
	return (struct kt_span2){
		{fmin(s.low.x, s.high.x) - margin, fmin(s.low.y, s.high.y) - margin},
		{fmax(s.low.x, s.high.x) + margin, fmax(s.low.y, s.high.y) + margin}};
}

static int add_to_cell(struct index *index, size_t x, size_t y)
{
	struct cell *cell = &index->cells[y * index->columns + x];

	KT_TRY(kt_array_reserve(&cell->pieces, &cell->capacity, cell->n + 1));
	cell->pieces[cell->n++] = index->n;
	return KT_OK;
}

/*
 * Returns the piece's extent in x within a row of cells. The first and the last row include
 * what is beyond the area.
 */
static struct kt_span2 in_row(const struct index *index, const struct piece *piece,
			      size_t row)
{
	const double margin = piece->width / 2;
	const double low = index->area.low.y + (double)row * index->cell_height - margin;
	const double high = low + index->cell_height + 2 * margin;
	struct kt_point2 a = piece->span.low;
	struct kt_point2 b = piece->span.high;
	const double dx = b.x - a.x;
	const double dy = b.y - a.y;
	double from = 0;
	double to = 1;

	if (!piece->box && dy != 0) {
		double enters = ((dy > 0 ? low : high) - a.y) / dy;
		double leaves = ((dy > 0 ? high : low) - a.y) / dy;
		bool first = row == 0;
		bool last = row + 1 == index->rows;

		from = (dy > 0 ? first : last) ? 0 : fmin(fmax(0, enters), 1);
		to = (dy > 0 ? last : first) ? 1 : fmax(fmin(1, leaves), 0);
	}
	return ordered((struct kt_span2){{a.x + from * dx, 0}, {a.x + to * dx, 0}}, margin);
}

/* Adds a piece to the cells that it crosses. */
static int index_add(struct index *index, struct piece piece)
{
	struct kt_span2 s = ordered(piece.span, piece.width / 2);
	size_t low = cell_at(s.low.y, index->area.low.y, index->cell_height, index->rows);
	size_t high = cell_at(s.high.y, index->area.low.y, index->cell_height, index->rows);

	KT_TRY(kt_array_reserve(&index->pieces, &index->capacity, index->n + 1));
	index->pieces[index->n] = piece;
	for (size_t y = low; y <= high; y++) {
		struct kt_span2 row = in_row(index, &piece, y);
		size_t left = cell_at(row.low.x, index->area.low.x, index->cell_width,
				      index->columns);
		size_t right = cell_at(row.high.x, index->area.low.x, index->cell_width,
				       index->columns);

		for (size_t x = left; x <= right; x++) {
			KT_TRY(add_to_cell(index, x, y));
		}
	}
	index->n++;
	return KT_OK;
}

/*
 * Clips the piece to the box (Liang and Barsky); returns true if a part of it is inside, or
 * its middle nearer than `away`.
 */
static bool line_overlaps(const struct piece *piece, struct kt_span2 box, double away)
{
	const struct kt_point2 a = piece->span.low;
	const struct kt_point2 b = piece->span.high;
	double margin = fmax(piece->width / 2 + CLEAR, away);
	double p[] = {a.x - b.x, b.x - a.x, a.y - b.y, b.y - a.y};
	double q[] = {a.x - box.low.x + margin, box.high.x + margin - a.x,
		      a.y - box.low.y + margin, box.high.y + margin - a.y};
	double from = 0;
	double to = 1;

	for (size_t i = 0; i < 4; i++) {
		if (p[i] == 0 && q[i] < 0) {
			return false;
		}
		if (p[i] < 0) {
			from = fmax(from, q[i] / p[i]);
		} else if (p[i] > 0) {
			to = fmin(to, q[i] / p[i]);
		}
	}
	return from < to;
}

/* A position that is tried for the label of a line. */
struct trial {
	struct kt_span2 box;
	size_t line;
	double away; /* least distance of other lines, if it is more than CLEAR */
};

static bool overlaps(const struct piece *piece, const struct trial *trial)
{
	const struct kt_span2 s = piece->span;
	const struct kt_span2 box = trial->box;
	const bool other = piece->line != NO_LINE && piece->line != trial->line;
	const double away = other ? trial->away : 0;
	const double clear = fmax(CLEAR, away);

	if (!piece->box) {
		return line_overlaps(piece, box, away);
	}
	return s.low.x - clear < box.high.x && box.low.x - clear < s.high.x &&
	       s.low.y - clear < box.high.y && box.low.y - clear < s.high.y;
}

/* Takes n of the remaining steps; returns false if fewer than n remain. */
static bool may_test(struct index *index, size_t n)
{
	bool may = n <= index->most_steps - index->steps;

	index->steps = may ? index->steps + n : index->most_steps;
	return may;
}

/*
 * Returns whether a label may be at trial->box; false also if too few steps are left to
 * find out.
 */
static bool is_free(struct index *index, const struct trial *trial)
{
	const struct kt_span2 area = index->area;
	const struct kt_span2 box = trial->box;
	const double clear = fmax(CLEAR, trial->away);
	size_t left =
		cell_at(box.low.x - clear, area.low.x, index->cell_width, index->columns);
	size_t right =
		cell_at(box.high.x + clear, area.low.x, index->cell_width, index->columns);
	size_t low =
		cell_at(box.low.y - clear, area.low.y, index->cell_height, index->rows);
	size_t high =
		cell_at(box.high.y + clear, area.low.y, index->cell_height, index->rows);

	if (box.low.x < area.low.x || box.high.x > area.high.x || box.low.y < area.low.y ||
	    box.high.y > area.high.y) {
		return false;
	}
	for (size_t y = low; y <= high; y++) {
		for (size_t x = left; x <= right; x++) {
			const struct cell *cell = &index->cells[y * index->columns + x];

			if (!may_test(index, 1 + cell->n)) {
				return false;
			}
			for (size_t i = 0; i < cell->n; i++) {
				if (overlaps(&index->pieces[cell->pieces[i]], trial)) {
					return false;
				}
			}
		}
	}
	return true;
}

static int index_new(struct index *index, const struct kt_label_positions *positions)
{
	double width = positions->area.high.x - positions->area.low.x;
	double height = positions->area.high.y - positions->area.low.y;

	*index = (struct index){.area = positions->area,
				.most_steps = positions->most_steps ? positions->most_steps
								    : MOST_STEPS,
				.columns = (size_t)fmin(MOST_SIDE, 1 + width / CELL),
				.rows = (size_t)fmin(MOST_SIDE, 1 + height / CELL)};
	index->cell_width = width / (double)index->columns;
	index->cell_height = height / (double)index->rows;
	index->cells = calloc(index->columns * index->rows, sizeof(*index->cells));
	if (!index->cells) {
		return kt_no_memory("position labels");
	}
	for (size_t i = 0; i < positions->n_boxes; i++) {
		KT_TRY(index_add(index,
				 (struct piece){positions->boxes[i], 0, true, NO_LINE}));
	}
	for (size_t i = 0; i < positions->n_lines; i++) {
		const struct kt_labelled_line *line = &positions->lines[i];

		for (size_t j = 0; j < line->n_heads; j++) {
			KT_TRY(index_add(index,
					 (struct piece){line->heads[j], 0, true, i}));
		}
		for (size_t j = 1; j < line->n_points; j++) {
			KT_TRY(index_add(index, (struct piece){{line->points[j - 1],
								line->points[j]},
							       line->width,
							       false,
							       i}));
		}
	}
	return KT_OK;
}

static void index_free(struct index *index)
{
	for (size_t i = 0; index->cells && i < index->columns * index->rows; i++) {
		free(index->cells[i].pieces);
	}
	free(index->cells);
	free(index->pieces);
}

/* --- positions beside a line --- */

static double length_of(const struct kt_labelled_line *line)
{
	double length = 0;

	for (size_t i = 1; i < line->n_points; i++) {
		length += hypot(line->points[i].x - line->points[i - 1].x,
				line->points[i].y - line->points[i - 1].y);
	}
	return length;
}

/* A point of a line, and the line's unit direction there. */
struct spot {
	struct kt_point2 at;
	struct kt_point2 way;
};

/* Returns the spot at the fraction t of the line, which is `length` long. */
static struct spot spot_at(const struct kt_labelled_line *line, double length, double t)
{
	double left = length * t;

	for (size_t i = 1; i < line->n_points; i++) {
		const struct kt_point2 a = line->points[i - 1];
		const struct kt_point2 b = line->points[i];
		double part = hypot(b.x - a.x, b.y - a.y);

		if (part > 0 && (left <= part || i + 1 == line->n_points)) {
			const struct kt_point2 way = {(b.x - a.x) / part,
						      (b.y - a.y) / part};

			return (struct spot){{a.x + way.x * left, a.y + way.y * left}, way};
		}
		left -= part;
	}
	return (struct spot){line->points[0], {0, 1}};
}

/* `shift` is how far the label is moved along the line, as a share of its extent. */
static struct kt_span2 beside(struct spot spot, double distance, double sign, double shift,
			      struct kt_point2 size)
{
	const struct kt_point2 at = spot.at;
	const struct kt_point2 way = spot.way;
	struct kt_point2 normal = {-way.y * sign, way.x * sign};
	double away = distance + (fabs(normal.x) * size.x + fabs(normal.y) * size.y) / 2;
	double along = shift * (fabs(way.x) * size.x + fabs(way.y) * size.y);
	double x = at.x + normal.x * away + way.x * along;
	double y = at.y + normal.y * away + way.y * along;

	return (struct kt_span2){{x - size.x / 2, y - size.y / 2},
				 {x + size.x / 2, y + size.y / 2}};
}

/* Returns the distance of a box from the middle of the nearest piece of its line. */
static double distance_to_line(const struct kt_labelled_line *line, struct kt_span2 box)
{
	double least = INFINITY;

	for (size_t i = 0; i < line->n_points; i++) {
		const struct kt_point2 a = line->points[i ? i - 1 : 0];
		const struct kt_point2 b = line->points[i];
		const double dx = b.x - a.x;
		const double dy = b.y - a.y;
		const double square = dx * dx + dy * dy;
		const struct kt_point2 corners[] = {box.low,
						    box.high,
						    {box.low.x, box.high.y},
						    {box.high.x, box.low.y}};

		/* The nearest point is an end of the piece or a corner of the box. */
		least = fmin(least,
			     hypot(fmax(0, fmax(box.low.x - b.x, b.x - box.high.x)),
				   fmax(0, fmax(box.low.y - b.y, b.y - box.high.y))));
		for (size_t j = 0; j < 4 && square > 0; j++) {
			double t = ((corners[j].x - a.x) * dx + (corners[j].y - a.y) * dy) /
				   square;

			t = fmin(fmax(t, 0), 1);
			least = fmin(least, hypot(a.x + t * dx - corners[j].x,
						  a.y + t * dy - corners[j].y));
		}
	}
	return least;
}

/* Returns whether the label of a line may be at `box`, if it is nearest to its own line. */
static bool is_clear(struct index *index, const struct kt_labelled_line *line,
		     size_t number, struct kt_span2 box)
{
	struct trial trial = {.box = box, .line = number};

	/* Most positions are not free, which is found out sooner. */
	if (!is_free(index, &trial) || !may_test(index, line->n_points)) {
		return false;
	}
	trial.away = distance_to_line(line, box) + NEARER;
	return is_free(index, &trial);
}

/*
 * Finds a free position for the label of a line. With `own`, no other line may be as near
 * as this one.
 */
static bool find_position(struct kt_labelled_line *line, size_t number, double length,
			  bool own, struct index *index)
{
	static const double shifts[] = {0, 0.45, -0.45};
	struct kt_point2 size = {line->label.high.x - line->label.low.x,
				 line->label.high.y - line->label.low.y};
	struct spot spots[FRACTIONS];

	if (!may_test(index, FRACTIONS * line->n_points)) {
		return false;
	}
	for (int i = 0; i < FRACTIONS; i++) {
		/* 0.5, then fractions above and below 0.5 in turn */
		double t = 0.5 + (i % 2 ? 1 : -1) * ((i + 1) / 2) * (0.9 / FRACTIONS);

		spots[i] = spot_at(line, length, t);
	}
	for (size_t d = 0; d < N_DISTANCES; d++) {
		for (int i = 0; i < FRACTIONS; i++) {
			for (int j = 0; j < 6 && index->steps < index->most_steps; j++) {
				const struct trial trial = {
					.box = beside(spots[i],
						      distances[d] + line->width / 2,
						      j % 2 ? 1 : -1, shifts[j / 2], size),
					.line = number};

				if (own ? is_clear(index, line, number, trial.box)
					: is_free(index, &trial)) {
					line->label = trial.box;
					return true;
				}
			}
		}
	}
	return false;
}

/* A line whose label needs another position. */
struct wanting {
	double length; /* of the line: short lines have few positions */
	size_t line;
};

static int compare_wanting(const void *a, const void *b)
{
	const struct wanting *x = a;
	const struct wanting *y = b;

	if (x->length != y->length) {
		return x->length < y->length ? -1 : 1;
	}
	return x->line < y->line ? -1 : x->line > y->line;
}

/*
 * Places all labels. With `keep`, labels that overlap nothing stay and are placed first;
 * otherwise the labels of the shortest lines are placed first.
 */
static int position(struct kt_label_positions *positions, bool keep,
		    struct kt_label_faults *faults)
{
	struct wanting *wanting = calloc(positions->n_lines + 1, sizeof(*wanting));
	struct index index = {0};
	int code = wanting ? index_new(&index, positions) : kt_no_memory("position labels");
	size_t n = 0;

	*faults = (struct kt_label_faults){0};
	for (size_t i = 0; i < positions->n_lines && !code; i++) {
		struct kt_labelled_line *line = &positions->lines[i];

		if (line->has_label && keep && is_clear(&index, line, i, line->label)) {
			code = index_add(&index,
					 (struct piece){line->label, 0, true, NO_LINE});
		} else if (line->has_label) {
			wanting[n++] = (struct wanting){length_of(line), i};
		}
	}
	if (wanting) {
		qsort(wanting, n, sizeof(*wanting), compare_wanting);
	}
	for (size_t i = 0; i < n && !code; i++) {
		struct kt_labelled_line *line = &positions->lines[wanting[i].line];

		const size_t number = wanting[i].line;
		const struct trial here = {.box = line->label, .line = number};

		if (!is_clear(&index, line, number, line->label) &&
		    !find_position(line, number, wanting[i].length, true, &index)) {
			faults->unclear++;
			faults->unmoved += !find_position(line, number, wanting[i].length,
							  false, &index) &&
					   !is_free(&index, &here);
		}
		code = index_add(&index, (struct piece){line->label, 0, true, NO_LINE});
	}
	positions->steps += index.steps;
	index_free(&index);
	free(wanting);
	return code;
}

bool kt_label_faults_fewer(const struct kt_label_faults *a, const struct kt_label_faults *b)
{
	return a->unmoved != b->unmoved ? a->unmoved < b->unmoved : a->unclear < b->unclear;
}

int kt_position_labels(struct kt_label_positions *positions, struct kt_label_faults *faults)
{
	const size_t n = positions->n_lines;
	struct kt_span2 *first = NULL; /* where the first pass has put the labels */
	struct kt_label_faults second = {0};
	int code = KT_OK;

	positions->steps = 0;
	KT_TRY(position(positions, true, faults));
	if (!faults->unclear) {
		return KT_OK;
	}
	first = calloc(n + 1, sizeof(*first));
	if (!first) {
		return kt_no_memory("position labels");
	}
	for (size_t i = 0; i < n; i++) {
		first[i] = positions->lines[i].label;
	}
	KT_TRY_END(position(positions, false, &second));
	if (kt_label_faults_fewer(&second, faults)) {
		*faults = second;
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		positions->lines[i].label = first[i];
	}
end:
	free(first);
	return code;
}
