/* SPDX-License-Identifier: MIT */
/*
 * ktail-render: draws a machine (fsm.json), a distilled machine, or the sizes of a sweep
 * (sweep.json).
 */
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/fsm.h>
#include <ktail/status.h>

#include "base/array.h"
#include "base/atomic-file.h"
#include "base/cleanup.h"
#include "base/fsm-json.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/option-table.h"
#include "base/output-format.h"
#include "base/path-list.h"
#include "base/standard-files.h"
#include "base/try.h"
#include "viz/machine/collapse.h"
#include "viz/machine/fit-drawing.h"
#include "viz/machine/layout.h"
#include "viz/plots/plot-distilled.h"
#include "viz/plots/plot-groups.h"
#include "viz/plots/plot-sweep.h"
#include "viz/drawing/print-cairo.h"
#include "viz/plots/print-distilled.h"
#include "viz/machine/print-dot.h"
#include "viz/machine/print-layout.h"
#include "viz/drawing/print-svg.h"
#include "viz/machine/simplify.h"
#include "base/distilled/read-distilled.h"
#include "viz/plots/read-sweep.h"

#define PAGE_HEIGHT 247 /* mm: A4 without margins of 25 mm */

static const char *const formats[] = {"dot", "svg", "png", "pdf", "json"};

#define LEAST_WIDTH 56.0    /* in points: 20 mm */
#define MOST_WIDTH  14174.0 /* 5000 mm */

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

struct output {
	const char *path;   /* Weak */
	const char *format; /* Weak; an element of formats */
};

struct settings {
	struct kt_asked asked;
	const char *format;     /* Weak; the argument of -f, or NULL */
	struct output *outputs; /* Owned by this */
	size_t n_outputs;
	size_t capacity;
	struct kt_dot_options dot;
	unsigned long seconds;
	bool no_collapse;
	bool grey;
	uint64_t hide;       /* edges taken fewer times are not drawn; 0: all are drawn */
	uint64_t hide_share; /* the same, as a share of the largest count, out of KT_SHARES
			      */
	enum kt_names names;
};

/* --- the command line --- */

static int add_output(void *context, const char *value)
{
	struct settings *s = context;

	KT_TRY(kt_array_reserve(&s->outputs, &s->capacity, s->n_outputs + 1));
	s->outputs[s->n_outputs++] =
		(struct output){.path = kt_output_is_standard(value) ? "-" : value};
	return KT_OK;
}

/* Reads a length with its unit into points. */
static int set_width(void *context, const char *value)
{
	static const struct {
		const char *name;
		double points;
	} units[] = {{"mm", 72 / 25.4}, {"cm", 720 / 25.4}, {"in", 72}, {"pt", 1}};
	struct settings *s = context;
	char *end;
	double n = strtod(value, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (end != value && strcmp(end, units[i].name) == 0 &&
		    n * units[i].points >= LEAST_WIDTH &&
		    n * units[i].points <= MOST_WIDTH) {
			s->dot.page = n * units[i].points;
			return KT_OK;
		}
	}
	return kt_error(
		KT_E_USAGE,
		"--width must be a length from 20mm to 5000mm, in mm, cm, in or pt, "
		"such as 178mm, not '%s'",
		value);
}

/*
 * Reads a percentage with at most three decimals, in thousandths; returns false if `value`
 * is not such a percentage. Integers keep the result exact, so that 7 % of 100 is 7.
 */
static bool read_share(uint64_t *out, const char *value)
{
	uint64_t n = 0;
	int decimals = -1; /* -1: before the decimal point */

	for (; n <= KT_SHARES &&
	       ((*value >= '0' && *value <= '9') || (*value == '.' && decimals < 0));
	     value++) {
		if (*value == '.') {
			decimals = 0;
		} else {
			n = n * 10 + (uint64_t)(*value - '0');
			decimals += decimals >= 0;
		}
	}
	for (int i = decimals < 0 ? 0 : decimals; i < 3; i++) {
		n *= 10;
	}
	*out = n;
	return strcmp(value, "%") == 0 && decimals <= 3 && n <= KT_SHARES;
}

