/* SPDX-License-Identifier: MIT */
/*
 * Whichever allocation fails while a sweep or a difference is read and drawn, it is said,
 * nothing is left behind, and nothing crashes. The allocation functions of this program
 * count, and one of them refuses.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <ktail/status.h>

#include "base/json.h"
#include "viz/plot-sweep.h"
#include "viz/print-dot.h"
#include "viz/print-svg.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

KT_EXPORT void *malloc(size_t size);
KT_EXPORT void *calloc(size_t n, size_t size);
KT_EXPORT void *realloc(void *memory, size_t size);
KT_EXPORT void free(void *memory);

static long until_failure = -1; /* allocations that still work; negative: all */
static long live;
static bool failed;

static bool refuse(void)
{
	if (until_failure == 0) {
		failed = true;
		until_failure = -1;
		return true;
	}
	until_failure -= until_failure > 0;
	return false;
}

void *malloc(size_t size)
{
	void *memory = refuse() ? NULL : __libc_malloc(size);

	live += memory != NULL;
	return memory;
}

void *calloc(size_t n, size_t size)
{
	void *memory = refuse() ? NULL : __libc_calloc(n, size);

	live += memory != NULL;
	return memory;
}

void *realloc(void *memory, size_t size)
{
	void *grown = refuse() ? NULL : __libc_realloc(memory, size);

	live += !memory && grown;
	return grown;
}

void free(void *memory)
{
	live -= memory != NULL;
	__libc_free(memory);
}

static int draw_sweep(const json_t *root, FILE *out)
{
	struct kt_sweep_table *sweep = NULL;
	struct kt_scene scene = {0};
	int code = kt_sweep_from_json(&sweep, root, "sweep");

	if (code && sweep) {
		code = KT_E_INTERNAL; /* half a sweep */
	}
	code = code ? code : kt_plot_sweep(&scene, sweep, NULL);
	code = code ? code : kt_print_svg(out, &scene);
	kt_scene_clear(&scene);
	kt_sweep_table_free(sweep);
	return code;
}

static int draw_machine(const json_t *root, FILE *out)
{
	const struct kt_dot_options options = KT_DOT_OPTIONS_INIT;
	struct kt_drawing *drawing = NULL;
	struct kt_fsm *fsm = NULL;
	int code = kt_fsm_from_json(&fsm, root, "machine");

	if (code && fsm) {
		code = KT_E_INTERNAL; /* half a machine */
	}
	code = code ? code : kt_drawing_new(&drawing, fsm, true);
	code = code ? code : kt_print_dot(out, drawing, &options);
	kt_drawing_free(drawing);
	kt_fsm_free(fsm);
	return code;
}

/* Every allocation of one way of drawing in turn; true if all went as it should. */
static bool try_all(int (*draw)(const json_t *, FILE *), const json_t *root, FILE *out)
{
	int code = draw(root, out); /* buffers of the stream are there from here on */

	for (long n = 0; !code; n++) {
		long before = live;

		failed = false;
		until_failure = n;
		code = draw(root, out);
		until_failure = -1;
		if (live != before) {
			fprintf(stderr, "allocation %ld: %ld blocks left\n", n,
				live - before);
			return false;
		}
		if (!failed) {
			printf("%ld allocations\n", n);
			return code == KT_OK && n > 10;
		}
		if (code && code != KT_E_MEMORY) {
			fprintf(stderr, "allocation %ld: status %d: %s\n", n, code,
				kt_error_message());
			return false;
		}
		code = KT_OK; /* refused, or done without (as qsort does) */
	}
	fprintf(stderr, "%s\n", kt_error_message());
	return false;
}

static json_t *load(const char *path)
{
	FILE *in = fopen(path, "r");
	json_t *root = NULL;

	if (!in || kt_json_load(&root, in, path) != KT_OK) {
		fprintf(stderr, "cannot read %s\n", path);
	}
	if (in) {
		fclose(in);
	}
	return root;
}

int main(int argc, char **argv)
{
	json_t *sweep = argc == 3 ? load(argv[1]) : NULL;
	json_t *machine = argc == 3 ? load(argv[2]) : NULL;
	FILE *out = fopen("/dev/null", "w");
	bool good = sweep && machine && out && try_all(draw_sweep, sweep, out) &&
		    try_all(draw_machine, machine, out);

	json_decref(sweep);
	json_decref(machine);
	if (out) {
		fclose(out);
	}
	return good ? 0 : 1;
}
