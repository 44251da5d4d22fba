/* SPDX-License-Identifier: MIT */
/*
 * The engine's judge: a machine made straight from the definition, slowly. The canonical
 * machine is built state by state; states are sorted by what can follow them; a pass
 * over all transitions is repeated until it finds nothing more to merge. It shares no code
 * with the engine but the public word set and machine. Out of memory: aborts.
 */
#ifndef KTAIL_TESTS_ENGINE_REFERENCE_H
#define KTAIL_TESTS_ENGINE_REFERENCE_H

#include <ktail/ktail.h>

struct reference;

/* From chains, or from any canonical machine. */
struct reference *reference_new(const kt_words *words);
struct reference *reference_new_from(const kt_words *words, enum kt_machine machine);
void reference_free(struct reference *reference);

/* The machine for k, which belongs to the reference and holds until the next call. */
const struct kt_fsm *reference_infer(struct reference *reference, uint64_t k);

/*
 * Whether the states that the last reference_infer() merged for their k-tails are those
 * whose sets of strings, written out one by one, are equal. For small sets only.
 */
bool reference_agrees_with_strings(const struct reference *reference);

/* Whether two machines are the same in every member; if not, says where in text[0..size).
 */
bool same_machine(const struct kt_fsm *a, const struct kt_fsm *b, char *text, size_t size);

#endif
