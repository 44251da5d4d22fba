/* SPDX-License-Identifier: MIT */
/*
 * Reads machines and words from text, and writes them to text. Aborts if there is no
 * memory.
 */
#ifndef KTAIL_TESTS_EXCHANGE_RIG_H
#define KTAIL_TESTS_EXCHANGE_RIG_H

#include <ktail/exchange.h>

typedef int (*rig_read_fn)(struct kt_fsm **out, FILE *in, const char *name);
typedef int (*rig_write_fn)(const struct kt_fsm *fsm, FILE *out);

/* Calls `read` with text[0..size) as the file "x". */
int rig_read(rig_read_fn read, struct kt_fsm **out, const char *text, size_t size);

/* Returns the output of `write`, or NULL if `write` failed; the caller frees the output. */
char *rig_write(rig_write_fn write, const struct kt_fsm *fsm);

/* kt_fsm_write_dot() in each dialect. */
int rig_write_ktail(const struct kt_fsm *fsm, FILE *out);
int rig_write_aalpy(const struct kt_fsm *fsm, FILE *out);
int rig_write_learnlib(const struct kt_fsm *fsm, FILE *out);

/* Returns a whole file, which the caller frees. */
char *rig_load(const char *folder, const char *name);

/* Reads words x.0, x.1, ... from text[0..size) as the file "x.dat". */
int rig_read_words(kt_words *words, const char *text, size_t size,
		   struct kt_abbadingo_report *report);

#endif
