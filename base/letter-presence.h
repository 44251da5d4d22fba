/* SPDX-License-Identifier: MIT */
/* In which of the two machines of a difference a letter occurs. */
#ifndef KTAIL_BASE_LETTER_PRESENCE_H
#define KTAIL_BASE_LETTER_PRESENCE_H

#include <ktail/fsm.h>

/*
 * Returns an array with the presence of each letter of the machine: that of its
 * transitions, or KT_PRESENCE_BOTH if both machines have some of them. KT_PRESENCE_NONE for
 * a letter without transitions, or if the machine is not a difference. The caller frees the
 * array; NULL: out of memory. O(size).
 */
enum kt_presence *kt_letter_presences(const struct kt_fsm *fsm);

#endif
