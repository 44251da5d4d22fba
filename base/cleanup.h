/* SPDX-License-Identifier: MIT */
/*
 * Cleanup when a signal ends the program: temporary files and folders, and a child process.
 * Libraries may register theirs, but only a program's main() installs the handlers; without
 * handlers registration has no effect.
 */
#ifndef KTAIL_BASE_CLEANUP_H
#define KTAIL_BASE_CLEANUP_H

#include <signal.h>
#include <sys/types.h>

/*
 * Handles every signal that would end the program, except KILL: removes what is registered,
 * then ends the program with the same signal. SIGXFSZ becomes an error of write() (EFBIG).
 * A forked child removes nothing unless it calls kt_cleanup_take_over().
 */
void kt_cleanup_install(void);

/*
 * Block the handled signals while a file or folder is created and registered, or removed.
 * *before is the previous signal mask.
 */
void kt_cleanup_hold(sigset_t *before);
void kt_cleanup_release(const sigset_t *before);

/*
 * Registers a file, or a folder that is empty after all registered files are removed. The
 * path is copied. Returns 0 or KT_E_MEMORY.
 */
int kt_cleanup_add(const char *path);

/* Unregisters a path. */
void kt_cleanup_forget(const char *path);

/* Registers a child process that must end with the program; 0 for none. */
void kt_cleanup_set_child(pid_t child);

/*
 * kt_cleanup_take_over() is for a forked child that continues the program's work: the child
 * then removes what is registered. Registrations are shared with forked children, so that
 * the parent can call kt_cleanup_remove() for what a killed child has left.
 */
void kt_cleanup_take_over(void);
void kt_cleanup_remove(void);

#endif
