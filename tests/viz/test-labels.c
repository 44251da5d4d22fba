/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "tests/suite.h"
#include "viz/machine/position-labels.h"

#define LINES  14
#define POINTS 6
#define BOXES  8
#define ROUNDS 3000
#define CLEAR  2.0 /* least distance of a label from everything */
#define FAR    42  /* greatest distance of a label from its line */
#define NEARER 1.0 /* by so much a label is nearer to its own line */

/* A drawing in static memory, rebuilt by each test. */
static struct kt_label_positions drawing;
static struct kt_labelled_line lines[LINES];
static struct kt_point2 points[LINES][POINTS];
static struct kt_span2 boxes[BOXES];
static struct kt_span2 given[LINES]; /* where the labels were */

static unsigned seed = 7;

static double between(double low, double high)
{
	return low + (high - low) * (rand_r(&seed) % 10000) / 10000;
}

static struct kt_span2 box_at(double x, double y, double width, double height)
{
	return (struct kt_span2){{x, y}, {x + width, y + height}};
}

static void begin(double size)
{
	drawing = (struct kt_label_positions){
		.area = box_at(0, 0, size, size), .boxes = boxes, .lines = lines};
}

/* A picture of `size` points, more or less crowded. */
static void make_random(void)
{
	double size = between(100, 900);

	begin(size);
	drawing.n_boxes = (size_t)rand_r(&seed) % (BOXES + 1);
	drawing.n_lines = 1 + (size_t)rand_r(&seed) % LINES;
	for (size_t i = 0; i < drawing.n_boxes; i++) {
		boxes[i] = box_at(between(0, size), between(0, size), between(5, 80),
				  between(5, 80));
	}
	for (size_t i = 0; i < drawing.n_lines; i++) {
		struct kt_labelled_line *line = &lines[i];

		*line = (struct kt_labelled_line){.points = points[i],
						  .n_points = 2 + (size_t)rand_r(&seed) %
									  (POINTS - 1),
						  .width = between(0.5, 4),
						  .has_label = rand_r(&seed) % 4 > 0};
		for (size_t j = 0; j < line->n_points; j++) {
			/* Some lines leave the area, and some are upright. */
			points[i][j].x = j && rand_r(&seed) % 4 == 0
						 ? points[i][j - 1].x
						 : between(-30, size + 30);
			points[i][j].y = between(-30, size + 30);
		}
		line->label = box_at(between(-20, size), between(-20, size),
				     between(5, 120), between(8, 40));
	}
}

static struct kt_label_faults position_all(void)
{
	struct kt_label_faults faults = {SIZE_MAX, SIZE_MAX};

	for (size_t i = 0; i < drawing.n_lines; i++) {
		given[i] = lines[i].label;
	}
	CU_ASSERT_EQUAL_FATAL(kt_position_labels(&drawing, &faults), KT_OK);
	return faults;
}

/* --- the oracle: everything is compared with everything --- */

static bool boxes_meet(struct kt_span2 a, struct kt_span2 b, double away)
{
	return a.low.x - away < b.high.x && b.low.x - away < a.high.x &&
	       a.low.y - away < b.high.y && b.low.y - away < a.high.y;
}

/*
 * Returns whether a line is closer than `away` to the box: their extents overlap in x and
 * in y, and the corners are not all on one side of the line (separating axes).
 */
static bool line_meets(const struct kt_labelled_line *line, struct kt_span2 box,
		       double away)
{
	const double x[] = {box.low.x - away, box.high.x + away};
	const double y[] = {box.low.y - away, box.high.y + away};

	for (size_t i = 1; i < line->n_points; i++) {
		const struct kt_point2 a = line->points[i - 1];
		const struct kt_point2 b = line->points[i];
		int left = 0;

		if (fmax(a.x, b.x) <= x[0] || fmin(a.x, b.x) >= x[1] ||
		    fmax(a.y, b.y) <= y[0] || fmin(a.y, b.y) >= y[1]) {
			continue;
		}
		for (int corner = 0; corner < 4; corner++) {
			left += (b.x - a.x) * (y[corner / 2] - a.y) -
					(b.y - a.y) * (x[corner % 2] - a.x) >
				0;
		}
		if (left % 4) {
			return true;
		}
	}
	return false;
}

/* Returns whether a label may be at `box`, if the other labels are ignored. */
static bool fits(struct kt_span2 box, double slack)
{
	const struct kt_span2 area = drawing.area;

	if (box.low.x < area.low.x - slack || box.low.y < area.low.y - slack ||
	    box.high.x > area.high.x + slack || box.high.y > area.high.y + slack) {
		return false;
	}
	for (size_t i = 0; i < drawing.n_boxes; i++) {
		if (boxes_meet(box, boxes[i], CLEAR - slack)) {
			return false;
		}
	}
	for (size_t i = 0; i < drawing.n_lines; i++) {
		if (line_meets(&lines[i], box, lines[i].width / 2 + CLEAR - slack)) {
			return false;
		}
	}
	return true;
}

