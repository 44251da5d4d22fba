/* SPDX-License-Identifier: MIT */
/*
 * ktail-render: draws a machine (fsm.json), a distilled machine, or the sizes of a sweep
 * (sweep.json).
 */
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
#include "viz/collapse.h"
#include "viz/layout.h"
#include "viz/plot-distilled.h"
#include "viz/plot-groups.h"
#include "viz/plot-sweep.h"
#include "viz/print-cairo.h"
#include "viz/print-distilled.h"
#include "viz/print-dot.h"
#include "viz/print-layout.h"
#include "viz/print-svg.h"
#include "base/distilled/read-distilled.h"
#include "viz/read-sweep.h"

static const char *const formats[] = {"dot", "svg", "png", "pdf", "json"};

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

static const struct kt_command_line command = {
	.usage = "ktail render [-f dot|svg|png|pdf|json] [FILE.json] [-o FILE]...",
	.summary = "Draws the state machine that an fsm.json holds, or the sizes that a "
		   "sweep.json\nholds (standard input if none is named).",
	.table = options,
};

/* --- drawing --- */

/* A machine as texts. Each is Owned by this, and NULL unless an output needs it. */
struct texts {
	char *dot;
	size_t dot_size;
	char *layout; /* JSON */
	size_t layout_size;
};

static bool is(const struct output *output, const char *format)
{
	return strcmp(output->format, format) == 0;
}

/* Lays out for `n` pictures; warns if this took so long that another way was taken. */
static int lay_out(const struct settings *s, struct kt_picture *pictures, size_t n,
		   const char *dot)
{
	const char *way = NULL;

	KT_TRY(kt_lay_out(pictures, n, dot, (unsigned)s->seconds, &way));
	if (way) {
		fprintf(stderr,
			"ktail: lay out drawing: not finished within %lu s, drawn by %s "
			"instead (--layout-timeout allows more time)\n",
			s->seconds, way);
	}
	return KT_OK;
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

/* Computes a layout unless all outputs are texts, then writes all outputs. */
static int draw_all(const struct settings *s, const struct texts *texts)
{
	struct kt_picture *pictures = calloc(s->n_outputs, sizeof(*pictures));
	size_t n = 0;
	int code = KT_OK;

	if (!pictures) {
		return kt_no_memory("make drawing");
	}
	for (size_t i = 0; i < s->n_outputs; i++) {
		if (!is(&s->outputs[i], "dot") && !is(&s->outputs[i], "json")) {
			pictures[n++].format = s->outputs[i].format;
		}
	}
	if (n > 0) {
		KT_TRY_END(lay_out(s, pictures, n, texts->dot));
	}
	for (size_t i = 0, next = 0; i < s->n_outputs; i++) {
		const struct output *o = &s->outputs[i];
		struct kt_atomic_file file;

		KT_TRY_END(kt_atomic_file_open(&file, o->path));
		if (is(o, "dot")) {
			fwrite(texts->dot, 1, texts->dot_size, file.stream);
		} else if (is(o, "json")) {
			fwrite(texts->layout, 1, texts->layout_size, file.stream);
		} else {
			code = copy_picture(file.stream, pictures[next++].file);
		}
		if (code) {
			kt_atomic_file_abort(&file);
			goto end;
		}
		KT_TRY_END(kt_atomic_file_commit(&file));
	}
end:
	kt_pictures_close(pictures, n);
	free(pictures);
	return code;
}

static int make_dot(char **dot, size_t *size, const struct kt_drawing *drawing,
		    const struct kt_dot_options *how)
{
	FILE *out = open_memstream(dot, size);
	int code = out ? kt_print_dot(out, drawing, how)
		       : kt_error_errno(KT_E_MEMORY, "make drawing");

	if (out && fclose(out) != 0 && !code) {
		code = kt_error_errno(KT_E_MEMORY, "make drawing");
	}
	return code;
}

/* Makes the layout of the drawing alone, without title and legend. */
static int make_layout(struct texts *texts, const struct settings *s,
		       const struct kt_drawing *drawing)
{
	struct kt_dot_options bare = s->dot;
	struct kt_picture picture = {.format = "json"};
	char *dot = NULL;
	size_t size = 0;
	FILE *out;
	int code;

	bare.bare = true;
	KT_TRY_END(make_dot(&dot, &size, drawing, &bare));
	KT_TRY_END(lay_out(s, &picture, 1, dot));
	out = open_memstream(&texts->layout, &texts->layout_size);
	code = out ? kt_print_layout(out, picture.file, drawing)
		   : kt_error_errno(KT_E_MEMORY, "make drawing");
	if (out && fclose(out) != 0 && !code) {
		code = kt_error_errno(KT_E_MEMORY, "make drawing");
	}
	kt_pictures_close(&picture, 1);
end:
	free(dot);
	return code;
}

/* Draws a machine to all outputs; frees fsm. */
static int draw_machine(const struct settings *s, struct kt_fsm *fsm)
{
	struct kt_drawing *drawing = NULL;
	struct texts texts = {.dot = NULL};
	int code;

	KT_TRY_END(kt_drawing_new(&drawing, fsm, !s->no_collapse));
	for (size_t i = 0; i < s->n_outputs; i++) {
		if (is(&s->outputs[i], "json") && !texts.layout) {
			KT_TRY_END(make_layout(&texts, s, drawing));
		} else if (!is(&s->outputs[i], "json") && !texts.dot) {
			KT_TRY_END(make_dot(&texts.dot, &texts.dot_size, drawing, &s->dot));
		}
	}
	code = draw_all(s, &texts);
end:
	kt_drawing_free(drawing);
	kt_fsm_free(fsm);
	free(texts.dot);
	free(texts.layout);
	return code;
}

/* The contents of an input: exactly one member is not NULL. */
struct input {
	struct kt_fsm *fsm;
	struct kt_sweep_table *sweep;
	struct kt_sweep_groups *groups;
	struct kt_distilled_view *distilled;
};

static int draw_plot(const struct settings *s, const struct input *input)
{
	struct kt_scene scene = {0};
	int code = KT_OK;

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
			       : kt_plot_distilled(&scene, input->distilled, s->dot.title);
	}
	for (size_t i = 0; i < s->n_outputs && !code; i++) {
		const struct output *o = &s->outputs[i];
		struct kt_atomic_file file;

		code = kt_atomic_file_open(&file, o->path);
		if (code) {
			break;
		}
		code = strcmp(o->format, "dot") == 0
			       ? kt_print_distilled(file.stream, input->distilled,
						    s->dot.title)
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
	int n_operands = 0;
	int code;

	KT_TRY(kt_options_parse(&command, argc, argv, s, &n_operands));
	if (kt_options_answer(&command, &s->asked, KT_ABOUT("ktail-render"))) {
		return KT_OK;
	}
	if (n_operands > 1) {
		return kt_error(KT_E_USAGE, "more than one file: %s", argv[1]);
	}
	if (!s->n_outputs) {
		KT_TRY(add_output(s, "-"));
	}
	for (size_t i = 0; i < s->n_outputs; i++) {
		among = among || kt_output_is_standard(s->outputs[i].path);
	}
	for (size_t i = 0; i < s->n_outputs; i++) {
		struct output *o = &s->outputs[i];
		const struct kt_output_request request = {o->path, s->format, among};
		size_t format;

		KT_TRY(kt_output_format(&format, &request, formats, FORMATS));
		KT_TRY(kt_output_check_folder(o->path));
		o->format = formats[format];
	}
	KT_TRY(read_input(&input, n_operands ? argv[0] : "-", s->names));
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
