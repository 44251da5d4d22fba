/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/collect/instructions/forms.h"

#include <Zydis/Zydis.h>
#include <asm/prctl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ANY 3 /* FORM_WIDE | FORM_SHORT */

/*
 * An arithmetic operation in its four encodings with a register and three with an
 * immediate.
 */
#define ARITHMETIC(name, n, lock)                                                          \
	{name " m8,r8", FORM_LEGACY, 0, 0, (n)*8, -1, 0, (lock)},                          \
		{name " m,r", FORM_LEGACY, 0, 0, (n)*8 + 1, -1, 0, ANY | (lock)},          \
		{name " r8,m8", FORM_LEGACY, 0, 0, (n)*8 + 2, -1, 0, 0},                   \
		{name " r,m", FORM_LEGACY, 0, 0, (n)*8 + 3, -1, 0, ANY},                   \
		{name " m8,i8", FORM_LEGACY, 0, 0, 0x80, n, 1, (lock)},                    \
		{name " m,i", FORM_LEGACY, 0, 0, 0x81, n, 4, ANY | (lock)},                \
	{                                                                                  \
		name " m,i8", FORM_LEGACY, 0, 0, 0x83, n, 1, ANY | (lock)                  \
	}

#define VECTOR(name, prefix, opcode, flags)                                                \
	{name, FORM_LEGACY, 1, prefix, opcode, -1, 0, flags},                              \
	{                                                                                  \
		"v" name, FORM_VEX, 1, prefix, opcode, -1, 0,                              \
			FORM_LONG | FORM_WIDE | (flags)                                    \
	}

#define EVEX(name, prefix, opcode, flags)                                                  \
	{                                                                                  \
		name, FORM_EVEX, 1, prefix, opcode, -1, 0, FORM_LONG | (flags)             \
	}

