/* SPDX-License-Identifier: MIT */
/* What a file is that was given in place of another, for messages. */
#ifndef KTAIL_BASE_FILE_TYPE_H
#define KTAIL_BASE_FILE_TYPE_H

/*
 * "a state machine (ktail-fsm/1)", by the first bytes of a file or else by its ending; "a
 * folder"; NULL: not known. Static storage.
 */
const char *kt_file_type(const char *path);

/*
 * KT_E_MALFORMED: what the file is instead of `wanted` ("a trace"). KT_E_IO if it is not
 * there.
 */
int kt_file_type_refuse(const char *path, const char *wanted);

#endif
