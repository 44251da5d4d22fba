/* SPDX-License-Identifier: MIT */
/*
 * What the words of a channel mean, in order: a decoder keeps, per channel, which class is
 * bound to which subchannel and the registers that a launch or a copy is made of, and says
 * of each method what it is and of each one that starts something what that is.
 *
 * A decoder reads nothing but the words it is given. It never fails: what it does not know
 * it gives numerically, and counts. A decoder may be used by one thread at a time.
 */
#ifndef KTAIL_DECODE_COMMANDS_H
#define KTAIL_DECODE_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/method-stream.h"
#include "decode/methods.h"

#define KT_SUBCHANNELS 8

struct kt_channel_decoder; /* one channel; about 20 KiB */

int kt_channel_decoder_new(struct kt_channel_decoder **out, uint32_t channel_class);
void kt_channel_decoder_free(struct kt_channel_decoder *decoder);

/* An engine object that was allocated below the channel: what a subchannel may be bound to.
 */
void kt_channel_decoder_allow(struct kt_channel_decoder *decoder, uint32_t class_number);

enum kt_command_kind {
	KT_COMMAND_NONE = 0, /* sets a register */
	KT_COMMAND_BIND,     /* SET_OBJECT */
	KT_COMMAND_COPY,     /* by the copy engine ("direct") */
	KT_COMMAND_INLINE,   /* data in the stream; given with its last word */
	KT_COMMAND_LAUNCH,   /* of a QMD: inline, or by SEND_PCAS */
	KT_COMMAND_RELEASE,  /* of a semaphore, by whichever engine */
	KT_COMMAND_ACQUIRE,
	KT_COMMAND_WAIT_FOR_IDLE,
	KT_COMMAND_INVALIDATE, /* caches, TLBs, memory barriers */
	KT_COMMAND_KINDS,
};
const char *kt_command_name(enum kt_command_kind kind); /* "copy-direct", "launch", ... */

struct kt_command {
	enum kt_command_kind kind;
	uint32_t class_number; /* of the engine */
	uint64_t from;         /* COPY: GPU address */
	uint64_t to;           /* COPY, INLINE */
	uint64_t bytes;        /* COPY, INLINE: lines included */
	uint32_t lines;
	uint64_t address; /* semaphore; LAUNCH: the QMD's GPU address, 0: inline */
	uint64_t payload;
	bool timestamp;
	const uint32_t *qmd; /* LAUNCH: its words if they were in the stream, else NULL */
	size_t qmd_bytes;
	const uint32_t
		*data; /* INLINE: the words, in the decoder's memory, until the next call */
};

/* One word of the stream, as read: header words are not given. */
struct kt_decoded {
	struct kt_method method;
	uint32_t class_number;                /* bound there; 0: unknown */
	const struct kt_method_class *class_; /* NULL: unknown */
	bool named;
	struct kt_method_info info; /* if named */
	struct kt_command command;  /* what this word starts */
};

struct kt_decode_counts {
	uint64_t words; /* all that were given, headers too */
	uint64_t headers;
	uint64_t methods;
	uint64_t unnamed; /* methods without a public name */
	uint64_t unbound; /* methods on a subchannel of unknown class */
	uint64_t bad;     /* words behind a header of no known form, or cut off */
};

typedef void kt_decoded_fn(void *context, const struct kt_decoded *decoded);

/*
 * Decodes one segment, calling `each` for every method in order. words = headers + methods
 * + bad, always. O(n log methods).
 */
void kt_channel_decode(struct kt_channel_decoder *decoder, const uint32_t *words, size_t n,
		       kt_decoded_fn *each, void *context);
void kt_channel_decoder_counts(const struct kt_channel_decoder *decoder,
			       struct kt_decode_counts *out);

#endif
