/* SPDX-License-Identifier: MIT */
/*
 * Emulates arbitrary bytes as code with arbitrary registers. Emulation must not crash, must
 * access only memory that translate() returns, and must change nothing if it refuses the
 * code.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/instructions/emulate.h"
#include "collect/preload/instructions/registers.h"

#define PAGE     4096u
#define ARENA    (1u << 20) /* closed bytes around the pages; strings cannot cross them */
#define WATCHED  0x7e0000000000u
#define SIZE     (4 * PAGE)
#define CODE_MAX 15

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each arena consists of closed pages, with accessible pages in the middle. */
static unsigned char *arenas[3];
static unsigned char frame[8192] __attribute__((aligned(64)));

enum { MEMORY, ORDINARY, CODE };

static void *translate(uintptr_t address, size_t n, bool write, bool *known, void *context)
{
	(void)write;
	(void)context;
	if (address + n <= WATCHED || address >= WATCHED + SIZE) {
		return NULL;
	}
	*known = address >= WATCHED && address + n <= WATCHED + SIZE;
	return *known ? arenas[MEMORY] + (address - WATCHED) : NULL;
}

static unsigned char *make_arena(size_t open)
{
	unsigned char *arena =
		mmap(NULL, 2 * ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (arena == MAP_FAILED ||
	    mprotect(arena + ARENA, open, PROT_READ | PROT_WRITE) != 0) {
		abort();
	}
	return arena + ARENA;
}

/* Takes the next 8 bytes of the input; bytes after its end are 0. */
static uint64_t take(const uint8_t **data, size_t *size)
{
	uint64_t word = 0;
	size_t n = *size < sizeof(word) ? *size : sizeof(word);

	memcpy(&word, *data, n);
	*data += n;
	*size -= n;
	return word;
}

/*
 * Returns an address in or near the accessible pages, or a small number. Strings from there
 * must not leave the arenas.
 */
static uint64_t address_of(uint64_t random)
{
	switch (random >> 62) {
	case 0: return random >> 2 & 0xffff; /* a count or an index */
	case 1: return (uintptr_t)arenas[ORDINARY] + random % SIZE;
	default: return WATCHED - 64 + random % (SIZE + 128);
	}
}

static void check(const ucontext_t *before, const ucontext_t *after, bool emulated,
		  const struct kt_emulated *done)
{
	uint64_t step = (uint64_t)(after->uc_mcontext.gregs[REG_RIP] -
				   before->uc_mcontext.gregs[REG_RIP]);

	if (!emulated && (memcmp(before, after, sizeof(*before)) != 0 || done->n)) {
		abort();
	}
	if (emulated && (step > CODE_MAX || done->n < 1 || done->n > 2)) {
		abort();
	}
	for (unsigned i = 0; i < done->n; i++) {
		const struct kt_emulated_access *access = &done->accesses[i];

		if (access->address < WATCHED || !access->size ||
		    access->address + access->size > WATCHED + SIZE) {
			abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = size < CODE_MAX ? size : CODE_MAX;
	unsigned char was[sizeof(frame)];
	struct kt_emulated done;
	ucontext_t context;
	ucontext_t before;
	unsigned char *ip;
	uint64_t options;

	if (!arenas[MEMORY]) {
		kt_instruction_init();
		arenas[MEMORY] = make_arena(SIZE);
		arenas[ORDINARY] = make_arena(SIZE);
		arenas[CODE] = make_arena(PAGE);
	}
	ip = arenas[CODE] + PAGE - n;
	memcpy(ip, data, n);
	data += n;
	size -= n;
	options = take(&data, &size);
	memset(&context, 0, sizeof(context));
	for (unsigned i = 0; i < 16; i++) {
		kt_register_write(&context, i, address_of(take(&data, &size)));
	}
	context.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)ip;
	context.uc_mcontext.gregs[REG_EFL] = (greg_t)(0x202 | (options & 0xcd5));
	memset(frame, 0, 576);
	memcpy(frame + 464, (uint32_t[]){options & 0x1000 ? 0 : 0x46505853u}, 4);
	memcpy(frame + 472, (uint64_t[]){options >> 16 & 0xff}, 8);
	memcpy(frame + 480, (uint32_t[]){options & 0x2000 ? 800 : sizeof(frame)}, 4);
	memcpy(frame + 512, (uint64_t[]){options >> 24 & 0xff}, 8);
	if (!(options & 0x4000)) {
		context.uc_mcontext.fpregs = (fpregset_t)(void *)frame;
	}
	before = context;
	memcpy(was, frame, sizeof(frame));
	if (kt_emulate(&context, translate, NULL, &done)) {
		check(&before, &context, true, &done);
	} else {
		check(&before, &context, false, &done);
		if (memcmp(was, frame, sizeof(frame)) != 0) {
			abort();
		}
	}
	return 0;
}