static bool same(struct kt_span2 a, struct kt_span2 b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

/*
 * Returns the distance of a box from the middle of a line. Along a straight piece it first
 * falls and then rises, so that its least value is found by dividing the piece in three.
 */
static double distance(const struct kt_labelled_line *line, struct kt_span2 box)
{
	double least = INFINITY;

	for (size_t i = 1; i < line->n_points; i++) {
		const struct kt_point2 a = line->points[i - 1];
		const struct kt_point2 b = line->points[i];
		double t[4] = {0, 0, 0, 1};
		double away[4];

		for (int step = 0; step < 36; step++) {
			t[1] = (2 * t[0] + t[3]) / 3;
			t[2] = (t[0] + 2 * t[3]) / 3;
			for (int j = 1; j < 3; j++) {
				double x = a.x + t[j] * (b.x - a.x);
				double y = a.y + t[j] * (b.y - a.y);

				away[j] =
					hypot(fmax(0, fmax(box.low.x - x, x - box.high.x)),
					      fmax(0, fmax(box.low.y - y, y - box.high.y)));
			}
			t[away[1] < away[2] ? 3 : 0] = t[away[1] < away[2] ? 2 : 1];
		}
		least = fmin(least, away[1]);
	}
	return least;
}

/* Returns whether the label of the i-th line is nearer to another line than to its own. */
static bool is_unclear(size_t i, struct kt_span2 box, double nearer)
{
	const double own = distance(&lines[i], box);

	for (size_t j = 0; j < drawing.n_lines; j++) {
		if (j != i && distance(&lines[j], box) < own + nearer) {
			return true;
		}
	}
	return false;
}

/* Likewise, if the other line is in the corners of the rectangle that is so much larger. */
static bool is_grown_unclear(size_t i, struct kt_span2 box)
{
	const double own = distance(&lines[i], box);

	for (size_t j = 0; j < drawing.n_lines; j++) {
		if (j != i && line_meets(&lines[j], box, own + NEARER + 1e-3)) {
			return true;
		}
	}
	return false;
}

/*
 * Checks a result: labels that moved overlap nothing and are near their lines, and labels
 * that overlap something, or are nearer to another line, are counted.
 */
static bool check(struct kt_label_faults faults)
{
	/* labels that overlap something that is not a label */
	bool covered[LINES] = {false};
	size_t n_covered = 0;
	size_t n_pairs = 0;
	size_t n_unclear = 0;

	for (size_t i = 0; i < drawing.n_lines; i++) {
		const struct kt_labelled_line *line = &lines[i];
		double away;

		if (!line->has_label) {
			continue;
		}
		covered[i] = !fits(line->label, 1e-6);
		n_covered += covered[i];
		n_unclear += covered[i] || is_unclear(i, line->label, NEARER - 1e-3);
		/*
		 * A label beside a slanting line may be farther by up to a quarter of its
		 * size.
		 */
		away = FAR + line->width / 2 +
		       (line->label.high.x - line->label.low.x + line->label.high.y -
			line->label.low.y) /
			       4;
		if (!same(line->label, given[i]) &&
		    (covered[i] || !line_meets(line, line->label, away))) {
			return false;
		}
		for (size_t j = 0; j < i; j++) {
			n_pairs += lines[j].has_label && !covered[i] && !covered[j] &&
				   boxes_meet(line->label, lines[j].label, CLEAR - 1e-6);
		}
	}
	/* Of two labels that overlap each other, at least one found no place. */
	return n_covered <= faults.unmoved && n_unclear <= faults.unclear &&
	       faults.unmoved <= faults.unclear && (faults.unmoved > 0 || n_pairs == 0);
}

static void positions_labels_beside_lines(void)
{
	size_t n_labels = 0;
	size_t n_unmoved = 0;
	size_t n_unclear = 0;
	size_t n_moved = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct kt_label_faults faults;

		make_random();
		faults = position_all();
		CU_ASSERT_TRUE_FATAL(check(faults));
		n_unmoved += faults.unmoved;
		n_unclear += faults.unclear;
		for (size_t i = 0; i < drawing.n_lines; i++) {
			n_labels += lines[i].has_label;
			n_moved += !same(lines[i].label, given[i]);
		}
	}
	CU_ASSERT_TRUE(n_moved > n_labels / 2);
	CU_ASSERT_TRUE(n_unmoved > ROUNDS / 10);
	CU_ASSERT_TRUE(n_unclear > n_unmoved + ROUNDS / 10);
}

/*
 * A label stays if its place is free and nearest to its own line. Otherwise it goes beside
 * the middle of its line, if there is a free place.
 */
