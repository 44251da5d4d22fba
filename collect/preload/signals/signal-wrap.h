/* SPDX-License-Identifier: MIT */
/*
 * Handlers of the application for signals that the recorder does not use itself. The kernel
 * has the application's flags and mask for them, but enters them through
 * kt_wrapped_entry (handlers/wrapped-entry.c), which jumps to the application's handler, or
 * defers the signal if the thread is in a critical section of the recorder
 * (signal-defer.h). Default actions that end the process are wrapped too: if a process
 * ended while it writes an event, LTTng could not read what follows in that buffer.
 */
#ifndef KTAIL_COLLECT_SIGNAL_WRAP_H
#define KTAIL_COLLECT_SIGNAL_WRAP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Argument of rt_sigaction(2): the kernel's struct sigaction. */
struct kt_action {
	uintptr_t handler; /* an address, KT_SIG_DFL or KT_SIG_IGN */
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

#define KT_SIG_DFL     ((uintptr_t)SIG_DFL)
#define KT_SIG_IGN     ((uintptr_t)SIG_IGN)
#define KT_SIGNALS     64           /* the kernel's signals, numbered from 1 */
#define KT_SA_RESTORER 0x04000000ul /* SA_RESTORER of the kernel */

/* The application's handlers by signal; KT_SIG_DFL: its default action ends the process. */
extern _Atomic uintptr_t kt_wrapped_handlers[KT_SIGNALS + 1];

/*
 * Wraps the actions that the kernel has. Signals whose bit is set in `except` are never
 * wrapped. `restorer` is libc's code that calls rt_sigreturn.
 */
void kt_wrap_install(uint64_t except, void *restorer);

/* Restores the application's own actions. Other threads may run, but in no section. */
void kt_wrap_give_back(void);

/*
 * Searches for handlers that were installed past the recorder: by a system call of the
 * program's own instructions. About 60 system calls, unless one was found before.
 */
void kt_wrap_search(void);

/*
 * Call before an action that the application asked for is set in the kernel: replaces it by
 * the wrapped one. *former keeps what kt_wrap_former() needs. `action` is NULL if the
 * application only asks for the action in force. Signal-safe. If two threads change the
 * action of one signal at the same time, it may get the handler of one and the flags of the
 * other.
 */
void kt_wrap(int signal, struct kt_action *action, struct kt_action *former);

/* Call after it: replaces a wrapped action that the kernel returned by the application's.
 */
void kt_wrap_former(struct kt_action *old, const struct kt_action *former);

/*
 * Returns the application's action for a signal that was delivered through
 * kt_wrapped_entry; with SA_RESETHAND too, after which the kernel has the default action.
 */
struct kt_action kt_wrap_taken(int signal);

/* Sends a delivered signal to the calling thread again; the signal must be blocked. */
void kt_wrap_put_back(int signal, const siginfo_t *info);

/*
 * The kernel enters wrapped handlers here. Not callable from C: jumps to the application's
 * handler with the registers unchanged.
 */
extern const char kt_wrapped_entry[];

#endif
