/* SPDX-License-Identifier: MIT */
/* Whether LTTng's buffers will fit into /dev/shm: too small a one is SIGBUS in a program.
 */
#ifndef KTAIL_COLLECT_ROOM_H
#define KTAIL_COLLECT_ROOM_H

#include <stdint.h>

struct kt_room {
	uint64_t cpus; /* for which LTTng makes buffers */
	uint64_t size; /* of /dev/shm, bytes */
	uint64_t free; /* of it */
};

/* Looks at this machine. KT_E_IO with a message. */
int kt_room_look(struct kt_room *out);

/* Bytes that the buffers of one user take. */
uint64_t kt_room_need(const struct kt_room *room, uint64_t subbuf_size,
		      uint64_t num_subbuf);

/*
 * KT_OK if they fit. Else KT_E_IO, and the message says what is needed, what is free, which
 * options would do and how /dev/shm is made larger.
 */
int kt_room_check(const struct kt_room *room, uint64_t subbuf_size, uint64_t num_subbuf);

#endif
