/* SPDX-License-Identifier: MIT */
/*
 * Decodes stores of many forms that follow misleading bytes, then arbitrary instructions
 * and the code of the C library, and compares the results with Zydis.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/store-oracle.h"
#include "tests/suite.h"
#include "watch/store/x86-instruction.h"

#define ADDRESS 0x7f0000000090u
#define LOW     0x40000090u /* address of the stores in 32-bit code */

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9 };

/*
 * rax and r8 hold the address, rcx and r9 values, rbx the address - 0x90, rdi the end of
 * the store.
 */
static struct dw_store_registers registers_for(unsigned bits)
{
	uint64_t address = bits == 64 ? ADDRESS : LOW;
	struct dw_store_registers registers = {.bits = (uint8_t)bits};

	registers.general[RAX] = registers.general[R8] = address;
	registers.general[RBX] = address - 0x90;
	registers.general[RCX] = bits == 64 ? 0x33300000111 : 0x111;
	registers.general[R9] = 0x77700000999;
	registers.general[RDX] = 4;
	registers.general[RDI] = address + 4;
	registers.general[RBP] = address - 4;
	registers.general[RSI] = address - 3;
	registers.ip = address + 0x1000;
	return registers;
}

static const struct {
	const char *text;
	uint8_t bits;
	uint8_t length;
	uint8_t bytes[15];
	enum dw_store_kind kind;
	uint32_t value;
} stores[] = {
	{"mov %ecx,(%rax)", 64, 2, {0x89, 0x08}, DW_STORE_VALUE, 0x111},
	{"mov %r9d,(%rax)", 64, 3, {0x44, 0x89, 0x08}, DW_STORE_VALUE, 0x999},
	{"mov %ecx,(%r8)", 64, 3, {0x41, 0x89, 0x08}, DW_STORE_VALUE, 0x111},
	{"mov %eax,(%rax)", 64, 2, {0x89, 0x00}, DW_STORE_VALUE, (uint32_t)ADDRESS},
	{"mov %ecx,0x90(%rbx)", 64, 6, {0x89, 0x8b, 0x90}, DW_STORE_VALUE, 0x111},
	{"mov %ecx,-0x10(%rax,%rdx,4)",
	 64,
	 4,
	 {0x89, 0x4c, 0x90, 0xf0},
	 DW_STORE_VALUE,
	 0x111},
	{"mov %ecx,-0x1000(%rip)",
	 64,
	 6,
	 {0x89, 0x0d, 0, 0xf0, 0xff, 0xff},
	 DW_STORE_VALUE,
	 0x111},
	{"mov %rcx,(%rax)", 64, 3, {0x48, 0x89, 0x08}, DW_STORE_VALUE, 0x111},
	{"mov %rcx,(%rbp)", 64, 4, {0x48, 0x89, 0x4d, 0}, DW_STORE_VALUE, 0x333},
	{"mov %ecx,(%rsi)", 64, 2, {0x89, 0x0e}, DW_STORE_MEMORY, 0},
	{"mov %rcx,(%rsi)", 64, 3, {0x48, 0x89, 0x0e}, DW_STORE_VALUE, 0x33300},
	{"mov %cx,(%rax)", 64, 3, {0x66, 0x89, 0x08}, DW_STORE_MEMORY, 0},
	{"mov %cl,(%rax)", 64, 2, {0x88, 0x08}, DW_STORE_MEMORY, 0},
	{"movl $0x12345678,(%rax)",
	 64,
	 6,
	 {0xc7, 0, 0x78, 0x56, 0x34, 0x12},
	 DW_STORE_VALUE,
	 0x12345678},
	{"movq $-2,(%rbp)",
	 64,
	 8,
	 {0x48, 0xc7, 0x45, 0, 0xfe, 0xff, 0xff, 0xff},
	 DW_STORE_VALUE,
	 0xffffffff},
	{"movw $1,(%rax)", 64, 5, {0x66, 0xc7, 0, 1, 0}, DW_STORE_MEMORY, 0},
	{"movb $1,(%rax)", 64, 3, {0xc6, 0, 1}, DW_STORE_MEMORY, 0},
	{"mov %eax,0x7f0000000090",
	 64,
	 9,
	 {0xa3, 0x90, 0, 0, 0, 0, 0x7f, 0, 0},
	 DW_STORE_VALUE,
	 (uint32_t)ADDRESS},
	{"movnti %ecx,(%rax)", 64, 3, {0x0f, 0xc3, 0x08}, DW_STORE_VALUE, 0x111},
	{"movnti %rcx,(%rax)", 64, 4, {0x48, 0x0f, 0xc3, 0x08}, DW_STORE_VALUE, 0x111},
	{"movbe %ecx,(%rax)", 64, 4, {0x0f, 0x38, 0xf1, 0x08}, DW_STORE_VALUE, 0x11010000},
	{"movdiri %ecx,(%rax)", 64, 4, {0x0f, 0x38, 0xf9, 0x08}, DW_STORE_VALUE, 0x111},
	{"movdir64b (%rcx),%rax",
	 64,
	 5,
	 {0x66, 0x0f, 0x38, 0xf8, 0x01},
	 DW_STORE_MEMORY,
	 0},
	{"stos %eax,(%rdi)", 64, 1, {0xab}, DW_STORE_VALUE, (uint32_t)ADDRESS},
	{"rep stos %eax,(%rdi)", 64, 2, {0xf3, 0xab}, DW_STORE_VALUE, (uint32_t)ADDRESS},
	{"stos %al,(%rdi)", 64, 1, {0xaa}, DW_STORE_MEMORY, 0},
	{"movsl (%rsi),(%rdi)", 64, 1, {0xa5}, DW_STORE_MEMORY, 0},
	{"xchg %ecx,(%rax)", 64, 2, {0x87, 0x08}, DW_STORE_MEMORY, 0},
	{"xchg %rax,(%rax)", 64, 3, {0x48, 0x87, 0x00}, DW_STORE_MEMORY, 0},
	{"lock add %ecx,(%rax)", 64, 3, {0xf0, 0x01, 0x08}, DW_STORE_MEMORY, 0},
	{"lock orl $0,(%rax)", 64, 4, {0xf0, 0x83, 0x08, 0}, DW_STORE_MEMORY, 0},
	{"lock cmpxchg %ecx,(%rbx)",
	 64,
	 8,
	 {0xf0, 0x0f, 0xb1, 0x8b, 0x90},
	 DW_STORE_MEMORY,
	 0},
	{"lock cmpxchg8b (%rax)", 64, 4, {0xf0, 0x0f, 0xc7, 0x08}, DW_STORE_MEMORY, 0},
	{"lock xadd %ecx,(%rax)", 64, 4, {0xf0, 0x0f, 0xc1, 0x08}, DW_STORE_MEMORY, 0},
	{"mov %ecx,%fs:8(%rax)", 64, 4, {0x64, 0x89, 0x48, 8}, DW_STORE_MEMORY, 0},
	{"movups %xmm0,(%rax)", 64, 3, {0x0f, 0x11, 0x00}, DW_STORE_MEMORY, 0},
	{"movaps %xmm0,(%rax)", 64, 3, {0x0f, 0x29, 0x00}, DW_STORE_MEMORY, 0},
	{"movntps %xmm0,(%rax)", 64, 3, {0x0f, 0x2b, 0x00}, DW_STORE_MEMORY, 0},
	{"movntdq %xmm0,(%rax)", 64, 4, {0x66, 0x0f, 0xe7, 0x00}, DW_STORE_MEMORY, 0},
	{"movdqu %xmm0,(%rax)", 64, 4, {0xf3, 0x0f, 0x7f, 0x00}, DW_STORE_MEMORY, 0},
	{"movd %xmm0,(%rax)", 64, 4, {0x66, 0x0f, 0x7e, 0x00}, DW_STORE_MEMORY, 0},
	{"movq %xmm0,(%rax)", 64, 4, {0x66, 0x0f, 0xd6, 0x00}, DW_STORE_MEMORY, 0},
	{"movss %xmm0,(%rax)", 64, 4, {0xf3, 0x0f, 0x11, 0x00}, DW_STORE_MEMORY, 0},
	{"vmovdqu %ymm0,(%rax)", 64, 4, {0xc5, 0xfe, 0x7f, 0x00}, DW_STORE_MEMORY, 0},
	{"vmovups %xmm0,(%r8)", 64, 5, {0xc4, 0xc1, 0x78, 0x11, 0x00}, DW_STORE_MEMORY, 0},
	{"vmovdqu64 %zmm0,(%rax)",
	 64,
	 6,
	 {0x62, 0xf1, 0xfe, 0x48, 0x7f, 0x00},
	 DW_STORE_MEMORY,
	 0},
	{"vmovdqu64 %zmm0,-0x40(%rax,%rdx,8)",
	 64,
	 8,
	 {0x62, 0xf1, 0xfe, 0x48, 0x7f, 0x44, 0xd0, 0xff},
	 DW_STORE_MEMORY,
	 0},
	{"mov (%rax),%ecx", 64, 2, {0x8b, 0x08}, DW_STORE_UNKNOWN, 0},
	{"cmp %ecx,(%rax)", 64, 2, {0x39, 0x08}, DW_STORE_UNKNOWN, 0},
	{"mov %ecx,8(%rax)", 64, 3, {0x89, 0x48, 0x08}, DW_STORE_UNKNOWN, 0},
	{"mov %ecx,(%eax)", 32, 2, {0x89, 0x08}, DW_STORE_VALUE, 0x111},
	{"mov %ecx,0x40000090",
	 32,
	 6,
	 {0x89, 0x0d, 0x90, 0, 0, 0x40},
	 DW_STORE_VALUE,
	 0x111},
	{"mov %eax,0x40000090", 32, 5, {0xa3, 0x90, 0, 0, 0x40}, DW_STORE_VALUE, LOW},
	{"dec %eax; mov %ecx,(%eax)", 32, 3, {0x48, 0x89, 0x08}, DW_STORE_VALUE, 0x111},
	{"stos %eax,(%edi)", 32, 1, {0xab}, DW_STORE_VALUE, LOW},
	{"xchg %ecx,(%eax)", 32, 2, {0x87, 0x08}, DW_STORE_MEMORY, 0},
};

