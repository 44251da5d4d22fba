/* SPDX-License-Identifier: MIT */
/*
 * Checks drawings in SVG: no text overlaps a line, a state or another text, the label of an
 * edge is not nearer to another edge, every text is within the picture, and letters have at
 * least 6 pt on a page of the given width. Texts are as wide as in the drawing's font, or
 * in the one of --font.
 *
 * Usage: check-figure [--width MM] [--font NAME] FILE.svg...
 * Prints what is wrong, one line each, and exits with 1 if anything is.
 */
#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SIZE 6.0
#define STEPS      16  /* straight pieces in place of a curve */
#define SLACK      0.4 /* smaller overlaps, in points, are ignored */
#define NEARER     1.0 /* an edge that is nearer to a label by less, in points, is ignored */
/*
 * One of this many labels in full may be nearer to another edge: where many edges meet,
 * there may be no position for a text of several lines without much more space. No key may,
 * since it says nothing by itself.
 */
#define UNCLEAR_OF 4
#define MOST_LINES 12 /* printed for one file */

struct point {
	double x, y;
};

struct box {
	double left, top, right, bottom;
};

struct matrix {
	double a, b, c, d, e, f; /* as in SVG's matrix() */
};

struct text {
	struct box box;
	char *content;
	const char *owner; /* id of the state or edge; "" for others */
	bool of_edge;
	double size;
};

struct segment {
	struct point from, to;
	double width;
	const char *owner;
};

struct shape {
	struct box box;
	const char *owner;
	bool round;
};

static struct picture {
	struct text *texts;
	struct segment *segments;
	struct shape *shapes;
	size_t n_texts, n_segments, n_shapes;
	struct box view;
	double scale; /* points of the page for one unit */
	size_t wrong;
	const char *path;
} pic;

static cairo_t *measure;
static const char *other_font; /* of --font; NULL: the drawing's own */

static void *grow(void *items, size_t n, size_t size)
{
	/* Grow when n is a power of two. */
	void *out = n & (n - 1) ? items : realloc(items, (n ? 2 * n : 1) * size);

	if (!out) {
		exit(2);
	}
	return out;
}

static void wrong(const char *what, const char *text, const char *other)
{
	if (pic.wrong++ < MOST_LINES) {
		printf("%s: '%s' %s %s\n", pic.path, text, what, other);
	}
}

/* --- numbers and transformations --- */

static double number(xmlNodePtr node, const char *name, double missing)
{
	xmlChar *value = xmlGetProp(node, (const xmlChar *)name);
	double out = value ? strtod((const char *)value, NULL) : missing;

	xmlFree(value);
	return out;
}

static size_t numbers(const char **at, double *out, size_t most)
{
	size_t n = 0;

	while (n < most) {
		char *end;

		*at += strspn(*at, " ,\n\t");
		out[n] = strtod(*at, &end);
		if (end == *at) {
			break;
		}
		*at = end;
		n++;
	}
	return n;
}

static struct matrix multiply(struct matrix m, struct matrix n)
{
	return (struct matrix){m.a * n.a + m.c * n.b,       m.b * n.a + m.d * n.b,
			       m.a * n.c + m.c * n.d,       m.b * n.c + m.d * n.d,
			       m.a * n.e + m.c * n.f + m.e, m.b * n.e + m.d * n.f + m.f};
}

static struct point apply(struct matrix m, double x, double y)
{
	return (struct point){m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f};
}

static struct matrix transform_of(xmlNodePtr node, struct matrix m)
{
	xmlChar *value = xmlGetProp(node, (const xmlChar *)"transform");
	const char *at = (const char *)value;

	while (at && *at) {
		const char *open = strchr(at, '(');
		double v[6] = {0};
		const char *arguments = open ? open + 1 : "";
		size_t n = numbers(&arguments, v, 6);

		if (!open) {
			break;
		}
		at += strspn(at, " ,");
		if (strncmp(at, "translate", 9) == 0) {
			m = multiply(m, (struct matrix){1, 0, 0, 1, v[0], v[1]});
		} else if (strncmp(at, "scale", 5) == 0) {
			m = multiply(
				m, (struct matrix){v[0], 0, 0, n > 1 ? v[1] : v[0], 0, 0});
		} else if (strncmp(at, "rotate", 6) == 0) {
			double r = v[0] * acos(-1) / 180;

			m = multiply(m, (struct matrix){1, 0, 0, 1, v[1], v[2]});
			m = multiply(
				m, (struct matrix){cos(r), sin(r), -sin(r), cos(r), 0, 0});
			m = multiply(m, (struct matrix){1, 0, 0, 1, -v[1], -v[2]});
		} else {
			wrong("is not read", at, "(a transformation)");
		}
		at = strchr(open, ')');
		at = at ? at + 1 : NULL;
	}
	xmlFree(value);
	return m;
}

