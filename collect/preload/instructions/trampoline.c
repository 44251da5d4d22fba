/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/instructions/trampoline.h"

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/instructions/instruction.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define TRAMPOLINE_MAX    (512 + (1 + KT_INNER_MAX) * KT_CONTINUE_BYTES) /* bytes */
#define ADDRESSES_MAX     4096 /* addresses tried for each element of `traps` */
#define MOVED_MAX         KT_JUMP_BYTES
#define RELOCATED_MAX     15 /* bytes of one instruction after moving */
#define CONDITIONAL_BYTES 6

/*
 * One-byte instructions that trap: int3; then hlt, cli, sti, and the in and out
 * instructions, which only the kernel may run (SIGSEGV). Each of them, as the highest byte
 * of a jump's distance, gives a range of 16 MiB in which the trampoline may lie.
 */
static const uint8_t traps[] = {0xcc, 0xf4, 0xfa, 0xfb, 0xec, 0xed,
				0xee, 0xef, 0x6c, 0x6d, 0x6e, 0x6f};

/* Code that is the same in all trampolines, except for the number after the push. */
static const uint8_t skip_red_zone[] = {0x48, 0x8d, 0x64, 0x24, 0x80};
static const uint8_t push_number[] = {0x68, 0, 0, 0, 0};
static const uint8_t jump_far[] = {0xff, 0x25, 0, 0, 0, 0}; /* to the address after it */
const uint8_t kt_trampoline_nop[KT_JUMP_BYTES] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
static const uint8_t drop[] = {0x48, 0x8d, 0xa4, 0x24, 0x88, 0, 0, 0};

/* The instructions that the jump will replace. */
struct moved {
	uintptr_t site;
	const uint8_t *code;
	size_t n;
	unsigned count;
	uint8_t offsets[MOVED_MAX +
			1]; /* offsets[count]: the first instruction that stays */
};

/* --- relocation of one instruction --- */

/* Effect of an instruction on the control flow to the bytes after it. */
enum flow {
	FLOW_ON,     /* control can continue there */
	FLOW_ENDS,   /* control never continues there: padding or data may follow */
	FLOW_FILLER, /* control continues there; the instruction is a nop */
};

/* Properties that an instruction had at its original address. */
struct stood {
	size_t length;
	enum flow flow;
};

static ZydisDecoder decoder;

void kt_trampoline_init(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

/*
 * Writes the 32-bit distance to `target` for code that ends at `end`. Returns false if the
 * target is too far.
 */
static bool put_distance(uint8_t *out, uintptr_t end, uintptr_t target)
{
	int64_t distance = (int64_t)(target - end);
	int32_t narrow = (int32_t)distance;

	memcpy(out, &narrow, sizeof(narrow));
	return narrow == distance;
}

/* Writes a jump of five bytes from `from` to `to`. Returns false if `to` is too far. */
static bool put_jump(uint8_t out[static KT_JUMP_BYTES], uintptr_t from, uintptr_t to)
{
	out[0] = 0xe9;
	return put_distance(out + 1, from + KT_JUMP_BYTES, to);
}

static enum flow flow_of(const ZydisDecodedInstruction *i)
{
	switch (i->meta.category) {
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_RET: return FLOW_ENDS;
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP: return FLOW_FILLER;
	default: return i->mnemonic == ZYDIS_MNEMONIC_UD2 ? FLOW_ENDS : FLOW_ON;
	}
}

/*
 * Relocates the first instruction of code[0..n) from address `from` to `to` and describes
 * the original in *stood. Returns the number of bytes written to out, or 0 if the
 * instruction cannot be moved. Not movable are: an invalid or truncated instruction; a call
 * (its return address in the trampoline would have no unwind table); a trap or system call;
 * a loop or jrcxz (their targets must be within 128 bytes); a branch with an operand-size
 * prefix (processors differ); and an instruction whose operand or target is too far from
 * `to`.
 */
static size_t relocate(uint8_t out[static RELOCATED_MAX], uintptr_t to, const uint8_t *code,
		       size_t n, uintptr_t from, struct stood *stood)
{
	ZydisDecodedInstruction i;
	uintptr_t target;
	bool is_near;
	bool is_short;

	*stood = (struct stood){.flow = FLOW_ENDS};
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, n, &i))) {
		return 0;
	}
	*stood = (struct stood){.length = i.length, .flow = flow_of(&i)};
	switch (i.meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_SYSTEM: return 0;
	default: break;
	}
	if (!(i.attributes & ZYDIS_ATTRIB_IS_RELATIVE)) {
		memcpy(out, code, i.length);
		return i.length;
	}
	if (i.raw.imm[0].is_relative) {
		/* Rejects the VEX branches of Knights Corner, which Zydis decodes too. */
		if (i.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
		    (i.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE)) {
			return 0;
		}
		target = from + i.length + (uint64_t)i.raw.imm[0].value.s;
		if (i.meta.category == ZYDIS_CATEGORY_UNCOND_BR) {
			return put_jump(out, to, target) ? KT_JUMP_BYTES : 0;
		}
		is_near = i.opcode_map == ZYDIS_OPCODE_MAP_0F && i.opcode >> 4 == 8;
		is_short = i.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && i.opcode >> 4 == 7;
		if (!is_near && !is_short) {
			return 0;
		}
		out[0] = 0x0f;
		out[1] = 0x80 | (i.opcode & 15);
		return put_distance(out + 2, to + CONDITIONAL_BYTES, target)
			       ? CONDITIONAL_BYTES
			       : 0;
	}
	/* The memory operand is relative to the instruction's end. */
	target = from + i.length + (uint64_t)i.raw.disp.value;
	if (i.raw.disp.size != 32) {
		return 0;
	}
	memcpy(out, code, i.length);
	return put_distance(out + i.raw.disp.offset, to + i.length, target) ? i.length : 0;
}

