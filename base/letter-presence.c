/* SPDX-License-Identifier: MIT */
#include "base/letter-presence.h"

#include <stdlib.h>

enum kt_presence *kt_letter_presences(const struct kt_fsm *fsm)
{
	enum kt_presence *out = calloc(fsm->n_letters + 1, sizeof(*out));

	for (size_t i = 0; out && i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];
		enum kt_presence *letter = &out[t->letter];

		*letter = *letter == KT_PRESENCE_NONE || *letter == t->presence
				  ? t->presence
				  : KT_PRESENCE_BOTH;
	}
	return out;
}