static int set_hide(void *context, const char *value)
{
	struct settings *s = context;
	bool digit = value[0] >= '0' && value[0] <= '9';
	char *end;
	unsigned long long n = strtoull(value, &end, 10);

	s->hide = 0;
	s->hide_share = 0;
	if (digit && !*end && n <= INT64_MAX) {
		s->hide = n;
		return KT_OK;
	}
	if (digit && read_share(&s->hide_share, value)) {
		return KT_OK;
	}
	return kt_error(
		KT_E_USAGE,
		"--hide must be a whole number or a percentage, such as 5 or 1.5%%, "
		"not '%s'",
		value);
}

static const struct kt_option options[] = {
	{"output", 'o', "FILE",
	 "where to: .dot .svg .png .pdf .json; may be given several times",
	 KT_SET(add_output)},
	{"format", 'f', "NAME",
	 "of standard output, or of FILE in place of its ending (default: dot)",
	 KT_TEXT(struct settings, format)},
	{"format", 'T', "NAME", NULL, KT_TEXT(struct settings, format), .instead = "-f"},
	{"title", 't', "TEXT", "heading of the picture",
	 KT_TEXT(struct settings, dot.title)},
	{"width", 0, "LENGTH",
	 "fit a page or column, such as 178mm, 85mm, 7in or 500pt, with letters of 6 pt "
	 "and more",
	 KT_SET(set_width)},
	{"font", 0, "NAME", "font of all letters (Helvetica or the like)",
	 KT_TEXT(struct settings, dot.font)},
	{"grey", 0, NULL, "shades of grey in place of colours, for print",
	 KT_FLAG(struct settings, grey)},
	KT_HEADING("of machines:"),
	{"heading", 0, "PLACE", "above (default), below (as a caption) or none",
	 KT_ENUM(struct settings, dot.heading, "above", "below", "none")},
	{"rankdir", 0, "DIRECTION", "TB: from top to bottom (default); LR: left to right",
	 KT_CHOICE(struct settings, dot.rankdir, "TB", "LR")},
	{"hide", 0, "N|P%",
	 "leave out edges taken fewer than N times, or less than P % as often as the most "
	 "frequent one",
	 KT_SET(set_hide)},
	{"list", 0, NULL,
	 "give edges keys, and list all their letters below (default if --width needs it)",
	 KT_FLAG(struct settings, dot.list)},
	{"max-label", 0, "N", "letters in an edge's label (4)",
	 KT_NUMBER(struct settings, dot.max_label, 1, 1000000)},
	{"no-collapse", 0, NULL, "draw every state of a straight chain",
	 KT_FLAG(struct settings, no_collapse)},
	{"layout-timeout", 0, "SECONDS",
	 "seconds for a layout before a cheaper one is tried (20)",
	 KT_NUMBER(struct settings, seconds, 1, 1000000)},
	KT_NAMES_ROW(struct settings, names),
	KT_LAST_ROWS,
};

#define N_OPTIONS (sizeof(options) / sizeof(options[0]))

static bool given[N_OPTIONS];

static const struct kt_command_line command = {
	.given = given,
	.usage = "ktail render [-f dot|svg|png|pdf|json] [FILE.json] [-o FILE]...",
	.summary = "Draws the state machine that an fsm.json holds, or the sizes that a "
		   "sweep.json\nholds (standard input if none is named).",
	.table = options,
};

/* Options that have an effect on each kind of drawing; all others are refused. */
static const char *const for_layouts[] = {
	"output", "format", "max-label", "names", "no-collapse", "layout-timeout", NULL};
static const char *const for_distilled[] = {"output", "format", "title", "width", "font",
					    "grey",   "names",  "list",  NULL};
static const char *const for_sweeps[] = {"output", "format", "title", "width",
					 "font",   "grey",   NULL};

static int refuse_others(const char *const *names, const char *what)
{
	const char *other = kt_options_other(&command, names);

	return other ? kt_error(KT_E_USAGE, "--%s does not change %s", other, what) : KT_OK;
}

/* --- drawing --- */

/* A text of an output. */
struct text {
	char *text; /* Owned by this */
	size_t size;
};

static bool is(const struct output *output, const char *format)
{
	return strcmp(output->format, format) == 0;
}

