/* SPDX-License-Identifier: MIT */
#include "annotate/report/report.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/report/run-child.h"
#include "base/array.h"
#include "base/try.h"

/* A command line. */
struct arguments {
	char **items; /* Owned by this; its strings are weak */
	size_t n;
	size_t capacity;
};

static int push(struct arguments *a, const char *text)
{
	KT_TRY(kt_array_reserve(&a->items, &a->capacity, a->n + 2));
	a->items[a->n++] = (char *)(uintptr_t)text;
	a->items[a->n] = NULL;
	return KT_OK;
}

static int push_option(struct arguments *a, const char *option, const char *value)
{
	KT_TRY(push(a, option));
	return push(a, value);
}

static int push_letters(struct arguments *a, const char *option,
			const struct kt_letter_list *letters)
{
	for (size_t i = 0; i < letters->n; i++) {
		KT_TRY(push_option(a, option, letters->items[i]));
	}
	return KT_OK;
}

static int push_all(struct arguments *a, const struct kt_report *r, const char *k)
{
	static const char *const origins[] = {"--old", "--new"};
	static const char *const sources[] = {KT_SOURCE_NAMES};
	const struct kt_report_options *o = r->options;

	KT_TRY(push_option(a, "ktail", "diff"));
	KT_TRY(push_option(a, "--format", "txt"));
	KT_TRY(push_option(a, "--k", k));
	KT_TRY(push_option(a, "--alphabet", o->alphabet));
	KT_TRY(push_option(a, "--word", r->word));
	KT_TRY(push_option(a, "--source", sources[o->source]));
	KT_TRY(push_option(a, "--names", o->names == KT_NAMES_OFF ? "off" : "on"));
	KT_TRY(push_letters(a, "--without", &o->filter.without));
	KT_TRY(push_letters(a, "--runs", &o->filter.runs));
	for (int origin = 0; origin < 2; origin++) {
		for (size_t i = 1; i < o->origins[origin].n; i++) {
			KT_TRY(push_option(a, origins[origin],
					   o->origins[origin].paths[i]));
		}
	}
	KT_TRY(push(a, "--"));
	KT_TRY(push(a, o->origins[0].paths[0]));
	return push(a, o->origins[1].paths[0]);
}

/*
 * Removes the first two lines of the text: they name the traces as the command line does,
 * with up to three paths for each side.
 */
static void remove_paths(char *text, const struct kt_report_options *o)
{
	const char *at = text;

	for (int origin = 0; origin < 2; origin++) {
		for (size_t i = 0; i < o->origins[origin].n && i < 3; i++) {
			const char *path = o->origins[origin].paths[i];
			const char *found = strstr(at, path);

			at = found ? found + strlen(path) : at;
		}
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	memmove(text, at, strlen(at) + 1);
}

/*
 * Removes the paragraph that says how the sides were recorded, because it contains command
 * lines and environment variables. The versions in this paragraph are also among the facts
 * of the traces.
 */
static void remove_recorded(char *text)
{
	static const char *const begins[] = {"Recorded ", "Not known ", " "};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		if (strncmp(text, begins[i], strlen(begins[i])) == 0) {
			const char *end = strstr(text, "\n\n");

			end = end ? end + 2 : text + strlen(text);
			memmove(text, end, strlen(end) + 1);
			return;
		}
	}
}

int kt_report_compare(struct kt_report *r)
{
	struct arguments a = {.n = 0};
	char k[32];
	int code;

	snprintf(k, sizeof(k), "%" PRIu64, r->machines[r->chosen].fsm->k);
	KT_TRY_END(push_all(&a, r, k));
	/* The exit status is 1 if the sides differ. */
	KT_TRY_END(kt_run_child(&r->difference, a.items, 1, NULL, NULL));
	remove_paths(r->difference, r->options);
	if (!r->options->with_data) {
		remove_recorded(r->difference);
	}
	code = KT_OK;
end:
	free(a.items);
	return code;
}
