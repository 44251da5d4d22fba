/* SPDX-License-Identifier: MIT */
/* Runs `ktail check` on a trace that was recorded: the option --check. */
#ifndef KTAIL_RECORD_CHECK_TRACE_H
#define KTAIL_RECORD_CHECK_TRACE_H

/* KT_E_IO if the machine's file cannot be read, before anything is recorded. */
int kt_check_trace_possible(const char *machine);

/*
 * Prints the report of `ktail check --all MACHINE TRACE` on standard error, since standard
 * output is the command's. Writes its exit status to *status. KT_E_IO if it cannot be run.
 */
int kt_check_trace(int *status, const char *machine, const char *trace);

#endif
