/* SPDX-License-Identifier: MIT */
/*
 * A reader whose end is not the program's. What decodes damaged traces may crash, abort,
 * loop or take all memory, and it is not ours: so the program goes on in a child while its
 * first trace is read, and the parent waits. It passes signals on, ends as the child ends,
 * and turns a crash while a trace is read into a message and exit status 3.
 *
 * A program's main() asks for that; for other users of the library nothing here does
 * anything. The environment variable KTAIL_GUARD=off keeps all in one process, for
 * debuggers.
 */
#ifndef KTAIL_BASE_GUARD_H
#define KTAIL_BASE_GUARD_H

#include <stdint.h>

/* For main(), after kt_cleanup_install(), while there is one thread. */
void kt_guard_install(void);

/*
 * From here to kt_guard_end() a trace is read; several may be at once. The first time the
 * program is forked here, without threads beside this one.
 */
void kt_guard_begin(const char *trace);

/*
 * Limits memory and processor time up to kt_guard_end() by what a trace of this many bytes
 * can need, ample. Not for traces whose size is not known, as that of a live session is.
 */
void kt_guard_limit(uint64_t bytes);

/* What is being read, for messages. The ordinal of a packet in its file, from 0. */
void kt_guard_note(const char *file, uint64_t packet);

/*
 * Out of memory while there is a limit is the trace's fault: KT_E_MEMORY becomes
 * KT_E_MALFORMED with a message. Other codes are returned as they are.
 */
int kt_guard_judge(int code);

void kt_guard_end(void);

#endif
