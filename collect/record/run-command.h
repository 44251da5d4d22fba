/* SPDX-License-Identifier: MIT */
/* Running the command that is recorded, and outliving it whatever signals come. */
#ifndef KTAIL_COLLECT_RUN_COMMAND_H
#define KTAIL_COLLECT_RUN_COMMAND_H

#include <stdbool.h>

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
