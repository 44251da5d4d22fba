/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff/diff-versions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/try.h"
#include "base/terminal.h"
#include "infer/files/letter-names.h"
#include "infer/files/machine.h"
#include "infer/ktail/auto-k.h"
#include "infer/ktail/copy-words.h"
#include "infer/ktail/diff/diff-reduce.h"

const char *const kt_diff_version_names[2] = {"old", "new"};

static const char *const operand_names[2] = {"the old side", "the new side"};

int kt_diff_list_add(struct kt_diff_list *list, const char *text)
{
	union {
		const char *read_only;
		char *text;
	} kept = {.read_only = text};

	KT_TRY(kt_array_reserve(&list->items, &list->capacity, list->n + 1));
	list->items[list->n++] = kept.text;
	return KT_OK;
}

bool kt_diff_versions_have_words(const struct kt_diff_versions *versions)
{
	return versions->version[0].input.words && versions->version[1].input.words;
}

/*
 * Chooses the k with which machines are inferred, see kt_diff_versions_load(). Machines get
 * the same k, so that only their words can make them differ.
 */
static int choose_k(struct kt_diff_versions *versions)
{
	struct kt_operand_options *options = &versions->operand;
	bool have_words =
		versions->version[0].input.words || versions->version[1].input.words;
	kt_words *all;
	uint64_t k = 0;
	int code;

	if (!have_words && (options->has_k || options->wants_auto)) {
		return kt_error(KT_E_USAGE,
				"--k applies to traces, but both sides are machines");
	}
	if (!have_words && options->load.source != KT_SOURCE_USER) {
		return kt_error(KT_E_USAGE,
				"--source applies to traces, but both sides are machines");
	}
	for (int s = 0; s < 2; s++) {
		const struct kt_fsm *fsm = versions->version[s].input.fsm;

		if (!options->has_machine && fsm && strcmp(fsm->machine, "pta") == 0) {
			options->machine = KT_MACHINE_PTA;
		}
	}
	for (int s = 0; s < 2 && !options->has_k && !options->wants_auto; s++) {
		const struct kt_fsm *other = versions->version[1 - s].input.fsm;

		if (versions->version[s].input.words && other && !other->no_k) {
			options->k = other->k;
			options->has_k = true;
		}
	}
	if (options->has_k || !have_words) {
		return KT_OK;
	}
	KT_TRY(kt_words_new(&all));
	for (int s = 0; s < 2; s++) {
		if (versions->version[s].input.words) {
			KT_TRY_END(kt_copy_words(all, versions->version[s].input.words,
						 KT_COPY_ALL, NULL, NULL));
		}
	}
	KT_TRY_END(kt_auto_k(&k, all, options->machine));
	options->k = k;
	options->has_k = true;
end:
	kt_words_free(all);
	return code;
}

/*
 * Warns if words begin in states other than the start, since the comparison of languages
 * leaves these words out.
 */
static void warn_entries(const struct kt_fsm *fsm, int version)
{
	size_t n = 0;

	for (size_t i = 0; i < fsm->n_words; i++) {
		n += fsm->words[i].entry != fsm->start;
	}
	if (n > 0) {
		kt_warn("words of the %s machine that do not begin at its start are not "
			"compared: %zu of %zu",
			kt_diff_version_names[version], n, fsm->n_words);
	}
}

/*
 * Reads version s if it is a machine's file and `machine` is true, or if it consists of
 * traces and `machine` is false. Otherwise does nothing.
 */
static int read_version(struct kt_diff_versions *versions, int s, bool machine)
{
	const struct kt_diff_list *paths = &versions->version[s].paths;

	if (kt_machine_is_named(paths->items[0]) != machine) {
		return KT_OK;
	}
	return kt_operand_read(&versions->version[s].input, paths->items, (int)paths->n,
			       operand_names[s], &versions->operand);
}

/*
 * If a machine that was read from a file was made with --runs or --without, its filter also
 * applies to the traces that are read later. --runs and --without given now must then equal
 * this filter, and are not applied again.
 */