const struct form forms[] = {
	{"mov m8,r8", FORM_LEGACY, 0, 0, 0x88, -1, 0, 0},
	{"mov m,r", FORM_LEGACY, 0, 0, 0x89, -1, 0, ANY},
	{"mov r8,m8", FORM_LEGACY, 0, 0, 0x8a, -1, 0, 0},
	{"mov r,m", FORM_LEGACY, 0, 0, 0x8b, -1, 0, ANY},
	{"mov m8,i8", FORM_LEGACY, 0, 0, 0xc6, 0, 1, 0},
	{"mov m,i", FORM_LEGACY, 0, 0, 0xc7, 0, 4, ANY},
	{"mov al,o", FORM_LEGACY, 0, 0, 0xa0, -1, 0, FORM_OFFSET},
	{"mov a,o", FORM_LEGACY, 0, 0, 0xa1, -1, 0, FORM_OFFSET | ANY},
	{"mov o,al", FORM_LEGACY, 0, 0, 0xa2, -1, 0, FORM_OFFSET},
	{"mov o,a", FORM_LEGACY, 0, 0, 0xa3, -1, 0, FORM_OFFSET | ANY},
	{"movzx r,m8", FORM_LEGACY, 1, 0, 0xb6, -1, 0, ANY},
	{"movzx r,m16", FORM_LEGACY, 1, 0, 0xb7, -1, 0, ANY},
	{"movsx r,m8", FORM_LEGACY, 1, 0, 0xbe, -1, 0, ANY},
	{"movsx r,m16", FORM_LEGACY, 1, 0, 0xbf, -1, 0, ANY},
	{"movsxd", FORM_LEGACY, 0, 0, 0x63, -1, 0, FORM_WIDE},
	{"movnti", FORM_LEGACY, 1, 0, 0xc3, -1, 0, FORM_WIDE},
	{"movbe r,m", FORM_LEGACY, 2, 0, 0xf0, -1, 0, ANY},
	{"movbe m,r", FORM_LEGACY, 2, 0, 0xf1, -1, 0, ANY},
	{"movdiri", FORM_LEGACY, 2, 0, 0xf9, -1, 0, FORM_WIDE},
	ARITHMETIC("add", 0, FORM_LOCK),
	ARITHMETIC("or", 1, FORM_LOCK),
	ARITHMETIC("adc", 2, FORM_LOCK),
	ARITHMETIC("sbb", 3, FORM_LOCK),
	ARITHMETIC("and", 4, FORM_LOCK),
	ARITHMETIC("sub", 5, FORM_LOCK),
	ARITHMETIC("xor", 6, FORM_LOCK),
	ARITHMETIC("cmp", 7, 0),
	{"test m8,r8", FORM_LEGACY, 0, 0, 0x84, -1, 0, 0},
	{"test m,r", FORM_LEGACY, 0, 0, 0x85, -1, 0, ANY},
	{"test m8,i8", FORM_LEGACY, 0, 0, 0xf6, 0, 1, 0},
	{"test m,i", FORM_LEGACY, 0, 0, 0xf7, 0, 4, ANY},
	{"xchg m8,r8", FORM_LEGACY, 0, 0, 0x86, -1, 0, FORM_LOCK},
	{"xchg m,r", FORM_LEGACY, 0, 0, 0x87, -1, 0, ANY | FORM_LOCK},
	{"xadd m8,r8", FORM_LEGACY, 1, 0, 0xc0, -1, 0, FORM_LOCK},
	{"xadd m,r", FORM_LEGACY, 1, 0, 0xc1, -1, 0, ANY | FORM_LOCK},
	{"cmpxchg m8,r8", FORM_LEGACY, 1, 0, 0xb0, -1, 0, FORM_LOCK},
	{"cmpxchg m,r", FORM_LEGACY, 1, 0, 0xb1, -1, 0, ANY | FORM_LOCK},
	{"inc m8", FORM_LEGACY, 0, 0, 0xfe, 0, 0, FORM_LOCK},
	{"inc m", FORM_LEGACY, 0, 0, 0xff, 0, 0, ANY | FORM_LOCK},
	{"dec m8", FORM_LEGACY, 0, 0, 0xfe, 1, 0, FORM_LOCK},
	{"dec m", FORM_LEGACY, 0, 0, 0xff, 1, 0, ANY | FORM_LOCK},
	{"not m8", FORM_LEGACY, 0, 0, 0xf6, 2, 0, FORM_LOCK},
	{"not m", FORM_LEGACY, 0, 0, 0xf7, 2, 0, ANY | FORM_LOCK},
	{"neg m8", FORM_LEGACY, 0, 0, 0xf6, 3, 0, FORM_LOCK},
	{"neg m", FORM_LEGACY, 0, 0, 0xf7, 3, 0, ANY | FORM_LOCK},
	VECTOR("movups x,m", 0, 0x10, 0),
	VECTOR("movups m,x", 0, 0x11, 0),
	VECTOR("movupd x,m", 1, 0x10, 0),
	VECTOR("movupd m,x", 1, 0x11, 0),
	VECTOR("movaps x,m", 0, 0x28, FORM_ALIGNED),
	VECTOR("movaps m,x", 0, 0x29, FORM_ALIGNED),
	VECTOR("movapd x,m", 1, 0x28, FORM_ALIGNED),
	VECTOR("movapd m,x", 1, 0x29, FORM_ALIGNED),
	VECTOR("movdqu x,m", 2, 0x6f, 0),
	VECTOR("movdqu m,x", 2, 0x7f, 0),
	VECTOR("movdqa x,m", 1, 0x6f, FORM_ALIGNED),
	VECTOR("movdqa m,x", 1, 0x7f, FORM_ALIGNED),
	VECTOR("lddqu", 3, 0xf0, 0),
	VECTOR("movntdq", 1, 0xe7, FORM_ALIGNED),
	VECTOR("movntps", 0, 0x2b, FORM_ALIGNED),
	VECTOR("movntpd", 1, 0x2b, FORM_ALIGNED),
	{"movntdqa", FORM_LEGACY, 2, 1, 0x2a, -1, 0, FORM_ALIGNED},
	{"vmovntdqa", FORM_VEX, 2, 1, 0x2a, -1, 0, FORM_LONG | FORM_ALIGNED},
	{"movd/q x,m", FORM_LEGACY, 1, 1, 0x6e, -1, 0, FORM_WIDE},
	{"movd/q m,x", FORM_LEGACY, 1, 1, 0x7e, -1, 0, FORM_WIDE},
	{"vmovd/q x,m", FORM_VEX, 1, 1, 0x6e, -1, 0, FORM_WIDE},
	{"vmovd/q m,x", FORM_VEX, 1, 1, 0x7e, -1, 0, FORM_WIDE},
	{"movq x,m", FORM_LEGACY, 1, 2, 0x7e, -1, 0, 0},
	{"movq m,x", FORM_LEGACY, 1, 1, 0xd6, -1, 0, 0},
	{"vmovq x,m", FORM_VEX, 1, 2, 0x7e, -1, 0, 0},
	{"vmovq m,x", FORM_VEX, 1, 1, 0xd6, -1, 0, 0},
	VECTOR("movss x,m", 2, 0x10, 0),
	VECTOR("movss m,x", 2, 0x11, 0),
	VECTOR("movsd x,m", 3, 0x10, 0),
	VECTOR("movsd m,x", 3, 0x11, 0),
	{"movntss", FORM_LEGACY, 1, 2, 0x2b, -1, 0, 0},
	{"movntsd", FORM_LEGACY, 1, 3, 0x2b, -1, 0, 0},
	{"movlps x,m", FORM_LEGACY, 1, 0, 0x12, -1, 0, 0},
	{"movlps m,x", FORM_LEGACY, 1, 0, 0x13, -1, 0, 0},
	{"movlpd x,m", FORM_LEGACY, 1, 1, 0x12, -1, 0, 0},
	{"movlpd m,x", FORM_LEGACY, 1, 1, 0x13, -1, 0, 0},
	{"movhps x,m", FORM_LEGACY, 1, 0, 0x16, -1, 0, 0},
	{"movhps m,x", FORM_LEGACY, 1, 0, 0x17, -1, 0, 0},
	{"movhpd x,m", FORM_LEGACY, 1, 1, 0x16, -1, 0, 0},
	{"movhpd m,x", FORM_LEGACY, 1, 1, 0x17, -1, 0, 0},
	{"vmovlps x,x,m", FORM_VEX, 1, 0, 0x12, -1, 0, FORM_THREE},
	{"vmovlps m,x", FORM_VEX, 1, 0, 0x13, -1, 0, 0},
	{"vmovlpd x,x,m", FORM_VEX, 1, 1, 0x12, -1, 0, FORM_THREE},
	{"vmovhps x,x,m", FORM_VEX, 1, 0, 0x16, -1, 0, FORM_THREE},
	{"vmovhps m,x", FORM_VEX, 1, 0, 0x17, -1, 0, 0},
	{"vmovhpd x,x,m", FORM_VEX, 1, 1, 0x16, -1, 0, FORM_THREE},
	{"vmovhpd m,x", FORM_VEX, 1, 1, 0x17, -1, 0, 0},
	EVEX("vmovups z,m", 0, 0x10, 0),
	EVEX("vmovups m,z", 0, 0x11, 0),
	EVEX("vmovupd z,m", 1, 0x10, FORM_W1),
	EVEX("vmovupd m,z", 1, 0x11, FORM_W1),
	EVEX("vmovaps z,m", 0, 0x28, FORM_ALIGNED),
	EVEX("vmovaps m,z", 0, 0x29, FORM_ALIGNED),
	EVEX("vmovapd z,m", 1, 0x28, FORM_ALIGNED | FORM_W1),
	EVEX("vmovapd m,z", 1, 0x29, FORM_ALIGNED | FORM_W1),
	EVEX("vmovdqu8 z,m", 3, 0x6f, 0),
	EVEX("vmovdqu8 m,z", 3, 0x7f, 0),
	EVEX("vmovdqu16 z,m", 3, 0x6f, FORM_W1),
	EVEX("vmovdqu16 m,z", 3, 0x7f, FORM_W1),
	EVEX("vmovdqu32 z,m", 2, 0x6f, 0),
	EVEX("vmovdqu32 m,z", 2, 0x7f, 0),
	EVEX("vmovdqu64 z,m", 2, 0x6f, FORM_W1),
	EVEX("vmovdqu64 m,z", 2, 0x7f, FORM_W1),
	EVEX("vmovdqa32 z,m", 1, 0x6f, FORM_ALIGNED),
	EVEX("vmovdqa32 m,z", 1, 0x7f, FORM_ALIGNED),
	EVEX("vmovdqa64 z,m", 1, 0x6f, FORM_ALIGNED | FORM_W1),
	EVEX("vmovdqa64 m,z", 1, 0x7f, FORM_ALIGNED | FORM_W1),
	EVEX("vmovntdq m,z", 1, 0xe7, FORM_ALIGNED),
	EVEX("vmovntps m,z", 0, 0x2b, FORM_ALIGNED),
	{"vmovd z,m", FORM_EVEX, 1, 1, 0x6e, -1, 0, 0},
	{"vmovq z,m", FORM_EVEX, 1, 1, 0x6e, -1, 0, FORM_W1},
	{"vmovd m,z", FORM_EVEX, 1, 1, 0x7e, -1, 0, 0},
	{"vmovss z,m", FORM_EVEX, 1, 2, 0x10, -1, 0, 0},
	{"vmovss m,z", FORM_EVEX, 1, 2, 0x11, -1, 0, 0},
	{"vmovsd z,m", FORM_EVEX, 1, 3, 0x10, -1, 0, FORM_W1},
	{"vmovlps z,z,m", FORM_EVEX, 1, 0, 0x12, -1, 0, FORM_THREE},
	{"vmovhps z,z,m", FORM_EVEX, 1, 0, 0x16, -1, 0, FORM_THREE},
	{"vmovhps m,z", FORM_EVEX, 1, 0, 0x17, -1, 0, 0},
};
const size_t forms_n = sizeof(forms) / sizeof(forms[0]);

