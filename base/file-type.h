/* SPDX-License-Identifier: MIT */
/* Names the type of a file, for messages about a file of the wrong type. */
#ifndef KTAIL_BASE_FILE_TYPE_H
#define KTAIL_BASE_FILE_TYPE_H

/*
 * Returns the type of the file, such as "a state machine (ktail-fsm/1)" or "a folder",
 * determined from its first bytes or else from the ending of its name. NULL if unknown.
 * Static storage.
 */
const char *kt_file_type(const char *path);

/*
 * Returns KT_E_MALFORMED with a message that the file is not `wanted` (for example "a
 * trace") and, if known, what it is. KT_E_IO if the file does not exist.
 */
int kt_file_type_refuse(const char *path, const char *wanted);

#endif
