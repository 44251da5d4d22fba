/* SPDX-License-Identifier: MIT */
/* Names the type of a file, for messages about a file that is not of the wanted type. */
#ifndef KTAIL_BASE_FILE_TYPE_H
#define KTAIL_BASE_FILE_TYPE_H

/*
 * Returns what the file is, judged by its first bytes or else by its ending: "a state
 * machine (ktail-fsm/1)", "a folder"; NULL if unknown. Static storage.
 */
const char *kt_file_type(const char *path);

/*
 * Returns KT_E_MALFORMED with a message that says what the file is instead of `wanted` ("a
 * trace"), or KT_E_IO if the file is not there.
 */
int kt_file_type_refuse(const char *path, const char *wanted);

#endif