/* An instruction while it is being encoded. */
struct making {
	const struct form *form;
	unsigned char *code;
	size_t n;
	bool is_short;
	size_t patch; /* offset of a four-byte displacement to be computed; 0: none */
};

static void put(struct making *m, unsigned byte)
{
	m->code[m->n++] = (unsigned char)byte;
}

static unsigned bits(unsigned n)
{
	return (unsigned)(machine_random() >> 20) & ((1u << n) - 1);
}

static void put_random(struct making *m, unsigned n)
{
	while (n--) {
		put(m, bits(3) ? bits(8) : 0xff * bits(1)); /* 0 and -1 are frequent */
	}
}

static void put_legacy(struct making *m)
{
	static const uint8_t mandatory[] = {0, 0x66, 0xf3, 0xf2};
	const struct form *f = m->form;

	if ((f->flags & FORM_LOCK) && bits(1)) {
		put(m, 0xf0);
	}
	if ((f->flags & FORM_SHORT) && bits(2) == 0) {
		put(m, 0x66);
		m->is_short = true;
	}
	if (f->prefix) {
		put(m, mandatory[f->prefix]);
	}
	if (bits(2)) {
		unsigned rex = 0x40 | bits(3) | ((f->flags & FORM_WIDE) ? bits(1) << 3 : 0);

		m->is_short = m->is_short && !(rex & 8);
		put(m, rex);
	}
	if (f->map) {
		put(m, 0x0f);
	}
	if (f->map == 2) {
		put(m, 0x38);
	}
}

