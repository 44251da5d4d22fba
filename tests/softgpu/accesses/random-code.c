/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/softgpu/accesses/random-code.h"

#include <Zydis/Zydis.h>
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/collect/instructions/forms.h"

#define STEP_BYTES  256   /* of the largest step */
#define STRING_MOST 40    /* repetitions */
#define SHORT_LOOP  40
#define LONG_LOOP   500   /* more than what makes a site a loop */
#define VECTORS     0xe6  /* SSE, AVX and AVX-512, of the parts that xsave knows */
#define FLAGS       0x8d5 /* CF, PF, AF, ZF, SF, OF */
#define UNDEFINED   0x10  /* AF, after logical operations */
#define TARGET_STEP 64

enum { RAX = 0, RCX = 1, RSP = 4, RBP = 5, RSI = 6, RDI = 7 };

/* --- random numbers --- */

static uint64_t state = 1;

void random_code_seed(uint64_t seed)
{
	state = (seed + 1) * 0x9e3779b97f4a7c15u;
	for (unsigned i = 0; i < 8; i++) {
		random_code_number();
	}
}

uint64_t random_code_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1du;
}

static unsigned below(unsigned n)
{
	return (unsigned)((random_code_number() >> 20) % n);
}

/* What forms.c takes from the machine of its other test. */
static unsigned char *here;

uint64_t machine_random(void)
{
	return random_code_number();
}

uintptr_t machine_ip(size_t length)
{
	(void)length;
	return (uintptr_t)here;
}

/* --- what this processor has --- */

struct features {
	bool avx2;
	bool avx512;
	bool movbe;
	bool movdiri;
};

static struct features features(void)
{
	struct features f = {.avx2 = __builtin_cpu_supports("avx2"),
			     .avx512 = __builtin_cpu_supports("avx512f") &&
				       __builtin_cpu_supports("avx512bw") &&
				       __builtin_cpu_supports("avx512dq") &&
				       __builtin_cpu_supports("avx512vl")};
	uint32_t a;
	uint32_t b;
	uint32_t c;
	uint32_t d;

	if (__get_cpuid(1, &a, &b, &c, &d)) {
		f.movbe = c & bit_MOVBE;
	}
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
		f.movdiri = c & 1u << 27;
	}
	return f;
}

static bool can_run(const struct form *form)
{
	static struct features has;
	static bool known;

	if (!known) {
		has = features();
		known = true;
	}
	if (form->encoding == FORM_EVEX) {
		return has.avx512;
	}
	if (form->encoding == FORM_VEX) {
		return has.avx2;
	}
	return (has.movbe || strncmp(form->name, "movbe", 5) != 0) &&
	       (has.movdiri || strncmp(form->name, "movdiri", 7) != 0);
}

/* --- making code --- */

struct maker {
	struct random_code *code;
	uint64_t *cells;
	const struct code_target *targets;
	size_t n_targets;
	bool irregular;
};

static void put(const void *bytes, size_t n)
{
	memcpy(here, bytes, n);
	here += n;
}

static void put_byte(unsigned byte)
{
	*here++ = (unsigned char)byte;
}

static void put_load(unsigned reg, uint64_t value)
{
	put_byte(0x48 | reg >> 3);
	put_byte(0xb8 | (reg & 7));
	put(&value, sizeof(value));
}

static const struct code_target *pick_target(const struct maker *m)
{
	return &m->targets[below((unsigned)m->n_targets)];
}

/* Chooses addresses of one alignment within 64 bytes, one for each turn. */
static void pick_addresses(const struct maker *m, uintptr_t address[CODE_TURNS],
			   bool aligned)
{
	unsigned within = aligned ? 0 : below(TARGET_STEP);

	for (unsigned i = 0; i < CODE_TURNS; i++) {
		const struct code_target *t = pick_target(m);
		unsigned steps = (unsigned)(t->bytes / TARGET_STEP) - 2;

		address[i] = t->start + (uintptr_t)TARGET_STEP * below(steps) + within;
	}
}

/* Makes the code load the register from a cell, which has the value for the turn. */
static void put_base(struct maker *m, unsigned reg, uint64_t value,
		     const uintptr_t address[CODE_TURNS])
{
	struct code_base *b = &m->code->bases[m->code->n_bases];
	uint32_t cell;

	b->cell = &m->cells[m->code->n_bases++];
	for (unsigned i = 0; i < CODE_TURNS; i++) {
		b->value[i] = value + (address[i] - address[0]);
	}
	cell = (uint32_t)(uintptr_t)b->cell;
	put_byte(0x48 | (reg >> 3) << 2);
	put_byte(0x8b);
	put_byte(0x04 | (reg & 7) << 3);
	put_byte(0x25);
	put(&cell, sizeof(cell));
}

