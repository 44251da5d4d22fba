/* SPDX-License-Identifier: MIT */
/*
 * Decodes arbitrary bytes as code, with arbitrary registers. The decoder must not crash,
 * must give each instruction the length that Zydis gives, and must return only values that
 * an instruction ending at that address has stored.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/store-oracle.h"
#include "watch/store/x86-instruction.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static void check_length(const uint8_t *code, size_t n, unsigned bits)
{
	struct dw_store_registers registers = {.bits = (uint8_t)bits};
	struct dw_instruction instruction;
	struct kt_stored truth;

	kt_store_oracle(&truth, code, n, &registers);
	if (truth.length && (!dw_instruction_decode(&instruction, code, n, bits) ||
			     instruction.length != truth.length)) {
		abort();
	}
}

/* Returns whether some instruction that ends at code + n has stored the value at `at`. */
static bool is_possible(const uint8_t *code, size_t n, uint64_t at,
			const struct dw_store_registers *registers, uint32_t value)
{
	for (size_t length = 1; length <= DW_STORE_BYTES && length <= n; length++) {
		struct kt_stored truth;

		kt_store_oracle(&truth, code + n - length, length, registers);
		if (!truth.length) {
			/* Zydis may know fewer instructions than the decoder. */
			continue;
		}
		if (truth.length == length && truth.stores && truth.known && truth.placed &&
		    at >= truth.to && at + 4 <= truth.to + truth.size &&
		    value == (uint32_t)(truth.value >> (8 * (at - truth.to)))) {
			return true;
		}
	}
	return false;
}

/* Checks that a plain store is decoded as the CPU would execute it. */
static void check_next(const uint8_t *code, size_t n,
		       const struct dw_store_registers *registers)
{
	struct dw_store_registers after = *registers;
	struct kt_stored truth;
	struct dw_store store;
	uint64_t mask;

	if (!dw_store_decode_next(&store, code, n, registers)) {
		return;
	}
	after.ip += store.length;
	after.general[7] = store.rdi;
	kt_store_oracle(&truth, code, n, &after);
	mask = store.size < 8 ? ((uint64_t)1 << 8 * store.size) - 1 : ~(uint64_t)0;
	if (truth.length && (truth.length != store.length || !truth.stores ||
			     truth.to != store.to || truth.size != store.size ||
			     (truth.known && (truth.value ^ store.value) & mask))) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t options = take(&data, &size);
	struct dw_store_registers registers = {.bits = options & 1 ? 32 : 64};
	uint64_t mask = options & 1 ? 0xffffffffu : ~(uint64_t)0;
	uint32_t value = 0;
	uint64_t at;

	for (unsigned i = 0; i < 4; i++) {
		uint64_t word = take(&data, &size);

		registers.general[i] = word & mask;
		registers.general[i + 4] = (word + 4) & mask;
		registers.general[i + 8] = options & 1 ? 0 : word - 0x90;
		registers.general[i + 12] = options & 1 ? 0 : i;
	}
	at = registers.general[options >> 8 & 15];
	registers.ip = (at + 0x1000) & mask;
	registers.flags = options >> 16 & 0x400;
	check_length(data, size, registers.bits);
	check_next(data, size, &registers);
	dw_store_decode_repeated(data, size, &registers, at, &value);
	value = 0;
	if (dw_store_decode(data, size, &registers, at, &value) == DW_STORE_VALUE) {
		if (!is_possible(data, size, at, &registers, value)) {
			abort();
		}
	} else if (value) {
		abort();
	}
	return 0;
}
