/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff-same.h"

#include <stdlib.h>
#include <string.h>

/* The hashes of a set's words, in order; the caller frees them. */
static int list_hashes(char (**out)[33], size_t *n, const kt_words *words,
		       const struct kt_reduction *reduction)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm = NULL;
	kt_words *reduced;
	int code = kt_reduce_words(&reduced, words, reduction);

	*out = NULL;
	*n = 0;
	code = code ? code : kt_infer(&fsm, reduced, &options);
	if (!code) {
		*out = calloc(fsm->n_words + 1, sizeof(**out));
		code = *out ? KT_OK : kt_error(KT_E_MEMORY, "compare words: out of memory");
	}
	for (size_t i = 0; !code && i < fsm->n_words; i++) {
		memcpy((*out)[i], fsm->words[i].hash, sizeof(**out));
		/* Cut words are like no others. */
		(*out)[i][32] = fsm->words[i].complete ? 'c' : 'p';
		++*n;
	}
	kt_fsm_free(fsm);
	kt_words_free(reduced);
	return code;
}

static int compare_hashes(const void *a, const void *b)
{
	return memcmp(a, b, 33);
}

/* Drops what is there twice. */
static size_t sort_hashes(char (*hashes)[33], size_t n)
{
	size_t kept = 0;

	qsort(hashes, n, sizeof(*hashes), compare_hashes);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || memcmp(hashes[kept - 1], hashes[i], 33) != 0) {
			memmove(hashes[kept++], hashes[i], 33);
		}
	}
	return kept;
}

int kt_diff_same_words(bool *out, const struct kt_diff_sides *sides,
		       const struct kt_reduction *reduction)
{
	char(*hashes[2])[33] = {NULL, NULL};
	size_t n[2] = {0, 0};
	int code = KT_OK;

	*out = false;
	for (int s = 0; !code && s < 2; s++) {
		code = list_hashes(&hashes[s], &n[s], sides->side[s].words, reduction);
		n[s] = code ? 0 : sort_hashes(hashes[s], n[s]);
	}
	*out = !code && n[0] == n[1] &&
	       memcmp(hashes[0], hashes[1], n[0] * sizeof(*hashes[0])) == 0;
	free(hashes[0]);
	free(hashes[1]);
	return code;
}

/* The machine of a side's words, reduced; the caller owns it. */
static int infer_reduced(struct kt_fsm **out, const struct kt_diff_sides *sides, int side,
			 const struct kt_reduction *reduction)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	kt_words *reduced;
	int code = kt_reduce_words(&reduced, sides->side[side].words, reduction);

	options.k = sides->k;
	options.machine = sides->machine;
	*out = NULL;
	code = code ? code : kt_infer(out, reduced, &options);
	kt_words_free(reduced);
	return code;
}

int kt_diff_same_machines(bool *out, const struct kt_diff_sides *sides,
			  const struct kt_reduction *reduction)
{
	struct kt_fsm *fsm[2] = {NULL, NULL};
	int code = KT_OK;

	*out = false;
	for (int s = 0; !code && s < 2; s++) {
		code = infer_reduced(&fsm[s], sides, s, reduction);
	}
	code = code ? code : kt_compare_equal(out, fsm[0], fsm[1]);
	kt_fsm_free(fsm[0]);
	kt_fsm_free(fsm[1]);
	return code;
}

int kt_diff_same_language(bool *out, const struct kt_diff_sides *sides,
			  const struct kt_reduction *reduction, uint64_t *steps)
{
	struct kt_fsm *reduced[2];
	bool cut;
	int code = kt_diff_sides_reduce(reduced, &cut, sides, reduction, steps);

	*out = false;
	if (!code && !cut) {
		code = kt_compare_equal(out, reduced[0], reduced[1]);
	}
	kt_fsm_free(reduced[0]);
	kt_fsm_free(reduced[1]);
	return code;
}
