/* SPDX-License-Identifier: MIT */
#include "viz/machine/fit-drawing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"
#include "viz/machine/simplify.h"

static int make_dot(struct kt_fitted *out, const struct kt_drawing *drawing,
		    const struct kt_dot_options *options)
{
	FILE *stream = open_memstream(&out->dot, &out->size);
	int code;

	if (!stream) {
		return kt_error_errno(KT_E_MEMORY, "make drawing");
	}
	code = kt_print_dot(stream, drawing, options);
	if (fclose(stream) != 0 && !code) {
		code = kt_error_errno(KT_E_MEMORY, "make drawing");
	}
	return code;
}

/* Returns the width at which letters are as small as they may be on the page. */
static double widest(const struct kt_dot_options *options)
{
	return options->page > 0 ? options->page * KT_DOT_SMALLEST / KT_LEAST_LETTER
				 : INFINITY;
}

static int draw(struct kt_fitted *out, unsigned seconds, const struct kt_drawing *drawing,
		const struct kt_dot_options *options)
{
	kt_pictures_close(out->pictures, out->n_pictures);
	free(out->dot);
	out->dot = NULL;
	out->layout = (struct kt_layout){0};
	KT_TRY(make_dot(out, drawing, options));
	return out->n_pictures ? kt_lay_out(out->pictures, out->n_pictures, out->dot,
					    seconds, widest(options), &out->layout)
			       : KT_OK;
}

int kt_draw_once(struct kt_fitted *out, unsigned seconds, const struct kt_drawing *drawing,
		 const struct kt_dot_options *options)
{
	struct kt_dot_options o = *options;

	KT_TRY(draw(out, seconds, drawing, &o));
	if (!out->layout.faults.unmoved || out->layout.way || o.list) {
		return KT_OK;
	}
	while (out->layout.faults.unmoved && o.max_label > 1) {
		o.max_label--;
		KT_TRY(draw(out, seconds, drawing, &o));
	}
	return out->layout.faults.unmoved ? draw(out, seconds, drawing, options) : KT_OK;
}

/*
 * Draws without the edges whose count is less than `percent` per cent of the largest count.
 * KT_E_IO, KT_E_MEMORY.
 */
static int draw_without(struct kt_fitted *out, unsigned seconds, const struct kt_fsm *fsm,
			const struct kt_dot_options *options, bool collapse,
			unsigned percent)
{
	struct kt_drawing *drawing = NULL;
	int code = kt_drawing_new(&drawing, fsm, collapse);

	if (!code) {
		code = kt_drawing_hide(
			drawing, kt_drawing_share(drawing, percent * KT_SHARES / 100));
	}
	if (!code && collapse) {
		code = kt_drawing_fold(drawing);
	}
	if (!code) {
		code = kt_draw_once(out, seconds, drawing, options);
	}
	kt_drawing_free(drawing);
	return code;
}

/*
 * Reports that the drawing is wider than `most`. Tries which value of --hide would make the
 * drawing fit, unless layouts take so long that a cheaper setting is used.
 */
static int refuse(struct kt_fitted *out, unsigned seconds, const struct kt_drawing *drawing,
		  const struct kt_dot_options *options, bool collapse, double most)
{
	static const unsigned percents[] = {1, 5, 10, 25, 50};
	const double width = out->layout.width;
	char hide[48] = "";

	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]) && drawing->counted;
	     i++) {
		if (kt_drawing_share(drawing, percents[i] * KT_SHARES / 100) <=
		    drawing->least) {
			continue;
		}
		if (out->layout.way) {
			snprintf(hide, sizeof(hide), ", or a larger --hide");
			break;
		}
		KT_TRY(draw_without(out, seconds, drawing->fsm, options, collapse,
				    percents[i]));
		if (out->layout.width <= most) {
			snprintf(hide, sizeof(hide), ", or --hide %u%%", percents[i]);
			break;
		}
	}
	return kt_error(KT_E_USAGE,
			"fit drawing: at this width its letters have %.1f pt, less than "
			"6: give a --width of %.0fmm or more%s",
			KT_DOT_SMALLEST * options->page / width,
			ceil(width * KT_LEAST_LETTER / KT_DOT_SMALLEST * 25.4 / 72), hide);
}

int kt_draw_to_fit(struct kt_fitted *out, unsigned seconds,
		   const struct kt_drawing *drawing, const struct kt_dot_options *options,
		   bool collapse)
{
	struct kt_dot_options o = *options;
	double most = widest(options);

	o.text_width = o.page;
	KT_TRY(kt_draw_once(out, seconds, drawing, &o));
	if (out->layout.width > most && !o.list) {
		o.list = true;
		KT_TRY(kt_draw_once(out, seconds, drawing, &o));
	}
	if (out->layout.width > most) {
		return refuse(out, seconds, drawing, &o, collapse, most);
	}
	/* The list is as wide as the drawing, whose width is known only after a layout. */
	if (o.list && out->layout.width > 1.1 * o.text_width) {
		o.text_width = out->layout.width;
		KT_TRY(kt_draw_once(out, seconds, drawing, &o));
	}
	return KT_OK;
}
