/* SPDX-License-Identifier: MIT */
/*
 * What a store instruction writes, from the registers of the thread that runs it. The
 * doorbell page cannot be read back, so this is the only way to learn the value. After
 * kt_instruction_init().
 */
#ifndef KTAIL_COLLECT_STORE_VALUE_H
#define KTAIL_COLLECT_STORE_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* The value of a 4-byte store to `address` by the instruction at the context's RIP. */
bool kt_store_value_at(const ucontext_t *context, uintptr_t address, uint32_t *value);

/*
 * The same for the instruction that ends at the context's RIP. Which bytes before RIP are
 * that instruction is ambiguous on x86: it is the one on which most decodings that begin
 * further back agree, and which stores to that address. Remembered for each RIP.
 */
bool kt_store_value_before(const ucontext_t *context, uintptr_t address, uint32_t *value);

#endif
