/* SPDX-License-Identifier: MIT */
/*
 * Prints the predictions of the cost model in transfers.tsv: times by size and method, and
 * the sizes from which one method is faster than another. The program measures nothing.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/option-table.h"
#include "base/standard-files.h"
#include "base/try.h"
#include "corpus/softgpu/transfers/transfer-table.h"

#define LABEL "model, not a measurement"

struct options {
	const char *model;   /* Weak; NULL: all */
	const char *methods; /* Weak: names separated by commas; NULL: all */
	bool tsv;
	bool help;
};

/* Mostly the sizes of the workload `copies`. */
static const uint64_t sizes[] = {4,     256,   1024,  4096,   8192,    16384,
				 24576, 32768, 65536, 262144, 1048576, 4194304};
#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

static const struct kt_option rows[] = {
	{"model", 'm', "NAME", "only this model", KT_TEXT(struct options, model)},
	{"methods", 0, "A,B,...", "only these methods", KT_TEXT(struct options, methods)},
	{"tsv", 0, NULL, "tab-separated values", KT_FLAG(struct options, tsv)},
	{"help", 'h', NULL, "print this help and exit", KT_FLAG(struct options, help)},
	{0},
};

static const struct kt_command_line command = {
	.usage = "transfers-model [options] [TABLE]",
	.summary = "Prints modelled times of copies between host and device, and crossover "
		   "points. The default TABLE is transfers.tsv next to this program.",
	.table = rows,
};

/* --- groups of rows --- */

/* Rows of one model and direction, in the table's order. */
struct group {
	const struct kt_transfer_cost *costs[16]; /* Weak */
	size_t n;
};

static bool is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, length) == 0 && (!at[length] || at[length] == ',')) {
			return true;
		}
	}
	return false;
}

/*
 * Finds the group that begins with row `first`. Returns false if the row belongs to an
 * earlier group or is filtered out.
 */
static bool find_group(const struct kt_transfer_table *table, const struct options *options,
		       size_t first, struct group *group)
{
	const struct kt_transfer_cost *head = &table->rows[first];

	group->n = 0;
	for (size_t i = 0; i < table->n; i++) {
		const struct kt_transfer_cost *cost = &table->rows[i];

		if (strcmp(cost->model, head->model) != 0 ||
		    cost->to_device != head->to_device ||
		    (options->model && strcmp(options->model, cost->model) != 0) ||
		    (options->methods && !is_listed(options->methods, cost->method))) {
			continue;
		}
		if (i < first) {
			return false;
		}
		if (group->n < sizeof(group->costs) / sizeof(group->costs[0])) {
			group->costs[group->n++] = cost;
		}
	}
	return group->n > 0 && group->costs[0] == head;
}

static const char *direction(const struct kt_transfer_cost *cost)
{
	return cost->to_device ? "to-device" : "from-device";
}

/* --- text output --- */

static void print_text(const struct group *group)
{
	const struct kt_transfer_cost *head = group->costs[0];
	const char *basis = "lines through measured points";

	for (size_t i = 0; i < group->n; i++) {
		if (!group->costs[i]->measured) {
			basis = "orders of magnitude";
		}
	}
	printf("\n%s, %s: nanoseconds (" LABEL "; %s; * the fastest)\n", head->model,
	       direction(head), basis);
	printf("%10s", "bytes");
	for (size_t i = 0; i < group->n; i++) {
		printf(" %13s ", group->costs[i]->method);
	}
	putchar('\n');
	for (size_t i = 0; i < N_SIZES; i++) {
		uint64_t least = UINT64_MAX;
		size_t best = SIZE_MAX; /* SIZE_MAX: no method can copy this size */
		uint64_t ns;

		for (size_t j = 0; j < group->n; j++) {
			if (kt_transfer_time(group->costs[j], sizes[i], &ns) &&
			    ns < least) {
				least = ns;
				best = j;
			}
		}
		printf("%10" PRIu64, sizes[i]);
		for (size_t j = 0; j < group->n; j++) {
			if (kt_transfer_time(group->costs[j], sizes[i], &ns)) {
				printf(" %13" PRIu64 "%c", ns, j == best ? '*' : ' ');
			} else {
				printf(" %13s ", "-");
			}
		}
		putchar('\n');
	}
	for (size_t i = 0; i < group->n; i++) {
		for (size_t j = 0; j < group->n; j++) {
			uint64_t bytes;

			if (i == j || !kt_transfer_crossover(group->costs[i],
							     group->costs[j], &bytes)) {
				continue;
			}
			printf("  %s is faster than %s ", group->costs[j]->method,
			       group->costs[i]->method);
			if (bytes == 1) {
				puts("at every size");
			} else {
				printf("from %" PRIu64 " bytes on\n", bytes);
			}
		}
	}
}

/* --- tab-separated output --- */

static void print_tsv_row(const char *kind, const struct kt_transfer_cost *cost,
			  const char *other, uint64_t bytes)
{
	uint64_t ns;

	if (kt_transfer_time(cost, bytes, &ns)) {
		printf("%s\t%s\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\n", kind, cost->model,
		       direction(cost), cost->method, other, bytes, ns);
	}
}

static void print_tsv(const struct group *group)
{
	for (size_t i = 0; i < group->n; i++) {
		uint64_t bytes;

		for (size_t j = 0; j < N_SIZES; j++) {
			print_tsv_row("time", group->costs[i], "-", sizes[j]);
		}
		for (size_t j = 0; j < group->n; j++) {
			if (i != j && kt_transfer_crossover(group->costs[j],
							    group->costs[i], &bytes)) {
				print_tsv_row("crossover", group->costs[i],
					      group->costs[j]->method, bytes);
			}
		}
	}
}

/* --- main --- */

int main(int argc, char **argv)
{
	struct options options = {0};
	struct kt_transfer_table table = {0};
	const char *operand;
	char path[PATH_MAX];
	FILE *file;
	size_t groups = 0;
	int n_operands = 0;
	int code;

	kt_standard_files_open();
	KT_TRY_END(kt_options_parse(&command, argc, argv, &options, &n_operands));
	if (options.help) {
		kt_options_help(&command, stdout);
		goto end;
	}
	if (n_operands > 1) {
		code = kt_error(KT_E_USAGE, "unexpected argument '%s'", argv[1]);
		goto end;
	}
	operand = argv[0];
	if (n_operands == 0) { /* use the table in this program's folder */
		ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
		char *slash;

		path[n > 0 ? n : 0] = '\0';
		slash = strrchr(path, '/');
		n = slash ? slash + 1 - path : 0;
		snprintf(path + n, sizeof(path) - (size_t)n, "transfers.tsv");
		operand = path;
	}
	file = fopen(operand, "r");
	if (!file) {
		code = kt_error_errno(KT_E_IO, "open %s", operand);
		goto end;
	}
	code = kt_transfer_table_read(&table, file, operand);
	fclose(file);
	if (code) {
		goto end;
	}
	if (options.tsv) {
		puts("# " LABEL);
		puts("# kind\tmodel\tdirection\tmethod\tfaster_than\tbytes\tns");
	} else {
		puts("Copies between host and device: " LABEL ".");
	}
	for (size_t i = 0; i < table.n; i++) {
		struct group group;

		if (!find_group(&table, &options, i, &group)) {
			continue;
		}
		groups++;
		if (options.tsv) {
			print_tsv(&group);
		} else {
			print_text(&group);
		}
	}
	if (groups == 0) {
		code = kt_error(KT_E_USAGE,
				"the table has no row for that model and method");
	}
end:
	kt_transfer_table_free(&table);
	return kt_standard_files_end("transfers-model", code, 0);
}
