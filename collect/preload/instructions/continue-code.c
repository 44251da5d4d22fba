/* SPDX-License-Identifier: MIT */
#include "collect/preload/instructions/continue-code.h"

#include <Zydis/Zydis.h>
#include <cpuid.h>
#include <stddef.h>
#include <string.h>

#include "collect/preload/emit/lock.h"
#include "collect/preload/instructions/emulate.h"
#include "collect/preload/instructions/guard.h"

#define PUSHED   8         /* bytes on the stack when the address is computed */
#define LAHF     (1u << 0) /* CPUID 0x80000001, ECX */

/* Bits of ModRM, SIB, REX and of the prefixes of vector instructions. */
#define MOD_DISP32  0x80u
#define RM_SIB      4u
#define NO_INDEX    4u
#define NO_BASE     5u
#define REX_W       0x48u
#define REX_X       0x02u
#define REX_B       0x01u
#define VEX_X_AND_B 0x60u /* inverted */

struct writer {
	uint8_t *at;
};

static void put(struct writer *w, const void *bytes, size_t n)
{
	memcpy(w->at, bytes, n);
	w->at += n;
}

static void put_byte(struct writer *w, unsigned byte)
{
	*w->at++ = (uint8_t)byte;
}

#define PUT(w, ...)                                                                        \
	put(w, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* mov $value, %reg */
static void put_constant(struct writer *w, unsigned reg, uint64_t value)
{
	PUT(w, REX_W, (uint8_t)(0xb8 + reg));
	put(w, &value, sizeof(value));
}

/* OPCODE offset(%rsi), %reg: 0x3b is cmp, 0x03 add, 0x8b mov. */
static void put_with_range(struct writer *w, unsigned opcode, size_t offset, unsigned reg)
{
	PUT(w, REX_W, (uint8_t)opcode, (uint8_t)(0x40 | reg << 3 | KT_RSI),
	    (uint8_t)offset);
}

/* A conditional jump to the end of the code, whose distance is written there later. */
static void put_exit(struct writer *w, unsigned opcode, uint8_t **exits, unsigned *n)
{
	PUT(w, 0x0f, (uint8_t)opcode, 0, 0, 0, 0);
	exits[(*n)++] = w->at;
}

/* lea displacement(%reg), %reg */
static void put_move_by(struct writer *w, unsigned reg, int displacement)
{
	PUT(w, REX_W, 0x8d, (uint8_t)(0x40 | reg << 3 | reg), (uint8_t)displacement);
}

/* Loads the address of the memory operand, while PUSHED bytes are on the stack. */
static void put_address(struct writer *w, const struct kt_instruction *in, uintptr_t ip,
			unsigned reg)
{
	bool has_base = in->base != KT_NO_REGISTER;
	unsigned index = in->index != KT_NO_REGISTER ? in->index : NO_INDEX;
	unsigned base = has_base ? in->base : NO_BASE;
	int64_t displacement = in->displacement;
	int32_t narrow;

	if (in->base == KT_REGISTER_RIP) {
		put_constant(w, reg, ip + in->length + (uint64_t)displacement);
		return;
	}
	if (in->base == KT_RSP) {
		displacement += KT_RED_ZONE + PUSHED;
	}
	narrow = (int32_t)displacement;
	PUT(w, (uint8_t)(REX_W | (index >= 8 ? REX_X : 0) | (base >= 8 ? REX_B : 0)), 0x8d,
	    (uint8_t)((has_base ? MOD_DISP32 : 0) | reg << 3 | RM_SIB),
	    (uint8_t)((unsigned)__builtin_ctz(in->scale ? in->scale : 1) << 6 |
		      (index & 7) << 3 | (base & 7)));
	put(w, &narrow, sizeof(narrow));
}

/* Writes the instruction with its memory operand replaced by (%reg). */
static void put_access(struct writer *w, const ZydisDecodedInstruction *i,
		       const uint8_t *code, unsigned reg)
{
	uint8_t *start = w->at;

	put(w, code, i->raw.modrm.offset);
	switch (i->encoding) {
	case ZYDIS_INSTRUCTION_ENCODING_LEGACY:
		if (i->attributes & ZYDIS_ATTRIB_HAS_REX) {
			start[i->raw.rex.offset] &= (uint8_t) ~(REX_X | REX_B);
		}
		break;
	case ZYDIS_INSTRUCTION_ENCODING_VEX:
		if (i->raw.vex.size == 3) {
			start[i->raw.vex.offset + 1] |= VEX_X_AND_B;
		}
		break;
	default: start[i->raw.evex.offset + 1] |= VEX_X_AND_B; break;
	}
	put_byte(w, (unsigned)i->raw.modrm.reg << 3 | reg);
	for (unsigned k = 0; k < 2; k++) {
		put(w, code + i->raw.imm[k].offset, i->raw.imm[k].size / 8u);
	}
}

/* The stack pointer is another one when the access is made. */
static bool names_stack_pointer(const struct kt_instruction *in)
{
	return in->form == KT_FORM_GENERAL && !in->has_immediate &&
	       in->part.number == KT_RSP && in->part.shift == 0;
}

static bool is_simple(const struct kt_instruction *in)
{
	return (in->form == KT_FORM_GENERAL
			? in->action == KT_STORE || in->action == KT_LOAD
			: kt_emulate_is_whole_vector(in)) &&
	       !names_stack_pointer(in) && !in->narrow && !in->segment &&
	       in->displacement >= INT32_MIN &&
	       in->displacement <= INT32_MAX - KT_RED_ZONE - PUSHED;
}

static bool has_lahf(void)
{
	unsigned a;
	unsigned b;
	unsigned c;
	unsigned d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && c & LAHF;
}

static bool decode(ZydisDecodedInstruction *i, const uint8_t *code, size_t n)
{
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, n, i)) &&
	       i->attributes & ZYDIS_ATTRIB_HAS_MODRM &&
	       (i->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
		i->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX ||
		i->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX);
}

