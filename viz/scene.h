/* SPDX-License-Identifier: MIT */
/*
 * A picture as a list of shapes, to be written as SVG (print-svg.h) or with cairo
 * (print-cairo.h). Lengths are in points, from the upper left corner to the right and down.
 * Later shapes are drawn over earlier ones.
 */
#ifndef KTAIL_VIZ_SCENE_H
#define KTAIL_VIZ_SCENE_H

#include <stdbool.h>
#include <stddef.h>

#include "viz/temperature.h"

enum kt_shape_kind {
	KT_SHAPE_RECTANGLE, /* filled; upper left corner x, y; width, height */
	KT_SHAPE_CIRCLE,    /* filled; centre x, y; diameter `width` */
	KT_SHAPE_LINE,      /* through `points`; line width `width` */
	KT_SHAPE_TEXT,      /* `text`, one line; its baseline is at y, `anchor` at x */
	KT_SHAPE_HOVER,     /* invisible: area whose tooltip is `text`; SVG only */
	KT_SHAPE_GROUP,     /* invisible: later shapes have the class `text`; SVG only */
};

enum kt_anchor { KT_ANCHOR_START, KT_ANCHOR_MIDDLE, KT_ANCHOR_END };

struct kt_point2 {
	double x;
	double y;
};

struct kt_shape {
	enum kt_shape_kind kind;
	struct kt_colour colour;
	double x, y, width, height;
	struct kt_point2 *points; /* Owned by this: the points of a line */
	size_t n_points;
	bool dashed;
	char *text; /* Owned by this; printable */
	double size;
	enum kt_anchor anchor;
	bool bold;
	bool upward; /* the text is turned to run upwards */
};

struct kt_scene {
	double width;
	double height;
	struct kt_shape *shapes; /* Owned by this */
	size_t n_shapes;
	size_t capacity;
	int code; /* the first failure; later shapes are not added */
};

/* Frees everything that the scene owns. */
void kt_scene_clear(struct kt_scene *scene);

/*
 * The functions below add a shape. If memory runs out, scene->code becomes KT_E_MEMORY,
 * with an error message. Points and texts are copied.
 */
void kt_scene_rectangle(struct kt_scene *scene, double x, double y, double width,
			double height, struct kt_colour colour);
void kt_scene_circle(struct kt_scene *scene, double x, double y, double diameter,
		     struct kt_colour colour);
void kt_scene_line(struct kt_scene *scene, const struct kt_point2 *points, size_t n,
		   double width, struct kt_colour colour, bool dashed);

/*
 * Returns the text's shape, in which the caller may set bold or upward; it is valid until
 * the next shape is added. NULL on failure.
 */
struct kt_shape *kt_scene_text(struct kt_scene *scene, double x, double y, const char *text,
			       double size, enum kt_anchor anchor, struct kt_colour colour);
void kt_scene_hover(struct kt_scene *scene, double x, double y, double width, double height,
		    const char *text);
void kt_scene_group(struct kt_scene *scene, const char *name);

/*
 * Returns the approximate width of a text in points; the font that will be used is unknown.
 */
double kt_text_width(const char *text, double size);

#endif
