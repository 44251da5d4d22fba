/* SPDX-License-Identifier: MIT */
#include "decode/method-stream.h"

#include <string.h>

#include "decode/bits.h"

#define OP        31, 29
#define COUNT     28, 16
#define OLD_COUNT 28, 18
#define TERTIARY                                                                           \
	17, 16 /* of the old increasing form: 0 methods, else for the host itself */
#define SUBCHANNEL 15, 13
#define OFFSET     11, 0 /* of words */

static bool is_old(enum kt_method_op op)
{
	return op == KT_METHOD_OLD_INCREASING || op == KT_METHOD_OLD_NON_INCREASING;
}

void kt_method_header_decode(struct kt_method_header *out, uint32_t word)
{
	out->op = (enum kt_method_op)kt_bits_in(OP, word);
	out->count = (uint16_t)(is_old(out->op) ? kt_bits_in(OLD_COUNT, word)
						: kt_bits_in(COUNT, word));
	out->subchannel = (uint8_t)kt_bits_in(SUBCHANNEL, word);
	out->offset = (uint16_t)(kt_bits_in(OFFSET, word) * 4);
}

uint32_t kt_method_header_encode(const struct kt_method_header *header)
{
	uint32_t count = is_old(header->op) ? kt_bits(OLD_COUNT, header->count)
					    : kt_bits(COUNT, header->count);

	return kt_bits(OP, header->op) | count | kt_bits(SUBCHANNEL, header->subchannel) |
	       kt_bits(OFFSET, header->offset / 4u);
}

void kt_method_stream_start(struct kt_method_stream *stream, const uint32_t *words,
			    size_t n)
{
	memset(stream, 0, sizeof(*stream));
	stream->words = words;
	stream->n = n;
}

/* Reads headers until one has data. */
static enum kt_method_status next_header(struct kt_method_stream *stream)
{
	for (;;) {
		uint32_t word;

		if (stream->at == stream->n) {
			return KT_METHOD_NO_MORE;
		}
		word = stream->words[stream->at];
		kt_method_header_decode(&stream->header, word);
		if (stream->header.op == KT_METHOD_END) {
			return KT_METHOD_NO_MORE;
		}
		if (stream->header.op == KT_METHOD_RESERVED ||
		    (stream->header.op == KT_METHOD_OLD_INCREASING &&
		     kt_bits_in(TERTIARY, word))) {
			return KT_METHOD_BAD;
		}
		stream->first = true;
		stream->left =
			stream->header.op == KT_METHOD_IMMEDIATE ? 1 : stream->header.count;
		if (stream->header.op != KT_METHOD_IMMEDIATE) {
			if (stream->left > stream->n - stream->at - 1) {
				return KT_METHOD_CUT;
			}
			stream->at++;
		}
		if (stream->left) {
			return KT_METHOD_GIVEN;
		}
	}
}

enum kt_method_status kt_method_next(struct kt_method_stream *stream, struct kt_method *out)
{
	struct kt_method_header *header = &stream->header;

	if (stream->left == 0) {
		enum kt_method_status status = next_header(stream);

		if (status != KT_METHOD_GIVEN) {
			stream->left = 0;
			return status;
		}
	}
	out->subchannel = header->subchannel;
	out->offset = header->offset;
	out->at = stream->at;
	out->value = header->op == KT_METHOD_IMMEDIATE ? header->count
						       : stream->words[stream->at];
	stream->at++;
	stream->left--;
	out->last = stream->left == 0;
	if (header->op == KT_METHOD_INCREASING || header->op == KT_METHOD_OLD_INCREASING ||
	    (header->op == KT_METHOD_INCREASE_ONCE && stream->first)) {
		header->offset = (uint16_t)(header->offset + 4);
	}
	stream->first = false;
	return KT_METHOD_GIVEN;
}
