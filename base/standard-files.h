/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_BASE_STANDARD_FILES_H
#define KTAIL_BASE_STANDARD_FILES_H

/*
 * To be called first in main(). A standard descriptor that the caller closed would be given
 * to the next file that is opened, and what goes to standard output would go there: takes
 * it, so that reading from it or writing to it fails.
 */
void kt_standard_files_open(void);

/* To be called last: 0, or KT_E_IO if not all of standard output could be written. */
int kt_standard_files_flush(void);

#endif
