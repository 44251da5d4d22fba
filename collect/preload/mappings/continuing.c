/* SPDX-License-Identifier: MIT */
#include "collect/preload/mappings/continuing.h"

#include <stdatomic.h>

#include "collect/preload/emit/lock.h"

static void put(_Atomic uintptr_t *to, uintptr_t value)
{
	atomic_store_explicit(to, value, memory_order_relaxed);
}

static uintptr_t get(const _Atomic uintptr_t *from)
{
	return atomic_load_explicit(from, memory_order_relaxed);
}

void kt_continuing_set(const struct kt_continuing *now)
{
	atomic_store_explicit(&kt_continue_range.turn, 0, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	put(&kt_continue_range.lo[0], now->reads.lo);
	put(&kt_continue_range.hi[0], now->reads.hi);
	put(&kt_continue_range.lo[1], now->writes.lo);
	put(&kt_continue_range.hi[1], now->writes.hi);
	put(&kt_continue_range.to_alias, now->to_alias);
	atomic_store_explicit(&kt_continue_range.turn, kt_lock_turn(),
			      memory_order_release);
}

void *kt_continuing_alias(uintptr_t address, size_t size, bool write)
{
	uint64_t before =
		atomic_load_explicit(&kt_continue_range.turn, memory_order_acquire);
	uintptr_t lo = get(&kt_continue_range.lo[write]);
	uintptr_t hi = get(&kt_continue_range.hi[write]);
	uintptr_t to_alias = get(&kt_continue_range.to_alias);

	atomic_thread_fence(memory_order_acquire);
	if (before == 0 ||
	    atomic_load_explicit(&kt_continue_range.turn, memory_order_relaxed) != before ||
	    kt_lock_turn() != before || address < lo || address >= hi ||
	    size > hi - address) {
		return NULL;
	}
	return (void *)(address + to_alias);
}