static void note(struct maker *m, const uintptr_t address[CODE_TURNS], uintptr_t more,
		 bool write)
{
	struct code_access *a = &m->code->accesses[m->code->n++];

	for (unsigned i = 0; i < CODE_TURNS; i++) {
		a->address[i] = address[i] + more;
	}
	a->write = write;
}

/* --- one instruction of a form --- */

static int number_of(ZydisRegister reg)
{
	reg = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	return reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15
		       ? (int)(reg - ZYDIS_REGISTER_RAX)
		       : -1;
}

/* Finds the memory operand. Returns NULL if the code cannot contain the instruction. */
static const ZydisDecodedOperand *usable(const unsigned char *bytes, size_t n,
					 ZydisDecodedInstruction *in,
					 ZydisDecodedOperand operands[])
{
	const ZydisDecodedOperand *memory = NULL;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n, in, operands))) {
		return NULL;
	}
	for (unsigned i = 0; i < in->operand_count; i++) {
		const ZydisDecodedOperand *o = &operands[i];

		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			memory = o;
		} else if (o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
			   number_of(o->reg.value) == RSP) {
			return NULL;
		}
	}
	/* The base of FS differs between runs, and so would the registers. */
	return memory && memory->mem.segment != ZYDIS_REGISTER_FS &&
			       number_of(memory->mem.base) != RSP
		       ? memory
		       : NULL;
}

static bool put_form(struct maker *m)
{
	static struct machine machine;
	const struct form *form = &forms[below((unsigned)forms_n)];
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	const ZydisDecodedOperand *memory;
	unsigned char bytes[MACHINE_LENGTH];
	uintptr_t address[CODE_TURNS];
	uint64_t operand;
	unsigned width;
	size_t n;
	int base;
	int index;

	pick_addresses(m, address, form->flags & FORM_ALIGNED);
	for (unsigned i = 0; i < CODE_REGISTERS; i++) {
		machine.general[i] = random_code_number();
	}
	n = form_make(form, &machine, address[0], bytes, &operand, &width);
	memory = n && can_run(form) ? usable(bytes, n, &in, operands) : NULL;
	if (!memory || operand != address[0]) {
		return false;
	}
	base = number_of(memory->mem.base);
	index = number_of(memory->mem.index);
	if (index >= 0) {
		put_load((unsigned)index, machine.general[index]);
	}
	if (base >= 0 && base != index) {
		put_base(m, (unsigned)base, machine.general[base], address);
	} else {
		for (unsigned i = 1; i < CODE_TURNS; i++) {
			address[i] = address[0];
		}
	}
	put(bytes, n);
	note(m, address, 0, memory->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE);
	return true;
}

/* --- short instructions next to each other --- */

static void put_group(struct maker *m)
{
	static const struct {
		uint8_t opcode; /* bit 0: dwords, else bytes */
		bool write;
	} kinds[] = {
		{0x88, true},  {0x89, true},  {0x8a, false}, {0x8b, false}, /* mov */
		{0x00, true},  {0x01, true},  {0x02, false}, {0x03, false}, /* add */
		{0x30, true},  {0x31, true},  {0x32, false}, {0x33, false}, /* xor */
		{0x38, false}, {0x39, false}, {0x3a, false}, {0x3b, false}, /* cmp */
		{0x86, true},  {0x87, true},                                /* xchg */
	};
	static const uint8_t bases[] = {0, 1, 2, 3, 6, 7};
	unsigned base = bases[below(sizeof(bases))];
	unsigned char *skip = NULL;
	uintptr_t address[CODE_TURNS];
	unsigned n = 2 + below(4);

	pick_addresses(m, address, true);
	put_base(m, base, address[0], address);
	if (m->irregular && below(2)) {
		put_byte(0x70 | below(16));
		skip = here++;
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned kind = below(sizeof(kinds) / sizeof(kinds[0]));
		unsigned opcode = kinds[kind].opcode;
		unsigned offset = below(2) ? below(60) : 0;
		unsigned reg = below(8);

		while (reg == RSP || reg == base || (!(opcode & 1) && reg % 4 == base)) {
			reg = below(8);
		}
		put_byte(opcode);
		put_byte((offset ? 0x40 : 0) | reg << 3 | base);
		if (offset) {
			put_byte(offset);
		}
		note(m, address, offset, kinds[kind].write);
		if (skip && i == 0) {
			*skip = (unsigned char)(here - skip - 1);
		}
	}
}

/* --- string instructions --- */

/* The first address that n elements access, lowest first or last. */
static uint64_t begin_at(uintptr_t lowest, unsigned n, unsigned width, bool down)
{
	return lowest + (down && n ? (uintptr_t)(n - 1) * width : 0);
}

