/* SPDX-License-Identifier: MIT */
/*
 * Internals of the command decoder, shared by decode/command*.c: the registers that
 * commands use, the meaning of each method of a class, and the log of inline writes.
 */
#ifndef KTAIL_DECODE_COMMAND_STATE_H
#define KTAIL_DECODE_COMMAND_STATE_H

#include "decode/commands.h"

/*
 * The meaning of a method: the decoder keeps the method's value in a register (KT_REG_), or
 * starts or continues a command (KT_DO_).
 */
enum kt_command_code {
	KT_CODE_NONE = 0,
	KT_REG_FROM_UPPER,
	KT_REG_FROM_LOWER,
	KT_REG_TO_UPPER,
	KT_REG_TO_LOWER,
	KT_REG_LENGTH,
	KT_REG_LINES,
	KT_REG_PITCH,
	KT_REG_REMAP,
	/*
	 * Registers of three semaphores, each in the order: upper address, lower address,
	 * payload, upper payload.
	 */
	KT_REG_DONE_UPPER, /* released after a copy or inline write */
	KT_REG_DONE_LOWER,
	KT_REG_DONE_PAYLOAD,
	KT_REG_DONE_PAYLOAD_UPPER,
	KT_REG_REPORT_UPPER, /* SET_REPORT_SEMAPHORE_A..C; host: SEMAPHOREA..C */
	KT_REG_REPORT_LOWER,
	KT_REG_REPORT_PAYLOAD,
	KT_REG_REPORT_PAYLOAD_UPPER, /* no class has this register: always 0 */
	KT_REG_EXECUTE_UPPER, /* for REPORT_SEMAPHORE_EXECUTE; host: for SEM_EXECUTE */
	KT_REG_EXECUTE_LOWER,
	KT_REG_EXECUTE_PAYLOAD,
	KT_REG_EXECUTE_PAYLOAD_UPPER,
	KT_REG_PCAS,
	KT_REG_QMD_UPPER,
	KT_REG_QMD_LOWER,
	KT_REGISTERS,
	KT_DO_BIND = KT_REGISTERS,
	KT_DO_COPY,
	KT_DO_INLINE,
	KT_DO_INLINE_DATA,
	KT_DO_QMD_DATA,
	KT_DO_PCAS,
	KT_DO_SIGNALING_PCAS,
	KT_DO_SIGNALING_PCAS2,
	KT_DO_REPORT,
	KT_DO_REPORT_EXECUTE,
	KT_DO_REPORT_EXECUTE_3D,
	KT_DO_SEMAPHORED,
	KT_DO_SEM_EXECUTE,
	KT_DO_WAIT,
	KT_DO_INVALIDATE,
	KT_DO_MEM_OP,
	KT_DO_CLEAR,
	KT_DO_DRAW,
	KT_COMMAND_CODES,
};

/*
 * kt_engine.codes has a byte for each method: its code, and whether the method has a name.
 */
#define KT_METHODS    0x1000 /* number of methods; the index is the byte offset / 4 */
#define KT_CODE_MASK  0x3f
#define KT_CODE_NAMED 0x40
#define KT_CODE_ASKED 0x80 /* the name was looked up: KT_CODE_NAMED is valid */

#define KT_QMD_WORDS     KT_QMD_MOST_WORDS
#define KT_QMD_MIN_WORDS 64 /* dwords of the shortest QMD */

/* State of an engine object, or of the host. */
struct kt_engine {
	uint32_t number;
	bool bound; /* true: bound by SET_OBJECT; false: unbound, or assumed to be bound */
	const struct kt_method_class *class_; /* NULL: unknown */
	uint8_t codes[KT_METHODS];
	/* for each code: the bits of its method that exist in the class */
	uint32_t masks[KT_COMMAND_CODES];
	uint32_t registers[KT_REGISTERS];
	uint32_t qmd[KT_QMD_WORDS];
};

/* Makes *engine an object of class `number`, with all registers 0. */
void kt_command_bind(struct kt_engine *engine, uint32_t number, bool host);

/*
 * Fills in the codes and masks of the engine's class. A class that is not in
 * decode/methods.h has no codes, so its methods start no commands; but the host (`host` is
 * true) has SET_OBJECT for every class number.
 */
void kt_command_codes(struct kt_engine *engine, bool host);

/* --- log of inline data --- */

#define KT_INLINE_WORDS  0x4000 /* dwords kept: 64 KiB */
#define KT_INLINE_WRITES 512    /* maximum number of writes kept */
#define KT_INLINE_BLOCK  256    /* bytes of a block of memory */
#define KT_INLINE_BLOCKS 0x1000 /* counters of blocks: 12 bits of hash */

struct kt_inline_write {
	uint64_t address;
	uint32_t length; /* bytes per line */
	uint32_t lines;
	uint32_t pitch;
	uint32_t at;    /* in words[] of the log: index of the first dword */
	uint32_t words; /* in words[] of the log: number of dwords */
	bool known; /* the write is complete, and the address of every byte is certain */
};

