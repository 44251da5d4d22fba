/* SPDX-License-Identifier: MIT */
#include "infer/files/output.h"

#include <inttypes.h>

#include <ktail/status.h>

int kt_output_write_tsv(FILE *out, const void *result)
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