/* Misleading code, 7 bytes each, that is repeated before the store. */
static const struct {
	uint8_t bits;
	uint8_t bytes[8];
} fronts[] = {
	{64, {0x48, 0x03, 0x86, 0x18, 0x15, 0, 0}},       /* add 0x1518(%rsi),%rax */
	{64, {0x48, 0x05, 0, 0, 0, 0x41, 0x90}},          /* add $0x41000000,%rax; nop */
	{64, {0x90, 0x48, 0x8d, 0x54, 0x24, 0x48, 0x90}}, /* lea 0x48(%rsp),%rdx */
	{32, {0x03, 0x86, 0x18, 0x15, 0, 0, 0x90}},
};

static uint64_t address_in(unsigned bits)
{
	return bits == 64 ? ADDRESS : LOW;
}

static void finds_what_was_stored(void)
{
	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		for (size_t f = 0; f < sizeof(fronts) / sizeof(fronts[0]); f++) {
			unsigned bits = stores[i].bits;
			struct dw_store_registers registers = registers_for(bits);
			size_t length = stores[i].length;
			uint8_t code[70 + 15];
			enum dw_store_kind kind;
			uint32_t value = 0;

			if (fronts[f].bits != bits) {
				continue;
			}
			for (size_t at = 0; at < 70; at += 7) {
				memcpy(code + at, fronts[f].bytes, 7);
			}
			memcpy(code + 70, stores[i].bytes, length);
			kind = dw_store_decode(code, 70 + length, &registers,
					       address_in(bits), &value);
			if (kind != stores[i].kind || value != stores[i].value) {
				printf("%s after bytes %zu: %d 0x%x\n", stores[i].text, f,
				       kind, value);
			}
			CU_ASSERT_EQUAL(kind, stores[i].kind);
			CU_ASSERT_EQUAL(value, stores[i].value);
		}
	}
}

