/* SPDX-License-Identifier: MIT */
/*
 * SIGSEGV, SIGBUS and SIGTRAP belong to the recorder; the application's own handlers for
 * them are kept and called for whatever is not the recorder's, as the kernel would have
 * called them.
 */
#ifndef KTAIL_COLLECT_SIGNALS_H
#define KTAIL_COLLECT_SIGNALS_H

/* Installs the recorder's handlers. Before it, the application's calls pass through. */
void kt_signals_install(void);

/*
 * Another program inherits which signals are blocked and ignored: gives the calling thread
 * and the process what the application asked for. After an exec that failed, takes it back.
 */
void kt_signals_before_exec(void);
void kt_signals_after_exec(void);

#endif
