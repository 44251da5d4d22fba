/* SPDX-License-Identifier: MIT */
#include "score-rig.h"

#include <stdlib.h>
#include <string.h>

const char *const rig_alphabet[RIG_LETTERS] = {"a", "b", "c"};

struct kt_fsm *rig_machine_new(size_t n_states, const char *const *letters, size_t n)
{
	struct kt_fsm *fsm = NULL;

	if (kt_fsm_new(&fsm) != KT_OK) {
		abort();
	}
	fsm->n_states = n_states;
	fsm->states = calloc(n_states + 1, sizeof(*fsm->states));
	fsm->letters = calloc(n + 1, sizeof(*fsm->letters));
	fsm->transitions = calloc(n_states * n + 1, sizeof(*fsm->transitions));
	for (size_t i = 0; i < n; i++) {
		fsm->letters[fsm->n_letters++] = strdup(letters[i]);
	}
	return fsm;
}

void rig_connect(struct kt_fsm *fsm, uint32_t from, uint32_t letter, uint32_t to,
		 uint64_t count)
{
	fsm->transitions[fsm->n_transitions++] = (struct kt_fsm_transition){
		.from = from, .letter = letter, .to = to, .count = count};
}

struct kt_fsm *rig_machine_random(struct random *random, uint32_t most)
{
	static const char *const pool[][2] = {{"a", "b"}, {"a", "c"}, {"b", "c"}};
	uint32_t n_states = 1 + random_below(random, most);
	struct kt_fsm *fsm = rig_machine_new(n_states, pool[random_below(random, 3)], 2);

	fsm->start = random_below(random, n_states);
	for (uint32_t i = 0; i < n_states; i++) {
		for (uint32_t j = 0; j < 2; j++) {
			if (random_below(random, 4)) {
				rig_connect(fsm, i, j, random_below(random, n_states),
					    random_below(random, 4));
			}
		}
	}
	return fsm;
}
