/* SPDX-License-Identifier: MIT */
/* What machines can be written as. */
#include "infer/files/output.h"

#include <inttypes.h>

#include <ktail/exchange.h>
#include <ktail/status.h>

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

/* The transitions as a table: from, letter, to, count. */
static int write_tsv(FILE *out, const void *result)
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

static const struct kt_output_format machine_formats[] = {
	{".dot", "dot", NULL},       {".svg", "svg", NULL},
	{".png", "png", NULL},       {".pdf", "pdf", NULL},
	{".json", NULL, write_json}, {".tsv", NULL, write_tsv},
	{".gv", NULL, write_gv},     {".graphml", NULL, write_graphml},
	{NULL, NULL, NULL},
};

const struct kt_output_kind kt_output_machine = {
	.what = "machine",
	.formats = machine_formats,
	.json = write_json,
};
