/* SPDX-License-Identifier: MIT */
#include <ktail/status.h>

#include "infer/check/sources.h"

static int agree_on_alphabet(kt_alphabet **alphabet, const char *name, const char *asked)
{
	kt_alphabet *other;
	int code = kt_alphabet_open(&other, asked);

	if (!code && !*alphabet) {
		*alphabet = other;
		return KT_OK;
	}
	if (!code && !kt_alphabet_same(other, *alphabet)) {
		code = kt_error(KT_E_USAGE,
				"check with %s: the letters of its words are of the "
				"alphabet %s, not of %s",
				name, (*alphabet)->name, asked);
	}
	kt_alphabet_free(other);
	return code;
}

/* A machine of .events files says that a word is a process, whatever it was. */
static int agree_on_word(enum kt_word_unit *unit, const struct kt_fsm *fsm,
			 const char *name, const char *asked)
{
	enum kt_word_unit other;
	int code = kt_word_unit_of(asked, &other);

	if (!code && fsm->alphabet_json && other != *unit) {
		return kt_error(KT_E_USAGE, "check with %s: a word of it is a %s, not a %s",
				name, fsm->word, asked);
	}
	*unit = code ? *unit : other;
	return code;
}

int kt_check_agree(kt_alphabet **alphabet, enum kt_word_unit *unit,
		   const struct kt_fsm *fsm, const char *name, const char *asked_alphabet,
		   const char *asked_word)
{
	int code = kt_word_unit_of(fsm->word, unit);

	*alphabet = NULL;
	if (code) {
		return kt_error_prepend(KT_E_MALFORMED, "check with %s", name);
	}
	if (fsm->alphabet_json) {
		code = kt_alphabet_from_json(alphabet, fsm->alphabet_json, name);
	}
	if (!code && asked_alphabet) {
		code = agree_on_alphabet(alphabet, name, asked_alphabet);
	}
	if (!code && asked_word) {
		code = agree_on_word(unit, fsm, name, asked_word);
	}
	if (!code && *alphabet) {
		code = kt_word_unit_check(*unit, *alphabet);
	}
	if (code) {
		kt_alphabet_free(*alphabet);
		*alphabet = NULL;
	}
	return code;
}
