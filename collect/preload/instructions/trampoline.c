/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/instructions/trampoline.h"

#include <string.h>
#include <sys/mman.h>

#include "collect/preload/instructions/function-bounds.h"
#include "collect/preload/instructions/relocate.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define ROOM       256  /* bytes of a trampoline at most */
#define PLACES_MAX 4096 /* that are tried */
#define MOVED_MAX  KT_JUMP_BYTES

/*
 * Instructions of one byte that trap: int3; then hlt, cli, sti, in and out, which the
 * kernel alone may run (SIGSEGV). As the highest byte of a distance each of them stands for
 * 16 MiB in which the trampoline has to find room.
 */
static const uint8_t traps[] = {0xcc, 0xf4, 0xfa, 0xfb, 0xec, 0xed,
				0xee, 0xef, 0x6c, 0x6d, 0x6e, 0x6f};

/* Of the pieces that are the same in all of them. */
static const uint8_t skip_red_zone[] = {0x48, 0x8d, 0x64, 0x24, 0x80};
static const uint8_t push_number[] = {0x68, 0, 0, 0, 0};
static const uint8_t jump_far[] = {0xff, 0x25, 0, 0, 0, 0}; /* to what follows it */
static const uint8_t drop[] = {0x48, 0x8d, 0xa4, 0x24, 0x88, 0, 0, 0};

/* The instructions that the jump will stand on. */
struct moved {
	uintptr_t site;
	const uint8_t *code;
	size_t n;
	unsigned count;
	uint8_t offsets[MOVED_MAX +
			1]; /* the last: where the first one begins that stays */
};

/* --- what has to be moved --- */

/*
 * Whether what stands behind a return or a jump is code that begins there, and not data. By
 * the unwind table: the rest of the function, or another one. Where there is none: whole
 * instructions lead on to a return or a jump, and they do not begin where functions and
 * data do, at a multiple of 16. Whoever comes there later traps, so any code may be moved.
 */
static bool is_code_behind(const struct moved *m, size_t at)
{
	uintptr_t here = m->site + at;
	uint8_t out[KT_RELOCATED_MAX];
	uintptr_t start;
	uintptr_t end;
	bool ends = false;
	unsigned count;
	size_t length;

	if (kt_function_bounds(m->site, &start, &end)) {
		return here < end ||
		       (kt_function_bounds(here, &start, &end) && start == here);
	}
	for (count = 0; here % 16 && !ends; count++) {
		if (at >= m->n || m->code[at] == 0 ||
		    !kt_relocate(out, here, m->code + at, m->n - at, here, &length)) {
			return false;
		}
		ends = kt_relocate_flow(m->code + at, m->n - at) == KT_FLOW_ENDS;
		at += length;
	}
	return ends && count > 1;
}

/* Where they are moved to is not known yet: that only some can be is seen again later. */
static const char *find_moved(struct moved *m)
{
	uint8_t out[KT_RELOCATED_MAX];
	bool ended = false;
	size_t at = 0;

	while (at < KT_JUMP_BYTES) {
		uintptr_t here = m->site + at;
		enum kt_flow flow = kt_relocate_flow(m->code + at, m->n - at);
		size_t length;

		if (ended && flow != KT_FLOW_FILLER && !is_code_behind(m, at)) {
			return "its function ends right behind it";
		}
		ended = ended || flow == KT_FLOW_ENDS;
		if (kt_relocate(out, here, m->code + at, m->n - at, here, &length) == 0) {
			return "an instruction that cannot be moved";
		}
		m->offsets[m->count++] = (uint8_t)at;
		at += length;
	}
	m->offsets[m->count] = (uint8_t)at;
	return NULL;
}

/* --- where it is put --- */

/* Which of the four bytes of the distance are to trap: byte i stands at site + 1 + i. */
static unsigned trap_bytes(const struct moved *m)
{
	unsigned fixed = 0;

	for (unsigned i = 1; i < m->count; i++) {
		fixed |= 1u << (m->offsets[i] - 1);
	}
	return fixed;
}

/*
 * The numbers that are tried are steps of a megabyte or so, as many bytes as are free.
 * Downwards first: upwards of a program lies its heap, which wants to grow.
 */
