/* SPDX-License-Identifier: MIT */
/* ktail policy: lists what programs need of the driver, or checks a list. */
#include <inttypes.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/events/gaps.h"
#include "annotate/policy/needs.h"
#include "annotate/policy/policy-options.h"
#include "base/cleanup.h"
#include "base/guard.h"
#include "base/progress.h"
#include "base/standard-files.h"
#include "base/try.h"
#include "base/wrap.h"
#include "infer/files/inputs.h"

/* Adds the needs of an input, and warns of lost events, which make the list incomplete. */
static int read_input(struct kt_needs *needs, const struct kt_policy_options *o,
		      const char *path)
{
	struct kt_activity_totals totals = {.reading.source = o->source,
					    .reading.part = &o->part};
	struct kt_gaps gaps = {0};
	int code = kt_needs_read(needs, path, &totals);

	kt_gaps_note(&gaps, path, &totals.reading.report);
	kt_activity_totals_free(&totals);
	return code;
}

/*
 * Prints how many needs of an input are missing in the list, and the first call that the
 * list would stop.
 */
static void report(const char *path, const struct kt_needs *missing)
{
	struct kt_wrap line = {.out = stderr, .indent = 2};
	const struct kt_need *first = &missing->items[0];
	const char *name;

	for (size_t i = 1; i < missing->n; i++) {
		const struct kt_need *need = &missing->items[i];

		first = need->timed && need->time < first->time ? need : first;
	}
	name = kt_need_name(first);
	kt_wrap_put(&line, "ktail: %s:", path);
	kt_wrap_put(&line, " %zu of its needs %s not in the list;", missing->n,
		    missing->n == 1 ? "is" : "are");
	kt_wrap_put(&line, " it would stop at %s", kt_need_kind_names[first->kind]);
	if (first->kind == KT_NEED_FILE || first->kind == KT_NEED_MAP) {
		kt_wrap_put(&line, " %s %s", first->device, first->space);
	} else {
		kt_wrap_put(&line, " 0x%" PRIx32 "%s%s", first->number, name[0] ? " " : "",
			    name);
	}
	if (first->call[0]) {
		kt_wrap_put(&line, " in %s", first->call);
	}
	if (first->timed) {
		kt_wrap_put(&line, ", %" PRIu64 ".%06" PRIu64 " s after the first event",
			    first->time / 1000000000, first->time / 1000 % 1000000);
	}
	kt_wrap_end(&line);
}

/* Adds those needs in `all` that are not in `list` to `out`. */
static int subtract(struct kt_needs *out, const struct kt_needs *all,
		    const struct kt_needs *list)
{
	struct kt_needs rest = *all;
	int code;

	rest.n = 0;
	rest.items = calloc(all->n + 1, sizeof(*rest.items));
	if (!rest.items) {
		return kt_no_memory("compare needs");
	}
	for (size_t i = 0; i < all->n; i++) {
		if (!kt_needs_find(list, &all->items[i])) {
			rest.items[rest.n++] = all->items[i];
		}
	}
	code = kt_needs_merge(out, &rest);
	free(rest.items);
	return code;
}

/*
 * Adds the needs of each input that are not in the list o->check to `missing`, and reports
 * them per input. Sets *stopped to true if any need is missing.
 */
static int check(bool *stopped, struct kt_needs *missing, const struct kt_policy_options *o,
		 char *const *paths, size_t n)
{
	struct kt_needs list = {.n = 0};
	struct kt_needs one = {.n = 0};
	struct kt_needs rest = {.n = 0};
	int code = KT_OK;

	KT_TRY_END(kt_needs_read_list(&list, o->check));
	for (size_t i = 0; i < n; i++) {
		KT_TRY_END(read_input(&one, o, paths[i]));
		KT_TRY_END(subtract(&rest, &one, &list));
		KT_TRY_END(kt_needs_merge(missing, &rest));
		if (rest.n > 0) {
			report(paths[i], &rest);
			*stopped = true;
		}
		kt_needs_free(&one);
		kt_needs_free(&rest);
	}
end:
	kt_needs_free(&list);
	kt_needs_free(&one);
	kt_needs_free(&rest);
	return code;
}

static int run(bool *stopped, const struct kt_policy_options *o, char *const *paths,
	       size_t n)
{
	struct kt_needs needs = {.n = 0};
	int code = KT_OK;

	if (o->check) {
		KT_TRY_END(check(stopped, &needs, o, paths, n));
	}
	for (size_t i = 0; i < n && !o->check; i++) {
		KT_TRY_END(read_input(&needs, o, paths[i]));
	}
	KT_TRY_END(kt_trace_filter_judge(&o->part));
	if (o->exact && kt_needs_beyond_seccomp(&needs) > 0) {
		code = kt_error(KT_E_USAGE,
				"write a seccomp profile: a filter cannot express %zu of "
				"the %zu needs (device files, controls, classes, mappings)",
				kt_needs_beyond_seccomp(&needs), needs.n);
		goto end;
	}
	KT_TRY_END(kt_needs_settle(&needs));
	if (!o->check || needs.n > 0 || o->outputs.n > 0 || o->outputs.format) {
		code = kt_outputs_write(&o->outputs, &needs, &kt_output_policy);
	}
end:
	kt_needs_free(&needs);
	return code;
}

static int run_all(bool *stopped, const struct kt_policy_options *o, char **paths, int n)
{
	struct kt_inputs inputs;
	int code = kt_inputs_open(&inputs, paths, (size_t)n);

	if (!code) {
		code = run(stopped, o, inputs.paths, inputs.n);
	}
	kt_inputs_free(&inputs);
	return code;
}

int main(int argc, char **argv)
{
	struct kt_policy_options options;
	bool stopped = false;
	int n = 0;
	int code;

	kt_standard_files_open();
	kt_cleanup_install();
	kt_guard_install();
	kt_progress_enable("ktail");
	code = kt_policy_options_parse(&options, argc, argv, &n);
	if (!code &&
	    !kt_options_answer(&kt_policy_command, &options.asked, KT_ABOUT("ktail"))) {
		code = n ? run_all(&stopped, &options, argv, n)
			 : kt_error(KT_E_USAGE, "no input given; see ktail policy --help");
	}
	kt_trace_filter_clear(&options.part);
	kt_outputs_clear(&options.outputs);
	if (!code && stopped) {
		return kt_standard_files_close("ktail", 1, kt_exit_status(KT_E_IO));
	}
	return kt_standard_files_end("ktail", code, 0);
}
