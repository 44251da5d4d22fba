/* SPDX-License-Identifier: MIT */
/*
 * Code and descriptors of LTTng and the recorder in the program's process. Their
 * descriptors get high numbers, so the program's own descriptors keep their usual numbers,
 * and a program that closes every descriptor it knows does not close LTTng's. Otherwise,
 * files that the program opens later would get LTTng's numbers while LTTng still writes to
 * them.
 */
#ifndef KTAIL_COLLECT_TRACER_H
#define KTAIL_COLLECT_TRACER_H

#include <stdbool.h>
#include <sys/socket.h>

/* Returns whether the code at an address, such as a caller's, is LTTng's. Takes no lock. */
bool kt_tracer_has_code(const void *address);

/*
 * Returns whether the caller is LTTng and the recorder has stopped in this process
 * (process.h).
 */
bool kt_tracer_is_stopped(const void *caller);

/* Moves one of our descriptors to a high number and returns it; unchanged if that fails. */
int kt_tracer_move_up(int fd);

/* Likewise for all descriptors in a message to LTTng. */
void kt_tracer_received(const struct msghdr *message);

bool kt_tracer_has(int fd);

/* Call when the descriptor was closed, or when the program has reused its number. */
void kt_tracer_forget(int fd);

#endif