static bool find_place(struct kt_trampoline *t, const struct moved *m)
{
	static const unsigned shifts[] = {0, 0, 4, 12, 20};
	unsigned fixed = trap_bytes(m);
	unsigned n_free = 4 - (unsigned)__builtin_popcount(fixed);

	for (unsigned k = 0; n_free && k < sizeof(traps) * PLACES_MAX; k++) {
		unsigned i = k % PLACES_MAX;
		uint32_t step = (i % (PLACES_MAX / 2) + 1) << shifts[n_free];
		uint32_t number = i < PLACES_MAX / 2 ? 0u - step : step;
		uint32_t distance = 0;
		uintptr_t entry;
		uintptr_t first;
		size_t bytes;
		long got;

		/* Its bytes on those that are free, from the lowest on. */
		for (unsigned b = 0; b < 4; b++) {
			if (fixed & 1u << b) {
				distance |= (uint32_t)traps[k / PLACES_MAX] << 8 * b;
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
		bytes = kt_whole_pages(entry + ROOM - first);
		got = KT_KERNEL_TRY(SYS_mmap, first, bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
				    0);
		if ((uintptr_t)got == first) {
			t->entry = entry;
			t->pages = first;
			t->bytes = bytes;
			return true;
		}
		if (!kt_kernel_failed(got)) { /* a kernel that knows it as a hint */
			KT_KERNEL(SYS_munmap, got, bytes);
		}
	}
	return false;
}

/* --- its code --- */

static uintptr_t put(uintptr_t at, const void *bytes, size_t n)
{
	memcpy((void *)at, bytes, n);
	return at + n;
}

static uintptr_t put_moved(struct kt_trampoline *t, const struct moved *m, unsigned i,
			   uintptr_t at)
{
	uint8_t out[KT_RELOCATED_MAX];
	uint8_t offset = m->offsets[i];
	size_t length;
	size_t n = kt_relocate(out, at, m->code + offset, m->n - offset, m->site + offset,
			       &length);

	if (n == 0) {
		return 0;
	}
	if (i > 0) {
		t->inner[t->n_inner++] = (struct kt_inner){offset, at};
	}
	return put(at, out, n);
}

/* false: something cannot be moved so far. */
static bool write_code(struct kt_trampoline *t, const struct moved *m, uint32_t number,
		       uintptr_t handler)
{
	uint8_t jump[KT_JUMP_BYTES];
	uintptr_t over;
	uintptr_t at;

	at = put(t->entry, skip_red_zone, sizeof(skip_red_zone));
	at = put(at, push_number, sizeof(push_number));
	memcpy((void *)(at - sizeof(number)), &number, sizeof(number));
	at = put(at, jump_far, sizeof(jump_far));
	t->made = put(at, &handler, sizeof(handler));
	over = put(t->made, drop, sizeof(drop));
	t->again = over + KT_JUMP_BYTES;
	t->store = put(t->again, drop, sizeof(drop));
	at = put_moved(t, m, 0, t->store);
	if (!at || !kt_relocate_jump(jump, over, at)) {
		return false;
	}
	put(over, jump, sizeof(jump));
	for (unsigned i = 1; i < m->count && at; i++) {
		at = put_moved(t, m, i, at);
	}
	t->replaced = m->offsets[m->count];
	t->starts = (uint8_t)(trap_bytes(m) << 1 | 1);
	if (!at || !kt_relocate_jump(jump, at, m->site + t->replaced)) {
		return false;
	}
	put(at, jump, sizeof(jump));
	return kt_relocate_jump(t->jump, m->site, t->entry) != 0;
}

const char *kt_trampoline_make(struct kt_trampoline *out, uintptr_t site,
			       const uint8_t *code, size_t n, uint32_t number,
			       uintptr_t handler)
{
	struct moved moved = {.site = site, .code = code, .n = n};
	const char *why = find_moved(&moved);

	memset(out, 0, sizeof(*out));
	if (why) {
		return why;
	}
	if (!find_place(out, &moved)) {
		return "no free memory within its reach";
	}
	if (!write_code(out, &moved, number, handler)) {
		kt_trampoline_free(out);
		return "an operand or target out of the trampoline's reach";
	}
	if (KT_KERNEL_TRY(SYS_mprotect, out->pages, out->bytes, PROT_READ | PROT_EXEC)) {
		kt_trampoline_free(out);
		return "the kernel forbids code of our own";
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
