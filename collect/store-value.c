/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/store-value.h"

#include <Zydis/Zydis.h>
#include <stdatomic.h>
#include <string.h>

#include "collect/memory.h"

#define CODE_BEFORE 96 /* bytes looked at in front of RIP */
#define MAX_LENGTH  15 /* of an x86 instruction */
#define SITES       16

static ZydisDecoder decoder;

/* Lengths of the stores that were found, by the address behind them. Lossy. */
static struct {
	_Atomic uintptr_t end;
	_Atomic uint32_t length;
} sites[SITES];

void kt_store_value_init(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

/* Value of a general-purpose register, shifted so that the low bits are the register's. */
static bool read_register(const ucontext_t *context, ZydisRegister reg, uint64_t *value)
{
	static const int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
				    REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
				    REG_R12, REG_R13, REG_R14, REG_R15};
	ZydisRegister wide =
		ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (wide < ZYDIS_REGISTER_RAX || wide > ZYDIS_REGISTER_R15) {
		return false;
	}
	*value = (uint64_t)context->uc_mcontext.gregs[order[wide - ZYDIS_REGISTER_RAX]];
	if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH) {
		*value >>= 8;
	}
	return true;
}

static bool stores_to(const ucontext_t *context, const ZydisDecodedOperand *op,
		      uintptr_t next_ip, uintptr_t address)
{
	uint64_t base = 0;
	uint64_t index = 0;

	if (op->type != ZYDIS_OPERAND_TYPE_MEMORY ||
	    !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)) {
		return false;
	}
	if (op->mem.base == ZYDIS_REGISTER_RIP) {
		base = next_ip;
	} else if (op->mem.base != ZYDIS_REGISTER_NONE &&
		   !read_register(context, op->mem.base, &base)) {
		return false;
	}
	if (op->mem.index != ZYDIS_REGISTER_NONE &&
	    !read_register(context, op->mem.index, &index)) {
		return false;
	}
	return base + index * op->mem.scale + (uint64_t)op->mem.disp.value == address;
}

/* Decodes code[0..length), which stands at `ip`; true if it is a 4-byte store there. */
static bool decode_store(const ucontext_t *context, const unsigned char *code,
			 size_t length, uintptr_t ip, uintptr_t address, uint32_t *value,
			 uint8_t *taken)
{
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t source;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, length, &instruction,
						 operands))) {
		return false;
	}
	*taken = instruction.length;
	if ((instruction.mnemonic != ZYDIS_MNEMONIC_MOV &&
	     instruction.mnemonic != ZYDIS_MNEMONIC_MOVNTI) ||
	    operands[0].size != 32 ||
	    !stores_to(context, &operands[0], ip + instruction.length, address)) {
		return false;
	}
	if (operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		*value = (uint32_t)operands[1].imm.value.u;
		return true;
	}
	if (operands[1].type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    !read_register(context, operands[1].reg.value, &source)) {
		return false;
	}
	*value = (uint32_t)source;
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
	unsigned char code[MAX_LENGTH];
	size_t n = kt_memory_read(code, ip, sizeof(code));
	uint8_t taken = 0;

	if (!decode_store(context, code, n, ip, address, value, &taken)) {
		return false;
	}
	remember(ip + taken, taken);
	return true;
}

/* How many decodings that begin further back come to an instruction at code[start]. */
static unsigned count_votes(const unsigned char *code, size_t start)
{
	unsigned votes = 0;

	for (size_t from = 0; from + 2 * MAX_LENGTH < CODE_BEFORE; from++) {
		size_t at = from;

		while (at < start) {
			ZydisDecodedInstruction instruction;

			if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
				    &decoder, ZYAN_NULL, code + at, CODE_BEFORE - at,
				    &instruction))) {
				break;
			}
			at += instruction.length;
		}
		votes += at == start;
	}
	return votes;
}

static uint32_t search_site(const ucontext_t *context, uintptr_t end, uintptr_t address)
{
	unsigned char code[CODE_BEFORE];
	uint32_t best = 0;
	unsigned most = 0;

	if (kt_memory_read(code, end - CODE_BEFORE, CODE_BEFORE) != CODE_BEFORE) {
		return 0;
	}
	for (uint32_t length = 2; length <= MAX_LENGTH; length++) {
		uint32_t value;
		uint8_t taken = 0;
		unsigned votes;

		if (!decode_store(context, code + CODE_BEFORE - length, length,
				  end - length, address, &value, &taken) ||
		    taken != length) {
			continue;
		}
		votes = count_votes(code, CODE_BEFORE - length) + 1;
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
	unsigned char code[MAX_LENGTH];
	uint8_t taken = 0;

	if (atomic_load(&sites[i].end) != end) {
		length = search_site(context, end, address);
		if (length) {
			remember(end, length);
		}
	}
	if (!length) {
		return false;
	}
	memcpy(code, (const void *)(end - length), length); /* it has just been executed */
	return decode_store(context, code, length, end - length, address, value, &taken) &&
	       taken == length;
}
