/* SPDX-License-Identifier: MIT */
/*
 * Decodes the dwords of a channel, in order. Each channel has its own decoder, which keeps
 * the class bound to each subchannel and the registers that make up a launch or a copy. The
 * decoder reports every method, and the command, if any, that the method starts or
 * completes.
 *
 * A decoder reads only the dwords passed to it. It never fails: unknown methods are
 * reported by number, and counted. A decoder is not thread-safe.
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
 * A decoder for one channel. It takes about 130 KiB, mostly for its log of inline data,
 * which has the newest 64 KiB in at most 512 writes.
 */
struct kt_channel_decoder;

/*
 * Creates a decoder for a channel of class channel_class, such as 0xc86f; 0: unknown.
 * Returns 0, or KT_E_MEMORY without a message. The caller owns *out.
 */
int kt_channel_decoder_new(struct kt_channel_decoder **out, uint32_t channel_class);
void kt_channel_decoder_free(struct kt_channel_decoder *decoder); /* NULL is allowed */

/*
 * Adds an engine object that was allocated below the channel. Until a SET_OBJECT binds an
 * object to the same subchannel, the added object is assumed to be bound to the subchannel
 * customary for its kind since Kepler: 0 for 3D, 1 for compute, 2 for inline-to-memory, 3
 * for 2D, 4 for copy. A later object of the same kind replaces an earlier one; objects of
 * other kinds are ignored. Sources: cla06fsubch.h of open-gpu-kernel-modules (MIT) for 2D
 * and copy; Mesa's nouveau, which uses all five numbers.
 */
void kt_channel_decoder_allow(struct kt_channel_decoder *decoder, uint32_t class_number);

enum kt_command_kind {
	KT_COMMAND_NONE = 0, /* no command; the method may set a register */
	KT_COMMAND_BIND,     /* SET_OBJECT */
	KT_COMMAND_COPY,     /* a copy by the copy engine */
	/* a copy of data in the stream; reported with the last dword of the data */
	KT_COMMAND_INLINE,
	KT_COMMAND_LAUNCH, /* a kernel launch, by a QMD in the stream or by SEND_PCAS */
	/*
	 * A QMD without a program, sent like that of a launch: no kernel runs, but the QMDs
	 * that depend on it are scheduled (docs/results/stats.md).
	 */
	KT_COMMAND_EMPTY_GRID,
	KT_COMMAND_RELEASE, /* a semaphore release, by any engine */
	KT_COMMAND_ACQUIRE,
	KT_COMMAND_WAIT_FOR_IDLE,
	KT_COMMAND_INVALIDATE, /* an invalidation of caches or TLBs, or a memory barrier */
	KT_COMMAND_CLEAR,      /* a surface is filled with a value, by a 3D engine */
	KT_COMMAND_DRAW,       /* primitives are drawn, by a 3D engine */
	KT_COMMAND_KINDS,
};
/* Returns a static name, such as "copy-direct" or "launch". */
const char *kt_command_name(enum kt_command_kind kind);

/* Members that do not apply to a kind are 0. */
struct kt_command {
	enum kt_command_kind kind;
	uint32_t class_number; /* class of the engine; BIND: of the bound object */
	/* COPY: GPU address of the source; 0 also for a fill, which has no source */
	uint64_t from;
	uint64_t to;    /* COPY, INLINE: GPU address of the destination */
	uint64_t bytes; /* COPY, INLINE: number of bytes written, over all lines */
	uint32_t lines; /* COPY, INLINE: number of lines */
	/*
	 * RELEASE, ACQUIRE: GPU address of the semaphore. COPY, INLINE: if `releases`, GPU
	 * address of the semaphore that is released at the end. LAUNCH, EMPTY_GRID: GPU
	 * address of the QMD.
	 */
	uint64_t address;
	uint64_t payload; /* of the semaphore: 32 bits, or 64 if the method says so */
	/* a semaphore is released; always true for RELEASE, which includes reductions */
	bool releases;
	bool timestamp; /* the engine writes the time after the payload */
	/* bytes of the semaphore that are written, or read by an ACQUIRE: 4, 8 or 16 */
	uint8_t semaphore_bytes;
	bool filled; /* COPY: has no source */
	/* LAUNCH, EMPTY_GRID: the QMD was sent by inline-QMD methods, not by its address */
	bool inlined;
	/*
	 * LAUNCH, EMPTY_GRID: the dwords of the QMD if known from the stream or from
	 * earlier inline data at its address; else NULL. qmd_bytes, 256 to 384, is the
	 * number of known bytes; the QMD's layout gives its actual length. Owned by the
	 * decoder, valid until `each` returns.
	 */
	const uint32_t *qmd;
	size_t qmd_bytes;
	/*
	 * INLINE: the data of all lines, without gaps. Only the first 64 KiB are kept, so
	 * data_words may be less than `bytes` requires. Owned by the decoder, valid until
	 * `each` returns.
	 */
	const uint32_t *data;
	size_t data_words;
};