static void put_string(struct maker *m)
{
	static const uint8_t opcodes[] = {0xa4, 0xaa, 0xac}; /* movs, stos, lods */
	unsigned opcode = opcodes[below(sizeof(opcodes))];
	unsigned size = below(4); /* 1, 2, 4, 8 bytes */
	bool repeats = below(4);
	bool down = below(4) == 0;
	unsigned n = repeats ? below(STRING_MOST + 1) : 1;
	uintptr_t from[CODE_TURNS];
	uintptr_t to[CODE_TURNS];
	/* All elements are within one target. */
	size_t longest = (size_t)(STRING_MOST + 1) * 8;

	for (unsigned i = 0; i < 2; i++) {
		const struct code_target *t = pick_target(m);
		uintptr_t at = t->start + below((unsigned)(t->bytes - longest));

		for (unsigned k = 0; k < CODE_TURNS; k++) {
			*(i ? &to[k] : &from[k]) = at;
		}
	}
	put_load(RSI, begin_at(from[0], n, 1u << size, down));
	put_load(RDI, begin_at(to[0], n, 1u << size, down));
	put_load(RCX, n);
	if (down) {
		put_byte(0xfd);
	}
	if (repeats) {
		put_byte(0xf3);
	}
	if (size == 1) {
		put_byte(0x66);
	} else if (size == 3) {
		put_byte(0x48);
	}
	put_byte(opcode | (size > 0));
	if (down) {
		put_byte(0xfc);
	}
	if (n && opcode != 0xaa) {
		note(m, from, 0, false);
	}
	if (n && opcode != 0xac) {
		note(m, to, 0, true);
	}
}

/* --- loops over consecutive elements --- */

static void put_loop(struct maker *m)
{
	/* of dwords and of 16 bytes, at RDI + 4 * RCX or RDI + 8 * RCX */
	static const struct {
		uint8_t bytes[4];
		uint8_t n;
	} bodies[] = {
		{{0x89, 0x04, 0x8f}, 3},       /* mov %eax, (%rdi,%rcx,4) */
		{{0x8b, 0x04, 0x8f}, 3},       /* mov (%rdi,%rcx,4), %eax */
		{{0x0f, 0x11, 0x0c, 0xcf}, 4}, /* movups %xmm1, (%rdi,%rcx,8) */
		{{0x0f, 0x10, 0x0c, 0xcf}, 4}, /* movups (%rdi,%rcx,8), %xmm1 */
	};
	unsigned body = below(sizeof(bodies) / sizeof(bodies[0]));
	unsigned n = 1 + below(below(5) ? SHORT_LOOP : LONG_LOOP);
	uintptr_t address[CODE_TURNS];

	for (unsigned i = 0; i < CODE_TURNS; i++) {
		const struct code_target *t = pick_target(m);

		address[i] = t->start + below((unsigned)(t->bytes - 8 * (LONG_LOOP + 2)));
	}
	put_base(m, RDI, address[0], address);
	put_load(RCX, n);
	put(bodies[body].bytes, bodies[body].n);
	put("\xff\xc9\x75", 3); /* dec %ecx; jnz */
	put_byte(0x100u - 4 - bodies[body].n);
}

/* --- whole pieces of code --- */

void random_code_make(struct random_code *code, void *at, uint64_t *cells, unsigned n,
		      const struct code_target *targets, size_t n_targets, bool irregular)
{
	struct maker m = {.code = code,
			  .cells = cells,
			  .targets = targets,
			  .n_targets = n_targets,
			  .irregular = irregular};
	unsigned char *end = (unsigned char *)at + CODE_BYTES - STEP_BYTES;

	memset(code, 0, sizeof(*code));
	here = at;
	for (unsigned i = 0; i < n && here < end && code->n + 5 < CODE_ACCESSES; i++) {
		unsigned kind = below(8);

		if (irregular && below(40) == 0) {
			put_loop(&m);
		} else if (kind == 0) {
			put_string(&m);
		} else if (kind == 1) {
			put_group(&m);
		} else {
			while (!put_form(&m)) {
			}
		}
	}
	put_byte(0xc3);
	code->entry = (void (*)(void))(uintptr_t)at;
	if (mprotect(at, CODE_BYTES, PROT_READ | PROT_EXEC)) {
		abort();
	}
}

/* --- running code --- */

void random_code_enter(struct code_state *s);

/* Offsets: general registers from 0, flags at 128, code at 136, vectors at 192. */
_Static_assert(offsetof(struct code_state, flags) == 128, "as below");
_Static_assert(offsetof(struct code_state, code) == 136, "as below");
_Static_assert(offsetof(struct code_state, vectors) == 192, "as below");

