/* SPDX-License-Identifier: MIT */
/* Reads machines named on a command line. */
#ifndef KTAIL_MACHINE_H
#define KTAIL_MACHINE_H

#include <stdbool.h>

#include <jansson.h>

#include <ktail/fsm.h>
#include <ktail/infer.h>

/*
 * Returns whether a path has the ending of a machine's file, and so names a machine, not a
 * trace.
 */
bool kt_machine_is_named(const char *path);

/* Values of --machine, in the order of enum kt_machine. */
#define KT_MACHINE_KIND_NAMES "chains", "pta"

/* Parses the value of --machine. KT_E_USAGE if unknown. */
int kt_machine_kind_parse(enum kt_machine *out, const char *value);

/* Reads a machine from a file, or standard input for "-"; the caller owns *out. */
int kt_machine_read(struct kt_fsm **out, const char *path);

/*
 * Like kt_machine_read(), and also reads the member "annotation". The caller frees
 * *annotation with json_decref(); *annotation is NULL if the file has no such member.
 */
int kt_machine_read_annotated(struct kt_fsm **out, json_t **annotation, const char *path);

#endif