static int copy_picture(FILE *out, FILE *picture)
{
	char buffer[65536];
	size_t length;

	while ((length = fread(buffer, 1, sizeof(buffer), picture)) > 0) {
		fwrite(buffer, 1, length, out);
	}
	return ferror(picture) ? kt_error_errno(KT_E_IO, "read picture") : KT_OK;
}

/* Warns if a layout took so long that another setting was used instead. */
static void warn_of_way(const struct settings *s, const char *way)
{
	if (way) {
		fprintf(stderr,
			"ktail: lay out drawing: not finished within %lu s, drawn by %s "
			"instead (--layout-timeout allows more time)\n",
			s->seconds, way);
	}
}

/*
 * A list of letters makes a drawing much higher, which may surprise a user who asked for a
 * width.
 */
static void warn_of_height(const struct settings *s, const struct kt_layout *layout)
{
	double reduction = s->dot.page < layout->width ? s->dot.page / layout->width : 1;
	double height = layout->height * reduction * 25.4 / 72;

	if (s->dot.page > 0 && height > PAGE_HEIGHT) {
		fprintf(stderr,
			"ktail: warning: fit drawing: it is %.0f mm high, more than a page "
			"(%d mm): --hide P%% leaves out rare edges, a smaller k has fewer "
			"states\n",
			ceil(height), PAGE_HEIGHT);
	}
}

/* Computes a layout unless all outputs are texts, then writes all outputs. */
static int draw_all(const struct settings *s, const struct kt_drawing *drawing,
		    const struct text *layout)
{
	struct kt_fitted result = {
		.pictures = calloc(s->n_outputs + 1, sizeof(*result.pictures))};
	int code = KT_OK;

	if (!result.pictures) {
		return kt_no_memory("make drawing");
	}
	for (size_t i = 0; i < s->n_outputs; i++) {
		if (!is(&s->outputs[i], "dot") && !is(&s->outputs[i], "json")) {
			result.pictures[result.n_pictures++].format = s->outputs[i].format;
		}
	}
	KT_TRY_END(kt_draw_to_fit(&result, (unsigned)s->seconds, drawing, &s->dot,
				  !s->no_collapse));
	warn_of_way(s, result.layout.way);
	warn_of_height(s, &result.layout);
	for (size_t i = 0, next = 0; i < s->n_outputs; i++) {
		const struct output *o = &s->outputs[i];
		struct kt_atomic_file file;

		KT_TRY_END(kt_atomic_file_open(&file, o->path));
		if (is(o, "dot")) {
			fwrite(result.dot, 1, result.size, file.stream);
		} else if (is(o, "json")) {
			fwrite(layout->text, 1, layout->size, file.stream);
		} else {
			code = copy_picture(file.stream, result.pictures[next++].file);
		}
		if (code) {
			kt_atomic_file_abort(&file);
			goto end;
		}
		KT_TRY_END(kt_atomic_file_commit(&file));
	}
end:
	kt_pictures_close(result.pictures, result.n_pictures);
	free(result.pictures);
	free(result.dot);
	return code;
}

/* Writes the layout of a machine, from a drawing without title, legend and page. */
static int make_layout(struct text *layout, const struct settings *s,
		       const struct kt_drawing *drawing)
{
	struct kt_dot_options bare = KT_DOT_OPTIONS_INIT;
	struct kt_picture picture = {.format = "json"};
	struct kt_fitted result = {.pictures = &picture, .n_pictures = 1};
	FILE *out;
	int code;

	bare.max_label = s->dot.max_label;
	bare.heading = KT_HEADING_NONE;
	KT_TRY_END(kt_draw_once(&result, (unsigned)s->seconds, drawing, &bare));
	warn_of_way(s, result.layout.way);
	out = open_memstream(&layout->text, &layout->size);
	code = out ? kt_print_layout(out, picture.file, drawing)
		   : kt_error_errno(KT_E_MEMORY, "make drawing");
	if (out && fclose(out) != 0 && !code) {
		code = kt_error_errno(KT_E_MEMORY, "make drawing");
	}
	kt_pictures_close(&picture, 1);
end:
	free(result.dot);
	return code;
}

