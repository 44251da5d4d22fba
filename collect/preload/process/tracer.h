/* SPDX-License-Identifier: MIT */
/*
 * Recognises LTTng's code, and the descriptors of LTTng and the recorder, in the program's
 * process. These descriptors are moved to high numbers, so that the program's descriptors
 * have their usual numbers, and a program that closes all low numbers does not close
 * LTTng's. If it closed one, the next file that it opens could get a number to which LTTng
 * still writes.
 */
#ifndef KTAIL_COLLECT_TRACER_H
#define KTAIL_COLLECT_TRACER_H

#include <stdbool.h>
#include <sys/socket.h>

/* Returns whether the code at an address, such as a caller's, is LTTng's. Takes no lock. */
bool kt_tracer_has_code(const void *address);

/*
 * Returns whether the recorder has stopped in this process (process.h) and the address
 * `caller` is in LTTng's code.
 */
bool kt_tracer_is_stopped(const void *caller);

/*
 * Moves a descriptor of LTTng or the recorder to a high number, which is returned. If that
 * fails, returns `fd`.
 */
int kt_tracer_move_up(int fd);

/* Moves all descriptors in a message that LTTng has received to high numbers. */
void kt_tracer_received(const struct msghdr *message);

bool kt_tracer_has(int fd);

/* Call when the descriptor was closed, or its number is now a descriptor of the program. */
void kt_tracer_forget(int fd);

#endif
