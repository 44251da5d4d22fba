/* SPDX-License-Identifier: MIT */
/*
 * Status codes and error messages.
 *
 * A function that can fail returns 0, or one of the negative codes below and leaves a
 * message of the form "verb object: reason" in a buffer of the calling thread. A caller
 * that knows more context prepends the context with kt_error_prepend(). The functions of
 * this header do not allocate, abort or print.
 */
#ifndef KTAIL_STATUS_H
#define KTAIL_STATUS_H

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

enum kt_status {
	KT_OK = 0,
	KT_E_USAGE = -1,     /* the request is invalid */
	KT_E_IO = -2,        /* a system call failed: files, processes, permissions */
	KT_E_MALFORMED = -3, /* the input is invalid */
	KT_E_EMPTY = -4,     /* the input contains nothing to process */
	KT_E_MEMORY = -5,    /* out of memory */
	KT_E_LOSS = -6,      /* events are missing, but the caller required all events */
	KT_E_INTERNAL = -7,  /* an internal check failed: a bug */
};

/* Sets the thread's message and returns code. */
KT_EXPORT int kt_error(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Like kt_error(), with ": " and the text of errno appended. Preserves errno. */
KT_EXPORT int kt_error_errno(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Prepends "text: " to the thread's message and returns code unchanged. */
KT_EXPORT int kt_error_prepend(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Sets the message "WHAT: out of memory" and returns KT_E_MEMORY. */
KT_EXPORT int kt_no_memory(const char *what);

/*
 * Returns the thread's message. Never NULL; valid until the thread next calls a function of
 * this header.
 */
KT_EXPORT const char *kt_error_message(void);

/* Returns a text for a code, for callers that have no message. Static storage. */
KT_EXPORT const char *kt_status_sentence(int code);

/*
 * Returns the exit status of programs for a code: 0 (KT_OK), 2 (usage, I/O, memory,
 * internal or unknown), 3 (malformed or empty input), 4 (loss).
 */
KT_EXPORT int kt_exit_status(int code);

#ifdef __cplusplus
}
#endif
#endif