/* Leaves out what --hide names. */
static int hide_seldom(const struct settings *s, struct kt_drawing *drawing)
{
	uint64_t least = s->hide;

	if (s->hide_share) {
		least = kt_drawing_share(drawing, s->hide_share);
	}
	if ((s->hide || s->hide_share) && !drawing->counted) {
		return kt_error(KT_E_USAGE, "--hide: the machine has no counts");
	}
	return least ? kt_drawing_hide(drawing, least) : KT_OK;
}

/* Draws a machine to all outputs; frees fsm. */
static int draw_machine(const struct settings *s, struct kt_fsm *fsm)
{
	struct kt_drawing *drawing = NULL;
	struct text layout = {0};
	size_t n_layouts = 0;
	int code = kt_drawing_new(&drawing, fsm, !s->no_collapse);

	for (size_t i = 0; i < s->n_outputs; i++) {
		n_layouts += is(&s->outputs[i], "json");
	}
	if (!code && n_layouts == s->n_outputs) {
		code = refuse_others(for_layouts, "a layout as json");
	}
	/* A layout contains everything that is drawn of the machine, but no lists. */
	if (!code && n_layouts) {
		code = make_layout(&layout, s, drawing);
	}
	if (!code) {
		code = hide_seldom(s, drawing);
	}
	if (!code && !s->no_collapse) {
		code = kt_drawing_fold(drawing);
	}
	if (!code) {
		code = draw_all(s, drawing, &layout);
	}
	kt_drawing_free(drawing);
	kt_fsm_free(fsm);
	free(layout.text);
	return code;
}

/* The contents of an input: exactly one member is not NULL. */
struct input {
	struct kt_fsm *fsm;
	struct kt_sweep_table *sweep;
	struct kt_sweep_groups *groups;
	struct kt_distilled_view *distilled;
};

/* Letters of a plot must be large enough on the page. */
static int check_letters(const struct kt_scene *scene)
{
	double smallest = kt_scene_smallest(scene) * kt_scene_scale(scene);

	if (scene->page > 0 && smallest < KT_LEAST_LETTER * 0.995) {
		return kt_error(
			KT_E_USAGE,
			"fit drawing: at this width its letters have %.1f pt, less than "
			"6: give a --width of %.0fmm or more",
			smallest,
			ceil(scene->page * KT_LEAST_LETTER / smallest * 25.4 / 72));
	}
	return KT_OK;
}

static int draw_plot(const struct settings *s, const struct input *input)
{
	struct kt_scene scene = {.font = s->dot.font, .page = s->dot.page};
	int code = input->distilled ? refuse_others(for_distilled, "a distilled machine")
				    : refuse_others(for_sweeps, "the plot of a sweep");

	for (size_t i = 0; i < s->n_outputs && !code; i++) {
		if (is(&s->outputs[i], "json")) {
			code = kt_error(KT_E_USAGE,
					"only the layout of a machine is written as json; "
					"name svg, png or pdf with -f");
		} else if ((input->sweep || input->groups) && is(&s->outputs[i], "dot")) {
			code = kt_error(KT_E_USAGE,
					"a sweep is drawn as svg, png or pdf, not as dot; "
					"name a format with -f");
		}
	}
	if (!code) {
		code = input->sweep ? kt_plot_sweep(&scene, input->sweep, s->dot.title)
		       : input->groups
			       ? kt_plot_groups(&scene, input->groups, s->dot.title)
			       : kt_plot_distilled(&scene, input->distilled, &s->dot);
	}
	if (!code) {
		code = check_letters(&scene);
	}
	for (size_t i = 0; i < s->n_outputs && !code; i++) {
		const struct output *o = &s->outputs[i];
		struct kt_atomic_file file;

		code = kt_atomic_file_open(&file, o->path);
		if (code) {
			break;
		}
		code = strcmp(o->format, "dot") == 0
			       ? kt_print_distilled(file.stream, input->distilled, &s->dot)
		       : strcmp(o->format, "svg") == 0 ? kt_print_svg(file.stream, &scene)
		       : strcmp(o->format, "png") == 0 ? kt_print_png(file.stream, &scene)
						       : kt_print_pdf(file.stream, &scene);
		if (code) {
			kt_atomic_file_abort(&file);
			kt_error_prepend(code, "write %s", o->path);
		} else {
			code = kt_atomic_file_commit(&file);
		}
	}
	kt_cairo_done();
	kt_scene_clear(&scene);
	return code;
}

