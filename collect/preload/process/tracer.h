/* SPDX-License-Identifier: MIT */
/*
 * What LTTng and the recorder have in a process that is the program's: code, and
 * descriptors. Those get high numbers, so that the program's own are what they would be
 * without them, and are not closed when it closes all that it can: their numbers would be
 * its files' next, and LTTng writes to them.
 */
#ifndef KTAIL_COLLECT_TRACER_H
#define KTAIL_COLLECT_TRACER_H

#include <stdbool.h>
#include <sys/socket.h>

/* Whether the code at an address, such as a caller's, is LTTng's. Takes no lock. */
bool kt_tracer_has_code(const void *address);

/* Whether that is so, and nothing of LTTng's may run here any more (process.h). */
bool kt_tracer_is_stopped(const void *caller);

/* Gives a descriptor of ours a high number, or leaves it where that cannot be had. */
int kt_tracer_move_up(int fd);

/* The same for all that a message has brought to LTTng. */
void kt_tracer_received(const struct msghdr *message);

bool kt_tracer_has(int fd);

/* It is closed, or the program has put something else there. */
void kt_tracer_forget(int fd);

#endif