/*
 * Decodes the instruction alone, because the bytes before it may be in an unreadable page.
 */
static void needs_no_more_than_the_instruction(void)
{
	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		struct dw_store_registers registers = registers_for(stores[i].bits);
		uint32_t value = 0;
		enum dw_store_kind kind =
			dw_store_decode(stores[i].bytes, stores[i].length, &registers,
					address_in(stores[i].bits), &value);

		if (kind != stores[i].kind || value != stores[i].value) {
			printf("%s: %d 0x%x\n", stores[i].text, kind, value);
		}
		CU_ASSERT_EQUAL(kind, stores[i].kind);
		CU_ASSERT_EQUAL(value, stores[i].value);
	}
	CU_ASSERT_EQUAL(dw_store_decode(NULL, 0, &(struct dw_store_registers){.bits = 64},
					0, &(uint32_t){0}),
			DW_STORE_UNKNOWN);
}

/* The last byte before the store could also be a REX prefix: 83 c2 4x | 89 08. */
static void is_not_misled_by_an_immediate(void)
{
	for (unsigned rex = 0x40; rex < 0x50; rex++) {
		struct dw_store_registers registers = registers_for(64);
		uint8_t code[62];
		uint32_t value = 0;

		for (size_t at = 0; at < 60; at += 3) {
			code[at] = 0x83; /* add $rex,%edx */
			code[at + 1] = 0xc2;
			code[at + 2] = (uint8_t)rex;
		}
		code[60] = 0x89;
		code[61] = 0x08;
		CU_ASSERT_EQUAL(dw_store_decode(code, 62, &registers, ADDRESS, &value),
				DW_STORE_VALUE);
		CU_ASSERT_EQUAL(value, 0x111);
	}
}

