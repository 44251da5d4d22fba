/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff/diff-reduce.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"

#define REDUCED_STATES_MAX 20000

static int compare_hashes(const void *a, const void *b)
{
	return memcmp(a, b, 33);
}

/* Infers the machine of a version's reduced words; the caller owns *out. */
static int infer_reduced(struct kt_fsm **out, const kt_words *words,
			 const struct kt_reduction *reduction,
			 const struct kt_infer_options *options)
{
	kt_words *reduced;
	int code;

	*out = NULL;
	KT_TRY(kt_reduce_words(&reduced, words, reduction));
	code = kt_infer(out, reduced, options);
	kt_words_free(reduced);
	return code;
}

int kt_diff_same_words(bool *out, const struct kt_diff_versions *versions,
		       const struct kt_reduction *reduction)
{
	const struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	/* for each version: hashes of its words, sorted, without duplicates */
	char(*hashes[2])[33] = {NULL, NULL};
	size_t n[2] = {0, 0};
	struct kt_fsm *fsm = NULL;
	int code;

	*out = false;
	for (int s = 0; s < 2; s++) {
		char(*all)[33];

		KT_TRY_END(infer_reduced(&fsm, versions->version[s].input.words, reduction,
					 &options));
		all = calloc(fsm->n_words + 1, sizeof(*all));
		hashes[s] = all;
		if (!all) {
			code = kt_no_memory("compare words");
			goto end;
		}
		for (size_t i = 0; i < fsm->n_words; i++) {
			memcpy(all[i], fsm->words[i].hash, sizeof(*all));
			/* Distinguish truncated words from complete ones. */
			all[i][32] = fsm->words[i].complete ? 'c' : 'p';
		}
		qsort(all, fsm->n_words, sizeof(*all), compare_hashes);
		for (size_t i = 0; i < fsm->n_words; i++) {
			if (n[s] == 0 || memcmp(all[n[s] - 1], all[i], 33) != 0) {
				memmove(all[n[s]++], all[i], 33);
			}
		}
		kt_fsm_free(fsm);
		fsm = NULL;
	}
	*out = n[0] == n[1] && memcmp(hashes[0], hashes[1], n[0] * sizeof(*hashes[0])) == 0;
end:
	kt_fsm_free(fsm);
	free(hashes[0]);
	free(hashes[1]);
	return code;
}

/*
 * Reduces both machines; the caller owns out[0] and out[1]. If a limit is exceeded (see
 * kt_reduce_machine()), *cut is true and out[0] and out[1] are NULL.
 */
static int reduce_machines(struct kt_fsm *out[2], bool *cut,
			   const struct kt_diff_versions *versions,
			   const struct kt_reduction *reduction, uint64_t *steps)
{
	int code = KT_OK;

	*cut = false;
	out[0] = NULL;
	out[1] = NULL;
	for (int s = 0; !code && !*cut && s < 2; s++) {
		code = kt_reduce_machine(&out[s], cut, versions->version[s].input.fsm,
					 reduction, REDUCED_STATES_MAX, steps);
	}
	if (code || *cut) {
		kt_fsm_free(out[0]);
		kt_fsm_free(out[1]);
		out[0] = NULL;
		out[1] = NULL;
	}
	return code;
}

int kt_diff_same_machines(bool *out, const struct kt_diff_versions *versions,
			  const struct kt_reduction *reduction)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm[2] = {NULL, NULL};
	int code;

	*out = false;
	options.k = versions->operand.k;
	options.machine = versions->operand.machine;
	for (int s = 0; s < 2; s++) {
		KT_TRY_END(infer_reduced(&fsm[s], versions->version[s].input.words,
					 reduction, &options));
	}
	code = kt_compare_equal(out, fsm[0], fsm[1]);
end:
	kt_fsm_free(fsm[0]);
	kt_fsm_free(fsm[1]);
	return code;
}

int kt_diff_same_language(bool *out, const struct kt_diff_versions *versions,
			  const struct kt_reduction *reduction, uint64_t *steps)
{
	struct kt_fsm *reduced[2];
	bool cut;
	int code;

	*out = false;
	KT_TRY(reduce_machines(reduced, &cut, versions, reduction, steps));
	code = cut ? KT_OK : kt_compare_equal(out, reduced[0], reduced[1]);
	kt_fsm_free(reduced[0]);
	kt_fsm_free(reduced[1]);
	return code;
}

static int replace_words(struct kt_diff_versions *versions,
			 const struct kt_reduction *reduction)
{
	for (int s = 0; s < 2; s++) {
		kt_words *reduced = NULL;

		KT_TRY(kt_reduce_words(&reduced, versions->version[s].input.words,
				       reduction));
		kt_words_free(versions->version[s].input.words);
		versions->version[s].input.words = reduced;
	}
	return KT_OK;
}

static int replace_machines(struct kt_diff_versions *versions,
			    const struct kt_reduction *reduction)
{
	struct kt_fsm *reduced[2];
	bool cut;

	KT_TRY(reduce_machines(reduced, &cut, versions, reduction, NULL));
	if (cut) {
		return kt_error(KT_E_USAGE,
				"reduce letters: a machine would have more than %d states",
				REDUCED_STATES_MAX);
	}
	for (int s = 0; s < 2; s++) {
		kt_fsm_free(versions->version[s].input.fsm);
		versions->version[s].input.fsm = reduced[s];
	}
	return KT_OK;
}

static int reduce_both(struct kt_diff_versions *versions,
		       int (*replace)(struct kt_diff_versions *versions,
				      const struct kt_reduction *reduction))
{
	const struct kt_diff_list *lists[2] = {&versions->without, &versions->runs};
	int code = KT_OK;

	for (int i = 0; !code && i < 2; i++) {
		const char **letters = calloc(lists[i]->n + 1, sizeof(*letters));
		struct kt_reduction reduction = {letters, lists[i]->n, i == 0};

		if (!letters) {
			return kt_no_memory("reduce letters");
		}
		for (size_t j = 0; j < lists[i]->n; j++) {
			letters[j] = lists[i]->items[j];
		}
		code = lists[i]->n ? replace(versions, &reduction) : KT_OK;
		free(letters);
	}
	return code;
}

int kt_diff_reduce_words(struct kt_diff_versions *versions)
{
	return reduce_both(versions, replace_words);
}

int kt_diff_reduce_machines(struct kt_diff_versions *versions)
{
	return reduce_both(versions, replace_machines);
}
