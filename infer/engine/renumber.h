/* SPDX-License-Identifier: MIT */
/* Numbers the states of a machine canonically, as kt_canonicalise() does for a fold. */
#ifndef KTAIL_ENGINE_RENUMBER_H
#define KTAIL_ENGINE_RENUMBER_H

#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>

/*
 * Numbers the states breadth first from the start, in the order of letters; then likewise
 * from the entry state of each word, unless that state has a number already. States that
 * cannot be reached in this way come last, in their old order; *reached becomes the number
 * of all other states. Writes the new number of each state to numbers[old number], unless
 * `numbers` is NULL. The transitions must be sorted by `from`; the machine has no origins.
 * On failure (KT_E_MEMORY) the machine can only be freed. O(machine).
 */
int kt_renumber(struct kt_fsm *fsm, uint32_t *numbers, size_t *reached);

#endif
