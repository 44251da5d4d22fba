/* SPDX-License-Identifier: MIT */
/*
 * What a signal that ends the program must not leave behind: files and folders that are
 * there for a while only, and a child. Libraries may register what they make; only a
 * program's main() asks for the handlers, and without them nothing here does anything.
 */
#ifndef KTAIL_BASE_CLEANUP_H
#define KTAIL_BASE_CLEANUP_H

#include <signal.h>
#include <sys/types.h>

/*
 * Handles each signal that would end the program, but for KILL: removes what is registered,
 * then ends it by the same signal. Too large a file becomes an error of write() (EFBIG). A
 * forked child that does not exec removes nothing.
 */
void kt_cleanup_install(void);

/* Keeps these signals away while something is made and registered, or removed. */
void kt_cleanup_hold(sigset_t *before);
void kt_cleanup_release(const sigset_t *before);

/*
 * Registers a file, or a folder that is empty once the other files registered are gone.
 * The path is copied; 0 or KT_E_MEMORY.
 */
int kt_cleanup_add(const char *path);

/* Forgets a path. */
void kt_cleanup_forget(const char *path);

/* A child that must end too; 0: none any more. */
void kt_cleanup_set_child(pid_t child);

/*
 * What is registered is shared with children that do not exec: a forked child that goes on
 * with the program's work takes the handlers over, and its parent removes what a child
 * that was killed has left.
 */
void kt_cleanup_take_over(void);
void kt_cleanup_remove(void);

#endif