static unsigned w_bit(const struct form *f)
{
	return f->flags & FORM_W1 ? 1 : f->flags & FORM_WIDE ? bits(1) : 0;
}

static void put_vex(struct making *m)
{
	const struct form *f = m->form;
	unsigned v = f->flags & FORM_THREE ? bits(4) : 15;
	unsigned l = f->flags & FORM_LONG ? bits(1) : 0;

	put(m, 0xc4);
	put(m, bits(3) << 5 | f->map);
	put(m, w_bit(f) << 7 | v << 3 | l << 2 | f->prefix);
}

static void put_evex(struct making *m)
{
	const struct form *f = m->form;
	unsigned v = f->flags & FORM_THREE ? bits(5) : 31;
	unsigned l = f->flags & FORM_LONG ? bits(2) % 3 : 0;

	put(m, 0x62);
	put(m, bits(4) << 4 | f->map);
	put(m, w_bit(f) << 7 | (v & 15) << 3 | 4 | f->prefix);
	put(m, l << 5 | (v >> 4) << 3);
}

static void put_operand(struct making *m)
{
	unsigned mod = bits(2) % 3;
	unsigned rm = bits(3);
	unsigned sib = bits(8);

	put(m,
	    mod << 6 | (m->form->digit < 0 ? bits(3) : (unsigned)m->form->digit) << 3 | rm);
	if (rm == 4) {
		put(m, sib);
	}
	if (mod == 1) {
		put_random(m, 1);
	} else if (mod == 2) {
		put_random(m, 2);
		put(m, 0);
		put(m, 0);
	} else if (rm == 5 || (rm == 4 && (sib & 7) == 5)) {
		m->patch = m->n;
		put_random(m, 4);
	}
}