/* --- what the picture has --- */

static void add_segment(struct point from, struct point to, double width, const char *owner)
{
	pic.segments = grow(pic.segments, pic.n_segments, sizeof(*pic.segments));
	pic.segments[pic.n_segments++] = (struct segment){from, to, width, owner};
}

static struct point bezier(const struct point p[4], double t)
{
	double s = 1 - t;
	double w[4] = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t};

	return (struct point){w[0] * p[0].x + w[1] * p[1].x + w[2] * p[2].x + w[3] * p[3].x,
			      w[0] * p[0].y + w[1] * p[1].y + w[2] * p[2].y +
				      w[3] * p[3].y};
}

/* Reads M and C (a path), or the points of a polyline. */
static void add_line(const char *at, struct matrix m, double width, const char *owner)
{
	struct point p[4] = {{0, 0}};
	bool curve = false;
	bool first = true;
	double v[6];

	while (*at) {
		at += strspn(at, " ,\n");
		if (*at == 'M' || *at == 'L') {
			first = *at == 'M';
			curve = false;
			at++;
		} else if (*at == 'C') {
			curve = true;
			at++;
		}
		if (numbers(&at, v, curve ? 6 : 2) < (curve ? 6u : 2u)) {
			return;
		}
		if (!curve) {
			struct point to = apply(m, v[0], v[1]);

			if (!first) {
				add_segment(p[0], to, width, owner);
			}
			p[0] = to;
			first = false;
			continue;
		}
		for (int i = 0; i < 3; i++) {
			p[i + 1] = apply(m, v[2 * i], v[2 * i + 1]);
		}
		for (int i = 0; i < STEPS; i++) {
			add_segment(bezier(p, (double)i / STEPS),
				    bezier(p, (double)(i + 1) / STEPS), width, owner);
		}
		p[0] = p[3];
	}
}

static void add_shape(struct box box, bool round, const char *owner)
{
	pic.shapes = grow(pic.shapes, pic.n_shapes, sizeof(*pic.shapes));
	pic.shapes[pic.n_shapes++] = (struct shape){box, owner, round};
}

static struct box box_of(const char *points, struct matrix m)
{
	struct box out = {INFINITY, INFINITY, -INFINITY, -INFINITY};
	double v[2];

	while (numbers(&points, v, 2) == 2) {
		struct point p = apply(m, v[0], v[1]);

		out = (struct box){fmin(out.left, p.x), fmin(out.top, p.y),
				   fmax(out.right, p.x), fmax(out.bottom, p.y)};
	}
	return out;
}

