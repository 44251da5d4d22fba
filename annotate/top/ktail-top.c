/* SPDX-License-Identifier: MIT */
/* ktail top: what happens each second in a session that is being recorded. */
#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/top/rates.h"
#include "annotate/top/top-options.h"
#include "base/cleanup.h"
#include "base/guard.h"
#include "base/progress.h"
#include "base/standard-files.h"
#include "base/terminal.h"
#include "base/try.h"
#include "infer/words/read/report.h"
#include "infer/words/read/stop-live.h"

/* Lines of a screen besides the rows: two above them; below them at most three,
 * and the cursor.
 */
#define OTHER_LINES 6

/* Moves to the upper left corner, and clears the screen from there on. */
#define CLEAR_SCREEN "\033[H\033[J"

struct top {
	const struct kt_top_options *options; /* Weak */
	const char *path;                     /* Weak */
	struct kt_rates rates;
	struct kt_activity_totals totals;
	unsigned long printed; /* number of tables */
};

/* Removes rows that do not fit the screen, but not the last; returns their number. */
static size_t cut_rows(struct kt_table *table, size_t most)
{
	const size_t columns = table->n_columns;
	const size_t cut = table->n_rows > most ? table->n_rows - most : 0;

	if (cut > 0) {
		memmove(&table->cells[(most - 1) * columns],
			&table->cells[(table->n_rows - 1) * columns],
			columns * sizeof(*table->cells));
		table->n_rows = most;
	}
	return cut;
}

/* Prints the chosen columns of the table. */
static int print_columns(const struct top *top, struct kt_table *table, size_t width)
{
	const struct kt_table_view *view = &top->options->view;
	struct kt_table shown = {.columns = NULL};
	int code;

	table->all_in = "-b";
	if (view->n_columns == 0) {
		return kt_table_print_text(stdout, table, width);
	}
	code = kt_table_view_show(view, table, &shown);
	if (!code) {
		shown.all_in = table->all_in;
		code = kt_table_print_text(stdout, &shown, width);
	}
	kt_table_free(&shown);
	return code;
}

static int print_second(struct top *top, struct kt_rates *rates)
{
	const size_t width = top->options->batch ? 0 : kt_terminal_width(stdout);
	const size_t height = width > 0 ? kt_terminal_height(stdout) : 0;
	struct kt_table table;
	size_t cut = 0;
	int code = kt_rates_table(rates, &table);

	if (!code) {
		code = kt_table_view_sort(&top->options->view, &table);
	}
	if (!code) {
		fputs(width > 0 ? CLEAR_SCREEN : top->printed > 0 ? "\n" : "", stdout);
		printf("# %s, second %" PRIu64 "\n", top->path, rates->now + 1);
		if (height > OTHER_LINES + 1) {
			cut = cut_rows(&table, height - OTHER_LINES);
		}
		code = print_columns(top, &table, width);
	}
	if (!code && cut > 0) {
		printf("(%zu more rows)\n", cut);
	}
	kt_table_free(&table);
	KT_TRY(code);
	return fflush(stdout) != 0 ? kt_error_errno(KT_E_IO, "write table") : KT_OK;
}

/* The end of a second. */
static int take_second(void *context, struct kt_rates *rates)
{
	struct top *top = context;

	/* Of the second in which the user stopped, only a part is known. */
	if (kt_stop_live_asked()) {
		rates->over = true;
		return KT_OK;
	}
	KT_TRY(print_second(top, rates));
	if (++top->printed == top->options->count) {
		rates->over = true;
		kt_stop_live();
	}
	return KT_OK;
}

/* The live session has reached a time. */
static int take_time(void *context, int64_t now)
{
	struct top *top = context;
	const int64_t begin = top->totals.reading.begin;

	return now < begin ? KT_OK : kt_rates_pass(&top->rates, (uint64_t)(now - begin));
}

static int run(const struct kt_top_options *options, const char *path)
{
	struct top top = {.options = options,
			  .path = path,
			  .rates = {.by = options->by,
				    .part = &options->part,
				    .second = take_second,
				    .context = &top},
			  .totals.reading = {.source = options->source,
					     .part = &options->part,
					     .pass = take_time,
					     .context = &top}};
	const struct kt_activity_visitor *const visitors[] = {&kt_rates_visitor};
	void *const contexts[] = {&top.rates};
	int code = kt_stop_live_begin(&top.totals.reading.stop);

	if (!code) {
		code = kt_activity_read(path, visitors, contexts, 1, &top.totals);
	}
	kt_stop_live_end();
	/* If the user leaves a session before its first event, that is not an error. */
	if (code == KT_E_EMPTY && kt_stop_live_asked()) {
		code = KT_OK;
	} else if (!code && !top.rates.over) {
		kt_trace_report_warn(stderr, path, &top.totals.reading.report);
		code = kt_trace_filter_judge(&options->part);
	}
	kt_rates_free(&top.rates);
	kt_activity_totals_free(&top.totals);
	return code;
}

int main(int argc, char **argv)
{
	struct kt_top_options options;
	int n = 0;
	int code;

	kt_standard_files_open();
	kt_cleanup_install();
	kt_guard_install();
	code = kt_top_options_parse(&options, argc, argv, &n);
	if (!code &&
	    !kt_options_answer(&kt_top_command, &options.asked, KT_ABOUT("ktail"))) {
		code = run(&options, argv[0]);
	}
	kt_top_options_clear(&options);
	return kt_standard_files_end("ktail", code, 0);
}
