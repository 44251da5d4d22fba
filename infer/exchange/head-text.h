/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_EXCHANGE_HEAD_TEXT_H
#define KTAIL_EXCHANGE_HEAD_TEXT_H

#include <ktail/fsm.h>

/*
 * What fsm.json says besides states and transitions, as JSON in printable ASCII on one
 * line; the caller frees it. O(words + letters).
 */
int kt_head_text(char **out, const struct kt_fsm *fsm);

#endif
