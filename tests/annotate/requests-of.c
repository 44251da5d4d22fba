/* SPDX-License-Identifier: MIT */
/*
 * Prints a line of tab-separated numbers for each trace: how many of its requests are
 * attributed to a poll, and how; how many resources its processes set up, and how those
 * ended. With --calls it prints instead, for each trace, a table of the calls that submit
 * work.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/pairs/pairs.h"
#include "annotate/requests/request-tables.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_requests(const struct kt_requests *requests)
{
	const struct kt_request_ties ties = kt_request_ties(requests);

	printf("\t%" PRIu64 "\t%" PRIu64, requests->doorbells, ties.requests);
	for (int tie = KT_TIE_READ; tie < KT_TIES; tie++) {
		printf("\t%" PRIu64, ties.by[tie]);
	}
	printf("\t%" PRIu64 "\t%" PRIu64, ties.hidden, ties.never + ties.lossy);
}

static void print_pairs(const struct kt_pairs *pairs)
{
	size_t ends[KT_RESOURCE_GROUPS][KT_RESOURCE_ENDS] = {{0}};
	size_t wrong[KT_MISSTEPS] = {0};

	for (size_t i = 0; i < pairs->n; i++) {
		ends[pairs->resources[i].group][pairs->resources[i].end]++;
	}
	for (size_t i = 0; i < pairs->n_wrong; i++) {
		wrong[pairs->wrong[i].misstep]++;
	}
	for (int group = KT_RESOURCE_MAPPING; group <= KT_RESOURCE_FILE; group++) {
		printf("\t%zu\t%zu\t%zu", ends[group][KT_END_OWN],
		       ends[group][KT_END_ANCESTOR], ends[group][KT_END_LEFT]);
	}
	printf("\t%zu\t%zu\t%zu\n", wrong[KT_MISSTEP_TWICE], wrong[KT_MISSTEP_UNKNOWN],
	       wrong[KT_MISSTEP_INHERITED]);
}

static int print_calls(const struct kt_requests *requests)
{
	struct kt_table table;
	int code = kt_request_calls_table(&table, requests);

	puts("");
	code = code ? code : kt_table_print_tsv(stdout, &table);
	kt_table_free(&table);
	return code;
}

static int print_trace(const char *path, bool calls)
{
	const struct kt_activity_visitor *const visitors[] = {&kt_requests_visitor,
							      &kt_pairs_visitor};
	struct kt_activity_totals totals = {.events = 0};
	struct kt_requests requests;
	struct kt_pairs pairs = {.n = 0};
	void *const contexts[] = {&requests, &pairs};
	int code;

	kt_requests_init(&requests);
	code = kt_activity_read(path, visitors, contexts, 2, &totals);
	if (code) {
		fprintf(stderr, "requests-of: %s\n", kt_error_message());
	} else {
		printf("%s", base_name(path));
		if (calls) {
			code = print_calls(&requests);
		} else {
			print_requests(&requests);
			print_pairs(&pairs);
		}
	}
	kt_activity_totals_free(&totals);
	kt_requests_free(&requests);
	kt_pairs_free(&pairs);
	return code;
}

int main(int argc, char **argv)
{
	bool calls = argc > 1 && strcmp(argv[1], "--calls") == 0;
	int code = KT_OK;

	if (!calls) {
		puts("trace\tdoorbells\trequests\tread\tlater\torder\tacquire\trun\tnever"
		     "\tmappings\twith ancestor\tleft\tobjects\twith ancestor\tleft"
		     "\tfiles\twith ancestor\tleft\ttwice\tunknown\tinherited");
	}
	for (int i = calls ? 2 : 1; i < argc && !code; i++) {
		code = print_trace(argv[i], calls);
	}
	return code != KT_OK;
}
