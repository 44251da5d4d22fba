/* SPDX-License-Identifier: MIT */
/*
 * Random machines for tests: the same number always gives the same machine. Out of memory:
 * aborts.
 */
#ifndef KTAIL_TESTS_ENGINE_RANDOM_MACHINES_H
#define KTAIL_TESTS_ENGINE_RANDOM_MACHINES_H

#include <ktail/fsm.h>

#include "random-sets.h"

/*
 * A deterministic machine of up to `most` states over up to `kinds` letters "a", "b", ...
 * (26 at most; some in between may be missing). Some states may be unreachable.
 */
struct kt_fsm *random_machine(struct random *random, uint32_t most, uint32_t kinds);

/*
 * The same machine with its states numbered differently, and with up to `edits`
 * transitions removed, added or redirected.
 */
struct kt_fsm *edited_machine(struct random *random, const struct kt_fsm *fsm,
			      uint32_t edits);

#endif