/*
 * `at` is not the instruction's register operand, and holds the address; %rax, %rsi
 * and flags are restored before the access, which may set them.
 */
uintptr_t kt_continue_code_put(struct kt_continue_code *out, uintptr_t address,
			       const uint8_t *code, size_t n, uintptr_t ip,
			       const struct kt_continue_range *range)
{
	struct writer w = {(uint8_t *)address};
	ZydisDecodedInstruction i;
	struct kt_instruction in;
	uint8_t *exits[8];
	unsigned n_exits = 0;
	unsigned at;

	*out = (struct kt_continue_code){.access = 0};
	if (!range || !kt_instruction_decode(&in, code, n) || !is_simple(&in) ||
	    !decode(&i, code, n) || !has_lahf()) {
		return address;
	}
	at = in.form == KT_FORM_GENERAL && in.part.number == KT_RCX ? KT_RDX : KT_RCX;
	PUT(&w, 0x48, 0x8d, 0x64, 0x24, 0x80); /* lea -128(%rsp), %rsp */
	put_byte(&w, 0x50 + at);               /* push */
	put_address(&w, &in, ip, at);
	/* push %rax; lahf; seto %al; push %rax; push %rsi */
	PUT(&w, 0x50, 0x9f, 0x0f, 0x90, 0xc0, 0x50, 0x56);
	put_constant(&w, KT_RSI, (uintptr_t)range);
	put_with_range(&w, 0x8b, offsetof(struct kt_continue_range, turn), KT_RAX);
	put_with_range(&w, 0x3b, offsetof(struct kt_continue_range, lo[in.writes]), at);
	put_exit(&w, 0x82, exits, &n_exits); /* jb */
	put_with_range(&w, 0x3b, offsetof(struct kt_continue_range, hi[in.writes]), at);
	put_exit(&w, 0x83, exits, &n_exits); /* jae */
	put_move_by(&w, at, in.width);
	put_with_range(&w, 0x3b, offsetof(struct kt_continue_range, hi[in.writes]), at);
	put_exit(&w, 0x87, exits, &n_exits); /* ja */
	put_move_by(&w, at, -in.width);
	put_with_range(&w, 0x03, offsetof(struct kt_continue_range, to_alias), at);
	/* All that was read is valid if no other thread has taken the lock meanwhile. */
	put_with_range(&w, 0x3b, offsetof(struct kt_continue_range, turn), KT_RAX);
	put_exit(&w, 0x85, exits, &n_exits); /* jne */
	put_constant(&w, KT_RSI, (uintptr_t)&kt_lock_turns);
	put_with_range(&w, 0x3b, 0, KT_RAX);
	put_exit(&w, 0x85, exits, &n_exits); /* jne */
	put_constant(&w, KT_RSI, 0);
	out->count = (uintptr_t)w.at - sizeof(uint64_t);
	PUT(&w, 0x48, 0xff, 0x06); /* incq (%rsi) */
	/* pop %rsi; pop %rax; add $0x7f, %al (sets the overflow flag); sahf; pop %rax */
	PUT(&w, 0x5e, 0x58, 0x04, 0x7f, 0x9e, 0x58);
	out->access = (uintptr_t)w.at;
	put_access(&w, &i, code, at);
	put_byte(&w, 0x58 + at);                            /* pop */
	PUT(&w, 0x48, 0x8d, 0xa4, 0x24, KT_RED_ZONE, 0, 0, 0); /* lea 128(%rsp), %rsp */
	out->rest = (uintptr_t)w.at;
	PUT(&w, 0xe9, 0, 0, 0, 0);
	for (unsigned k = 0; k < n_exits; k++) {
		int32_t distance = (int32_t)(w.at - exits[k]);

		memcpy(exits[k] - sizeof(distance), &distance, sizeof(distance));
	}
	PUT(&w, 0x5e, 0x58, 0x04, 0x7f, 0x9e, 0x58);
	out->bail = (uintptr_t)w.at;
	put_byte(&w, 0x58 + at); /* pop */
	return (uintptr_t)w.at;
}