static int settle_filter(struct kt_diff_versions *versions)
{
	struct kt_letter_filter asked = {.runs = {.n = 0}};
	int code = KT_OK;

	if (kt_letter_filter_is_empty(&versions->operand.load.filter)) {
		return KT_OK;
	}
	for (size_t i = 0; i < versions->runs.n; i++) {
		KT_TRY_END(kt_letter_list_add(&asked.runs, versions->runs.items[i]));
	}
	for (size_t i = 0; i < versions->without.n; i++) {
		KT_TRY_END(kt_letter_list_add(&asked.without, versions->without.items[i]));
	}
	for (int s = 0; s < 2 && !kt_letter_filter_is_empty(&asked); s++) {
		const struct kt_fsm *fsm = versions->version[s].input.fsm;

		KT_TRY_END(kt_letter_filter_agree(&asked, fsm ? fsm->alphabet_json : NULL,
						  versions->version[s].paths.items[0]));
	}
	versions->runs.n = 0;
	versions->without.n = 0;
end:
	kt_letter_filter_clear(&asked);
	return code;
}

/*
 * Warns if only one version was recorded on the software GPU, or if the versions differ in
 * --access.
 */
static void warn_recorded(const struct kt_fsm *old, const struct kt_fsm *new)
{
	char a[512];
	char b[512];

	kt_versions_text(a, sizeof(a), &old->versions, "gpu", false);
	kt_versions_text(b, sizeof(b), &new->versions, "gpu", false);
	if (a[0] && b[0] &&
	    (strstr(a, "software GPU") == NULL) != (strstr(b, "software GPU") == NULL)) {
		kt_warn("the %s side was recorded on the software GPU, the other was not",
			strstr(a, "software GPU") ? "old" : "new");
	}
	kt_versions_mode(a, sizeof(a), &old->versions, "access");
	kt_versions_mode(b, sizeof(b), &new->versions, "access");
	if (a[0] && b[0] && strcmp(a, b) != 0) {
		kt_warn("accesses were recorded in other ways (old: %s, new: %s): letters "
			"R and W differ for that alone",
			a, b);
	}
}

int kt_diff_versions_load(struct kt_diff_versions *versions)
{
	const struct kt_fsm *old;
	const struct kt_fsm *new;
	bool have_words;
	bool imported;
	size_t n = 0; /* number of times that standard input is named */

	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < versions->version[s].paths.n; i++) {
			n += strcmp(versions->version[s].paths.items[i], "-") == 0;
		}
	}
	if (n > 1) {
		return kt_error(KT_E_USAGE, "read standard input: it is given twice, but "
					    "can be read only once");
	}
	/* Read machines first: their letter filters also apply to traces. */
	for (int s = 0; s < 2; s++) {
		KT_TRY(read_version(versions, s, true));
	}
	KT_TRY(settle_filter(versions));
	for (int s = 0; s < 2; s++) {
		KT_TRY(read_version(versions, s, false));
	}
	have_words = kt_diff_versions_have_words(versions);
	if (have_words) {
		KT_TRY(kt_diff_reduce_words(versions));
	}
	KT_TRY(choose_k(versions));
	for (int s = 0; s < 2; s++) {
		KT_TRY(kt_operand_infer(&versions->version[s].input, &versions->operand));
	}
	old = versions->version[0].input.fsm;
	new = versions->version[1].input.fsm;
	warn_entries(old, 0);
	warn_entries(new, 1);
	warn_recorded(old, new);
	kt_operand_warn(old, "the old machine", new, "the new machine");
	/* The kind and k of an imported machine are unknown, so they are not compared. */
	imported = strcmp(old->machine, KT_FSM_IMPORTED) == 0 ||
		   strcmp(new->machine, KT_FSM_IMPORTED) == 0;
	if (!imported && strcmp(old->machine, new->machine) != 0) {
		kt_warn("the old machine is of kind %s, the new one of kind %s",
			old->machine, new->machine);
	} else if (!imported && !old->no_k && !new->no_k && old->k != new->k) {
		kt_warn("k is %" PRIu64 " in the old machine, %" PRIu64
			" in the new one: they merge states differently",
			old->k, new->k);
	}
	if (!have_words) {
		KT_TRY(kt_diff_reduce_machines(versions));
	}
	for (int s = 0; s < 2; s++) {
		KT_TRY(kt_machine_name_letters(versions->version[s].input.fsm,
					       versions->operand.load.names));
	}
	return KT_OK;
}

void kt_diff_versions_clear(struct kt_diff_versions *versions)
{
	for (int s = 0; s < 2; s++) {
		free(versions->version[s].paths.items);
		kt_operand_clear(&versions->version[s].input);
	}
	kt_load_options_clear(&versions->operand.load);
	free(versions->without.items);
	free(versions->runs.items);
	*versions = (struct kt_diff_versions){0};
}
