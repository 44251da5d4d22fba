// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "watch/store/store-decode.h"

#include "watch/store/store-table.h"

/* --- address of a store --- */

/*
 * The bytes [to, to + size) that a store writes. size is 0 if the address is not known: the
 * store has changed a register on which the address depends, the address is 16-bit or
 * relative to fs or gs, or the instruction may store anywhere (bts, scatter).
 */
struct target {
	uint64_t to;
	uint64_t size;
};

static uint64_t narrow_address(const struct dw_instruction *instruction, uint64_t address)
{
	return instruction->address_bits == 64 ? address : (uint32_t)address;
}

static uint64_t general(const struct dw_store_registers *registers, uint8_t number)
{
	return number < 16 ? registers->general[number] : 0;
}

static unsigned size_of(const struct dw_instruction *instruction,
			const struct dw_store_form *store)
{
	if (store->size == DW_STORE_OPSIZE) {
		return instruction->wide ? 8 : instruction->narrow ? 2 : 4;
	}
	return store->size == DW_STORE_BYTE ? 1 : store->size;
}

static bool uses(const struct dw_instruction *instruction, uint8_t number)
{
	return instruction->base == number || instruction->index == number;
}

/* Returns whether the store has changed a register that its address depends on. */
static bool is_moved(const struct dw_instruction *instruction,
		     const struct dw_store_form *store)
{
	uint8_t reg = instruction->reg;

	switch (store->what) {
	case OTHER_RAX: return uses(instruction, 0);
	case OTHER_PAIR: return uses(instruction, 0) || uses(instruction, 2);
	case OTHER_REG:
		if (store->size == DW_STORE_BYTE && reg >= 4 && reg < 8) {
			/* ah, ch, dh, bh or, with a REX prefix, spl, bpl, sil, dil */
			reg -= 4;
			return uses(instruction, reg) || uses(instruction, reg + 4);
		}
		return uses(instruction, reg);
	default: return false;
	}
}

static struct target find_target(const struct dw_instruction *instruction,
				 const struct dw_store_form *store,
				 const struct dw_store_registers *registers)
{
	struct target target = {0, size_of(instruction, store)};
	bool down = registers->flags >> 10 & 1;
	bool has_segment = true;

	switch (store->what) {
	case STOS:
	case MOVS:
		/*
		 * The store has advanced rdi past the last element, so this is the address
		 * of that element.
		 */
		target.to = down ? registers->general[7] + target.size
				 : registers->general[7] - target.size;
		has_segment = false; /* always es: segment prefixes do not apply */
		break;
	case AT_RDI: target.to = registers->general[7]; break;
	case AT_REGISTER:
		target.to = general(registers, instruction->reg);
		has_segment = false;
		break;
	default:
		target.to = (uint64_t)instruction->displacement;
		if (instruction->base == DW_REGISTER_IP) {
			target.to += registers->ip;
		}
		target.to += general(registers, instruction->base) +
			     general(registers, instruction->index) * instruction->scale;
		break;
	}
	target.to = narrow_address(instruction, target.to);
	if (instruction->address_bits == 16 || is_moved(instruction, store) ||
	    (instruction->high_base && has_segment)) {
		target.size = 0;
	}
	return target;
}

static bool touches(const struct target *target, uint64_t at)
{
	return at + 4 > target->to && at < target->to + target->size;
}

/* --- value of a store --- */

/* Writes the whole stored value to *value. Returns false if the value is only in memory. */
static bool find_value(const struct dw_instruction *instruction,
		       const struct dw_store_form *store,
		       const struct dw_store_registers *registers, uint64_t *value)
{
	unsigned size = size_of(instruction, store);
	uint64_t reg = general(registers, instruction->reg);
	unsigned i;

	if (store->what == STOS || instruction->opcode == 0xa3) {
		*value = registers->general[0];
		return true;
	}
	if (store->what == SWAPPED) {
		*value = 0;
		for (i = 0; i < size; i++) {
			*value = *value << 8 | (reg >> (8 * i) & 0xff);
		}
		return true;
	}
	*value = instruction->opcode == 0xc7 ? (uint64_t)instruction->immediate : reg;
	return store->what == SOURCE;
}

