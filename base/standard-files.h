/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_BASE_STANDARD_FILES_H
#define KTAIL_BASE_STANDARD_FILES_H

/*
 * Call first in main(). Reserves standard descriptors that the parent process closed, so
 * that reads and writes fail. Otherwise the next opened file would get such a descriptor,
 * and standard output would be written to that file.
 */
void kt_standard_files_open(void);

/* Flushes standard output. KT_E_IO if this or an earlier write failed. */
int kt_standard_files_flush(void);

/*
 * Call last in main(), after a failure too. Closes standard output and returns `status`. If
 * output could not be written, prints a message that begins with `program`, and returns
 * `failure` instead of 0 or 1. If `status` is `failure`, the program has already reported an
 * error, and no message is printed.
 */
int kt_standard_files_close(const char *program, int status, int failure);

/*
 * Like kt_standard_files_close(), for a program that ends with a code of <ktail/status.h>.
 * If the code is not KT_OK, prints the error message first; the exit status is then
 * `failure`, or kt_exit_status(code) if `failure` is 0.
 */
int kt_standard_files_end(const char *program, int code, int failure);

#endif
