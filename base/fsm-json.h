/* SPDX-License-Identifier: MIT */
/* A machine's JSON in parts, for those who write more into it or read it otherwise. */
#ifndef KTAIL_BASE_FSM_JSON_H
#define KTAIL_BASE_FSM_JSON_H

#include <stdio.h>

#include <jansson.h>

#include <ktail/fsm.h>

/*
 * All but the end: the caller puts ",\n" and more members, if any, and "\n}\n". Look at
 * ferror(out) then.
 */
void kt_fsm_write_members(const struct kt_fsm *fsm, FILE *out);

/* kt_fsm_read_json() from JSON that was read already; the caller keeps root. */
int kt_fsm_from_json(struct kt_fsm **out, const json_t *root, const char *name);

#endif
