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

/*
 * One channel; about 130 KiB, most of it for the inline data that it remembers: the newest
 * 64 KiB in at most 512 writes.
 */
struct kt_channel_decoder;

/* channel_class: 0xc86f; 0: unknown. 0, or KT_E_MEMORY (without a message). */
int kt_channel_decoder_new(struct kt_channel_decoder **out, uint32_t channel_class);
void kt_channel_decoder_free(struct kt_channel_decoder *decoder); /* NULL: nothing */

/*
 * An engine object that was allocated below the channel. Until a SET_OBJECT says otherwise
 * it is taken for bound to the subchannel that its kind has since Kepler: 0 3D, 1 compute,
 * 2 inline-to-memory, 3 2D, 4 copy. Of two of a kind the later one. Other kinds: nothing
 * happens. Source: cla06fsubch.h of open-gpu-kernel-modules (MIT) for 2D and copy, the
 * numbers that Mesa's nouveau uses for all.
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

/* Members that a kind does not name are 0. */
struct kt_command {
	enum kt_command_kind kind;
	uint32_t class_number; /* of the engine; BIND: that is bound */
	uint64_t from;         /* COPY: GPU address; 0 too if it fills and reads nothing */
	uint64_t to;           /* COPY, INLINE */
	uint64_t bytes;        /* COPY, INLINE: at the destination, all lines */
	uint32_t lines;        /* COPY, INLINE */
	/*
	 * RELEASE, ACQUIRE: the semaphore. COPY, INLINE, if `releases`: the one that is
	 * released at the end. A reduction on a semaphore is a RELEASE, which always
	 * `releases`.
	 */
	uint64_t address; /* LAUNCH: of the QMD */
	uint64_t payload; /* 32 bits, or 64 where the method says so */
	bool releases;
	bool timestamp; /* the time is written after the payload */
	bool inlined;   /* LAUNCH: the QMD stands in the stream as a QMD */
	/*
	 * LAUNCH: the QMD's words, if they are known: they were in the stream, or earlier
	 * inline data wrote them to its address. At least 256 bytes, and up to 384 as far
	 * as they are known: its layout says how long it is. Else NULL. The memory is the
	 * decoder's, until `each` returns.
	 */
	const uint32_t *qmd;
	size_t qmd_bytes;
	/*
	 * INLINE: the data, lines without gaps, in the decoder's memory until `each`
	 * returns. Only the first 64 KiB are kept: data_words may be less than `bytes`
	 * need.
	 */
	const uint32_t *data;
	size_t data_words;
};

/* One word of the stream, as read: header words are not given. */
struct kt_decoded {
	struct kt_method method;
	/* Bound there, or the channel's for methods below 0x100; 0: unknown */
	uint32_t class_number;
	const struct kt_method_class *class_; /* NULL: unknown */
	bool named;
	struct kt_method_info info; /* if named */
	struct kt_command command;  /* what this word starts */
};

struct kt_decode_counts {
	uint64_t words;   /* all that were given, headers too */
	uint64_t headers; /* an IMMEDIATE, which is its own data, is a method */
	uint64_t methods;
	uint64_t unnamed; /* methods of a known class without a public name */
	uint64_t unbound; /* methods of which no class is known */
	/* From a header of no known form, or one whose data are cut off, or after an END:
	 * to the end of the segment. */
	uint64_t bad;
	uint64_t commands[KT_COMMAND_KINDS]; /* by kind; their sum is `methods` */
};

/* `decoded` lives during the call. */
typedef void kt_decoded_fn(void *context, const struct kt_decoded *decoded);

/*
 * Decodes one segment, calling `each` for every method in order. each may be NULL: for
 * counts alone. A segment must be whole: a method's data do not go on in the next one.
 * words = headers + methods + bad, always. O(n log methods); nothing allocates.
 *
 * An INLINE whose data do not come before the next one begins is not given. What starts
 * only in classes that decode/methods.h does not know is not guessed.
 */
void kt_channel_decode(struct kt_channel_decoder *decoder, const uint32_t *words, size_t n,
		       kt_decoded_fn *each, void *context);
/* Since the decoder was made. */
void kt_channel_decoder_counts(const struct kt_channel_decoder *decoder,
			       struct kt_decode_counts *out);

#endif
