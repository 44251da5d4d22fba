/* SPDX-License-Identifier: MIT */
/*
 * Protects a program from crashes while it reads traces. The code that decodes traces belongs
 * to other projects; on a damaged trace it may crash, abort, loop or exhaust memory. The
 * program therefore continues in a child process from its first trace on. The parent waits,
 * forwards signals and ends as the child ends. If the child crashes while it reads, the
 * parent prints a message and ends with exit status 3.
 *
 * These functions have no effect unless the program's main() calls kt_guard_install(). The
 * environment variable KTAIL_GUARD=off keeps everything in one process, for debuggers.
 */
#ifndef KTAIL_BASE_GUARD_H
#define KTAIL_BASE_GUARD_H

#include <stdint.h>

/* Enables the guard. Call from main() after kt_cleanup_install(). */
void kt_guard_install(void);

/*
 * Begins the reading of a trace, which ends with kt_guard_end(). Several traces may be open.
 * The first call forks, so there must be no other thread.
 */
void kt_guard_begin(const char *trace);

/*
 * Limits memory and processor time to far more than a trace of this many bytes needs,
 * until the last open trace ends. Do not call for traces of unknown size, such as live
 * sessions.
 */
void kt_guard_limit(uint64_t bytes);

/* Records the file and the index of the packet being read, from 0, for messages. */
void kt_guard_note(const char *file, uint64_t packet);

/*
 * While memory is limited, turns KT_E_MEMORY into KT_E_MALFORMED with a message, because the
 * limit suffices for any undamaged trace. Returns any other code unchanged.
 */
int kt_guard_judge(int code);

/* Ends the reading of a trace. After the last open trace, removes the limits. */
void kt_guard_end(void);

#endif
