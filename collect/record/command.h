/* SPDX-License-Identifier: MIT */
/*
 * The recorded command: checks whether the dynamic loader can load the recorder into it,
 * runs it, and survives the signals that are meant for the command.
 */
#ifndef KTAIL_COLLECT_COMMAND_H
#define KTAIL_COLLECT_COMMAND_H

#include <limits.h>
#include <stdbool.h>

enum kt_executable_kind {
	KT_EXECUTABLE_DYNAMIC,
	KT_EXECUTABLE_UNKNOWN, /* unreadable, or of an unknown format */
	KT_EXECUTABLE_STATIC,  /* without a loader that could preload libraries */
	KT_EXECUTABLE_FOREIGN, /* of another architecture than the recorder's */
	KT_EXECUTABLE_RAISED,  /* set-user-id, set-group-id or with capabilities: the
				* loader refuses to preload */
};

/*
 * Finds the file as execvp() does and writes its path. Returns false if no executable file
 * is found.
 */
bool kt_executable_find(char path[static PATH_MAX], const char *file);

/*
 * Returns the kind of the file path[]. For a script, writes the path of its interpreter to
 * path[] and returns the interpreter's kind.
 */
enum kt_executable_kind kt_executable_read(char path[static PATH_MAX]);

/*
 * If the loader cannot preload libraries into the command, prints the reason and
 * `consequence` to standard error.
 */
void kt_executable_warn(const char *file, const char *consequence);

/*
 * From now on, terminating signals are meant for the command and do not end this process. A
 * signal that arrives before the command runs is kept (kt_command_stop_signal()). Signals
 * that this process already ignores stay ignored, in the command as well (nohup).
 */
void kt_command_mind_signals(void);

/* Returns the signal that arrived before the command ran; 0 if none did. */
int kt_command_stop_signal(void);

/*
 * For a recording without a command: waits until a terminating signal arrives or the
 * descriptor is readable.
 */
void kt_command_wait_signal(int fd);

/*
 * Raises the signal with its former action, which usually ends this process. If the process
 * survives, returns 128 + signal.
 */
int kt_command_die_of(int signal);

/*
 * Runs argv[] and waits for it; prepare() is called in the child before the exec. Sets
 * *started to whether the exec succeeded. Returns the exit status as env(1) and a shell do
 * (126 or 127 if the exec failed), or -1 with a message if the child could not be forked or
 * waited for.
 */
int kt_command_run(char **argv, void (*prepare)(const void *context), const void *context,
		   bool *started);

#endif