/* --- instructions to move --- */

/*
 * Returns whether the bytes at site + at, which follow a return or jump, are code, not
 * data. If there is an unwind table, the site's function must continue there, or another
 * function must begin there. If there is none, at least two instructions must follow, the
 * last of them a return or jump, and the first must not be at a multiple of 16, where
 * functions and data begin. The code may belong to another function: to move it is safe,
 * because a thread that jumps to the code's old address traps.
 */
static bool is_code_after(const struct moved *m, size_t at)
{
	uintptr_t here = m->site + at;
	uint8_t out[RELOCATED_MAX];
	uintptr_t start;
	uintptr_t end;
	bool ends = false;
	struct stood stood;
	unsigned count;

	if (kt_function_bounds(m->site, &start, &end)) {
		return here < end ||
		       (kt_function_bounds(here, &start, &end) && start == here);
	}
	for (count = 0; here % 16 && !ends; count++) {
		if (at >= m->n || m->code[at] == 0 ||
		    !relocate(out, here, m->code + at, m->n - at, here, &stood)) {
			return false;
		}
		ends = stood.flow == FLOW_ENDS;
		at += stood.length;
	}
	return ends && count > 1;
}

/*
 * Finds the instructions to move. Returns NULL on success, or the reason why the store
 * cannot be patched. As the trampoline's address is not known yet, write_code() checks the
 * distances.
 */
static const char *find_moved(struct moved *m, size_t bytes)
{
	uint8_t out[RELOCATED_MAX];
	bool ended = false;
	size_t at = 0;

	while (at < bytes) {
		uintptr_t here = m->site + at;
		struct stood stood;
		size_t n = relocate(out, here, m->code + at, m->n - at, here, &stood);

		if (ended && stood.flow != FLOW_FILLER && !is_code_after(m, at)) {
			return "its function ends right after it";
		}
		ended = ended || stood.flow == FLOW_ENDS;
		if (n == 0) {
			return "an instruction that cannot be moved";
		}
		m->offsets[m->count++] = (uint8_t)at;
		at += stood.length;
	}
	m->offsets[m->count] = (uint8_t)at;
	return NULL;
}

/* --- address of the trampoline --- */

/* Returns which bytes of the jump's distance must trap; bit i: the byte at site + 1 + i. */
static unsigned trap_bytes(const struct moved *m)
{
	unsigned fixed = 0;

	for (unsigned i = 1; i < m->count; i++) {
		fixed |= 1u << (m->offsets[i] - 1);
	}
	return fixed;
}

