/* SPDX-License-Identifier: MIT */
#include "infer/files/letter-names.h"

#include <ktail/status.h>

#include "base/try.h"
#include "decode/letter-names.h"

int kt_machine_name_letters(struct kt_fsm *fsm, enum kt_names names)
{
	char buffer[KT_LETTER_NAME];

	if (names == KT_NAMES_OFF) {
		kt_fsm_clear_names(fsm);
		return KT_OK;
	}
	for (size_t i = 0; i < fsm->n_letters; i++) {
		const char *name = kt_letter_name(fsm->letters[i], buffer);

		if (name && !(fsm->names && fsm->names[i])) {
			KT_TRY(kt_fsm_set_name(fsm, i, name));
		}
	}
	return KT_OK;
}
