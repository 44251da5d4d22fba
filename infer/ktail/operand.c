/* SPDX-License-Identifier: MIT */
#include "infer/ktail/operand.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "infer/files/machine.h"
#include "infer/ktail/auto-k.h"

int kt_operand_set_k(void *context, const char *value)
{
	struct kt_operand_options *options = context;

	options->wants_auto = strcmp(value, "auto") == 0;
	options->has_k = !options->wants_auto;
	return options->wants_auto ? KT_OK
				   : kt_parse_number(&options->k, value, 0, INT64_MAX,
						     "--k, if not auto,");
}

int kt_operand_set_machine(void *context, const char *value)
{
	struct kt_operand_options *options = context;

	options->has_machine = true;
	return kt_machine_kind_parse(&options->machine, value);
}

int kt_operand_infer_options(struct kt_infer_options *out, const kt_words *words,
			     const char *alphabet, const struct kt_operand_options *options)
{
	*out = (struct kt_infer_options)KT_INFER_OPTIONS_INIT;
	out->k = options->k;
	out->machine = options->machine;
	out->word = options->load.word;
	out->alphabet_json = alphabet;
	return options->has_k ? KT_OK : kt_auto_k(&out->k, words, options->machine);
}

int kt_operand_read(struct kt_operand *out, char **paths, int n, const char *what,
		    const struct kt_operand_options *options)
{
	*out = (struct kt_operand){0};
	for (int i = 0; n > 1 && i < n; i++) {
		if (kt_machine_is_named(paths[i])) {
			return kt_error(KT_E_USAGE,
					"read %s: it is a machine, and %s is one machine "
					"or traces alone",
					paths[i], what);
		}
	}
	if (!kt_machine_is_named(paths[0])) {
		return kt_load(&out->words, &out->alphabet, paths, n, &options->load);
	}
	KT_TRY(kt_machine_read_annotated(&out->fsm, &out->annotation, paths[0]));
	if (strcmp(out->fsm->machine, "diff") == 0) {
		kt_operand_clear(out);
		return kt_error(KT_E_USAGE,
				"read %s: it is the difference of two machines, and %s is "
				"one machine or traces",
				paths[0], what);
	}
	return KT_OK;
}

int kt_operand_infer(struct kt_operand *operand, const struct kt_operand_options *options)
{
	struct kt_infer_options infer;

	if (operand->fsm) {
		return KT_OK;
	}
	KT_TRY(kt_operand_infer_options(&infer, operand->words, operand->alphabet,
					options));
	return kt_infer(&operand->fsm, operand->words, &infer);
}

void kt_operand_clear(struct kt_operand *operand)
{
	kt_words_free(operand->words);
	free(operand->alphabet);
	kt_fsm_free(operand->fsm);
	json_decref(operand->annotation);
	*operand = (struct kt_operand){0};
}

static bool is_imported(const struct kt_fsm *fsm)
{
	return strcmp(fsm->machine, KT_FSM_IMPORTED) == 0;
}

void kt_operand_warn(const struct kt_fsm *a, const char *a_name, const struct kt_fsm *b,
		     const char *b_name)
{
	const char *a_rules =
		a->alphabet_json ? strstr(a->alphabet_json, "\"rules\"") : NULL;
	const char *b_rules =
		b->alphabet_json ? strstr(b->alphabet_json, "\"rules\"") : NULL;

	if (is_imported(a) || is_imported(b)) {
		return;
	}
	if (strcmp(a->word, b->word) != 0) {
		kt_warn("a word of %s is a %s, one of %s a %s", a_name, a->word, b_name,
			b->word);
	}
	/* Rules alone: what an alphabet is called does not matter, nor a machine without
	 * one. */
	if (a_rules && b_rules && strcmp(a_rules, b_rules) != 0) {
		kt_warn("the letters of %s and of %s come from different alphabets, and "
			"are compared by name",
			a_name, b_name);
	}
}
