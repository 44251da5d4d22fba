/* SPDX-License-Identifier: MIT */
/*
 * A pushbuffer segment as methods. A header says to which methods the dwords after it go:
 * operation in bits 31:29, count or data in 28:16, subchannel in 15:13, method offset / 4
 * in 11:0. The old forms (operations 0 and 2) have the count in 28:18, a tertiary code in
 * 17:16, which is 0 where methods follow, and the method offset / 4 in 12:2. Source:
 * NVIDIA's open-gpu-doc, class headers of channels such as cl906f.h (MIT). Nothing here
 * allocates.
 */
#ifndef KTAIL_DECODE_METHOD_STREAM_H
#define KTAIL_DECODE_METHOD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kt_method_op {
	KT_METHOD_OLD_INCREASING = 0,
	KT_METHOD_INCREASING = 1,
	KT_METHOD_OLD_NON_INCREASING = 2,
	KT_METHOD_NON_INCREASING = 3,
	KT_METHOD_IMMEDIATE = 4, /* the data is in the header */
	KT_METHOD_INCREASE_ONCE = 5,
	KT_METHOD_RESERVED = 6,
	KT_METHOD_END = 7, /* of the segment */
};

#define KT_METHOD_MAX_COUNT 0x1fffu

struct kt_method_header {
	enum kt_method_op op;
	uint16_t count;     /* words of data that follow; of IMMEDIATE the data */
	uint8_t subchannel; /* 0 to 7 */
	uint16_t offset;    /* bytes */
};

void kt_method_header_decode(struct kt_method_header *out, uint32_t word);
uint32_t kt_method_header_encode(const struct kt_method_header *header);

/* One write of a register of a class. */
struct kt_method {
	uint8_t subchannel;
	uint16_t offset; /* bytes */
	uint32_t value;
	size_t at; /* index of the word that holds it in the segment */
	bool last; /* of its header */
};

struct kt_method_stream {
	const uint32_t *words; /* Weak */
	size_t n;
	size_t at;
	struct kt_method_header header;
	uint32_t left; /* words of data to come */
	bool first;    /* none of them was given yet */
};

enum kt_method_status {
	KT_METHOD_GIVEN = 0,
	KT_METHOD_NO_MORE, /* all words were read, or an END came */
	KT_METHOD_BAD,     /* a header of no known form: stream->at is its index */
	KT_METHOD_CUT,     /* the header's data would go on after the segment */
};

void kt_method_stream_start(struct kt_method_stream *stream, const uint32_t *words,
			    size_t n);

/* Headers without data are skipped. After another status than GIVEN it stays as it is. */
enum kt_method_status kt_method_next(struct kt_method_stream *stream,
				     struct kt_method *out);

#endif