/* A decoded method: a dword of data with its address, or an IMMEDIATE header. */
struct kt_decoded {
	struct kt_method method;
	/*
	 * class bound to the subchannel; for methods below 0x100, class of the channel; 0:
	 * unknown
	 */
	uint32_t class_number;
	const struct kt_method_class *class_; /* NULL: unknown */
	bool named;
	struct kt_method_info info; /* valid if `named` */
	bool inline_data;           /* the dword is inline data, as for INLINE */
	struct kt_command command;  /* the command that this dword starts or completes */
	const struct kt_channel_decoder *decoder; /* Weak: the channel's decoder */
};

/*
 * Returns the arguments of a launch, which the driver writes as inline data into constant
 * bank 0 before the launch. Sets *address to their GPU address, and *bytes to the number of
 * bytes up to the end of the inline write, which may contain other data after the
 * arguments. Returns NULL if the command is not a launch, or its arguments are not in the
 * stream. The dwords are owned by the decoder and valid until `each` returns.
 */
const uint32_t *kt_launch_arguments(const struct kt_decoded *decoded, uint64_t *address,
				    size_t *bytes);

/*
 * Tells the decoder that [address, address + bytes) was overwritten by something else than
 * inline data: QMDs that overlap are no longer known. Drops an inline write in progress.
 */
void kt_channel_decoder_forget(struct kt_channel_decoder *decoder, uint64_t address,
			       uint64_t bytes);

#define KT_QMD_MOST_WORDS 96 /* dwords of the longest QMD */

/*
 * Reconstructs memory at an address from inline data. Returns how many dwords at the
 * beginning of `out` are known. O(writes in the log).
 */
size_t kt_channel_decoder_memory(const struct kt_channel_decoder *decoder, uint64_t address,
				 uint32_t out[static KT_QMD_MOST_WORDS]);

struct kt_decode_counts {
	uint64_t words;   /* all dwords, including headers */
	uint64_t headers; /* without IMMEDIATE headers, which count as methods */
	uint64_t methods;
	uint64_t unnamed; /* methods without a public name, of known classes */
	uint64_t unbound; /* methods of unknown classes */
	/*
	 * Dwords that were not decoded: those after an END, and those from a header of
	 * unknown form to the end of the segment.
	 */
	uint64_t bad;
	/* number of methods by kind of command; the sum is `methods` */
	uint64_t commands[KT_COMMAND_KINDS];
};

/* `decoded` is valid only during the call. */
typedef void kt_decoded_fn(void *context, const struct kt_decoded *decoded);

/*
 * Decodes a segment and calls `each` for every method in order; with NULL for `each`, only
 * counts. The data of a header may continue in the channel's next segment. In the counts,
 * words == headers + methods + bad always holds. O(n log methods); allocates nothing.
 *
 * An INLINE is not reported if another INLINE begins before all data of the first have
 * arrived. Commands of classes that decode/methods.h does not know are not reported either.
 */
void kt_channel_decode(struct kt_channel_decoder *decoder, const uint32_t *words, size_t n,
		       kt_decoded_fn *each, void *context);
/*
 * Call this if dwords are missing before the next segment. The first dword of that segment
 * is then taken for a header.
 */
void kt_channel_decoder_gap(struct kt_channel_decoder *decoder);

/* Copies the counts since the decoder was created. */
void kt_channel_decoder_counts(const struct kt_channel_decoder *decoder,
			       struct kt_decode_counts *out);

#endif
