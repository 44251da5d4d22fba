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

/*
 * Members to be written beside a machine's own: JSON objects, each NULL for none, whose
 * keys are none that the machine writes itself ("label" and "phase" come from the machine).
 */
struct kt_fsm_more {
	json_t *top;                /* after "transitions" */
	json_t *const *states;      /* one a state; NULL: none */
	json_t *const *transitions; /* one a transition; NULL: none */
};

/*
 * kt_fsm_write_json() with more members. Without them, labels and phases the bytes are what
 * is left when the added lines are taken away. KT_E_IO, KT_E_MEMORY.
 */
int kt_fsm_write_with(const struct kt_fsm *fsm, const struct kt_fsm_more *more, FILE *out);

/* kt_fsm_read_json() from JSON that was read already; the caller keeps root. */
int kt_fsm_from_json(struct kt_fsm **out, const json_t *root, const char *name);

#endif
