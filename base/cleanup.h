/* SPDX-License-Identifier: MIT */
/*
 * When a signal ends the program, removes temporary files and folders and ends a child
 * process. Libraries may register files and folders too, but only a program's main()
 * installs the handlers; without handlers registration has no effect.
 */
#ifndef KTAIL_BASE_CLEANUP_H
#define KTAIL_BASE_CLEANUP_H

#include <signal.h>
#include <sys/types.h>

/*
 * Handles every signal that would end the program, except SIGKILL: removes the registered
 * files and folders, then ends the program with the same signal. SIGXFSZ is ignored, so that
 * write() fails with EFBIG. A forked child removes nothing unless it calls
 * kt_cleanup_take_over().
 */
void kt_cleanup_install(void);

/*
 * Block and unblock the handled signals. Block them while a file or folder is created and
 * registered, or removed. *before is the previous signal mask.
 */
void kt_cleanup_hold(sigset_t *before);
void kt_cleanup_release(const sigset_t *before);

/*
 * Registers a file or a folder. A folder is removed after all registered files, and only
 * if it is empty then. The path is copied. KT_E_MEMORY.
 */
int kt_cleanup_add(const char *path);

/* Unregisters a path. */
void kt_cleanup_forget(const char *path);

/* Registers a child process that gets SIGTERM when a signal ends the program; 0: none. */
void kt_cleanup_set_child(pid_t child);

/*
 * Registrations are shared with forked children. A child that continues the program's work
 * calls kt_cleanup_take_over(), so that signals make the child, not its parent, remove the
 * files. A parent whose child was killed calls kt_cleanup_remove(), which removes all
 * registered files and folders at once.
 */
void kt_cleanup_take_over(void);
void kt_cleanup_remove(void);

#endif
