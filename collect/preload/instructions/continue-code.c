/* SPDX-License-Identifier: MIT */
#include "collect/preload/instructions/continue-code.h"

#include <Zydis/Zydis.h>
#include <stddef.h>
#include <string.h>

#include "collect/preload/instructions/continue-check.h"
#include "collect/preload/instructions/emulate.h"
#include "collect/preload/instructions/guard.h"

#define PUSHED_MOST 16 /* bytes on the stack when the address is computed: 8 or 16 */

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

/*
 * lea OPERAND, %rcx: loads the address of the memory operand, while `pushed` bytes are on
 * the stack.
 */
static void put_address(struct writer *w, const struct kt_instruction *in, uintptr_t ip,
			unsigned pushed)
{
	bool has_base = in->base != KT_NO_REGISTER;
	unsigned index = in->index != KT_NO_REGISTER ? in->index : NO_INDEX;
	unsigned base = has_base ? in->base : NO_BASE;
	int64_t displacement = in->displacement;
	int32_t narrow;

	if (in->base == KT_REGISTER_RIP) {
		put_constant(w, KT_RCX, ip + in->length + (uint64_t)displacement);
		return;
	}
	if (in->base == KT_RSP) {
		displacement += KT_RED_ZONE + pushed;
	}
	narrow = (int32_t)displacement;
	PUT(w, (uint8_t)(REX_W | (index >= 8 ? REX_X : 0) | (base >= 8 ? REX_B : 0)), 0x8d,
	    (uint8_t)((has_base ? MOD_DISP32 : 0) | KT_RCX << 3 | RM_SIB),
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
	       in->displacement <= INT32_MAX - KT_RED_ZONE - PUSHED_MOST &&
	       kt_continue_check_of(in);
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
 * The check (continue-check.c) finds the address in %rcx and its site in %rsi, and replaces
 * the address by that in the recorder's mapping, or by 0. The access is made with %rcx, or
 * with %rdx if %rcx is the instruction's register operand. Flags are the program's
 * throughout.
 */
uintptr_t kt_continue_code_put(struct kt_continue_code *out, uintptr_t address,
			       const uint8_t *code, size_t n, uintptr_t ip,
			       const struct kt_continue_site *site)
{
	struct writer w = {(uint8_t *)address};
	ZydisDecodedInstruction i;
	struct kt_instruction in;
	uint8_t *exit;
	bool uses_rcx;
	unsigned at;

	*out = (struct kt_continue_code){.access = 0};
	if (!site || !kt_instruction_decode(&in, code, n) || !is_simple(&in) ||
	    !decode(&i, code, n)) {
		return address;
	}
	uses_rcx = in.form == KT_FORM_GENERAL && in.part.number == KT_RCX;
	at = uses_rcx ? KT_RDX : KT_RCX;
	PUT(&w, 0x48, 0x8d, 0x64, 0x24, 0x80); /* lea -128(%rsp), %rsp */
	put_byte(&w, 0x50 + at);               /* push */
	if (uses_rcx) {
		put_byte(&w, 0x51); /* push %rcx */
	}
	put_address(&w, &in, ip, uses_rcx ? PUSHED_MOST : PUSHED_MOST / 2);
	put_byte(&w, 0x56); /* push %rsi */
	put_constant(&w, KT_RSI, (uintptr_t)site);
	out->site = (uintptr_t)w.at - sizeof(uint64_t);
	PUT(&w, 0xff, 0x16, 0x5e, 0xe3, 0); /* call *(%rsi); pop %rsi; jrcxz */
	exit = w.at;
	if (uses_rcx) {
		PUT(&w, 0x48, 0x89, 0xca, 0x59); /* mov %rcx, %rdx; pop %rcx */
	}
	out->access = (uintptr_t)w.at;
	put_access(&w, &i, code, at);
	put_byte(&w, 0x58 + at);                               /* pop */
	PUT(&w, 0x48, 0x8d, 0xa4, 0x24, KT_RED_ZONE, 0, 0, 0); /* lea 128(%rsp), %rsp */
	out->rest = (uintptr_t)w.at;
	PUT(&w, 0xe9, 0, 0, 0, 0);
	exit[-1] = (uint8_t)(w.at - exit);
	if (uses_rcx) {
		put_byte(&w, 0x59); /* pop %rcx */
	}
	out->bail = (uintptr_t)w.at;
	put_byte(&w, 0x58 + at); /* pop */
	return (uintptr_t)w.at;
}
