/* SPDX-License-Identifier: MIT */
/* The subcommands of `ktail`, one file each. */
#ifndef KTAIL_CMD_H
#define KTAIL_CMD_H

#include <stdbool.h>

/* argv[0] is the subcommand. Returns an exit status. */
typedef int (*kt_cmd_fn)(int argc, char **argv);

int kt_cmd_infer(int argc, char **argv);
int kt_cmd_learn(int argc, char **argv);
int kt_cmd_sweep(int argc, char **argv);
int kt_cmd_merge(int argc, char **argv);
int kt_cmd_words(int argc, char **argv);
int kt_cmd_check(int argc, char **argv);
int kt_cmd_diff(int argc, char **argv);
int kt_cmd_score(int argc, char **argv);
int kt_cmd_convert(int argc, char **argv);
int kt_cmd_help(int argc, char **argv);
int kt_cmd_version(int argc, char **argv);

/* Returns the built-in subcommand of that name, or NULL. */
kt_cmd_fn kt_cmd_find(const char *name);

#define KT_CMD_HINT 256
/*
 * Writes "did you mean 'NAME'?" or, if no name is similar, the list of subcommands to
 * `out`, and returns `out`.
 */
const char *kt_cmd_hint(char out[KT_CMD_HINT], const char *word);

/*
 * Prints the thread's current error as "ktail: verb what: reason"; returns the exit status
 * for `code`.
 */
int kt_cmd_fail(int code);

/*
 * Replaces this process by the program ktail-<word> with argv[], whose argv[0] is the word.
 * Returns -1 if there is no such program, or an exit status if it cannot be executed.
 */
int kt_cmd_become(char **argv, const char *word);

#endif
