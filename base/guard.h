/* SPDX-License-Identifier: MIT */
/*
 * Protects a program from crashes of its reader. The decoders of traces are other projects'
 * code; on a damaged trace they may crash, abort, loop or use up all memory. The program
 * therefore continues in a child process from its first trace on. The parent waits,
 * forwards signals, ends as the child ends, and turns a crash during reading into a message
 * and exit status 3.
 *
 * A program's main() enables this; for other users of the library nothing here has an
 * effect. The environment variable KTAIL_GUARD=off keeps everything in one process, for
 * debuggers.
 */
#ifndef KTAIL_BASE_GUARD_H
#define KTAIL_BASE_GUARD_H

#include <stdint.h>

/* Call from main() after kt_cleanup_install(), while there is one thread. */
void kt_guard_install(void);

/*
 * Marks the beginning of reading a trace, until kt_guard_end(); several traces may be open.
 * The first call forks, so there must be no other thread.
 */
void kt_guard_begin(const char *trace);

/*
 * Limits memory and processor time until kt_guard_end() to a generous bound for a trace of
 * this many bytes. Not for traces of unknown size, such as live sessions.
 */
void kt_guard_limit(uint64_t bytes);

/* Records the file and the index of the packet being read, from 0, for messages. */
void kt_guard_note(const char *file, uint64_t packet);

/*
 * While memory is limited, turns KT_E_MEMORY into KT_E_MALFORMED with a message, since the
 * trace is then at fault. Returns any other code unchanged.
 */
int kt_guard_judge(int code);

void kt_guard_end(void);

#endif
