/* SPDX-License-Identifier: MIT */
/* Parts of a machine's JSON, for those who write more into it. */
#ifndef KTAIL_BASE_FSM_JSON_H
#define KTAIL_BASE_FSM_JSON_H

#include <stdio.h>

#include <ktail/fsm.h>

/*
 * All but the end: the caller puts ",\n" and more members, if any, and "\n}\n". Look at
 * ferror(out) then.
 */
void kt_fsm_write_members(const struct kt_fsm *fsm, FILE *out);

/* A string as JSON; bytes that are no UTF-8 become U+FFFD. */
void kt_json_write_string(FILE *out, const char *text);

#endif
