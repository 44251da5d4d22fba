/* SPDX-License-Identifier: MIT */
/* State that all processes of the fuzzer share, and random numbers (see fuzz.c). */
#ifndef FUZZ_H
#define FUZZ_H

#include <setjmp.h>
#include <signal.h>

#include "tests/kernel/qemu/cases/bare.h"

#define ARENA       0x200000000000ul /* lowest address of all mappings */
#define ARENA_PAGES 48
#define FILES       12
#define SHARED_FD   100 /* descriptor of the memory of `shared`, inherited across exec */
#define USERS       4

#define CALLS(CALL)                                                                        \
	CALL(map_doorbells, 12)                                                            \
	CALL(map_rings, 4)                                                                 \
	CALL(map_ordinary, 4)                                                              \
	CALL(map_others, 2)                                                                \
	CALL(unmap, 6)                                                                     \
	CALL(protect, 6)                                                                   \
	CALL(move, 6)                                                                      \
	CALL(advise, 5)                                                                    \
	CALL(lock_memory, 2)                                                               \
	CALL(store, 30)                                                                    \
	CALL(load, 10)                                                                     \
	CALL(store_by_kernel, 4)                                                           \
	CALL(pin, 6)                                                                       \
	CALL(ask, 8)                                                                       \
	CALL(request_anything, 10)                                                         \
	CALL(trap, 2)                                                                      \
	CALL(lose_pages, 2)                                                                \
	CALL(interrupt, 1)                                                                 \
	CALL(open_device, 4)                                                               \
	CALL(close_device, 3)                                                              \
	CALL(duplicate, 3)                                                                 \
	CALL(use_buffers, 5)                                                               \
	CALL(reach_over, 4)                                                                \
	CALL(wait_on_word, 2)                                                              \
	CALL(compat_request, 3)                                                            \
	CALL(fork_child, 2)                                                                \
	CALL(vfork_child, 1)                                                               \
	CALL(begin_thread, 3)                                                              \
	CALL(share_memory, 1)                                                              \
	CALL(trace_child, 1)                                                               \
	CALL(send_signal, 1)                                                               \
	CALL(become_another, 1)                                                            \
	CALL(end_here, 1)

enum call {
#define CALL(name, weight) CALL_##name,
	CALLS(CALL)
#undef CALL
		CALL_N,
};

struct shared {
	uint64_t seed;
	uint64_t calls[CALL_N];
	uint64_t programs;
	uint64_t faults; /* loads and stores that raised a signal */
	uint32_t alive;  /* threads and children, except each program's first thread */
	char failure[160];
};

extern struct shared *shared;

static inline void count(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* Stores the text of the first failure; later failures are dropped. */
__attribute__((format(printf, 1, 2))) static inline void wrong(const char *format, ...)
{
	static uint32_t first;
	va_list arguments;

	va_start(arguments, format);
	if (!__atomic_exchange_n(&first, 1, __ATOMIC_RELAXED) && !shared->failure[0]) {
		vsnprintf(shared->failure, sizeof(shared->failure), format, arguments);
	}
	va_end(arguments);
}

/* --- random numbers: each thread has its own sequence, which its seed determines --- */

extern __thread uint64_t chance;

static inline void begin_chance(uint64_t seed)
{
	chance = (seed + 1) * 0x9e3779b97f4a7c15u;
}

static inline uint64_t any(void)
{
	chance ^= chance >> 12;
	chance ^= chance << 25;
	chance ^= chance >> 27;
	return chance * 0x2545f4914f6cdd1du;
}

static inline unsigned below(unsigned n)
{
	return (unsigned)((any() >> 33) % n);
}

static inline bool once_in(unsigned n)
{
	return below(n) == 0;
}

/* --- addresses --- */

static inline char *page_at(unsigned page)
{
	return (char *)ARENA + (size_t)page * PAGE;
}

/* A range of pages in the arena. */
struct range {
	char *at;
	size_t length;
};

static inline struct range any_range(void)
{
	unsigned pages = once_in(3) ? 1 + below(6) : 1;
	unsigned first = below(ARENA_PAGES - pages);

	return (struct range){.at = page_at(first), .length = pages * PAGE};
}

/*
 * Returns a pointer argument for the kernel: `good`, an invalid address, or one near a
 * page's end.
 */
static inline char *any_pointer(char *good)
{
	switch (below(8)) {
	case 0: return NULL;
	case 1: return (char *)0xffff888000000000ul + below(1u << 30);
	case 2: return any_range().at + PAGE - below(16);
	case 3: return any_range().at + below(PAGE);
	case 4: return any_range().at + BARE_DOORBELL;
	default: return good;
	}
}

extern __thread sigjmp_buf *recovery; /* TOUCH()'s frame; NULL: a fault ends the process */

/* Makes an access. Its value is false if the access raised a signal. */
#define TOUCH(...)                                                                         \
	({                                                                                 \
		sigjmp_buf here;                                                           \
		volatile bool done = false;                                                \
                                                                                           \
		recovery = &here;                                                          \
		if (sigsetjmp(here, 0) == 0) {                                             \
			__VA_ARGS__;                                                       \
			done = true;                                                       \
		} else {                                                                   \
			count(&shared->faults);                                            \
		}                                                                          \
		recovery = NULL;                                                           \
		done;                                                                      \
	})

#endif