/*
 * The store is movl $0x3a8667ea,(%rax), but most decodings of the bytes before ip agree
 * on xchg %bh,(%rdx), which the last bytes of the movl encode.
 */
static void leaves_the_value_alone_unless_it_is_known(void)
{
	struct dw_store_registers registers = registers_for(64);
	uint8_t code[66] = {[60] = 0xc7, 0x00, 0xea, 0x67, 0x86, 0x3a};
	uint32_t value = 0;

	memset(code, 0x67, 60);
	registers.general[RDX] = ADDRESS;
	CU_ASSERT_EQUAL(dw_store_decode(code, 66, &registers, ADDRESS, &value),
			value ? DW_STORE_VALUE : DW_STORE_MEMORY);
}

/* When a repeated store is interrupted, ip stays at the instruction. */
static void knows_a_repeated_store(void)
{
	static const struct {
		uint8_t bytes[3];
		enum dw_store_kind kind;
	} repeated[] = {
		{{0xf3, 0xab, 0x90}, DW_STORE_VALUE},
		{{0xf3, 0xa5, 0x90}, DW_STORE_MEMORY},
		{{0xf3, 0xaa, 0x90}, DW_STORE_MEMORY},
		{{0xab, 0x90, 0x90}, DW_STORE_UNKNOWN},
		{{0xf3, 0x89, 0x08}, DW_STORE_UNKNOWN},
		{{0xf3, 0xad, 0x90}, DW_STORE_UNKNOWN},
	};

	for (size_t i = 0; i < sizeof(repeated) / sizeof(repeated[0]); i++) {
		struct dw_store_registers registers = registers_for(64);
		uint32_t value = 0;

		CU_ASSERT_EQUAL(dw_store_decode_repeated(repeated[i].bytes, 3, &registers,
							 i == 2 ? ADDRESS + 3 : ADDRESS,
							 &value),
				repeated[i].kind);
		CU_ASSERT_EQUAL(value, i == 0 ? (uint32_t)ADDRESS : 0);
	}
}

