/* SPDX-License-Identifier: MIT */
/*
 * Cleanup when a signal ends the program: temporary files and folders, and a child process.
 * Libraries may register theirs; only a program's main() installs the handlers, and without
 * them nothing here has an effect.
 */
#ifndef KTAIL_BASE_CLEANUP_H
#define KTAIL_BASE_CLEANUP_H

#include <signal.h>
#include <sys/types.h>

/*
 * Handles every signal that would end the program, except KILL: removes what is registered,
 * then ends the program with the same signal. SIGXFSZ becomes an error of write() (EFBIG).
 * A forked child that does not exec removes nothing.
 */
void kt_cleanup_install(void);

/* Blocks these signals while an object is created and registered, or removed. */
void kt_cleanup_hold(sigset_t *before);
void kt_cleanup_release(const sigset_t *before);

/*
 * Registers a file, or a folder that is empty after all registered files are removed. The
 * path is copied. Returns 0 or KT_E_MEMORY.
 */
int kt_cleanup_add(const char *path);

/* Unregisters a path. */
void kt_cleanup_forget(const char *path);

/* Registers a child that must end too; 0 for none. */
void kt_cleanup_set_child(pid_t child);

/*
 * Takes over cleanup in a forked child that continues the program's work. Registrations are
 * shared with children that do not exec; the parent removes what a killed child has left.
 */
void kt_cleanup_take_over(void);
void kt_cleanup_remove(void);

#endif
