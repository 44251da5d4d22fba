/* SPDX-License-Identifier: MIT */
/*
 * Random machines for tests: the same state of the generator always gives the same machine.
 * Aborts if there is no memory.
 */
#ifndef KTAIL_TESTS_ENGINE_RANDOM_MACHINES_H
#define KTAIL_TESTS_ENGINE_RANDOM_MACHINES_H

#include <ktail/fsm.h>

#include "random-sets.h"

/*
 * Returns a deterministic machine of up to `most` states. Its letters are among the first
 * `kinds` letters "a", "b", ..., 26 at most. Some states may be unreachable.
 */
struct kt_fsm *random_machine(struct random *random, uint32_t most, uint32_t kinds);

/*
 * Returns a copy of the machine with its states numbered differently, and with up to
 * `edits` transitions removed, added or redirected.
 */
struct kt_fsm *edited_machine(struct random *random, const struct kt_fsm *fsm,
			      uint32_t edits);

#endif
