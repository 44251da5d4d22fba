/* SPDX-License-Identifier: MIT */
/*
 * Status codes and the chain of causes behind them.
 *
 * Every function that can fail returns 0 or one of the negative codes below and leaves a
 * message in a buffer of the calling thread, as "verb what: reason". A caller that knows
 * more puts it in front with kt_error_prepend(). Nothing here allocates, aborts or prints.
 */
#ifndef KTAIL_STATUS_H
#define KTAIL_STATUS_H

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

enum kt_status {
	KT_OK = 0,
	KT_E_USAGE = -1,     /* the caller asked for something that makes no sense */
	KT_E_IO = -2,        /* the system refused: files, processes, permissions */
	KT_E_MALFORMED = -3, /* the input is not what it should be */
	KT_E_EMPTY = -4,     /* the input holds nothing of ours */
	KT_E_MEMORY = -5,    /* out of memory */
	KT_E_LOSS = -6,      /* events are missing, and the caller demanded that none is */
	KT_E_INTERNAL = -7,  /* a check of ours failed: a bug */
};

/* Sets the thread's message and returns code. */
KT_EXPORT int kt_error(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Like kt_error(), with ": " and the text of errno at the end. Keeps errno. */
KT_EXPORT int kt_error_errno(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Puts "text: " before the thread's message and returns code unchanged. */
KT_EXPORT int kt_error_prepend(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Sets the message "WHAT: out of memory" and returns KT_E_MEMORY. */
KT_EXPORT int kt_no_memory(const char *what);

/* The thread's message. Never NULL; valid until the next call of this module in the thread.
 */
KT_EXPORT const char *kt_error_message(void);

/* One sentence for a code, for a caller that has no message. Static storage. */
KT_EXPORT const char *kt_status_sentence(int code);

/* The exit status that programs give for a code: 0, 2 (usage, I/O), 3 (input), 4 (loss). */
KT_EXPORT int kt_exit_status(int code);

#ifdef __cplusplus
}
#endif
#endif
