// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "watch/store/store-decode.h"

#include "watch/store/store-table.h"

/* --- where it stores --- */

/* Bytes [to, to + size); size 0: not known, or of registers that are not what they were. */
struct place {
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

/* Whether a register that the address is made of is not what it was before. */
static bool is_moved(const struct dw_instruction *instruction,
		     const struct dw_store_form *store)
{
	uint8_t reg = instruction->reg;

	switch (store->what) {
	case OTHER_RAX: return uses(instruction, 0);
	case OTHER_PAIR: return uses(instruction, 0) || uses(instruction, 2);
	case OTHER_REG:
		if (store->size == DW_STORE_BYTE && reg >= 4 && reg < 8) {
			reg -= 4; /* ah, ch, dh, bh, if there is no REX prefix */
			return uses(instruction, reg) || uses(instruction, reg + 4);
		}
		return uses(instruction, reg);
	default: return false;
	}
}

/* stos, movs: rdi has gone on by the size; with a prefix any number of times. */
static uint64_t find_string(const struct dw_store_registers *registers, uint64_t size)
{
	bool down = registers->flags >> 10 & 1;

	return down ? registers->general[7] + size : registers->general[7] - size;
}

/* Strings and movdir64b go to es, whatever the prefix says. */
static bool has_segment(const struct dw_store_form *store)
{
	return store->what != STOS && store->what != MOVS && store->what != AT_REGISTER;
}

static struct place find_place(const struct dw_instruction *instruction,
			       const struct dw_store_form *store,
			       const struct dw_store_registers *registers)
{
	struct place place = {0, size_of(instruction, store)};

	switch (store->what) {
	case STOS:
	case MOVS: place.to = find_string(registers, place.size); break;
	case AT_RDI: place.to = registers->general[7]; break;
	case AT_REGISTER: place.to = general(registers, instruction->reg); break;
	default:
		place.to = (uint64_t)instruction->displacement;
		if (instruction->base == DW_REGISTER_IP) {
			place.to += registers->ip;
		}
		place.to += general(registers, instruction->base) +
			    general(registers, instruction->index) * instruction->scale;
		break;
	}
	place.to = narrow_address(instruction, place.to);
	if (instruction->address_bits == 16 || is_moved(instruction, store) ||
	    (instruction->high_base && has_segment(store))) {
		place.size = 0;
	}
	return place;
}

static bool touches(const struct place *place, uint64_t at)
{
	return at + 4 > place->to && at < place->to + place->size;
}

/* EVEX: a displacement of one byte counts in units that follow from the opcode. */
static bool touches_scaled(const struct dw_instruction *instruction, struct place place,
			   uint64_t at)
{
	uint64_t step = (uint64_t)instruction->displacement;
	unsigned unit;

	for (unit = 1; unit <= 64; unit *= 2) {
		struct place scaled = {place.to + step * (unit - 1), place.size};

		if (touches(&scaled, at)) {
			return true;
		}
	}
	return false;
}

/* --- what it stores --- */

static uint64_t swap(uint64_t value, unsigned size)
{
	uint64_t swapped = 0;
	unsigned i;

	for (i = 0; i < size; i++) {
		swapped = swapped << 8 | (value >> (8 * i) & 0xff);
	}
	return swapped;
}

/* The whole of it; false: only memory tells. */
static bool find_value(const struct dw_instruction *instruction,
		       const struct dw_store_form *store,
		       const struct dw_store_registers *registers, uint64_t *value)
{
	unsigned size = size_of(instruction, store);

	if (store->what == STOS || instruction->opcode == 0xa3) {
		*value = registers->general[0];
		return true;
	}
	if (store->what == SWAPPED) {
		*value = swap(general(registers, instruction->reg), size);
		return true;
	}
	*value = instruction->opcode == 0xc7 ? (uint64_t)instruction->immediate
					     : general(registers, instruction->reg);
	return store->what == SOURCE;
}

/* Elements before the last one of a repeated store, as far back as a page. */
static bool is_earlier_element(const struct dw_instruction *instruction,
			       const struct dw_store_form *store, const struct place *place,
			       const struct dw_store_registers *registers, uint64_t at)
{
	bool down = registers->flags >> 10 & 1;
	uint64_t back = down ? at - place->to : place->to - at;

	return (store->what == STOS || store->what == MOVS) && instruction->repeats &&
	       back <= 4096;
}

enum dw_store_kind dw_store_decode_one(const uint8_t *code, size_t length,
				       const struct dw_store_registers *registers,
				       uint64_t at, uint32_t *value, bool *certain)
{
	struct dw_instruction instruction;
	const struct dw_store_form *store;
	struct place place;
	uint64_t all;

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
	place = find_place(&instruction, store, registers);
	if (!place.size) {
		*certain = false;
		return DW_STORE_MEMORY;
	}
	if (instruction.scaled_displacement) {
		return touches_scaled(&instruction, place, at) ? DW_STORE_MEMORY
							       : DW_STORE_UNKNOWN;
	}
	if (!touches(&place, at)) {
		*certain = false;
		return is_earlier_element(&instruction, store, &place, registers, at)
			       ? DW_STORE_MEMORY
			       : DW_STORE_UNKNOWN;
	}
	if (at < place.to || at + 4 > place.to + place.size ||
	    !find_value(&instruction, store, registers, &all)) {
		return DW_STORE_MEMORY;
	}
	*value = (uint32_t)(all >> (8 * (at - place.to)));
	return DW_STORE_VALUE;
}

/* --- which instruction it was --- */

#define BEFORE_MAX 64

/*
 * votes[i]: how many decodings that begin further back come to an instruction at code[i].
 * Only those that have had room to fall into step with the code count.
 */
static void count_votes(const uint8_t *code, size_t n, unsigned bits, uint8_t *votes)
{
	struct dw_instruction instruction;
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
}

/* An instruction that may have been it. */
struct candidate {
	size_t length;
	enum dw_store_kind kind;
	uint32_t value;
};

/*
 * All that store there, the longest first: of two with as many votes it is the one with its
 * prefixes. Those of which the registers do not tell where they store only if there are no
 * others.
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

/* They all say the same: then it does not matter which of them it was. */
static bool agree(const struct candidate *candidates, unsigned count)
{
	unsigned i;

	for (i = 1; i < count; i++) {
		if (candidates[i].kind != candidates[0].kind ||
		    candidates[i].value != candidates[0].value) {
			return false;
		}
	}
	return true;
}

static const struct candidate *elect(const struct candidate *candidates, unsigned count,
				     const uint8_t *before, size_t n, unsigned bits)
{
	const struct candidate *best = &candidates[0];
	uint8_t votes[BEFORE_MAX];
	unsigned i;

	count_votes(before, n, bits, votes);
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

	if (n > BEFORE_MAX) {
		before += n - BEFORE_MAX;
		n = BEFORE_MAX;
	}
	count = find_candidates(candidates, before, n, registers, at);
	if (!count) {
		return DW_STORE_UNKNOWN;
	}
	if (!agree(candidates, count)) {
		best = elect(candidates, count, before, n, registers->bits);
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

/* --- which it will be --- */

static bool is_plain(const struct dw_instruction *instruction,
		     const struct dw_store_form *store)
{
	if (instruction->locks || (instruction->has_modrm && instruction->modrm >= 0xc0)) {
		return false;
	}
	return store->what == SOURCE || store->what == SWAPPED ||
	       (store->what == STOS && !instruction->repeats);
}

/* `behind` has the ip behind the instruction. */
static bool find_next(struct dw_store *store, const struct dw_instruction *instruction,
		      const struct dw_store_form *form,
		      const struct dw_store_registers *behind)
{
	struct place place = find_place(instruction, form, behind);
	uint64_t rdi = behind->general[7];
	bool down = behind->flags >> 10 & 1;

	if (!place.size || !find_value(instruction, form, behind, &store->value)) {
		return false;
	}
	store->length = instruction->length;
	store->size = (uint8_t)place.size;
	store->to = place.to;
	store->rdi = rdi;
	if (form->what == STOS) {
		store->to = narrow_address(instruction, rdi);
		store->rdi = narrow_address(instruction,
					    down ? rdi - place.size : rdi + place.size);
	}
	return true;
}

bool dw_store_decode_next(struct dw_store *out, const uint8_t *code, size_t n,
			  const struct dw_store_registers *registers)
{
	struct dw_store_registers behind = *registers;
	struct dw_instruction instruction;
	const struct dw_store_form *form;
	struct dw_store store;

	if (!dw_instruction_decode(&instruction, code, n, registers->bits)) {
		return false;
	}
	form = dw_store_form_of(&instruction);
	behind.ip += instruction.length;
	if (!form || !is_plain(&instruction, form) ||
	    !find_next(&store, &instruction, form, &behind)) {
		return false;
	}
	*out = store;
	return true;
}