/*
 * The most recent writes, in a ring from the oldest to the newest. Another ring, words[],
 * holds the dwords of the writes in the same order.
 */
struct kt_inline_log {
	struct kt_inline_write writes[KT_INLINE_WRITES];
	uint32_t first;
	uint32_t n;
	uint32_t end; /* index for the next dwords */
	uint32_t words[KT_INLINE_WORDS];
	/* number of writes that reach a block, indexed by the hash of the block number */
	uint16_t blocks[KT_INLINE_BLOCKS];
	/* number of writes that reach too many blocks to be counted in `blocks` */
	uint32_t wide;
};

/*
 * Begins a write of `bytes` bytes. Drops old writes to reserve space for the dwords of the
 * new write.
 */
struct kt_inline_write *kt_inline_log_begin(struct kt_inline_log *log, uint64_t bytes);
void kt_inline_log_add(struct kt_inline_log *log, uint32_t word);
/*
 * Adds a write whose data are not known, if it overlaps a known one. From 2^31 bytes on, it
 * is taken to reach up to 2^31 bytes further. Visits each write at most once.
 */
void kt_inline_log_lose(struct kt_inline_log *log, uint64_t address, uint64_t bytes);
/* Completes the newest write; `known` says whether the address of every byte is certain. */
const struct kt_inline_write *kt_inline_log_end(struct kt_inline_log *log, bool known);
/* Drops the incomplete write. */
void kt_inline_log_drop(struct kt_inline_log *log);

/*
 * Reconstructs the memory at an address from the log, up to KT_QMD_WORDS dwords. Returns
 * how many dwords at the beginning of `out` are known. Visits each write at most once.
 */
size_t kt_inline_log_read(const struct kt_inline_log *log, uint64_t address,
			  uint32_t out[static KT_QMD_WORDS]);

/*
 * Finds the newest write that covers `address`. Returns the dwords of this write from
 * `address` on, and sets *bytes to their size. Returns NULL if no write covers `address`,
 * or if the newest write that covers it has several lines or no dword that begins there.
 * Visits each write at most once.
 */
const uint32_t *kt_inline_log_find(const struct kt_inline_log *log, uint64_t address,
				   size_t *bytes);

/* An inline write in progress. */
struct kt_upload {
	bool active;
	uint8_t subchannel;
	uint64_t left; /* dwords still to come */
	bool linear; /* pitch layout and no reduction, so every byte's address is certain */
	struct kt_command command; /* the command under construction */
};

/*
 * Number of QMDs without a program whose addresses are kept. A CUDA graph sends the same
 * QMDs again at each launch, when their contents may no longer be in the log.
 */
#define KT_EMPTY_GRIDS 32

struct kt_channel_decoder {
	struct kt_engine host;
	struct kt_engine engines[KT_SUBCHANNELS];
	struct kt_upload upload;
	struct kt_inline_log log;
	uint32_t qmd[KT_QMD_WORDS]; /* QMD of the current launch */
	/* GPU addresses of the newest QMDs without a program; 0: none */
	uint64_t empty_grids[KT_EMPTY_GRIDS];
	uint32_t next_empty_grid; /* index of the oldest */
	struct kt_method_stream stream;
	struct kt_decoded given; /* the method that is being decoded */
	struct kt_decode_counts counts;
};

static inline uint64_t kt_command_join(uint32_t upper, uint32_t lower)
{
	return (uint64_t)upper << 32 | lower;
}

/* --- commands: *out must be empty; each function fills it in or leaves it empty --- */

void kt_command_copy(const struct kt_engine *engine, uint32_t value,
		     struct kt_command *out);
void kt_command_inline(struct kt_channel_decoder *decoder, unsigned subchannel,
		       uint32_t value, struct kt_command *out);
void kt_command_inline_data(struct kt_channel_decoder *decoder, unsigned subchannel,
			    uint32_t value, struct kt_command *out);
void kt_command_inline_qmd(struct kt_channel_decoder *decoder, struct kt_engine *engine,
			   unsigned offset, uint32_t value, struct kt_command *out);
/*
 * Forgets the QMDs without a program that overlap [from, end), because that range is
 * overwritten. O(1).
 */
void kt_command_forget_empty_grids(struct kt_channel_decoder *decoder, uint64_t from,
				   uint64_t end);
/* `code` is KT_DO_PCAS, KT_DO_SIGNALING_PCAS or KT_DO_SIGNALING_PCAS2. */
void kt_command_pcas(struct kt_channel_decoder *decoder, const struct kt_engine *engine,
		     unsigned code, uint32_t value, struct kt_command *out);
/*
 * `code` is KT_DO_SEMAPHORED, KT_DO_SEM_EXECUTE, KT_DO_REPORT, KT_DO_REPORT_EXECUTE or
 * KT_DO_REPORT_EXECUTE_3D.
 */
void kt_command_semaphore(const struct kt_engine *engine, unsigned code, uint32_t value,
			  struct kt_command *out);

#endif
