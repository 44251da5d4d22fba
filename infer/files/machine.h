/* SPDX-License-Identifier: MIT */
/* Machines that a command line names. */
#ifndef KTAIL_MACHINE_H
#define KTAIL_MACHINE_H

#include <stdbool.h>

#include <jansson.h>

#include <ktail/fsm.h>
#include <ktail/infer.h>

/* Whether a path names the file of a machine, not a trace: by its ending. */
bool kt_machine_is_named(const char *path);

/* The kinds of canonical machines, as --machine names them, in the order of the enum. */
#define KT_MACHINE_KIND_NAMES "chains", "pta"

/* The kind that --machine names. KT_E_USAGE if there is none. */
int kt_machine_kind_parse(enum kt_machine *out, const char *value);

/* Reads a machine from a file, "-" is standard input; the caller owns *out. */
int kt_machine_read(struct kt_fsm **out, const char *path);

/*
 * The same with the member "annotation" of a file that has one, which the caller gives back
 * with json_decref(); NULL: it has none.
 */
int kt_machine_read_annotated(struct kt_fsm **out, json_t **annotation, const char *path);

#endif
