/* SPDX-License-Identifier: MIT */
#include "decode/method-stream.h"

#include <string.h>

#include "decode/bits.h"

#define OP        31, 29
#define COUNT     28, 16
#define OLD_COUNT 28, 18
/*
 * In the old forms, tertiary code 0 means methods. Other codes set the mask of subdevices
 * in the incrementing form (SET_, STORE_ and USE_SUB_DEV_MASK, without data), and are
 * reserved in the non-incrementing form (NV906F_DMA_* in NVIDIA's cl906f.h).
 */
#define TERTIARY   17, 16
#define SUBCHANNEL 15, 13
#define OFFSET     11, 0 /* in dwords */
#define OLD_OFFSET 12, 2
#define MASK       15, 4

static bool is_old(enum kt_method_op op)
{
	return op == KT_METHOD_OLD_INCREASING || op == KT_METHOD_OLD_NON_INCREASING;
}

static bool is_subdevice_mask(enum kt_method_op op, uint32_t word)
{
	return op == KT_METHOD_OLD_INCREASING && kt_bits_in(TERTIARY, word);
}

void kt_method_header_decode(struct kt_method_header *out, uint32_t word)
{
	out->op = (enum kt_method_op)kt_bits_in(OP, word);
	out->subchannel = (uint8_t)kt_bits_in(SUBCHANNEL, word);
	if (is_old(out->op)) {
		out->count = (uint16_t)kt_bits_in(OLD_COUNT, word);
		out->offset = (uint16_t)(kt_bits_in(OLD_OFFSET, word) * 4);
	} else {
		out->count = (uint16_t)kt_bits_in(COUNT, word);
		out->offset = (uint16_t)(kt_bits_in(OFFSET, word) * 4);
	}
}

uint32_t kt_method_header_encode(const struct kt_method_header *header)
{
	uint32_t word = kt_bits(OP, header->op) | kt_bits(SUBCHANNEL, header->subchannel);

	if (is_old(header->op)) {
		return word | kt_bits(OLD_COUNT, header->count) |
		       kt_bits(OLD_OFFSET, header->offset / 4u);
	}
	return word | kt_bits(COUNT, header->count) | kt_bits(OFFSET, header->offset / 4u);
}

const char *kt_method_header_form(uint32_t word)
{
	/*
	 * forms[] is indexed by operation, masks[] by the tertiary code of the incrementing
	 * form.
	 */
	static const char *const forms[] = {
		[KT_METHOD_OLD_INCREASING] = "GRP0_INC",
		[KT_METHOD_INCREASING] = "INC",
		[KT_METHOD_OLD_NON_INCREASING] = "GRP2_NON_INC",
		[KT_METHOD_NON_INCREASING] = "NON_INC",
		[KT_METHOD_IMMEDIATE] = "IMMD",
		[KT_METHOD_INCREASE_ONCE] = "ONE_INC",
		[KT_METHOD_RESERVED] = "RESERVED",
		[KT_METHOD_END] = "END_PB_SEGMENT",
	};
	static const char *const masks[] = {
		[1] = "SET_SUB_DEV_MASK",
		[2] = "STORE_SUB_DEV_MASK",
		[3] = "USE_SUB_DEV_MASK",
	};
	enum kt_method_op op = (enum kt_method_op)kt_bits_in(OP, word);

	if (is_subdevice_mask(op, word)) {
		return masks[kt_bits_in(TERTIARY, word)];
	}
	return is_old(op) && kt_bits_in(TERTIARY, word) ? "RESERVED" : forms[op];
}

bool kt_method_header_mask(uint32_t word, uint16_t *mask)
{
	const bool uses = kt_bits_in(TERTIARY, word) == 3;

	*mask = uses ? 0 : (uint16_t)kt_bits_in(MASK, word);
	return is_subdevice_mask((enum kt_method_op)kt_bits_in(OP, word), word);
}

void kt_method_stream_start(struct kt_method_stream *stream, const uint32_t *words,
			    size_t n)
{
	memset(stream, 0, sizeof(*stream));
	kt_method_stream_continue(stream, words, n);
}

void kt_method_stream_continue(struct kt_method_stream *stream, const uint32_t *words,
			       size_t n)
{
	stream->words = words;
	stream->n = n;
	stream->at = 0;
}

enum kt_method_status kt_method_next(struct kt_method_stream *stream, struct kt_method *out)
{
	struct kt_method_header *header = &stream->header;

	/* Read the next header; skip headers without data. */
	while (stream->left == 0) {
		uint32_t word;

		if (stream->at == stream->n) {
			return KT_METHOD_NO_MORE;
		}
		word = stream->words[stream->at];
		kt_method_header_decode(header, word);
		if (header->op == KT_METHOD_END) {
			return KT_METHOD_NO_MORE;
		}
		if (is_subdevice_mask(header->op, word)) {
			stream->at++;
			continue;
		}
		if (header->op == KT_METHOD_RESERVED ||
		    (is_old(header->op) && kt_bits_in(TERTIARY, word))) {
			return KT_METHOD_BAD;
		}
		stream->first = true;
		if (header->op == KT_METHOD_IMMEDIATE) {
			stream->left = 1;
		} else {
			stream->left = header->count;
			stream->at++;
		}
	}
	if (stream->at == stream->n) {
		return KT_METHOD_CUT;
	}
	out->subchannel = header->subchannel;
	out->offset = header->offset;
	out->at = stream->at;
	out->immediate = header->op == KT_METHOD_IMMEDIATE;
	out->value = out->immediate ? header->count : stream->words[stream->at];
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
