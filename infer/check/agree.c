/* SPDX-License-Identifier: MIT */
#include <ktail/status.h>

#include "base/try.h"
#include "infer/check/sources.h"

int kt_check_agree(kt_alphabet **alphabet, enum kt_word_unit *unit,
		   const struct kt_fsm *fsm, const char *name, const char *asked_alphabet,
		   const char *asked_word)
{
	kt_alphabet *asked = NULL;
	enum kt_word_unit asked_unit;
	int code;

	*alphabet = NULL;
	if (kt_word_unit_of(fsm->word, unit)) {
		return kt_error_prepend(KT_E_MALFORMED, "check with %s", name);
	}
	if (fsm->alphabet_json) {
		KT_TRY_END(kt_alphabet_from_json(alphabet, fsm->alphabet_json, name));
	}
	if (asked_alphabet) {
		KT_TRY_END(kt_alphabet_open(&asked, asked_alphabet));
		if (!*alphabet) {
			*alphabet = asked;
			asked = NULL;
		} else if (!kt_alphabet_same(asked, *alphabet)) {
			code = kt_error(
				KT_E_USAGE,
				"check with %s: the letters of its words are of the "
				"alphabet %s, not of %s",
				name, (*alphabet)->name, asked_alphabet);
			goto end;
		}
	}
	if (asked_word) {
		KT_TRY_END(kt_word_unit_of(asked_word, &asked_unit));
		/* A machine of .events files says that a word is a process, whatever it
		 * was. */
		if (fsm->alphabet_json && asked_unit != *unit) {
			code = kt_error(KT_E_USAGE,
					"check with %s: a word of it is a %s, not a %s",
					name, fsm->word, asked_word);
			goto end;
		}
		*unit = asked_unit;
	}
	code = *alphabet ? kt_word_unit_check(*unit, *alphabet) : KT_OK;
end:
	kt_alphabet_free(asked);
	if (code) {
		kt_alphabet_free(*alphabet);
		*alphabet = NULL;
	}
	return code;
}
