/* SPDX-License-Identifier: MIT */
/* Runs `ktail check` on the recorded trace, for the option --check. */
#ifndef KTAIL_RECORD_CHECK_TRACE_H
#define KTAIL_RECORD_CHECK_TRACE_H

/*
 * Call before anything is recorded: returns KT_E_IO if the machine's file cannot be read.
 */
int kt_check_trace_possible(const char *machine);

/*
 * Prints the report of `ktail check --all MACHINE TRACE` on standard error, because
 * standard output belongs to the command. Writes the exit status of `ktail check` to
 * *status. Returns KT_E_IO if `ktail check` cannot be run.
 */
int kt_check_trace(int *status, const char *machine, const char *trace);

#endif