/* Returns which of them are also the next instruction's. */
static unsigned kept_bytes(const struct moved *m)
{
	unsigned n = m->offsets[m->count];

	return n < KT_JUMP_BYTES ? 0xfu & ~0u << (n - 1) : 0;
}

/*
 * Finds free memory for the trampoline by trying distances of the jump. A counter fills the
 * bytes of the distance that need not trap; its steps are 1 MiB if at least the two highest
 * bytes need not trap. Tries addresses below the site first, because the heap above a
 * program must be able to grow.
 */
static bool find_address(struct kt_trampoline *t, const struct moved *m)
{
	static const unsigned shifts[] = {0, 0, 4, 12, 20};
	unsigned kept = kept_bytes(m);
	unsigned fixed = trap_bytes(m) | kept;
	unsigned n_free = 4 - (unsigned)__builtin_popcount(fixed);
	unsigned tries = (kept ? 1 : sizeof(traps)) * ADDRESSES_MAX;

	for (unsigned k = 0; n_free && k < tries; k++) {
		unsigned i = k % ADDRESSES_MAX;
		uint32_t step = (i % (ADDRESSES_MAX / 2) + 1) << shifts[n_free];
		uint32_t number = i < ADDRESSES_MAX / 2 ? 0u - step : step;
		uint32_t distance = 0;
		uintptr_t entry;
		uintptr_t first;
		size_t bytes;
		long got;

		/* Spreads the bytes of `number` over the bytes that need not trap. */
		for (unsigned b = 0; b < 4; b++) {
			if (kept & 1u << b) {
				distance |= (uint32_t)m->code[1 + b] << 8 * b;
			} else if (fixed & 1u << b) {
				distance |= (uint32_t)traps[k / ADDRESSES_MAX] << 8 * b;
			} else {
				distance |= (number & 0xff) << 8 * b;
				number >>= 8;
			}
		}
		entry = m->site + KT_JUMP_BYTES + (uintptr_t)(int64_t)(int32_t)distance;
		if (entry < 16 * KT_PAGE || entry >> 47 != 0) {
			continue;
		}
		first = kt_page_of(entry);
		bytes = kt_whole_pages(entry + TRAMPOLINE_MAX - first);
		/* That an address is in use is usual, so no test makes this call fail. */
		got = KT_KERNEL(SYS_mmap, first, bytes, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if ((uintptr_t)got == first) {
			t->entry = entry;
			t->pages = first;
			t->bytes = bytes;
			return true;
		}
		if (!kt_kernel_failed(got)) { /* older kernels take the address as a hint */
			KT_KERNEL(SYS_munmap, got, bytes);
		}
	}
	return false;
}

/* --- code of the trampoline --- */

static uintptr_t put(uintptr_t at, const void *bytes, size_t n)
{
	memcpy((void *)at, bytes, n);
	return at + n;
}

static bool may_be_patched(const uint8_t *code, size_t n)
{
	struct kt_instruction in;

	return kt_instruction_decode(&in, code, n) && in.form != KT_FORM_OTHER &&
	       in.form != KT_FORM_STRING && in.base != KT_RSP;
}

static uintptr_t put_moved(struct kt_trampoline *t, const struct moved *m, unsigned i,
			   uintptr_t at)
{
	uint8_t out[RELOCATED_MAX];
	uint8_t offset = m->offsets[i];
	const uint8_t *code = m->code + offset;
	struct kt_inner *inner;
	struct stood stood;
	size_t n;

	if (i > 0) {
		inner = &t->inner[t->n_inner++];
		*inner = (struct kt_inner){.offset = offset, .copy = at};
		if (may_be_patched(code, m->n - offset)) {
			at = put(at, kt_trampoline_nop, sizeof(kt_trampoline_nop));
		}
		inner->access = at;
	}
	n = relocate(out, at, code, m->n - offset, m->site + offset, &stood);
	return n ? put(at, out, n) : 0;
}

/*
 * Writes the code at an entry, for the instruction at m->site + offset. Sets *number_at to
 * the address of the number.
 */
static uintptr_t put_entry(uintptr_t at, const struct moved *m, unsigned offset,
			   const struct kt_trampoline_links *links,
			   struct kt_continue_code *way, uintptr_t *number_at)
{
	uintptr_t start = at;

	at = kt_continue_code_put(way, at, m->code + offset, m->n - offset,
				  m->site + offset, links->site);
	if (at == start) {
		at = put(at, skip_red_zone, sizeof(skip_red_zone));
	}
	at = put(at, push_number, sizeof(push_number));
	*number_at = at - sizeof(links->number);
	put(*number_at, &links->number, sizeof(links->number));
	at = put(at, jump_far, sizeof(jump_far));
	return put(at, &links->handler, sizeof(links->handler));
}

/* Writes the jump from an access that continued a run to the code after the instruction. */
static void put_rest(const struct kt_continue_code *way, uintptr_t next)
{
	uint8_t jump[KT_JUMP_BYTES];

	if (way->rest) {
		put_jump(jump, way->rest, next);
		put(way->rest, jump, sizeof(jump));
	}
}

/* Writes code that restores the stack pointer and jumps to `to`, which is near. */
static uintptr_t put_return(uintptr_t at, uintptr_t to)
{
	uint8_t jump[KT_JUMP_BYTES];

	at = put(at, drop, sizeof(drop));
	put_jump(jump, at, to);
	return put(at, jump, sizeof(jump));
}

/* `next` is the address of the code after the moved instruction. */
static uintptr_t put_inner_entry(struct kt_inner *inner, const struct moved *m,
				 uintptr_t at, uintptr_t next,
				 const struct kt_trampoline_links *links)
{
	inner->entry = at;
	inner->after_access =
		put_entry(at, m, inner->offset, links, &inner->way, &inner->number);
	put_rest(&inner->way, next);
	inner->again = put_return(inner->after_access, next);
	put_jump(inner->jump, inner->copy, inner->entry);
	return put_return(inner->again, inner->access);
}

/* Returns false if an instruction cannot be moved to the trampoline's address. */
static bool write_code(struct kt_trampoline *t, const struct moved *m,
		       const struct kt_trampoline_links *links)
{
	uint8_t jump[KT_JUMP_BYTES];
	uintptr_t number_at;
	uintptr_t end;
	uintptr_t at;

	t->after_access = put_entry(t->entry, m, 0, links, &t->way, &number_at);
	t->again = t->after_access + sizeof(drop) + KT_JUMP_BYTES;
	t->access = put(t->again, drop, sizeof(drop));
	at = put_moved(t, m, 0, t->access);
	put_return(t->after_access, at);
	put_rest(&t->way, at);
	for (unsigned i = 1; i < m->count && at; i++) {
		at = put_moved(t, m, i, at);
	}
	t->replaced = m->offsets[m->count];
	t->starts = (uint8_t)(trap_bytes(m) << 1 | 1);
	if (!at || !put_jump(jump, at, m->site + t->replaced)) {
		return false;
	}
	end = at;
	at = put(at, jump, sizeof(jump));
	for (unsigned k = 0; k < t->n_inner; k++) {
		struct kt_inner *inner = &t->inner[k];

		if (inner->access != inner->copy) {
			at = put_inner_entry(
				inner, m, at,
				k + 1 < t->n_inner ? t->inner[k + 1].copy : end, links);
		}
	}
	return put_jump(t->jump, m->site, t->entry);
}

const char *kt_trampoline_make(struct kt_trampoline *out, uintptr_t site,
			       const uint8_t *code, size_t n,
			       const struct kt_trampoline_links *links)
{
	struct moved moved = {.site = site, .code = code, .n = n};
	const char *why = find_moved(&moved, links->keeps_next ? 1 : KT_JUMP_BYTES);

	memset(out, 0, sizeof(*out));
	if (why) {
		return why;
	}
	if (n < KT_JUMP_BYTES || !find_address(out, &moved)) {
		return "no free memory near it";
	}
	if (!write_code(out, &moved, links)) {
		kt_trampoline_free(out);
		return "an operand or target out of the trampoline's reach";
	}
	if (KT_KERNEL_TRY(SYS_mprotect, out->pages, out->bytes, PROT_READ | PROT_EXEC)) {
		kt_trampoline_free(out);
		return "the kernel refuses executable memory";
	}
	return NULL;
}

void kt_trampoline_free(struct kt_trampoline *t)
{
	if (t->bytes) {
		KT_KERNEL(SYS_munmap, t->pages, t->bytes);
	}
	t->bytes = 0;
}
