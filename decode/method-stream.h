/* SPDX-License-Identifier: MIT */
/*
 * Splits a pushbuffer segment into methods. A header names the methods to which the dwords
 * after it are written: operation in bits 31:29, count or data in 28:16, subchannel in
 * 15:13, method offset / 4 in 11:0. The old forms (operations 0 and 2) have the count in
 * 28:18, a tertiary code (0 for methods) in 17:16, and the method offset / 4 in 12:2.
 * Source: NVIDIA's open-gpu-doc, class headers of channels such as cl906f.h (MIT).
 * Allocates nothing.
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
	KT_METHOD_IMMEDIATE = 4, /* the header contains the data */
	KT_METHOD_INCREASE_ONCE = 5,
	KT_METHOD_RESERVED = 6,
	KT_METHOD_END = 7, /* end of the segment */
};

#define KT_METHOD_MAX_COUNT 0x1fffu

struct kt_method_header {
	enum kt_method_op op;
	uint16_t count; /* number of dwords of data that follow; for IMMEDIATE, the data */
	uint8_t subchannel; /* 0 to 7 */
	uint16_t offset;    /* bytes */
};

void kt_method_header_decode(struct kt_method_header *out, uint32_t word);
uint32_t kt_method_header_encode(const struct kt_method_header *header);

/*
 * Returns NVIDIA's name of a header's form, such as "INC"; "RESERVED" if the form is unknown.
 * The string is static.
 */
const char *kt_method_header_form(uint32_t word);
/*
 * Returns whether the header is about the mask of subdevices. *mask becomes the mask in the
 * header, or 0 if the header contains none.
 */
bool kt_method_header_mask(uint32_t word, uint16_t *mask);

/* A write to a register of a class. */
struct kt_method {
	uint8_t subchannel;
	uint16_t offset; /* bytes */
	uint32_t value;
	size_t at; /* index in the segment of the dword that holds the value */
	bool last;      /* last method of its header */
	bool immediate; /* the value is in the header, whose index is `at` */
};

struct kt_method_stream {
	const uint32_t *words; /* Weak */
	size_t n;
	size_t at;
	struct kt_method_header header;
	uint32_t left; /* dwords of data still to come */
	bool first;    /* the next method is the first of its header */
};

enum kt_method_status {
	KT_METHOD_GIVEN = 0,
	KT_METHOD_NO_MORE, /* all dwords were read, or an END was found */
	KT_METHOD_BAD,     /* a header of unknown form, at index stream->at */
	KT_METHOD_CUT, /* all dwords were read; the header's data go on in the next segment */
};

void kt_method_stream_start(struct kt_method_stream *stream, const uint32_t *words,
			    size_t n);

/*
 * Continues with the next segment of the channel. If the segment before it ended with
 * KT_METHOD_CUT, the next segment begins with the rest of the data of the last header.
 * Graphics drivers write a header in one segment and its data in another.
 */
void kt_method_stream_continue(struct kt_method_stream *stream, const uint32_t *words,
			       size_t n);

/*
 * Advances to the next method, skipping headers without data. After any status other than
 * KT_METHOD_GIVEN, the stream does not advance again.
 */
enum kt_method_status kt_method_next(struct kt_method_stream *stream,
				     struct kt_method *out);

#endif