static double width_of(const char *text, double size, bool bold, const char *font)
{
	cairo_text_extents_t extents;

	cairo_select_font_face(measure, font, CAIRO_FONT_SLANT_NORMAL,
			       bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(measure, size);
	cairo_text_extents(measure, text, &extents);
	return extents.x_advance;
}

static void add_text(xmlNodePtr node, struct matrix m, char kind, const char *owner,
		     const char *fonts)
{
	static const char *const blanks[] = {" ", "\xc2\xa0"};
	char *content = (char *)xmlNodeGetContent(node);
	char *anchor = (char *)xmlGetProp(node, (const xmlChar *)"text-anchor");
	char *weight = (char *)xmlGetProp(node, (const xmlChar *)"font-weight");
	double size = number(node, "font-size", 16);
	double x = number(node, "x", 0);
	double y = number(node, "y", 0);
	bool bold = weight && strcmp(weight, "bold") == 0;
	char font[64];
	const char *start = content;
	size_t length;
	double width;
	double skipped;

	fonts = other_font ? other_font : fonts;
	snprintf(font, sizeof(font), "%.*s", (int)strcspn(fonts, ","), fonts);
	width = width_of(content, size, bold, font);
	x -= anchor && strcmp(anchor, "middle") == 0 ? width / 2
	     : anchor && strcmp(anchor, "end") == 0  ? width
						     : 0;
	for (size_t i = 0; i < 2; i++) {
		while (strncmp(start, blanks[i], strlen(blanks[i])) == 0) {
			start += strlen(blanks[i]);
			i = 0;
		}
	}
	skipped = width - width_of(start, size, bold, font);
	memmove(content, start, strlen(start) + 1);
	for (length = strlen(content);
	     length && strchr(" \xc2\xa0", content[length - 1]);) {
		content[--length] = '\0';
	}
	if (length) {
		double w = width_of(content, size, bold, font);
		struct point a = apply(m, x + skipped, y - 0.72 * size);
		struct point b = apply(m, x + skipped + w, y + 0.2 * size);

		pic.texts = grow(pic.texts, pic.n_texts, sizeof(*pic.texts));
		pic.texts[pic.n_texts++] = (struct text){
			{fmin(a.x, b.x), fmin(a.y, b.y), fmax(a.x, b.x), fmax(a.y, b.y)},
			content,
			owner,
			kind == 'e',
			size * sqrt(fabs(m.a * m.d - m.b * m.c))};
	} else {
		xmlFree(content);
	}
	xmlFree(anchor);
	xmlFree(weight);
}

static bool is(xmlNodePtr node, const char *name)
{
	return strcmp((const char *)node->name, name) == 0;
}

/* Returns the id of an element that has one. The document owns the text. */
static const char *id_of(xmlNodePtr node)
{
	return (const char *)xmlHasProp(node, (const xmlChar *)"id")->children->content;
}

/* Walks the elements. `kind` is 'n' in a state, 'e' in an edge, '-' elsewhere. */
static void walk(xmlNodePtr node, struct matrix m, char kind, const char *owner,
		 const char *fonts)
{
	for (; node; node = node->next) {
		char inside = kind;
		const char *here = owner;
		xmlChar *class;
		xmlChar *id;
		xmlChar *points;
		xmlChar *path;
		xmlChar *family;
		struct matrix at;

		if (node->type != XML_ELEMENT_NODE) {
			continue;
		}
		class = xmlGetProp(node, (const xmlChar *)"class");
		id = xmlGetProp(node, (const xmlChar *)"id");
		points = xmlGetProp(node, (const xmlChar *)"points");
		path = xmlGetProp(node, (const xmlChar *)"d");
		family = xmlGetProp(node, (const xmlChar *)"font-family");
		at = transform_of(node, m);
		if (class && id && strncmp((const char *)class, "node", 4) == 0) {
			inside = 'n';
			here = id_of(node);
		} else if (class && id && strncmp((const char *)class, "edge", 4) == 0) {
			inside = 'e';
			here = id_of(node);
		}
		if (is(node, "text")) {
			add_text(node, at, inside, here,
				 family ? (const char *)family : fonts);
		} else if (inside != 'n' && (is(node, "path") || is(node, "polyline"))) {
			add_line((const char *)(path ? path : points), at,
				 number(node, "stroke-width", 1), here);
		} else if (inside == 'e' && is(node, "polygon")) {
			add_line((const char *)points, at, 1, here);
		} else if (inside == 'n' && (is(node, "polygon") || is(node, "path"))) {
			add_shape(box_of((const char *)(points ? points : path), at), false,
				  here);
		} else if (inside == 'n' && is(node, "ellipse")) {
			double x = number(node, "cx", 0);
			double y = number(node, "cy", 0);
			double rx = number(node, "rx", 0);
			double ry = number(node, "ry", 0);
			struct point a = apply(at, x - rx, y - ry);
			struct point b = apply(at, x + rx, y + ry);

			add_shape((struct box){a.x, a.y, b.x, b.y}, true, here);
		}
		walk(node->children, at, inside, here,
		     family ? (const char *)family : fonts);
		xmlFree(class);
		xmlFree(id);
		xmlFree(points);
		xmlFree(path);
		xmlFree(family);
	}
}

/* --- overlaps --- */

static bool boxes_overlap(struct box a, struct box b)
{
	return a.left + SLACK < b.right && b.left + SLACK < a.right &&
	       a.top + SLACK < b.bottom && b.top + SLACK < a.bottom;
}

/*
 * Clips the segment to the box (Liang and Barsky); returns true if a part of it is inside.
 */
static bool crosses(const struct segment *s, struct box b)
{
	double half = s->width / 2;
	double from = 0;
	double to = 1;
	double dx = s->to.x - s->from.x;
	double dy = s->to.y - s->from.y;
	double p[4] = {-dx, dx, -dy, dy};
	double q[4] = {
		s->from.x - (b.left - half + SLACK), b.right + half - SLACK - s->from.x,
		s->from.y - (b.top - half + SLACK), b.bottom + half - SLACK - s->from.y};

	for (int i = 0; i < 4; i++) {
		if (p[i] == 0) {
			if (q[i] < 0) {
				return false;
			}
		} else if (p[i] < 0) {
			from = fmax(from, q[i] / p[i]);
		} else {
			to = fmin(to, q[i] / p[i]);
		}
	}
	return from < to;
}

static bool is_in_shape(const struct shape *shape, struct box b)
{
	double x;
	double y;
	double rx = (shape->box.right - shape->box.left) / 2;
	double ry = (shape->box.bottom - shape->box.top) / 2;

	if (!boxes_overlap(shape->box, b) || !shape->round) {
		return boxes_overlap(shape->box, b);
	}
	x = (shape->box.left + shape->box.right) / 2;
	y = (shape->box.top + shape->box.bottom) / 2;
	x = (fmin(fmax(x, b.left), b.right) - x) / rx;
	y = (fmin(fmax(y, b.top), b.bottom) - y) / ry;
	return x * x + y * y < 1;
}

static double distance_to_box(struct point p, struct box b)
{
	return hypot(fmax(0, fmax(b.left - p.x, p.x - b.right)),
		     fmax(0, fmax(b.top - p.y, p.y - b.bottom)));
}

static double distance_to_segment(const struct segment *s, double x, double y)
{
	double dx = s->to.x - s->from.x;
	double dy = s->to.y - s->from.y;
	double length = dx * dx + dy * dy;
	double t = length > 0 ? ((x - s->from.x) * dx + (y - s->from.y) * dy) / length : 0;

	t = fmin(fmax(t, 0), 1);
	return hypot(s->from.x + t * dx - x, s->from.y + t * dy - y);
}

/* Returns the distance of a box, which is not on the line, from the middle of the line. */
static double distance(const struct segment *s, struct box b)
{
	double least = fmin(distance_to_box(s->from, b), distance_to_box(s->to, b));

	least = fmin(least, distance_to_segment(s, b.left, b.top));
	least = fmin(least, distance_to_segment(s, b.left, b.bottom));
	least = fmin(least, distance_to_segment(s, b.right, b.top));
	least = fmin(least, distance_to_segment(s, b.right, b.bottom));
	return least;
}

/* Returns whether a label is the key of an edge: a, b, ..., aa, in a difference with a
 * sign. */
static bool is_key(const char *text)
{
	size_t length = strlen(text);
	size_t letters = 0;

	while (letters < length && letters < 4 && text[length - letters - 1] >= 'a' &&
	       text[length - letters - 1] <= 'z') {
		letters++;
	}
	return letters > 0 && letters < 4 &&
	       (letters == length || text[length - letters - 1] == ' ');
}

/* Checks that the label of an edge, which may have several texts, is nearest to the edge.
 */
static void compare_distances(void)
{
	size_t unclear = 0;
	size_t most = 0;

	for (size_t i = 0; i < pic.n_texts; i++) {
		most += pic.texts[i].of_edge &&
			(i == 0 || strcmp(pic.texts[i].owner, pic.texts[i - 1].owner) != 0);
	}
	most /= UNCLEAR_OF;
	for (size_t i = 0, next; i < pic.n_texts; i = next) {
		const struct text *t = &pic.texts[i];
		struct box box = t->box;
		const char *nearest = "";
		double own = INFINITY;
		double other = INFINITY;

		for (next = i + 1;
		     next < pic.n_texts && strcmp(pic.texts[next].owner, t->owner) == 0;
		     next++) {
			const struct box b = pic.texts[next].box;

			box = (struct box){fmin(box.left, b.left), fmin(box.top, b.top),
					   fmax(box.right, b.right),
					   fmax(box.bottom, b.bottom)};
		}
		for (size_t j = 0; j < pic.n_segments && t->of_edge; j++) {
			const struct segment *s = &pic.segments[j];
			const double away = distance(s, box);

			if (strcmp(s->owner, t->owner) == 0) {
				own = fmin(own, away);
			} else if (s->owner[0] && away < other) {
				other = away;
				nearest = s->owner;
			}
		}
		if (other + NEARER < own && own < INFINITY) {
			char what[64];

			unclear++;
			snprintf(what, sizeof(what),
				 "is %.1f from its own edge, but %.1f from", own, other);
			if (unclear > most || is_key(t->content)) {
				wrong(what, t->content, nearest);
			}
		}
	}
}

static void compare(void)
{
	for (size_t i = 0; i < pic.n_texts; i++) {
		const struct text *t = &pic.texts[i];
		bool lined = false;

		if (t->size * pic.scale < LEAST_SIZE - 0.05) {
			char size[32];

			snprintf(size, sizeof(size), "%.2f pt", t->size * pic.scale);
			wrong("is smaller than 6 pt on the page:", t->content, size);
		}
		if (t->box.left < pic.view.left || t->box.right > pic.view.right + 1 ||
		    t->box.top < pic.view.top || t->box.bottom > pic.view.bottom) {
			wrong("is beyond the", t->content, "picture's border");
		}
		for (size_t j = 0; j < pic.n_segments && !lined; j++) {
			lined = crosses(&pic.segments[j], t->box);
			if (lined) {
				wrong(strcmp(pic.segments[j].owner, t->owner) == 0
					      ? "overlaps its own line,"
					      : "overlaps line",
				      t->content, pic.segments[j].owner);
			}
		}
		for (size_t j = 0; j < pic.n_shapes; j++) {
			if (strcmp(pic.shapes[j].owner, t->owner) != 0 &&
			    is_in_shape(&pic.shapes[j], t->box)) {
				wrong("overlaps state", t->content, pic.shapes[j].owner);
				break;
			}
		}
		for (size_t j = i + 1; j < pic.n_texts; j++) {
			if (boxes_overlap(t->box, pic.texts[j].box)) {
				wrong("overlaps the text", t->content,
				      pic.texts[j].content);
			}
		}
	}
}

/* --- one file --- */

static void check(const char *path, double page)
{
	xmlDocPtr doc = xmlReadFile(path, NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
	xmlNodePtr root = doc ? xmlDocGetRootElement(doc) : NULL;
	xmlChar *view = root ? xmlGetProp(root, (const xmlChar *)"viewBox") : NULL;
	xmlChar *width = root ? xmlGetProp(root, (const xmlChar *)"width") : NULL;
	const char *at = (const char *)view;
	double v[4] = {0};

	pic = (struct picture){.path = path};
	if (!root || !view || !width || numbers(&at, v, 4) != 4 || v[2] <= 0) {
		wrong("cannot be read", path, "as SVG");
	} else {
		xmlChar *family = xmlGetProp(root, (const xmlChar *)"font-family");
		double points = strtod((const char *)width, NULL);

		points *= strstr((const char *)width, "pt") ? 1 : 0.75;
		pic.view = (struct box){v[0], v[1], v[0] + v[2], v[1] + v[3]};
		pic.scale = points / v[2];
		if (page > 0 && points > page) {
			pic.scale *= page / points;
		}
		walk(root->children, (struct matrix){1, 0, 0, 1, 0, 0}, '-', "",
		     family ? (const char *)family : "sans-serif");
		compare();
		compare_distances();
		xmlFree(family);
	}
	if (pic.wrong > MOST_LINES) {
		printf("%s: and %zu more\n", path, pic.wrong - MOST_LINES);
	}
	for (size_t i = 0; i < pic.n_texts; i++) {
		xmlFree(pic.texts[i].content);
	}
	free(pic.texts);
	free(pic.segments);
	free(pic.shapes);
	xmlFree(view);
	xmlFree(width);
	xmlFreeDoc(doc);
}

int main(int argc, char **argv)
{
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	cairo_font_options_t *exact = cairo_font_options_create();
	double page = 0;
	size_t failures = 0;
	int i = 1;

	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		if (strcmp(argv[i], "--width") == 0) {
			page = strtod(argv[i + 1], NULL) * 72 / 25.4;
		} else if (strcmp(argv[i], "--font") == 0) {
			other_font = argv[i + 1];
		} else {
			i = argc;
		}
	}
	if (i >= argc) {
		fputs("usage: check-figure [--width MM] [--font NAME] FILE.svg...\n",
		      stderr);
		return 2;
	}
	measure = cairo_create(surface);
	cairo_font_options_set_hint_metrics(exact, CAIRO_HINT_METRICS_OFF);
	cairo_set_font_options(measure, exact);
	for (; i < argc; i++) {
		check(argv[i], page);
		failures += pic.wrong;
	}
	cairo_font_options_destroy(exact);
	cairo_destroy(measure);
	cairo_surface_destroy(surface);
	/* Free tables of cairo and fontconfig, which a leak checker would report. */
	cairo_debug_reset_static_data();
	FcFini();
	xmlCleanupParser();
	return failures > 0;
}
