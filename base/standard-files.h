/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_BASE_STANDARD_FILES_H
#define KTAIL_BASE_STANDARD_FILES_H

/*
 * To be called first in main(). A standard descriptor that the caller closed would be given
 * to the next file that is opened, and what goes to standard output would go there: takes
 * it, so that reading from it or writing to it fails.
 */
void kt_standard_files_open(void);

/* 0, or KT_E_IO if not all that was printed so far could be written. */
int kt_standard_files_flush(void);

/*
 * To be called last in main(), whatever the exit status is, since a negative answer that
 * nobody could read is none: closes standard output and gives the status. If not all could
 * be written, says so in the program's name, and gives `failure` in place of 0 and 1; a
 * program that gives `failure` already has said why.
 */
int kt_standard_files_close(const char *program, int status, int failure);

/*
 * The same for a program that ends with a status code of ours: says why it failed first.
 * `failure` is its exit status then; 0: that of the code.
 */
int kt_standard_files_end(const char *program, int code, int failure);

#endif
