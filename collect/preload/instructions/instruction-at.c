/* SPDX-License-Identifier: MIT */
/* Decodes instructions at their addresses, and caches them. */
#define _GNU_SOURCE
#include "collect/preload/instructions/instruction.h"

#include <stdatomic.h>
#include <string.h>

#include "collect/preload/instructions/guard.h"
#include "collect/preload/process/memory.h"

#define CACHE_SIZE   2048 /* instructions in the cache */
#define BEING_FILLED 1    /* value of `ip` while the slot is being written */

/* A lossy cache: one instruction for each hash value. */
static struct {
	_Atomic uintptr_t ip; /* 0: none */
	struct kt_instruction instruction;
} cache[CACHE_SIZE];

bool kt_instruction_at(struct kt_instruction *out, uintptr_t ip)
{
	size_t i = (ip ^ ip >> 11) % CACHE_SIZE;
	uint8_t code[KT_INSTRUCTION_MAX];
	size_t in_page = KT_PAGE - ip % KT_PAGE;
	size_t n = in_page < sizeof(code) ? in_page : sizeof(code);
	uintptr_t before;

	if (ip <= BEING_FILLED) {
		return false;
	}
	if (atomic_load_explicit(&cache[i].ip, memory_order_acquire) == ip) {
		*out = cache[i].instruction;
		atomic_thread_fence(memory_order_acquire);
		if (atomic_load_explicit(&cache[i].ip, memory_order_relaxed) == ip &&
		    memcmp(out->bytes, (const void *)ip, out->length) == 0) {
			return true;
		}
	}
	/*
	 * Reads only up to the end of the page first: if the instruction does not extend
	 * into the next page, that page may be missing.
	 */
	if (kt_memory_read(code, ip, n) != n) {
		return false;
	}
	if (!kt_instruction_decode(out, code, n) &&
	    (n == sizeof(code) ||
	     !kt_instruction_decode(out, code, kt_memory_read(code, ip, sizeof(code))))) {
		return false;
	}
	/*
	 * If this handler has interrupted another writer of the slot, leaves the slot as it
	 * is.
	 */
	before = atomic_load(&cache[i].ip);
	if (before != BEING_FILLED &&
	    atomic_compare_exchange_strong(&cache[i].ip, &before, BEING_FILLED)) {
		cache[i].instruction = *out;
		atomic_store(&cache[i].ip, ip);
	}
	return true;
}

/* --- stored values --- */

#define CODE_BEFORE 96 /* bytes inspected before RIP */
#define SITES       16

/*
 * A lossy cache of stores: the address of the instruction after the store, and the store's
 * length in bytes.
 */
static struct {
	_Atomic uintptr_t end;
	_Atomic uint32_t length;
} sites[SITES];

/*
 * Returns whether the instruction, which is at ip, is a 4-byte store to `address`. If so,
 * sets *value to the value that the instruction stores.
 */
static bool stores_to(const struct kt_instruction *instruction, const ucontext_t *context,
		      uintptr_t ip, uintptr_t address, uint32_t *value)
{
	uintptr_t to;

	if (instruction->form != KT_FORM_GENERAL || instruction->action != KT_STORE ||
	    instruction->width != 4 ||
	    !kt_instruction_address(instruction, context, ip, &to) || to != address) {
		return false;
	}
	*value = (uint32_t)kt_instruction_source(instruction, context);
	return true;
}

static void remember(uintptr_t end, uint32_t length)
{
	size_t i = (end >> 2) % SITES;

	atomic_store(&sites[i].end, 0);
	atomic_store(&sites[i].length, length);
	atomic_store(&sites[i].end, end);
}

bool kt_store_value_at(const ucontext_t *context, uintptr_t address, uint32_t *value)
{
	uintptr_t ip = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	struct kt_instruction instruction;

	if (!kt_instruction_at(&instruction, ip) ||
	    !stores_to(&instruction, context, ip, address, value)) {
		return false;
	}
	remember(ip + instruction.length, instruction.length);
	return true;
}

static uint32_t search_site(const ucontext_t *context, uintptr_t end, uintptr_t address)
{
	unsigned char code[CODE_BEFORE];
	uint32_t best = 0;
	unsigned most = 0;

	if (kt_memory_read(code, end - CODE_BEFORE, CODE_BEFORE) != CODE_BEFORE) {
		return 0;
	}
	for (uint32_t length = 2; length <= KT_INSTRUCTION_MAX; length++) {
		struct kt_instruction instruction;
		uint32_t value;
		unsigned votes = 1;

		if (!kt_instruction_decode(&instruction, code + CODE_BEFORE - length,
					   length) ||
		    instruction.length != length ||
		    !stores_to(&instruction, context, end - length, address, &value)) {
			continue;
		}
		/*
		 * Each earlier address from which decoding arrives at the start of the
		 * candidate is a vote for it.
		 */
		for (size_t from = 0; from + 2 * KT_INSTRUCTION_MAX < CODE_BEFORE; from++) {
			size_t at = from;
			size_t n = 1;

			while (at < CODE_BEFORE - length && n) {
				n = kt_instruction_length(code + at, CODE_BEFORE - at);
				at += n;
			}
			votes += at == CODE_BEFORE - length;
		}
		if (votes > most) {
			most = votes;
			best = length;
		}
	}
	return best;
}

bool kt_store_value_before(const ucontext_t *context, uintptr_t address, uint32_t *value)
{
	uintptr_t end = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	size_t i = (end >> 2) % SITES;
	uint32_t length = atomic_load(&sites[i].length);
	struct kt_instruction instruction;

	if (atomic_load(&sites[i].end) != end) {
		length = search_site(context, end, address);
		if (length) {
			remember(end, length);
		}
	}
	return length && kt_instruction_at(&instruction, end - length) &&
	       instruction.length == length &&
	       stores_to(&instruction, context, end - length, address, value);
}
