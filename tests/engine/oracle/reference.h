/* SPDX-License-Identifier: MIT */
/*
 * Oracle of the engine: infers a machine slowly, directly from the definition. It builds
 * the initial machine one state at a time, sorts states by the strings that can follow
 * them, and passes over all transitions until a pass merges nothing. It shares no code with
 * the engine except the public word set and machine. Aborts if there is no memory.
 */
#ifndef KTAIL_TESTS_ENGINE_REFERENCE_H
#define KTAIL_TESTS_ENGINE_REFERENCE_H

#include <ktail/ktail.h>

struct reference;

/* Return a reference that begins with chains, or with the given kind of machine. */
struct reference *reference_new(const kt_words *words);
struct reference *reference_new_from(const kt_words *words, enum kt_machine machine);
void reference_free(struct reference *reference);

/*
 * Returns the machine for k, which belongs to the reference and is valid until the next
 * call.
 */
const struct kt_fsm *reference_infer(struct reference *reference, uint64_t k);

/*
 * Returns whether the states to which the last reference_infer() gave equal k-tails are
 * those with equal sets of strings, which this function enumerates. For small sets only.
 */
bool reference_agrees_with_strings(const struct reference *reference);

/* Returns whether all members of two machines are equal; writes a difference to text. */
bool same_machine(const struct kt_fsm *a, const struct kt_fsm *b, char *text, size_t size);

#endif
