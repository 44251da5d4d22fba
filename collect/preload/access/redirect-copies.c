/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/access/redirect-copies.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/access/note-copy.h"
#include "collect/preload/access/patch.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/mappings/continuing.h"
#include "collect/preload/mappings/runs.h"
#include "collect/preload/mappings/spans.h"
#include "collect/preload/overhead/visits.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/memory.h"

/* libc's functions; memmove() also replaces memcpy(). */
static void *(*move)(void *to, const void *from, size_t n);
static void *(*fill)(void *to, int byte, size_t n);
/*
 * memcpy(). Libraries that were linked with a glibc before 2.14 import another version,
 * which is a function of its own; libcuda is one of them.
 */
static uintptr_t copy_function;
static uintptr_t old_copy_function;

/* --- a redirected call --- */

/*
 * Returns the address through which [address, address + n) is accessed: that of the second
 * mapping if the access was noted, else the same address, where an access may fault. The
 * lock is not held while the memory is accessed, because the program's other operand may
 * fault.
 */
static void *reached(uintptr_t address, size_t n, bool write, uintptr_t caller)
{
	int saved = errno;
	void *memory = kt_continuing_alias(address, n, write);

	if (!memory && kt_access_mode != KT_ACCESS_OFF) {
		bool locked;

		kt_visit_begin(KT_VISIT_CALL);
		locked = kt_lock();
		memory = locked ? kt_copy_note(address, n, write, caller) : NULL;
		kt_unlock(locked);
		kt_visit_end();
	}
	errno = saved;
	return memory ? memory : (void *)address;
}

static void *copy_noted(void *to, const void *from, size_t n)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);
	bool reads = kt_spans_may_touch((uintptr_t)from, n);
	bool writes = kt_spans_may_touch((uintptr_t)to, n);

	/* Of a copy within watched memory, reads and writes alternate. */
	if (reads && !writes) {
		from = reached((uintptr_t)from, n, false, caller);
	} else if (writes && !reads) {
		move(reached((uintptr_t)to, n, true, caller), from, n);
		return to;
	}
	return move(to, from, n);
}

static void *fill_noted(void *to, int byte, size_t n)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);

	if (kt_spans_may_touch((uintptr_t)to, n)) {
		fill(reached((uintptr_t)to, n, true, caller), byte, n);
		return to;
	}
	return fill(to, byte, n);
}

/* --- redirecting --- */

/* Returns the address to which a displacement of 4 bytes at the end of an instruction
 * leads. */
static uintptr_t displaced(const uint8_t *end, uintptr_t address_of_end)
{
	int32_t displacement;

	memcpy(&displacement, end - sizeof(displacement), sizeof(displacement));
	return address_of_end + (uintptr_t)(intptr_t)displacement;
}

#define INDIRECT_BYTES 6 /* length of call *x(%rip) and jmp *x(%rip) */
#define CALL_BYTES     5
#define ENTRY_BYTES    11 /* of a procedure linkage table: endbr64; bnd jmp *x(%rip) */

/* Returns the slot through which the call that ends at `after` was made; 0 if none. */
static uintptr_t slot_of_call(uintptr_t after)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t code[INDIRECT_BYTES];
	uint8_t entry[ENTRY_BYTES];
	const uint8_t *end = code + sizeof(code);
	uintptr_t at;
	size_t skipped = 0;

	if (kt_memory_read(code, after - sizeof(code), sizeof(code)) != sizeof(code)) {
		return 0;
	}
	if (code[0] == 0xff && code[1] == 0x15) { /* call *x(%rip) */
		return displaced(end, after);
	}
	at = displaced(end, after);
	if (end[-CALL_BYTES] != 0xe8 ||
	    kt_memory_read(entry, at, sizeof(entry)) != sizeof(entry)) {
		return 0;
	}
	if (memcmp(entry, endbr, sizeof(endbr)) == 0) {
		skipped = sizeof(endbr);
	}
	skipped += entry[skipped] == 0xf2; /* bnd */
	if (entry[skipped] != 0xff || entry[skipped + 1] != 0x25) {
		return 0; /* not jmp *x(%rip) */
	}
	skipped += INDIRECT_BYTES;
	return displaced(entry + skipped, at + skipped);
}

static bool put(uintptr_t slot, uintptr_t function)
{
	int protection = kt_memory_protection(kt_page_of(slot), KT_PAGE);

	return (protection == PROT_READ || protection == (PROT_READ | PROT_WRITE)) &&
	       kt_memory_put_pointer(slot, function, protection == PROT_READ);
}

void kt_copies_init(void)
{
	void *symbol = dlsym(RTLD_DEFAULT, "memmove");

	memcpy(&move, &symbol, sizeof(move));
	symbol = dlsym(RTLD_DEFAULT, "memset");
	memcpy(&fill, &symbol, sizeof(fill));
	copy_function = (uintptr_t)dlsym(RTLD_DEFAULT, "memcpy");
	old_copy_function = (uintptr_t)dlvsym(RTLD_DEFAULT, "memcpy", "GLIBC_2.2.5");
	if (!move || !fill || !copy_function) {
		kt_count(&kt_counters->setup_failures);
	}
}

/*
 * The three functions keep nothing on the stack while they access memory, so the return
 * address is at the stack pointer. If something else is there, no slot of one of the
 * functions is found before it.
 */
bool kt_copies_redirect(const ucontext_t *context)
{
	uintptr_t stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
	uintptr_t after;
	uintptr_t slot;
	uintptr_t function;

	if (!move || !fill ||
	    kt_memory_read(&after, stack, sizeof(after)) != sizeof(after) ||
	    kt_patch_is_own_code(after)) {
		return false;
	}
	slot = slot_of_call(after);
	if (!slot || slot % sizeof(slot) ||
	    kt_memory_read(&function, slot, sizeof(function)) != sizeof(function) ||
	    !function) {
		return false;
	}
	if (function == copy_function || function == old_copy_function ||
	    function == (uintptr_t)move) {
		return put(slot, (uintptr_t)copy_noted);
	}
	return function == (uintptr_t)fill && put(slot, (uintptr_t)fill_noted);
}
