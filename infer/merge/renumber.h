/* SPDX-License-Identifier: MIT */
/* Canonical numbers for the states of a machine whose words have changed. */
#ifndef KTAIL_ENGINE_RENUMBER_H
#define KTAIL_ENGINE_RENUMBER_H

#include <ktail/fsm.h>

/*
 * Breadth first from the start, a state's transitions in order of their letters; then the
 * same from each word's entry that was not reached so far. All states must be reached that
 * way. On failure the machine can only be freed. O(machine).
 */
int kt_renumber(struct kt_fsm *fsm);

#endif
