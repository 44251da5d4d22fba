/* SPDX-License-Identifier: MIT */
/*
 * A picture as a list of shapes, to be written as SVG (print-svg.h) or with cairo
 * (print-cairo.h). Lengths are in points; x grows to the right and y down, from the upper
 * left corner. Later shapes are drawn over earlier ones.
 */
#ifndef KTAIL_VIZ_SCENE_H
#define KTAIL_VIZ_SCENE_H

#include <stdbool.h>
#include <stddef.h>

#include "viz/drawing/temperature.h"

/* The fonts of all pictures, if the user names none: the first that exists is used. */
#define KT_FONTS "Helvetica,Arial,sans-serif"

enum kt_shape_kind {
	KT_SHAPE_RECTANGLE, /* filled; upper left corner x, y; width, height */
	KT_SHAPE_CIRCLE,    /* filled; centre x, y; diameter `width` */
	KT_SHAPE_LINE,      /* through `points`; line width `width` */
	KT_SHAPE_TEXT,      /* `text`, one line: baseline at y; start, middle or end at x */
	KT_SHAPE_HOVER,     /* invisible: area whose tooltip is `text`; SVG only */
	KT_SHAPE_GROUP,     /* invisible: later shapes get the class `text`; SVG only */
};

/* Patterns of lines, which can be distinguished in black and white. */
enum kt_dash {
	KT_DASH_NONE,
	KT_DASH_SHORT,
	KT_DASH_LONG,
	KT_DASH_DOT,
	KT_DASH_LONG_DOT,
	KT_DASH_LONG_DOT_DOT,
	KT_DASHES, /* the number of patterns */
};

/* Maximum number of lengths in a pattern. */
#define KT_DASH_LENGTHS 6

/* Lengths in points of strokes and gaps in turn, up to the first 0. */
extern const double kt_dash_lengths[KT_DASHES][KT_DASH_LENGTHS + 1];

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
	enum kt_dash dash;
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
	const char *font; /* Weak; NULL: KT_FONTS */
	double page;      /* width in points to which the picture is reduced; 0: none */
	int code; /* the first failure, after which shapes are no longer added; or KT_OK */
};

/* Points on paper for a unit of an SVG. */
#define KT_SCENE_UNIT 0.75

/*
 * Returns the points on paper for a unit of the scene: 1, or KT_SCENE_UNIT at most if the
 * picture is reduced to a page.
 */
double kt_scene_scale(const struct kt_scene *scene);

/*
 * Returns the size of the scene's smallest text, in the scene's units; 0: the scene has no
 * text.
 */
double kt_scene_smallest(const struct kt_scene *scene);

/* Frees everything that the scene owns. */
void kt_scene_clear(struct kt_scene *scene);

/*
 * Each function below that takes a scene adds a shape. If memory runs out, it sets
 * scene->code to KT_E_MEMORY, with an error message. Points and texts are copied.
 */
void kt_scene_rectangle(struct kt_scene *scene, double x, double y, double width,
			double height, struct kt_colour colour);
void kt_scene_circle(struct kt_scene *scene, double x, double y, double diameter,
		     struct kt_colour colour);
void kt_scene_line(struct kt_scene *scene, const struct kt_point2 *points, size_t n,
		   double width, struct kt_colour colour, bool dashed);

/* Like kt_scene_line(), with a pattern of dashes. */
void kt_scene_dashed_line(struct kt_scene *scene, const struct kt_point2 *points, size_t n,
			  double width, struct kt_colour colour, enum kt_dash dash);

/*
 * Adds a text and returns its shape, in which the caller may set bold or upward. The shape
 * is valid until the next shape is added. NULL on failure.
 */
struct kt_shape *kt_scene_text(struct kt_scene *scene, double x, double y, const char *text,
			       double size, enum kt_anchor anchor, struct kt_colour colour);
void kt_scene_hover(struct kt_scene *scene, double x, double y, double width, double height,
		    const char *text);
void kt_scene_group(struct kt_scene *scene, const char *name);

#endif