/* --- the next store --- */

static const struct {
	const char *text;
	uint8_t bits;
	uint8_t length;
	uint8_t bytes[15];
	uint8_t size; /* bytes; 0: not a plain store */
	uint64_t value;
} plain[] = {
	{"mov %ecx,(%rax)", 64, 2, {0x89, 0x08}, 4, 0x111},
	{"mov %rcx,(%rax)", 64, 3, {0x48, 0x89, 0x08}, 8, 0x33300000111},
	{"mov %cx,(%rax)", 64, 3, {0x66, 0x89, 0x08}, 2, 0x111},
	{"mov %ecx,0x90(%rbx)", 64, 6, {0x89, 0x8b, 0x90}, 4, 0x111},
	{"mov %ecx,-0x1000(%rip)", 64, 6, {0x89, 0x0d, 0, 0xf0, 0xff, 0xff}, 4, 0x111},
	{"movq $-2,(%rax)", 64, 7, {0x48, 0xc7, 0, 0xfe, 0xff, 0xff, 0xff}, 8, ~1ull},
	{"movw $0x1234,(%rax)", 64, 5, {0x66, 0xc7, 0, 0x34, 0x12}, 2, 0x1234},
	{"movnti %rcx,(%rax)", 64, 4, {0x48, 0x0f, 0xc3, 0x08}, 8, 0x33300000111},
	{"movbe %cx,(%rax)", 64, 5, {0x66, 0x0f, 0x38, 0xf1, 0x08}, 2, 0x1101},
	{"movdiri %ecx,(%rax)", 64, 4, {0x0f, 0x38, 0xf9, 0x08}, 4, 0x111},
	{"mov %ecx,(%eax)", 32, 2, {0x89, 0x08}, 4, 0x111},
	{"mov %eax,0x40000090", 32, 5, {0xa3, 0x90, 0, 0, 0x40}, 4, LOW},
	{"mov %cl,(%rax)", 64, 2, {0x88, 0x08}, 0, 0},
	{"mov %ecx,%fs:(%rax)", 64, 3, {0x64, 0x89, 0x08}, 0, 0},
	{"mov %ecx,%eax", 64, 2, {0x89, 0xc8}, 0, 0},
	{"mov (%rax),%ecx", 64, 2, {0x8b, 0x08}, 0, 0},
	{"xchg %ecx,(%rax)", 64, 2, {0x87, 0x08}, 0, 0},
	{"add %ecx,(%rax)", 64, 2, {0x01, 0x08}, 0, 0},
	{"lock orl $0,(%rax)", 64, 4, {0xf0, 0x83, 0x08, 0}, 0, 0},
	{"movups %xmm0,(%rax)", 64, 3, {0x0f, 0x11, 0x00}, 0, 0},
	{"movsl (%rsi),(%rdi)", 64, 1, {0xa5}, 0, 0},
	{"rep stos %eax,(%rdi)", 64, 2, {0xf3, 0xab}, 0, 0},
};

static void knows_a_plain_store_before_it(void)
{
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		unsigned bits = plain[i].bits;
		struct dw_store_registers registers = registers_for(bits);
		uint64_t mask = plain[i].size < 8 ? (1ull << 8 * plain[i].size) - 1 : ~0ull;
		struct dw_store store = {.length = 99};
		bool found;

		registers.ip -= plain[i].length;
		found = dw_store_decode_next(&store, plain[i].bytes, 15, &registers);
		if (found != (plain[i].size != 0) ||
		    (found &&
		     ((store.value & mask) != plain[i].value ||
		      store.to != address_in(bits) || store.size != plain[i].size ||
		      store.length != plain[i].length ||
		      store.rdi != registers.general[RDI]))) {
			printf("%s\n", plain[i].text);
			CU_FAIL("wrong store");
		}
		CU_ASSERT_TRUE(found || store.length == 99);
		/* A truncated instruction must not be decoded. */
		CU_ASSERT_FALSE(dw_store_decode_next(&store, plain[i].bytes,
						     plain[i].length - 1u, &registers));
	}
}

