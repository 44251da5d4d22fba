/* SPDX-License-Identifier: MIT */
/*
 * A picture as a list of shapes, to be printed as SVG (print-svg.h) or by cairo
 * (print-cairo.h). Lengths are in points, from the upper left corner down and to the right.
 * What is added first lies beneath.
 */
#ifndef KTAIL_VIZ_SCENE_H
#define KTAIL_VIZ_SCENE_H

#include <stdbool.h>
#include <stddef.h>

#include "viz/temperature.h"

enum kt_shape_kind {
	KT_SHAPE_RECTANGLE, /* filled: x, y, width, height */
	KT_SHAPE_CIRCLE,    /* filled: around x, y, width across */
	KT_SHAPE_LINE,      /* from point to point */
	KT_SHAPE_TEXT,      /* one line, on x, y */
	KT_SHAPE_HOVER,     /* not seen: where the pointer is told `text`; SVG alone */
	KT_SHAPE_GROUP,     /* not seen: what follows is of class `text`; SVG alone */
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
	struct kt_point2 *points; /* Owned by this: of a line */
	size_t n_points;
	bool dashed;
	char *text; /* Owned by this; printable */
	double size;
	enum kt_anchor anchor;
	bool bold;
	bool upward; /* text from below to above */
};

struct kt_scene {
	double width;
	double height;
	struct kt_shape *shapes; /* Owned by this */
	size_t n_shapes;
	size_t capacity;
	int code; /* the first failure; nothing is added after it */
};

/* Frees what the scene owns. */
void kt_scene_clear(struct kt_scene *scene);

/*
 * The following add a shape; scene->code is KT_E_MEMORY, and the message says so, if there
 * is no room. Points and texts are copied.
 */
void kt_scene_rectangle(struct kt_scene *scene, double x, double y, double width,
			double height, struct kt_colour colour);
void kt_scene_circle(struct kt_scene *scene, double x, double y, double diameter,
		     struct kt_colour colour);
void kt_scene_line(struct kt_scene *scene, const struct kt_point2 *points, size_t n,
		   double width, struct kt_colour colour, bool dashed);

/* The text's shape for changes (bold, upward), until the next is added; NULL: failed. */
struct kt_shape *kt_scene_text(struct kt_scene *scene, double x, double y, const char *text,
			       double size, enum kt_anchor anchor, struct kt_colour colour);
void kt_scene_hover(struct kt_scene *scene, double x, double y, double width, double height,
		    const char *text);
void kt_scene_group(struct kt_scene *scene, const char *name);

/* About how wide a text is; which font there will be is not known. */
double kt_text_width(const char *text, double size);

#endif
