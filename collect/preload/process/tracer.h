/* SPDX-License-Identifier: MIT */
/*
 * Recognises the code and the descriptors of LTTng and the recorder in the program's
 * process. Their descriptors are moved to high numbers. So the program's own descriptors
 * keep their usual numbers, and a program that closes every descriptor it knows does not
 * close LTTng's. If it did, a file that it opens later would get a number to which LTTng
 * still writes.
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

/*
 * Moves a descriptor of LTTng or the recorder to a high number, which is returned. If that
 * fails, returns `fd`.
 */
int kt_tracer_move_up(int fd);

/* Moves all descriptors in a message that LTTng has received. */
void kt_tracer_received(const struct msghdr *message);

bool kt_tracer_has(int fd);

/* Call when a descriptor was closed, or when the program has reused its number. */
void kt_tracer_forget(int fd);

#endif
