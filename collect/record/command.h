/* SPDX-License-Identifier: MIT */
/*
 * The command that is recorded: whether the dynamic loader would load the recorder into it,
 * and running it, and outliving it whatever signals come.
 */
#ifndef KTAIL_COLLECT_COMMAND_H
#define KTAIL_COLLECT_COMMAND_H

#include <limits.h>
#include <stdbool.h>

enum kt_executable_kind {
	KT_EXECUTABLE_DYNAMIC,
	KT_EXECUTABLE_UNKNOWN, /* it cannot be read, or has a form of its own */
	KT_EXECUTABLE_STATIC,  /* it has no loader that could preload anything */
	KT_EXECUTABLE_FOREIGN, /* of another architecture than the recorder */
	KT_EXECUTABLE_RAISED,  /* set-user-id and the like: the loader refuses to preload */
};

/* Looks the file up as execvp() does. false: there is none that can be run. */
bool kt_executable_find(char path[static PATH_MAX], const char *file);

/*
 * Of what kind the file is; a script's interpreter is followed. path[] becomes that of the
 * file that decides.
 */
enum kt_executable_kind kt_executable_read(char path[static PATH_MAX]);

/* Says on standard error why nothing of ours will be loaded into a command, if that is so,
 * and what follows from it. */
void kt_executable_warn(const char *file, const char *consequence);

/*
 * From now on signals to end are for the command. Before it runs they are kept: see
 * kt_command_stop_signal(). What was ignored stays ignored, also by the command (nohup).
 */
void kt_command_mind_signals(void);

/* The signal that came before there was a command; 0: none. */
int kt_command_stop_signal(void);

/* Waits for one, where there is no command, or until the descriptor is readable. */
void kt_command_wait_signal(int fd);

/* Ends this process as the signal would have, had it not been minded. */
int kt_command_die_of(int signal);

/*
 * Runs argv[] and waits for it; prepare() is called in the child, before. *started tells
 * whether there was such a program. Its exit status as env(1) and a shell would give it;
 * -1 with a message if it could not be run at all.
 */
int kt_command_run(char **argv, void (*prepare)(const void *context), const void *context,
		   bool *started);

#endif