static void moves_rdi_on(void)
{
	static const struct {
		uint8_t bytes[3];
		uint8_t size;
	} strings[] = {{{0xaa}, 1}, {{0x66, 0xab}, 2}, {{0xab}, 4}, {{0x48, 0xab}, 8}};

	for (size_t i = 0; i < 2 * sizeof(strings) / sizeof(strings[0]); i++) {
		struct dw_store_registers registers = registers_for(64);
		uint64_t rdi = registers.general[RDI];
		uint64_t size = strings[i / 2].size;
		struct dw_store store;

		registers.flags = i % 2 ? 0x400 : 0;
		CU_ASSERT_TRUE_FATAL(
			dw_store_decode_next(&store, strings[i / 2].bytes, 3, &registers));
		CU_ASSERT_EQUAL(store.to, rdi);
		CU_ASSERT_EQUAL(store.size, size);
		CU_ASSERT_EQUAL(store.rdi, i % 2 ? rdi - size : rdi + size);
		CU_ASSERT_EQUAL(store.value, ADDRESS);
	}
	{
		/* stos %eax,(%edi) at the end of the 32-bit address space */
		const uint8_t code[] = {0x67, 0xab};
		struct dw_store_registers registers = registers_for(64);
		struct dw_store store;

		registers.general[RDI] = 0x5fffffffcu;
		CU_ASSERT_TRUE_FATAL(dw_store_decode_next(&store, code, 2, &registers));
		CU_ASSERT_EQUAL(store.to, 0xfffffffcu);
		CU_ASSERT_EQUAL(store.rdi, 0);
	}
}

/* --- compared with Zydis --- */

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1du;
}

static struct dw_store_registers draw_registers(unsigned bits)
{
	struct dw_store_registers registers = {.bits = (uint8_t)bits};

	for (unsigned i = 0; i < 16; i++) {
		uint64_t value = draw() >> 16;

		registers.general[i] = bits == 64 ? value : (uint32_t)value;
	}
	registers.ip = bits == 64 ? draw() >> 17 : (uint32_t)draw();
	registers.flags = 0x202 | (draw() & 0x400);
	return registers;
}

/*
 * Fills the code with random bytes, with a preference for prefixes and opcodes of interest.
 */
static void draw_code(uint8_t *code, size_t n)
{
	static const uint8_t beginnings[] = {0x66, 0xf2, 0xf3, 0xf0, 0x48, 0x41,
					     0x4c, 0x0f, 0xc4, 0xc5, 0x62, 0x67,
					     0x64, 0x89, 0xc7, 0x8f};
	size_t prefixes = draw() % 4;

	for (size_t i = 0; i < n; i++) {
		code[i] = (uint8_t)draw();
	}
	for (size_t i = 0; i < prefixes; i++) {
		code[i] = beginnings[draw() % sizeof(beginnings)];
	}
	if (draw() % 4 == 0 && code[prefixes] == 0x0f) {
		code[prefixes + 1] = draw() % 2 ? 0x38 : 0x3a;
	}
}

static void print_code(const char *what, const uint8_t *code, size_t n, unsigned bits)
{
	printf("%s, %u bits:", what, bits);
	for (size_t i = 0; i < n; i++) {
		printf(" %02x", code[i]);
	}
	printf("\n");
}