static bool decode(const unsigned char *code, size_t n, ZydisDecodedInstruction *in,
		   ZydisDecodedOperand *memory)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, n, in, operands))) {
		return false;
	}
	for (unsigned i = 0; i < in->operand_count_visible; i++) {
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY) {
			*memory = operands[i];
			return in->length == n;
		}
	}
	return false;
}

static uint64_t *register_of(struct machine *machine, ZydisRegister reg)
{
	reg = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	return reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15
		       ? &machine->general[reg - ZYDIS_REGISTER_RAX]
		       : NULL;
}

static uint64_t segment_of(const ZydisDecodedOperand *memory)
{
	uint64_t base = 0;

	if (memory->mem.segment == ZYDIS_REGISTER_FS) {
		syscall(SYS_arch_prctl, ARCH_GET_FS, &base);
	}
	return base;
}

/* Sets the registers so that base + index * scale + displacement equals the target. */
static bool solve(struct making *m, struct machine *machine,
		  const ZydisDecodedInstruction *in, const ZydisDecodedOperand *memory,
		  uint64_t target, uint64_t *address)
{
	uint64_t mask = in->address_width == 64 ? ~0ull : 0xffffffffu;
	uint64_t *base = register_of(machine, memory->mem.base);
	uint64_t *index = register_of(machine, memory->mem.index);
	uint64_t segment = segment_of(memory);
	uint64_t rest = target - segment;

	if (segment && (mask != ~0ull || !base || m->patch)) {
		return false;
	}
	if (m->patch) {
		int32_t displacement;

		if (index) {
			*index = machine_random() % 1000;
			rest -= *index * memory->mem.scale;
		}
		rest -= memory->mem.base == ZYDIS_REGISTER_RIP ||
					memory->mem.base == ZYDIS_REGISTER_EIP
				? machine_ip(m->n) + m->n
				: 0;
		displacement = (int32_t)rest;
		memcpy(m->code + m->patch, &displacement, sizeof(displacement));
		if (base) {
			return false;
		}
		*address = target;
		return true;
	}
	rest -= (uint64_t)memory->mem.disp.value;
	if (base && base == index) {
		*base = (rest & mask) / (1u + memory->mem.scale);
		*address = (segment + *base * (1u + memory->mem.scale) +
			    (uint64_t)memory->mem.disp.value);
		return true;
	}
	if (!base) {
		return false;
	}
	*base = rest - (index ? *index * memory->mem.scale : 0);
	if (mask != ~0ull) {
		*base = (uint32_t)*base | machine_random() << 32;
	}
	*address = target;
	return true;
}

size_t form_make(const struct form *form, struct machine *machine, uint64_t target,
		 unsigned char code[MACHINE_LENGTH], uint64_t *address, unsigned *width)
{
	static const uint8_t odd[] = {0x67, 0x67, 0x2e, 0x3e, 0x64, 0x65};
	unsigned char buffer[32];
	struct making m = {.form = form, .code = buffer};
	ZydisDecodedInstruction in;
	ZydisDecodedOperand memory;

	if (bits(2) == 0 && !(form->flags & FORM_OFFSET)) {
		put(&m, odd[bits(8) % sizeof(odd)]);
	}
	switch (form->encoding) {
	case FORM_LEGACY: put_legacy(&m); break;
	case FORM_VEX: put_vex(&m); break;
	default: put_evex(&m); break;
	}
	put(&m, form->opcode);
	if (form->flags & FORM_OFFSET) {
		memcpy(m.code + m.n, &target, sizeof(target));
		m.n += sizeof(target);
	} else {
		put_operand(&m);
	}
	put_random(&m, form->immediate == 4 && m.is_short ? 2 : form->immediate);
	*address = target;
	if (m.n > 15 || !decode(m.code, m.n, &in, &memory) ||
	    (!(form->flags & FORM_OFFSET) &&
	     !solve(&m, machine, &in, &memory, target, address))) {
		return 0;
	}
	*width = memory.size / 8;
	memcpy(code, m.code, m.n);
	return m.n;
}