static void moves_no_more_than_needed(void)
{
	size_t n_stayed = 0;
	size_t n_lost = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct kt_label_faults faults;
		struct kt_point2 size;
		struct kt_point2 a;
		struct kt_point2 b;

		make_random();
		for (size_t i = 1; i < drawing.n_lines; i++) {
			lines[i].has_label = false;
		}
		lines[0].has_label = true;
		lines[0].n_points = 2;
		faults = position_all();
		size = (struct kt_point2){given[0].high.x - given[0].low.x,
					  given[0].high.y - given[0].low.y};
		if (fits(given[0], -1e-6) && !is_grown_unclear(0, given[0])) {
			CU_ASSERT_TRUE_FATAL(same(given[0], lines[0].label) &&
					     !faults.unclear);
			n_stayed++;
			continue;
		}
		a = lines[0].points[0];
		b = lines[0].points[1];
		for (int sign = -1; sign <= 1 && faults.unmoved; sign += 2) {
			double length = hypot(b.x - a.x, b.y - a.y);
			double nx = -(b.y - a.y) / length * sign;
			double ny = (b.x - a.x) / length * sign;
			double away = 3 + lines[0].width / 2 +
				      (fabs(nx) * size.x + fabs(ny) * size.y) / 2;
			struct kt_span2 beside = box_at(
				(a.x + b.x) / 2 + nx * away - size.x / 2,
				(a.y + b.y) / 2 + ny * away - size.y / 2, size.x, size.y);

			CU_ASSERT_FALSE_FATAL(fits(beside, -1e-6));
		}
		n_lost += faults.unmoved;
	}
	CU_ASSERT_TRUE(n_stayed > ROUNDS / 20);
	CU_ASSERT_TRUE(n_lost > ROUNDS / 20);
}

/*
 * The first pass leaves one label here. The second pass, which begins with the shortest
 * line, would leave two, so its result is not taken.
 */
static void takes_the_better_pass(void)
{
	static const struct kt_point2 ways[3][2] = {{{77.5, 32.3}, {74.2, 24.1}},
						    {{77.9, 64.6}, {123.2, 6.9}},
						    {{121.2, 28.9}, {78.7, 0.3}}};
	const struct kt_span2 labels[] = {box_at(120.2, 131.1, 104.1, 8.2),
					  box_at(11.6, 116.3, 114.6, 35.9),
					  box_at(81.2, 127.1, 59.5, 9.2)};
	struct kt_label_faults faults;

	begin(154);
	for (size_t i = 0; i < 3; i++) {
		memcpy(points[i], ways[i], sizeof(ways[i]));
		lines[i] = (struct kt_labelled_line){.points = points[i],
						     .n_points = 2,
						     .width = 2,
						     .label = labels[i],
						     .has_label = true};
	}
	drawing.n_lines = 3;
	faults = position_all();
	CU_ASSERT_EQUAL(faults.unmoved, 1);
	CU_ASSERT_TRUE(check(faults));
}

/* --- work --- */

static void add_line(struct kt_point2 from, struct kt_point2 to)
{
	size_t i = drawing.n_lines++;

	points[i][0] = from;
	points[i][1] = to;
	lines[i] =
		(struct kt_labelled_line){.points = points[i], .n_points = 2, .width = 1};
}

/* Diagonals are tested where they are, not in the whole rectangle around them. */
static void tests_only_what_is_near(void)
{
	begin(5000);
	for (int i = 0; i + 1 < LINES; i++) {
		add_line((struct kt_point2){i, 0}, (struct kt_point2){5000, 5000 - i});
	}
	add_line((struct kt_point2){4000, 500}, (struct kt_point2){4200, 500});
	lines[LINES - 1].has_label = true;
	lines[LINES - 1].label = box_at(4080, 490, 30, 12);
	CU_ASSERT_EQUAL(position_all().unmoved, 0);
	CU_ASSERT_TRUE(drawing.steps > 0 && drawing.steps < 200);
}

/* The search ends after the maximum number of steps, even within a long line. */
static void ends_in_time(void)
{
	static struct kt_point2 zigzag[20000];

	begin(2000);
	for (size_t i = 0; i < 20000; i++) {
		zigzag[i] = (struct kt_point2){0.1 * (double)i, i % 2 ? 0 : 2000};
	}
	lines[0] = (struct kt_labelled_line){.points = zigzag,
					     .n_points = 20000,
					     .width = 1,
					     .has_label = true,
					     .label = box_at(1000, 1000, 20, 10)};
	lines[1] = lines[0];
	drawing.n_lines = 2;
	drawing.most_steps = 1000;
	CU_ASSERT_EQUAL(position_all().unmoved, 2);
	CU_ASSERT_TRUE(drawing.steps > 0 && drawing.steps <= 2 * 1000);
	CU_ASSERT_TRUE(same(lines[0].label, given[0]));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"positions labels beside lines", positions_labels_beside_lines},
		{"moves no more than needed", moves_no_more_than_needed},
		{"takes the better pass", takes_the_better_pass},
		{"tests only what is near", tests_only_what_is_near},
		{"ends in time", ends_in_time},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("labels", tests);
}