enum dw_store_kind dw_store_decode_one(const uint8_t *code, size_t length,
				       const struct dw_store_registers *registers,
				       uint64_t at, uint32_t *value, bool *certain)
{
	struct dw_instruction instruction;
	const struct dw_store_form *store;
	struct target target;
	uint64_t all;
	unsigned unit;

	*certain = true;
	if (!dw_instruction_decode(&instruction, code, length, registers->bits) ||
	    instruction.length != length) {
		return DW_STORE_UNKNOWN;
	}
	store = dw_store_form_of(&instruction);
	if (!store || (instruction.locks && !store->lockable) ||
	    (instruction.modrm >= 0xc0) != (store->what == AT_RDI)) {
		return DW_STORE_UNKNOWN;
	}
	target = find_target(&instruction, store, registers);
	if (!target.size) {
		*certain = false;
		return DW_STORE_MEMORY;
	}
	/*
	 * EVEX scales a one-byte displacement by a unit that depends on the opcode. The
	 * unit is not known here, so all units are tried.
	 */
	for (unit = 1; instruction.scaled_displacement && unit <= 64; unit *= 2) {
		uint64_t step = (uint64_t)instruction.displacement;
		struct target scaled = {target.to + step * (unit - 1), target.size};

		if (touches(&scaled, at)) {
			return DW_STORE_MEMORY;
		}
	}
	if (instruction.scaled_displacement) {
		return DW_STORE_UNKNOWN;
	}
	if (!touches(&target, at)) {
		bool down = registers->flags >> 10 & 1;
		uint64_t back = down ? at - target.to : target.to - at;

		/*
		 * A repeated store may have written an earlier element at `at`, up to a
		 * page away.
		 */
		*certain = false;
		return (store->what == STOS || store->what == MOVS) &&
				       instruction.repeats && back <= 4096
			       ? DW_STORE_MEMORY
			       : DW_STORE_UNKNOWN;
	}
	if (at < target.to || at + 4 > target.to + target.size ||
	    !find_value(&instruction, store, registers, &all)) {
		return DW_STORE_MEMORY;
	}
	*value = (uint32_t)(all >> (8 * (at - target.to)));
	return DW_STORE_VALUE;
}

/* --- finding the instruction before ip --- */

#define BEFORE_MAX 64

/* A decoded instruction that ends at ip and may be the store. */
struct candidate {
	size_t length;
	enum dw_store_kind kind;
	uint32_t value;
};

/*
 * Collects all decodings that store to `at`, the longest first. If two decodings have
 * equally many votes, elect() chooses the first, which is longer and has all prefixes of
 * the instruction. Decodings whose address the registers do not determine are collected
 * only if there are no others.
 */
static unsigned find_candidates(struct candidate *candidates, const uint8_t *before,
				size_t n, const struct dw_store_registers *registers,
				uint64_t at)
{
	bool any_certain = false;
	unsigned count = 0;
	size_t length;

	for (length = n < DW_STORE_BYTES ? n : DW_STORE_BYTES; length > 0; length--) {
		struct candidate found = {.length = length};
		bool certain;

		found.kind = dw_store_decode_one(before + n - length, length, registers, at,
						 &found.value, &certain);
		if (found.kind == DW_STORE_UNKNOWN || (any_certain && !certain)) {
			continue;
		}
		if (certain && !any_certain) {
			any_certain = true;
			count = 0;
		}
		candidates[count++] = found;
	}
	return count;
}

/*
 * Picks the candidate on which most decodings agree: votes[i] counts decodings from further
 * back that reach an instruction at code[i]. The decodings begin more than two instructions
 * of maximal length before the end, so that they follow the real instructions by the time
 * they reach a candidate.
 */