/*
 * Reads a machine, a sweep or a distilled machine, according to the format that the JSON
 * names.
 */
static int read_input(struct input *input, const char *path, enum kt_names names)
{
	bool standard = strcmp(path, "-") == 0;
	const char *name = kt_path_name(path);
	FILE *in = standard ? stdin : fopen(path, "re");
	json_t *root = NULL;
	const char *format;
	int code;

	if (!in) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	code = kt_json_load(&root, in, name);
	if (!standard) {
		fclose(in);
	}
	KT_TRY(code);
	format = json_string_value(json_object_get(root, "format"));
	if (format && strcmp(format, KT_SWEEP_FORMAT) == 0) {
		code = kt_sweep_from_json(&input->sweep, root, name);
	} else if (format && strcmp(format, KT_SWEEPS_FORMAT) == 0) {
		code = kt_sweep_groups_from_json(&input->groups, root, name);
	} else if (format && strcmp(format, KT_DISTILLED_FORMAT) == 0) {
		code = kt_distilled_from_json(&input->distilled, root, name, names);
	} else if (format && strcmp(format, KT_FSM_FORMAT) == 0) {
		code = kt_fsm_from_json(&input->fsm, root, name);
		if (!code && names == KT_NAMES_OFF) {
			kt_fsm_clear_names(input->fsm);
		}
	} else {
		code = kt_error(KT_E_MALFORMED,
				"read %s: \"format\" is not one of \"" KT_FSM_FORMAT
				"\", \"" KT_SWEEP_FORMAT "\", \"" KT_SWEEPS_FORMAT
				"\" and \"" KT_DISTILLED_FORMAT "\"",
				name);
	}
	json_decref(root);
	return code;
}

static int run(struct settings *s, int argc, char **argv)
{
	struct input input = {0};
	bool among = false; /* standard output is one of the outputs */
	bool unnamed;       /* there is no -o */
	int n_operands = 0;
	int code;

	KT_TRY(kt_options_parse(&command, argc, argv, s, &n_operands));
	if (kt_options_answer(&command, &s->asked, KT_ABOUT("ktail-render"))) {
		return KT_OK;
	}
	if (n_operands > 1) {
		return kt_error(KT_E_USAGE, "more than one file: %s", argv[1]);
	}
	unnamed = s->n_outputs == 0;
	if (unnamed) {
		KT_TRY(add_output(s, "-"));
	}
	for (size_t i = 0; i < s->n_outputs; i++) {
		among = among || kt_output_is_standard(s->outputs[i].path);
	}
	for (size_t i = 0; i < s->n_outputs; i++) {
		struct output *o = &s->outputs[i];
		const struct kt_output_request request = {unnamed ? NULL : o->path,
							  s->format, among};
		size_t format;

		KT_TRY(kt_output_format(&format, &request, formats, FORMATS));
		KT_TRY(kt_output_check_folder(o->path));
		o->format = formats[format];
	}
	KT_TRY(read_input(&input, n_operands ? argv[0] : "-", s->names));
	if (s->grey) {
		kt_colours_grey();
	}
	code = input.fsm ? draw_machine(s, input.fsm) : draw_plot(s, &input);
	kt_sweep_table_free(input.sweep);
	kt_sweep_groups_free(input.groups);
	kt_distilled_view_free(input.distilled);
	return code;
}

int main(int argc, char **argv)
{
	struct settings s = {.dot = KT_DOT_OPTIONS_INIT, .seconds = 20};
	int code;

	kt_standard_files_open();
	kt_cleanup_install();
	/* If SIGCHLD remained ignored, the layout process's exit status would be lost. */
	signal(SIGCHLD, SIG_DFL);
	code = run(&s, argc, argv);
	free(s.outputs);
	return kt_standard_files_end("ktail", code, 0);
}