static void is_as_long_as_zydis_says(void)
{
	struct dw_store_registers registers = {0};
	unsigned wrong = 0;
	unsigned found = 0;

	for (unsigned round = 0; round < 500000; round++) {
		struct dw_instruction instruction;
		struct kt_stored truth;
		uint8_t code[15];

		registers.bits = round % 4 ? 64 : 32;
		draw_code(code, sizeof(code));
		kt_store_oracle(&truth, code, sizeof(code), &registers);
		if (!truth.length) {
			continue;
		}
		found++;
		if (!dw_instruction_decode(&instruction, code, sizeof(code),
					   registers.bits) ||
		    instruction.length != truth.length) {
			wrong++;
			if (wrong < 20) {
				print_code("length", code, truth.length, registers.bits);
			}
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_TRUE(found > 150000);
}

/* Returns whether the decoding of a single instruction agrees with the oracle. */
static bool is_right(const struct kt_stored *truth, uint64_t at, enum dw_store_kind kind,
		     bool certain, uint32_t value)
{
	bool covers = truth->placed && at >= truth->to && at + 4 <= truth->to + truth->size;

	if (!truth->stores) {
		return kind == DW_STORE_UNKNOWN;
	}
	if (truth->system) {
		return kind != DW_STORE_VALUE;
	}
	if (!truth->placed) {
		return kind == DW_STORE_MEMORY && !certain;
	}
	if (!truth->known || !covers) {
		return kind == DW_STORE_MEMORY;
	}
	return kind == DW_STORE_VALUE && certain &&
	       value == (uint32_t)(truth->value >> (8 * (at - truth->to)));
}

/* Returns whether the oracle agrees, given the registers after the store. */
static bool is_next(const struct kt_stored *truth, const struct dw_store *store)
{
	uint64_t mask = store->size < 8 ? (1ull << 8 * store->size) - 1 : ~0ull;

	return truth->stores && truth->known && truth->placed && store->to == truth->to &&
	       store->size == truth->size && store->length == truth->length &&
	       ((store->value ^ truth->value) & mask) == 0;
}

/*
 * The oracle knows more stores than the decoder. Every store that the decoder takes for a
 * plain one must agree with the oracle.
 */
static void makes_the_store_that_zydis_says(void)
{
	unsigned wrong = 0;
	unsigned found = 0;

	for (unsigned round = 0; round < 1000000; round++) {
		struct dw_store_registers registers = draw_registers(round % 4 ? 64 : 32);
		struct dw_store_registers after = registers;
		struct kt_stored truth;
		struct dw_store store;
		uint8_t code[15];

		draw_code(code, sizeof(code));
		kt_store_oracle(&truth, code, sizeof(code), &registers);
		if (!truth.length ||
		    !dw_store_decode_next(&store, code, sizeof(code), &registers)) {
			continue;
		}
		after.ip += store.length;
		after.general[RDI] = store.rdi;
		kt_store_oracle(&truth, code, sizeof(code), &after);
		found++;
		/* The oracle gives no value for stosb and stosw. */
		if (store.rdi != registers.general[RDI] && store.size < 4) {
			truth.known = true;
			truth.value = registers.general[RAX];
		}
		if (!is_next(&truth, &store)) {
			wrong++;
			if (wrong < 20) {
				print_code("next", code, truth.length, registers.bits);
			}
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_TRUE(found > 2000);
}

static void stores_what_zydis_says(void)
{
	unsigned seen[3] = {0};
	unsigned wrong = 0;

	for (unsigned round = 0; round < 1000000; round++) {
		struct dw_store_registers registers = draw_registers(round % 4 ? 64 : 32);
		enum dw_store_kind kind;
		struct kt_stored truth;
		uint32_t value = 0;
		uint8_t code[15];
		bool certain;
		uint64_t at;

		draw_code(code, sizeof(code));
		kt_store_oracle(&truth, code, sizeof(code), &registers);
		if (!truth.length) {
			continue;
		}
		at = truth.to - 3 + draw() % (truth.size + 3);
		kind = dw_store_decode_one(code, truth.length, &registers, at, &value,
					   &certain);
		seen[kind]++;
		if (!is_right(&truth, at, kind, certain, value)) {
			wrong++;
			if (wrong < 20) {
				print_code("store", code, truth.length, registers.bits);
			}
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_TRUE(seen[DW_STORE_VALUE] > 500 && seen[DW_STORE_MEMORY] > 25000);
}

/* --- stores within sequences of instructions --- */

struct tally {
	unsigned all;
	unsigned right;
	unsigned unknown;
};

/*
 * Decodes the store that ends at code + n from the bytes before its end, and tallies the
 * result.
 */
static void try_stream(struct tally *tally, const uint8_t *code, size_t n,
		       const struct dw_store_registers *registers,
		       const struct kt_stored *truth)
{
	uint64_t at = truth->to + (truth->size == 8 ? draw() % 2 * 4 : 0);
	uint32_t value = 0;
	enum dw_store_kind kind = dw_store_decode(code, n, registers, at, &value);

	tally->all++;
	tally->unknown += kind != DW_STORE_VALUE;
	tally->right += kind == DW_STORE_VALUE &&
			value == (uint32_t)(truth->value >> (8 * (at - truth->to)));
}

static bool is_plain(const struct kt_stored *truth)
{
	return truth->stores && truth->known && truth->placed && truth->size >= 4;
}

/* Writes a random sequence of instructions. Returns its length in bytes. */
static size_t draw_stream(uint8_t *code, size_t n,
			  const struct dw_store_registers *registers)
{
	size_t at = 0;

	while (at + 15 <= n) {
		struct kt_stored truth;

		draw_code(code + at, 15);
		kt_store_oracle(&truth, code + at, 15, registers);
		at += truth.length;
	}
	return at;
}

static void finds_stores_in_random_streams(void)
{
	struct tally tally = {0};

	while (tally.all < 10000) {
		struct dw_store_registers registers =
			draw_registers(tally.all % 4 ? 64 : 32);
		struct kt_stored truth;
		uint8_t code[128];
		size_t n = draw_stream(code, 100, &registers);

		draw_code(code + n, 15);
		kt_store_oracle(&truth, code + n, 15, &registers);
		if (truth.length && is_plain(&truth)) {
			try_stream(&tally, code, n + truth.length, &registers, &truth);
		}
	}
	printf("random: %u of %u, %u not found ", tally.right, tally.all, tally.unknown);
	CU_ASSERT_TRUE(tally.right >= tally.all / 1000 * 999);
}

/* Tries to decode each store in the code of the C library. */
static int sweep_library(struct dl_phdr_info *info, size_t size, void *data)
{
	struct tally *tally = data;

	(void)size;
	if (!strstr(info->dlpi_name, "libc.so")) {
		return 0;
	}
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const uint8_t *code = (const uint8_t *)(info->dlpi_addr + segment->p_vaddr);
		size_t n = segment->p_memsz;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) {
			continue;
		}
		for (size_t at = 0; at + 15 < n;) {
			struct dw_store_registers registers = draw_registers(64);
			struct kt_stored truth;

			kt_store_oracle(&truth, code + at, 15, &registers);
			at += truth.length ? truth.length : 1;
			if (at >= 64 && is_plain(&truth)) {
				try_stream(tally, code + at - 64, 64, &registers, &truth);
			}
		}
	}
	return 1;
}

static void finds_stores_in_real_code(void)
{
	struct tally tally = {0};

	dl_iterate_phdr(sweep_library, &tally);
	printf("libc: %u of %u, %u not found ", tally.right, tally.all, tally.unknown);
	CU_ASSERT_TRUE(tally.all == 0 || tally.all > 5000);
	CU_ASSERT_TRUE(tally.all - tally.right <= tally.all / 1000);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"finds what was stored", finds_what_was_stored},
		{"needs no more than the instruction", needs_no_more_than_the_instruction},
		{"is not misled by an immediate", is_not_misled_by_an_immediate},
		{"leaves the value alone unless it is known",
		 leaves_the_value_alone_unless_it_is_known},
		{"knows a repeated store", knows_a_repeated_store},
		{"knows a plain store before it", knows_a_plain_store_before_it},
		{"moves rdi on", moves_rdi_on},
		{"makes the store that Zydis says", makes_the_store_that_zydis_says},
		{"is as long as Zydis says", is_as_long_as_zydis_says},
		{"stores what Zydis says", stores_what_zydis_says},
		{"finds stores in random streams", finds_stores_in_random_streams},
		{"finds stores in real code", finds_stores_in_real_code},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("store-decode", tests);
}
