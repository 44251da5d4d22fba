/* SPDX-License-Identifier: MIT */
/* Machines for tests: from a number, always the same. Out of memory: aborts. */
#ifndef KTAIL_TESTS_ENGINE_RANDOM_MACHINES_H
#define KTAIL_TESTS_ENGINE_RANDOM_MACHINES_H

#include <ktail/fsm.h>

#include "random-sets.h"

/*
 * A deterministic machine of up to `most` states over up to `kinds` letters "a", "b", ...
 * (26 at most; some may be missing between). Some states may be out of reach.
 */
struct kt_fsm *random_machine(struct random *random, uint32_t most, uint32_t kinds);

/*
 * The same machine, states numbered otherwise, with up to `edits` transitions removed,
 * added or led elsewhere.
 */
struct kt_fsm *edited_machine(struct random *random, const struct kt_fsm *fsm,
			      uint32_t edits);

#endif