__asm__(".text\n"
	".globl random_code_enter\n"
	".hidden random_code_enter\n"
	".type random_code_enter, @function\n"
	"random_code_enter:\n"
	"	.irp r,rbx,rbp,r12,r13,r14,r15\n"
	"	pushq %\\r\n"
	"	.endr\n"
	"	pushq %rdi\n"
	"	pushq 136(%rdi)\n"
	"	movl $0xe6, %eax\n"
	"	xorl %edx, %edx\n"
	"	xrstor64 192(%rdi)\n"
	"	pushq 128(%rdi)\n"
	"	popfq\n"
	"	movq 0(%rdi), %rax\n"
	"	movq 8(%rdi), %rcx\n"
	"	movq 16(%rdi), %rdx\n"
	"	movq 24(%rdi), %rbx\n"
	"	movq 40(%rdi), %rbp\n"
	"	movq 48(%rdi), %rsi\n"
	"	.irp n,8,9,10,11,12,13,14,15\n"
	"	movq 8*\\n(%rdi), %r\\n\n"
	"	.endr\n"
	"	movq 56(%rdi), %rdi\n"
	"	call *(%rsp)\n"
	"	leaq 8(%rsp), %rsp\n"
	"	pushfq\n"
	"	xchgq %rdi, 8(%rsp)\n"
	"	movq %rax, 0(%rdi)\n"
	"	movq %rcx, 8(%rdi)\n"
	"	movq %rdx, 16(%rdi)\n"
	"	movq %rbx, 24(%rdi)\n"
	"	movq %rbp, 40(%rdi)\n"
	"	movq %rsi, 48(%rdi)\n"
	"	.irp n,8,9,10,11,12,13,14,15\n"
	"	movq %r\\n, 8*\\n(%rdi)\n"
	"	.endr\n"
	"	popq 128(%rdi)\n"
	"	popq 56(%rdi)\n"
	"	movl $0xe6, %eax\n"
	"	xorl %edx, %edx\n"
	"	xsave64 192(%rdi)\n"
	"	.irp r,r15,r14,r13,r12,rbp,rbx\n"
	"	popq %\\r\n"
	"	.endr\n"
	"	ret\n"
	".size random_code_enter, . - random_code_enter\n");

/* The parts of xsave's memory that hold vector registers: offset and bytes of part i. */
static void vectors_of(unsigned part, size_t *offset, size_t *bytes)
{
	uint32_t a = 0;
	uint32_t b = 0;
	uint32_t c = 0;
	uint32_t d = 0;

	*offset = 160;
	*bytes = 256;
	if (part == 1) {
		return;
	}
	*bytes = 0;
	if (part != 5 && __get_cpuid_count(0xd, part, &a, &b, &c, &d) && a && b < 4096) {
		*offset = b; /* part 5 has the masks, which no instruction here changes */
		*bytes = a;
	}
}

static uint32_t enabled(void)
{
	uint32_t low;
	uint32_t high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low & VECTORS;
}

void random_code_state(struct code_state *s)
{
	size_t offset;
	size_t bytes;
	/* Often only the lowest 16 bytes of vector registers are in use. */
	uint64_t parts = random_code_number() >> 40 & 1 ? enabled() : enabled() & 2;
	uint32_t mxcsr = 0x1f80;

	memset(s, 0, sizeof(*s));
	for (unsigned i = 0; i < CODE_REGISTERS; i++) {
		s->general[i] = i == RSP ? 0 : random_code_number();
	}
	s->flags = (random_code_number() & FLAGS) | 2;
	for (unsigned part = 1; part < 8; part++) {
		vectors_of(part, &offset, &bytes);
		for (size_t i = 0; parts >> part & 1 && i < bytes; i++) {
			s->vectors[offset + i] =
				(unsigned char)(random_code_number() >> 30);
		}
	}
	parts &= ~(UINT64_C(1) << 5);
	memcpy(s->vectors + 24, &mxcsr, sizeof(mxcsr));
	memcpy(s->vectors + 512, &parts, sizeof(parts));
}

void random_code_run(struct random_code *code, struct code_state *s, unsigned turn)
{
	for (size_t i = 0; i < code->n_bases; i++) {
		*code->bases[i].cell = code->bases[i].value[turn % CODE_TURNS];
	}
	s->code = code->entry;
	random_code_enter(s);
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
	}
	return hash;
}

uint64_t random_code_hash(const struct code_state *s)
{
	uint64_t flags = s->flags & (FLAGS & ~UNDEFINED);
	uint64_t hash = mix(0xcbf29ce484222325u, s->general, sizeof(s->general));
	size_t offset;
	size_t bytes;

	hash = mix(hash, &flags, sizeof(flags));
	for (unsigned part = 1; part < 8; part++) {
		vectors_of(part, &offset, &bytes);
		if (enabled() >> part & 1) {
			hash = mix(hash, s->vectors + offset, bytes);
		}
	}
	return hash;
}
