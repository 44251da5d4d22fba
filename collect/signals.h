/* SPDX-License-Identifier: MIT */
/*
 * SIGSEGV and SIGTRAP belong to the recorder; the application's own handlers for them are
 * kept and called for whatever is not the recorder's.
 */
#ifndef KTAIL_COLLECT_SIGNALS_H
#define KTAIL_COLLECT_SIGNALS_H

/* Installs the recorder's handlers. Before it, the application's calls pass through. */
void kt_signals_install(void);

#endif
