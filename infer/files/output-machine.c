/* SPDX-License-Identifier: MIT */
/* The output formats of machines. */
#include "infer/files/output.h"

#include <inttypes.h>
#include <stdlib.h>

#include <ktail/exchange.h>
#include <ktail/status.h>
#include <xxhash.h>

#include "base/try.h"

static int write_json(FILE *out, const void *fsm)
{
	return kt_fsm_write_json(fsm, out);
}

static int write_gv(FILE *out, const void *fsm)
{
	return kt_fsm_write_dot(fsm, KT_DOT_KTAIL, out);
}

static int write_graphml(FILE *out, const void *fsm)
{
	return kt_fsm_write_graphml(fsm, out);
}

int kt_output_machine_tsv(FILE *out, const void *result)
{
	const struct kt_fsm *fsm = result;

	fputs("from\tletter\tto\tcount\n", out);
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		fprintf(out, "%" PRIu32 "\t%s\t%" PRIu32 "\t%" PRIu64 "\n", t->from,
			fsm->letters[t->letter], t->to, t->count);
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write machine as TSV") : KT_OK;
}

static int write_csv(FILE *out, const void *fsm)
{
	return kt_output_convert_tsv(out, fsm, kt_output_machine_tsv, kt_table_print_csv,
				     NULL);
}

/*
 * Hashes only the transitions, so that the hash does not depend on the names of the words.
 */
static int hash_transitions(char hex[33], const struct kt_fsm *fsm)
{
	XXH128_canonical_t canonical;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	int code = stream ? kt_output_machine_tsv(stream, fsm) : KT_OK;

	if (!stream || (fclose(stream) != 0 && !code)) {
		code = kt_error(KT_E_MEMORY, "write machine: out of memory");
	}
	if (!code) {
		XXH128_canonicalFromHash(&canonical, XXH3_128bits(text, size));
		for (size_t i = 0; i < sizeof(canonical.digest); i++) {
			snprintf(hex + 2 * i, 3, "%02x", canonical.digest[i]);
		}
	}
	free(text);
	return code;
}

int kt_output_machine_summary(FILE *out, const void *result)
{
	const struct kt_fsm *fsm = result;
	uint64_t letters = 0;
	size_t n_complex;
	char hash[33];

	for (size_t i = 0; i < fsm->n_words; i++) {
		letters += fsm->words[i].events;
	}
	KT_TRY(kt_fsm_count_complex(fsm, &n_complex));
	KT_TRY(hash_transitions(hash, fsm));
	fprintf(out, "machine      %s\n", fsm->machine);
	if (!fsm->no_k) {
		fprintf(out, "k            %" PRIu64 "\n", fsm->k);
	}
	fprintf(out,
		"words        %zu, of %" PRIu64 " letters\n"
		"alphabet     %zu letters\n"
		"states       %zu, %zu of them complex\n"
		"transitions  %zu\n"
		"hash         %s\n",
		fsm->n_words, letters, fsm->n_letters, fsm->n_states, n_complex,
		fsm->n_transitions, hash);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write machine") : KT_OK;
}

static const struct kt_output_format machine_formats[] = {
	{".dot", "dot", NULL},
	{".svg", "svg", NULL},
	{".png", "png", NULL},
	{".pdf", "pdf", NULL},
	{".json", NULL, write_json},
	{".txt", NULL, kt_output_machine_summary},
	{".tsv", NULL, kt_output_machine_tsv},
	{".csv", NULL, write_csv},
	{".gv", NULL, write_gv},
	{".graphml", NULL, write_graphml},
	{NULL, NULL, NULL},
};

const struct kt_output_kind kt_output_machine = {
	.what = "machine",
	.formats = machine_formats,
	.json = write_json,
};
