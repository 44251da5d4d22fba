/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_BASE_STANDARD_FILES_H
#define KTAIL_BASE_STANDARD_FILES_H

/*
 * Call first in main(). Reserves standard descriptors that the caller closed, so that reads
 * and writes fail. Otherwise the next opened file would get the descriptor, and standard
 * output would be written into it.
 */
void kt_standard_files_open(void);

/* Returns 0, or KT_E_IO if some output could not be written. */
int kt_standard_files_flush(void);

/*
 * Call last in main(), with any exit status, since output that reports a failed check must
 * not get lost either. Closes standard output and returns the status. If some output could
 * not be written, reports that in the program's name and returns `failure` instead of 0 or
 * 1; a status of `failure` means that the program has already reported an error.
 */
int kt_standard_files_close(const char *program, int status, int failure);

/*
 * Like kt_standard_files_close(), for a program that ends with a status code; prints the
 * error message first if the code is not KT_OK. The exit status of an error is then
 * `failure`, or kt_exit_status(code) if `failure` is 0.
 */
int kt_standard_files_end(const char *program, int code, int failure);

#endif
