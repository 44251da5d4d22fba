/* SPDX-License-Identifier: MIT */
/* Reads and writes machines and words from and to text. Out of memory: aborts. */
#ifndef KTAIL_TESTS_EXCHANGE_RIG_H
#define KTAIL_TESTS_EXCHANGE_RIG_H

#include <ktail/exchange.h>

typedef int (*rig_read_fn)(struct kt_fsm **out, FILE *in, const char *name);
typedef int (*rig_write_fn)(const struct kt_fsm *fsm, FILE *out);

/* Calls `read` with text[0..size) as the file "x". */
int rig_read(rig_read_fn read, struct kt_fsm **out, const char *text, size_t size);

/* Returns the output of `write`, which the caller frees; NULL if it failed. */
char *rig_write(rig_write_fn write, const struct kt_fsm *fsm);

/* kt_fsm_write_dot() in each dialect. */
int rig_write_ktail(const struct kt_fsm *fsm, FILE *out);
int rig_write_aalpy(const struct kt_fsm *fsm, FILE *out);
int rig_write_learnlib(const struct kt_fsm *fsm, FILE *out);

/* Returns a whole file, which the caller frees. */
char *rig_load(const char *folder, const char *name);

/* Reads words from text as the file "x.dat", named x. */
int rig_read_words(kt_words *words, const char *text, size_t size,
		   struct kt_abbadingo_report *report);

#endif
