/* SPDX-License-Identifier: MIT */
/* The subcommands of `ktail`, each in a file of its own. */
#ifndef KTAIL_CMD_H
#define KTAIL_CMD_H

#include <stdbool.h>

/* Gets argv[0] = its own name. Gives an exit status. */
typedef int (*kt_cmd_fn)(int argc, char **argv);

int kt_cmd_infer(int argc, char **argv);
int kt_cmd_sweep(int argc, char **argv);
int kt_cmd_merge(int argc, char **argv);
int kt_cmd_words(int argc, char **argv);
int kt_cmd_check(int argc, char **argv);
int kt_cmd_diff(int argc, char **argv);
int kt_cmd_score(int argc, char **argv);
int kt_cmd_convert(int argc, char **argv);
int kt_cmd_help(int argc, char **argv);
int kt_cmd_version(int argc, char **argv);

/* The command of that name that is part of this program, or NULL. */
kt_cmd_fn kt_cmd_find(const char *name);

#define KT_CMD_HINT 256
/* "did you mean 'NAME'?", or which subcommands there are. Returns out. */
const char *kt_cmd_hint(char out[KT_CMD_HINT], const char *word);

/* Prints the thread's error as "ktail: verb what: reason"; gives the exit status of code.
 */
int kt_cmd_fail(int code);

/*
 * Becomes the program ktail-<word> with argv[] (argv[0] the word) if there is one. Returns
 * -1 if there is none, an exit status if it cannot be run.
 */
int kt_cmd_become(char **argv, const char *word);

#endif
