/* SPDX-License-Identifier: MIT */
/*
 * Inside the decoder of commands: the registers that commands are made of, what each
 * method is for a class, the inline writes that are remembered. For decode/command*.c.
 */
#ifndef KTAIL_DECODE_COMMAND_STATE_H
#define KTAIL_DECODE_COMMAND_STATE_H

#include "decode/commands.h"

/* What a method is for us: a register that is kept, or something that starts. */
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
	/* Semaphores: upper address, lower address, payload, upper payload, in this order
	 */
	KT_REG_DONE_UPPER, /* of a copy or inline data, when it is done */
	KT_REG_DONE_LOWER,
	KT_REG_DONE_PAYLOAD,
	KT_REG_DONE_PAYLOAD_UPPER,
	KT_REG_REPORT_UPPER, /* SET_REPORT_SEMAPHORE_A..C; host: SEMAPHOREA..C */
	KT_REG_REPORT_LOWER,
	KT_REG_REPORT_PAYLOAD,
	KT_REG_REPORT_PAYLOAD_UPPER, /* no class has it: 0 */
	KT_REG_EXECUTE_UPPER,        /* REPORT_SEMAPHORE_EXECUTE's; host: SEM_EXECUTE's */
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
	KT_DO_SEMAPHORED,
	KT_DO_SEM_EXECUTE,
	KT_DO_WAIT,
	KT_DO_INVALIDATE,
	KT_DO_MEM_OP,
	KT_COMMAND_CODES,
};

/* A byte for each method of a class: its code, and what is known of its name. */
#define KT_METHODS    0x1000 /* by byte offset / 4 */
#define KT_CODE_MASK  0x3f
#define KT_CODE_NAMED 0x40
#define KT_CODE_ASKED 0x80 /* NAMED is known */

#define KT_QMD_WORDS     96 /* the longest QMD */
#define KT_QMD_MIN_WORDS 64 /* the shortest */

/* One engine object, or the host. */
struct kt_engine {
	uint32_t number;
	bool bound;                           /* by SET_OBJECT */
	const struct kt_method_class *class_; /* NULL: unknown */
	uint8_t codes[KT_METHODS];
	uint32_t masks[KT_COMMAND_CODES]; /* bits that the class has */
	uint32_t registers[KT_REGISTERS];
	uint32_t qmd[KT_QMD_WORDS];
};

/* Makes it an object of that class, with all registers 0. */
void kt_command_bind(struct kt_engine *engine, uint32_t number, bool host);

/*
 * Fills the codes and masks of its class. A class that is not in decode/methods.h has none:
 * what its methods start is not guessed. The host has SET_OBJECT in any case.
 */
void kt_command_codes(struct kt_engine *engine, bool host);

/* --- what inline data wrote --- */

#define KT_INLINE_WORDS  0x4000 /* 64 KiB are remembered, */
#define KT_INLINE_WRITES 512    /* of at most this many writes */
#define KT_INLINE_BLOCK  256    /* bytes */
#define KT_INLINE_BLOCKS 0x1000 /* 12 bits of hash */

struct kt_inline_write {
	uint64_t address;
	uint32_t length; /* bytes of a line */
	uint32_t lines;
	uint32_t pitch;
	uint32_t at;    /* of its first word */
	uint32_t words; /* that it has there */
	bool known;     /* it is complete, and where each byte went is clear */
};

/* Oldest first, in a ring; their words lie in the same order in another one. */
struct kt_inline_log {
	struct kt_inline_write writes[KT_INLINE_WRITES];
	uint32_t first;
	uint32_t n;
	uint32_t end; /* where the next words go */
	uint32_t words[KT_INLINE_WORDS];
	/* Writes that reach a block, by a hash of its number */
	uint16_t blocks[KT_INLINE_BLOCKS];
	uint32_t wide; /* writes that reach too many blocks to count there */
};

/* Begins a write of `bytes`, and forgets as many old ones as its words need. */
struct kt_inline_write *kt_inline_log_begin(struct kt_inline_log *log, uint64_t bytes);
void kt_inline_log_add(struct kt_inline_log *log, uint32_t word);
/* It is complete; known: and where each byte went is clear. */
const struct kt_inline_write *kt_inline_log_end(struct kt_inline_log *log, bool known);
/* Takes back a write that was never complete. */
void kt_inline_log_drop(struct kt_inline_log *log);

/*
 * Reads what stands at an address as far as the log knows it, word by word, up to a QMD's
 * length: gives the number of words. Looks at each write once.
 */
size_t kt_inline_log_read(const struct kt_inline_log *log, uint64_t address,
			  uint32_t out[static KT_QMD_WORDS]);

/* Inline data on the way. */
struct kt_upload {
	bool active;
	uint8_t subchannel;
	uint64_t left;             /* words to come */
	bool linear;               /* its bytes go where address and pitch say */
	struct kt_command command; /* what it will be */
};

struct kt_channel_decoder {
	struct kt_engine host;
	struct kt_engine engines[KT_SUBCHANNELS];
	struct kt_upload upload;
	struct kt_inline_log log;
	uint32_t qmd[KT_QMD_WORDS]; /* of the launch that is given */
	struct kt_decoded given;    /* the method at hand */
	struct kt_decode_counts counts;
};

static inline uint64_t kt_command_join(uint32_t upper, uint32_t lower)
{
	return (uint64_t)upper << 32 | lower;
}

/* --- what methods start: each fills `out`, which is empty, or leaves it so --- */

void kt_command_copy(const struct kt_engine *engine, uint32_t value,
		     struct kt_command *out);
void kt_command_inline(struct kt_channel_decoder *decoder, unsigned subchannel,
		       uint32_t value, struct kt_command *out);
void kt_command_inline_data(struct kt_channel_decoder *decoder, unsigned subchannel,
			    uint32_t value, struct kt_command *out);
void kt_command_inline_qmd(struct kt_channel_decoder *decoder, struct kt_engine *engine,
			   unsigned offset, uint32_t value, struct kt_command *out);
/* `code`: which of the three methods. */
void kt_command_pcas(struct kt_channel_decoder *decoder, const struct kt_engine *engine,
		     unsigned code, uint32_t value, struct kt_command *out);
/* `code`: which of the four methods. */
void kt_command_semaphore(const struct kt_engine *engine, unsigned code, uint32_t value,
			  struct kt_command *out);

#endif
