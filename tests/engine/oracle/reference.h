/* SPDX-License-Identifier: MIT */
/*
 * Oracle of the engine: infers a machine straight from the definition, slowly. It builds
 * the canonical machine state by state, sorts states by the strings that can follow them,
 * and repeats a pass over all transitions until it finds nothing more to merge. It shares
 * no code with the engine except the public word set and machine. Out of memory: aborts.
 */
#ifndef KTAIL_TESTS_ENGINE_REFERENCE_H
#define KTAIL_TESTS_ENGINE_REFERENCE_H

#include <ktail/ktail.h>

struct reference;

/* From chains, or from any canonical machine. */
struct reference *reference_new(const kt_words *words);
struct reference *reference_new_from(const kt_words *words, enum kt_machine machine);
void reference_free(struct reference *reference);

/*
 * Returns the machine for k, which belongs to the reference and is valid until the next
 * call.
 */
const struct kt_fsm *reference_infer(struct reference *reference, uint64_t k);

/*
 * Returns whether the states that the last reference_infer() merged for their k-tails are
 * those with equal sets of strings, enumerated one by one. For small sets only.
 */
bool reference_agrees_with_strings(const struct reference *reference);

/*
 * Returns whether two machines agree in every member; if not, writes where they differ to
 * text[0..size).
 */
bool same_machine(const struct kt_fsm *a, const struct kt_fsm *b, char *text, size_t size);

#endif