static const struct candidate *elect(const struct candidate *candidates, unsigned count,
				     const uint8_t *code, size_t n, unsigned bits)
{
	const struct candidate *best = &candidates[0];
	struct dw_instruction instruction;
	uint8_t votes[BEFORE_MAX];
	size_t i;

	for (i = 0; i < n; i++) {
		votes[i] = i + 2 * DW_INSTRUCTION_MAX < n;
	}
	for (i = 0; i < n; i++) {
		if (votes[i] &&
		    dw_instruction_decode(&instruction, code + i, n - i, bits) &&
		    i + instruction.length < n) {
			votes[i + instruction.length] =
				(uint8_t)(votes[i + instruction.length] + votes[i]);
		}
	}
	for (i = 1; i < count; i++) {
		if (votes[n - candidates[i].length] > votes[n - best->length]) {
			best = &candidates[i];
		}
	}
	return best;
}

enum dw_store_kind dw_store_decode(const uint8_t *before, size_t n,
				   const struct dw_store_registers *registers, uint64_t at,
				   uint32_t *value)
{
	struct candidate candidates[DW_STORE_BYTES];
	const struct candidate *best = candidates;
	unsigned count;
	unsigned i;

	if (n > BEFORE_MAX) {
		before += n - BEFORE_MAX;
		n = BEFORE_MAX;
	}
	count = find_candidates(candidates, before, n, registers, at);
	if (!count) {
		return DW_STORE_UNKNOWN;
	}
	/* Candidates that agree on kind and value need no vote. */
	for (i = 1; i < count; i++) {
		if (candidates[i].kind != candidates[0].kind ||
		    candidates[i].value != candidates[0].value) {
			best = elect(candidates, count, before, n, registers->bits);
			break;
		}
	}
	if (best->kind == DW_STORE_VALUE) {
		*value = best->value;
	}
	return best->kind;
}

enum dw_store_kind dw_store_decode_repeated(const uint8_t *code, size_t n,
					    const struct dw_store_registers *registers,
					    uint64_t at, uint32_t *value)
{
	struct dw_instruction instruction;
	const struct dw_store_form *store;
	bool certain;

	if (!dw_instruction_decode(&instruction, code, n, registers->bits) ||
	    !instruction.repeats) {
		return DW_STORE_UNKNOWN;
	}
	store = dw_store_form_of(&instruction);
	if (!store || (store->what != STOS && store->what != MOVS)) {
		return DW_STORE_UNKNOWN;
	}
	return dw_store_decode_one(code, instruction.length, registers, at, value,
				   &certain);
}

/* --- the next store --- */

bool dw_store_decode_next(struct dw_store *out, const uint8_t *code, size_t n,
			  const struct dw_store_registers *registers)
{
	/* A copy whose ip is the address of the next instruction */
	struct dw_store_registers after = *registers;
	uint64_t rdi = registers->general[7];
	bool down = registers->flags >> 10 & 1;
	struct dw_instruction instruction;
	const struct dw_store_form *form;
	struct target target;
	uint64_t value;

	if (!dw_instruction_decode(&instruction, code, n, registers->bits)) {
		return false;
	}
	form = dw_store_form_of(&instruction);
	after.ip += instruction.length;
	if (!form || instruction.locks ||
	    (instruction.has_modrm && instruction.modrm >= 0xc0) ||
	    (form->what != SOURCE && form->what != SWAPPED &&
	     (form->what != STOS || instruction.repeats))) {
		return false;
	}
	target = find_target(&instruction, form, &after);
	if (!target.size || !find_value(&instruction, form, &after, &value)) {
		return false;
	}
	*out = (struct dw_store){
		.to = target.to,
		.value = value,
		.size = (uint8_t)target.size,
		.length = instruction.length,
		.rdi = rdi,
	};
	if (form->what == STOS) {
		out->to = narrow_address(&instruction, rdi);
		out->rdi = narrow_address(&instruction,
					  down ? rdi - target.size : rdi + target.size);
	}
	return true;
}
