/* SPDX-License-Identifier: MIT */
#include "infer/ktail/operand.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "base/terminal.h"
#include "base/versions.h"
#include "decode/api-functions.h"
#include "infer/files/machine.h"
#include "infer/ktail/auto-k.h"
#include "infer/words/alphabet/alphabet.h"

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
		    struct kt_operand_options *options)
{
	int code;

	*out = (struct kt_operand){0};
	for (int i = 0; n > 1 && i < n; i++) {
		if (kt_machine_is_named(paths[i])) {
			return kt_error(KT_E_USAGE,
					"read %s: it is a machine, but %s must be one "
					"machine or only traces",
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
				"read %s: it is the difference of two machines, but %s "
				"must be one machine or traces",
				paths[0], what);
	}
	code = kt_letter_filter_agree(&options->load.filter, out->fsm->alphabet_json,
				      paths[0]);
	if (code) {
		kt_operand_clear(out);
	}
	return code;
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

/* Returns a new reference to the alphabet; NULL if the machine has no alphabet. */
static json_t *load_alphabet(const struct kt_fsm *fsm)
{
	return fsm->alphabet_json ? json_loads(fsm->alphabet_json, 0, NULL) : NULL;
}

static bool is_api_call(const char *letter)
{
	return kt_api_function_find(letter) != NULL;
}

/*
 * Kinds of letters that are missing in a machine whose words were made or recorded with
 * other options.
 */
static const struct letter_kind {
	bool (*is)(const char *letter);
	const char *what;
	const char *options;
	bool of_alphabet; /* known from the alphabets, if both machines name one */
} letter_kinds[] = {
	{is_api_call, "API calls", "--alphabet, or recorded with another --api", false},
	{kt_letter_only_kernel, "events that only the kernel records", "--source", true},
};

static const char *first_letter(const struct kt_fsm *fsm, const struct letter_kind *kind)
{
	for (size_t i = 0; i < fsm->n_letters; i++) {
		if (kind->is(fsm->letters[i])) {
			return fsm->letters[i];
		}
	}
	return NULL;
}

/* Warns if one machine alone has letters of a kind. */
static void warn_letters(const struct kt_fsm *a, const char *a_name, const struct kt_fsm *b,
			 const char *b_name, bool alphabets_known)
{
	for (size_t i = 0; i < sizeof(letter_kinds) / sizeof(letter_kinds[0]); i++) {
		const struct letter_kind *kind = &letter_kinds[i];
		const char *of_a = first_letter(a, kind);
		const char *of_b = first_letter(b, kind);

		if (!of_a == !of_b || (alphabets_known && kind->of_alphabet)) {
			continue;
		}
		kt_warn("only the words of %s have letters of %s (such as %s): those of "
			"%s may have been made with another %s",
			of_a ? a_name : b_name, kind->what, of_a ? of_a : of_b,
			of_a ? b_name : a_name, kind->options);
	}
}

void kt_operand_warn_calls(const struct kt_fsm *machine, const char *name,
			   const char *others, const char *other_name)
{
	const struct letter_kind calls = {.is = is_api_call};
	char own[KT_VERSIONS_MODE];

	kt_versions_api_calls(own, &machine->versions);
	if (own[0] && others[0] && strcmp(own, others) != 0 &&
	    first_letter(machine, &calls)) {
		kt_warn("%s has --api-calls=%s, %s --api-calls=%s: letters of API calls "
			"that only one of them traced differ for that alone",
			name, own, other_name, others);
	}
}

/* Warns if words of a machine end early, because the recorder gave up detail. */
static void warn_given_up(const struct kt_fsm *machine, const char *name,
			  const struct kt_fsm *other, const char *other_name)
{
	char own[64];
	char others[64];

	kt_versions_text(own, sizeof(own), &machine->versions, KT_VERSIONS_GIVEN_UP, false);
	kt_versions_text(others, sizeof(others), &other->versions, KT_VERSIONS_GIVEN_UP,
			 false);
	if (own[0]) {
		kt_warn("words of %s end where the recorder gave up %s (--overhead)%s%s%s",
			name, own, others[0] ? "" : ": what came after that is only in ",
			others[0] ? "" : other_name,
			others[0] ? "" : ", and not a difference of the programs");
	}
}

/* Returns whether an alphabet is for words of both sources. */
static bool is_of_both(const json_t *alphabet)
{
	return json_object_get(alphabet, "source") != NULL;
}

void kt_operand_warn(const struct kt_fsm *a, const char *a_name, const struct kt_fsm *b,
		     const char *b_name)
{
	struct kt_letter_filter filters[2] = {{.runs = {.n = 0}}, {.runs = {.n = 0}}};
	json_t *alphabets[2] = {load_alphabet(a), load_alphabet(b)};
	char calls[KT_VERSIONS_MODE];
	const json_t *a_rules = json_object_get(alphabets[0], "rules");
	const json_t *b_rules = json_object_get(alphabets[1], "rules");

	if (is_imported(a) || is_imported(b)) {
		goto end;
	}
	if (strcmp(a->word, b->word) != 0) {
		kt_warn("a word of %s is a %s, one of %s a %s", a_name, a->word, b_name,
			b->word);
	}
	/*
	 * Compare only the rules: two alphabets may have equal rules under different names.
	 * A machine may lack rules.
	 */
	if (a_rules && b_rules && is_of_both(alphabets[0]) != is_of_both(alphabets[1])) {
		bool first = is_of_both(alphabets[0]);

		kt_warn("the words of %s were made with --source both, those of %s without "
			"it: make both alike",
			first ? a_name : b_name, first ? b_name : a_name);
	} else if (a_rules && b_rules && !json_equal(a_rules, b_rules)) {
		kt_warn("the letters of %s and of %s come from different alphabets, and "
			"are compared by name",
			a_name, b_name);
	} else {
		warn_letters(a, a_name, b, b_name, a_rules && b_rules);
	}
	warn_given_up(a, a_name, b, b_name);
	warn_given_up(b, b_name, a, a_name);
	kt_versions_api_calls(calls, &b->versions);
	kt_operand_warn_calls(a, a_name, calls, b_name);
	if (!kt_letter_filter_from_json(&filters[0], a->alphabet_json, a_name) &&
	    !kt_letter_filter_from_json(&filters[1], b->alphabet_json, b_name) &&
	    !kt_letter_filter_same(&filters[0], &filters[1])) {
		const bool first = !kt_letter_filter_is_empty(&filters[0]);
		char options[256];

		kt_letter_filter_text(options, sizeof(options), &filters[!first]);
		kt_warn("the words of %s were made with %s, those of %s were not",
			first ? a_name : b_name, options, first ? b_name : a_name);
	}
end:
	kt_letter_filter_clear(&filters[0]);
	kt_letter_filter_clear(&filters[1]);
	json_decref(alphabets[0]);
	json_decref(alphabets[1]);
}
