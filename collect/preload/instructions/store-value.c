/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/instructions/store-value.h"

#include <stdatomic.h>

#include "collect/preload/instructions/guard.h"
#include "collect/preload/instructions/instruction.h"
#include "collect/preload/process/memory.h"

#define CODE_BEFORE 96 /* bytes looked at in front of RIP */
#define SITES       16

/* Lengths of the stores that were found, by the address behind them. Lossy. */
static struct {
	_Atomic uintptr_t end;
	_Atomic uint32_t length;
} sites[SITES];

/* Whether the instruction, which stands at ip, is a 4-byte store to that address. */
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
		/* How many decodings that begin further back come to it. */
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
