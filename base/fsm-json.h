/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes a machine's JSON, for callers that add members or have already parsed
 * the JSON.
 */
#ifndef KTAIL_BASE_FSM_JSON_H
#define KTAIL_BASE_FSM_JSON_H

#include <stdio.h>

#include <jansson.h>

#include <ktail/fsm.h>

struct kt_json_writer;

/*
 * Writes the machine as JSON up to its last member, without the final brace. The caller
 * then writes more members, if any, each after ",\n", then "\n}\n", and checks
 * ferror(out).
 */
void kt_fsm_write_members(const struct kt_fsm *fsm, FILE *out);

/*
 * JSON objects whose members are to be added to the JSON of a machine; NULL adds none. The
 * keys must differ from the keys of the machine's own members, which include "label" and
 * "phase".
 */
struct kt_fsm_more {
	json_t *top;                /* after "transitions" */
	json_t *const *states;      /* one per state, or NULL */
	json_t *const *transitions; /* one per transition, or NULL */
};

/*
 * Like kt_fsm_write_json(), with the members of `more`. Each added member begins a line,
 * as each label and phase does; all other text is the same as without annotations.
 * KT_E_IO, KT_E_MEMORY.
 */
int kt_fsm_write_with(const struct kt_fsm *fsm, const struct kt_fsm_more *more, FILE *out);

/* Writes the member "versions", unless the list is empty. */
void kt_versions_write_json(struct kt_json_writer *w, const struct kt_versions *versions);

/* Reads the optional member "versions" of a machine or k-grams. KT_E_MALFORMED, KT_E_MEMORY. */
int kt_versions_read_json(struct kt_versions *out, const json_t *root);

/* Like kt_fsm_read_json(), for parsed JSON; root still belongs to the caller. */
int kt_fsm_from_json(struct kt_fsm **out, const json_t *root, const char *name);

#endif
