/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/api/api-table.h"

#include <string.h>
#include <sys/mman.h>

#include "collect/preload/api/api-choice.h"
#include "collect/preload/api/api-entry.h"
#include "collect/preload/api/api-libraries.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"
#include "decode/api-functions.h"

enum { CHUNKS = 128 };   /* 16,384 functions: over ten times the exports of the libraries */
#define STUB         32u /* bytes */
#define KT_API_STUBS (KT_PAGE / STUB)

/* A page of stubs, and their entries in the pages that follow it. */
struct chunk {
	const unsigned char *stubs;
	struct kt_api_entry *entries; /* KT_API_STUBS elements */
};

static struct chunk chunks[CHUNKS];
static size_t n_entries;
static struct kt_api_past *pasts;
static size_t n_pasts;
static size_t pasts_capacity;

struct kt_api_entry *kt_api_entry_at(uint64_t number)
{
	return &chunks[number / KT_API_STUBS].entries[number % KT_API_STUBS];
}

size_t kt_api_entries(void)
{
	return n_entries;
}

/* --- bypassed functions --- */

static void copy_name(char to[KT_API_NAME], const char *from)
{
	size_t length = strnlen(from, KT_API_NAME - 1);

	memcpy(to, from, length);
	to[length] = '\0';
}

static void add_past(const char *api, const char *name, const char *how)
{
	for (size_t i = 0; i < n_pasts; i++) {
		if (strcmp(pasts[i].name, name) == 0 && strcmp(pasts[i].how, how) == 0) {
			return;
		}
	}
	kt_count(&kt_counters->api_past);
	if (strncmp(name, KT_API_TABLE_PREFIX, sizeof(KT_API_TABLE_PREFIX) - 1) == 0) {
		kt_count(&kt_counters->api_tables);
	}
	if (kt_table_reserve((void **)&pasts, &pasts_capacity, n_pasts + 1,
			     sizeof(*pasts))) {
		pasts[n_pasts].api = api;
		pasts[n_pasts].how = how;
		copy_name(pasts[n_pasts].name, name);
		n_pasts++;
	}
}

void kt_api_note_past(const char *api, const char *name, const char *how)
{
	bool locked = kt_lock();

	add_past(api, name, how);
	kt_unlock(locked);
}

size_t kt_api_pasts(void)
{
	return n_pasts;
}

const struct kt_api_past *kt_api_past_at(size_t i)
{
	return &pasts[i];
}

/* --- wrapped functions --- */

/* Sets the function of an entry, and where its stub jumps. */
static void set_function(struct kt_api_entry *entry, uintptr_t function)
{
	void (*const wrap_entry)(void) = kt_api_wrap_entry;
	bool is_passed_on =
		!entry->is_traced && !entry->lookup && !kt_api_gives_kernel(entry->known);

	__atomic_store_n(&entry->function, function, __ATOMIC_SEQ_CST);
	__atomic_store_n(&entry->target, is_passed_on ? function : (uintptr_t)wrap_entry,
			 __ATOMIC_SEQ_CST);
}

/*
 * Finds a function's entry, even if its library was unloaded and is now loaded at another
 * address. An unloaded function's entry is never given to a function of a driver, because
 * several drivers may have functions of the same name.
 */
static struct kt_api_entry *find(uintptr_t function, const char *api, const char *name)
{
	for (size_t i = 0; i < n_entries; i++) {
		struct kt_api_entry *entry = kt_api_entry_at(i);
		bool is_same = entry->function == function ||
			       (entry->is_unloaded && kt_api_library_of(function));

		if (!is_same || entry->api != api || strcmp(entry->name, name) != 0) {
			continue;
		}
		set_function(entry, function);
		entry->is_unloaded = false;
		return entry;
	}
	return NULL;
}

/* Writes the distance from the end of an instruction's last 4 bytes, at `at`, to `to`. */
static void put_distance(unsigned char *at, const void *to)
{
	int32_t distance = (int32_t)((const unsigned char *)to - (at + sizeof(distance)));

	memcpy(at, &distance, sizeof(distance));
}

/*
 * Creates a page of stubs numbered first, first + 1 ..., and their entries. A stub is the
 * code that a wrapped pointer points to; kt_api_wrap_entry() expects its number in r11. The
 * page is written only before it becomes executable, and is never freed. Returns false when
 * out of memory.
 */
static bool make_chunk(struct chunk *chunk, uint32_t first)
{
	/*
	 * endbr64; mov $number, %r11d; lock incq calls(%rip); jmp *target(%rip). The stub
	 * has no frame, so the function sees the caller's return address and stack.
	 */
	static const unsigned char code[STUB] = {0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0xbb, 0,
						 0,    0,    0,    0xf0, 0x48, 0xff, 0x05,
						 0,    0,    0,    0,    0xff, 0x25};
	enum { NUMBER = 6, CALLS = 14, TARGET = 20 };
	size_t size = kt_whole_pages(KT_API_STUBS * sizeof(*chunk->entries));
	long got = KT_KERNEL_TRY(SYS_mmap, NULL, KT_PAGE + size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kt_api_entry *entries;
	unsigned char *page;

	if (kt_kernel_failed(got)) {
		return false;
	}
	page = (unsigned char *)got;
	entries = (struct kt_api_entry *)(page + KT_PAGE);
	for (uint32_t i = 0; i < KT_API_STUBS; i++) {
		unsigned char *stub = page + (size_t)STUB * i;
		uint32_t number = first + i;

		memcpy(stub, code, sizeof(code));
		memcpy(stub + NUMBER, &number, sizeof(number));
		put_distance(stub + CALLS, &entries[i].calls);
		put_distance(stub + TARGET, &entries[i].target);
	}
	if (kt_kernel_failed(
		    KT_KERNEL_TRY(SYS_mprotect, page, KT_PAGE, PROT_READ | PROT_EXEC))) {
		KT_KERNEL(SYS_munmap, page, KT_PAGE + size);
		return false;
	}
	chunk->stubs = page;
	/*
	 * `entries` is stored last, so that a lock-free reader that finds the entries also
	 * finds the stubs.
	 */
	__atomic_store_n(&chunk->entries, entries, __ATOMIC_SEQ_CST);
	return true;
}

static const struct kt_api_lookup *lookup_of(const char *name)
{
	static const struct kt_api_lookup rows[] = {
		{"cuGetProcAddress", KT_API_GIVES_FUNCTION, 0},
		{"cudaGetDriverEntryPoint", KT_API_GIVES_FUNCTION, 0},
		{"cuGetExportTable", KT_API_GIVES_TABLE, 0},
		{"cudaGetExportTable", KT_API_GIVES_TABLE, 0},
		{"clGetExtensionFunctionAddressForPlatform", KT_API_GIVES_RESULT, 1},
		{"clGetExtensionFunctionAddress", KT_API_GIVES_RESULT, 0},
		{"eglGetProcAddress", KT_API_GIVES_RESULT, 0},
		{"glXGetProcAddress", KT_API_GIVES_RESULT, 0},
		{"vkGetInstanceProcAddr", KT_API_GIVES_RESULT, 1},
		{"vkGetDeviceProcAddr", KT_API_GIVES_RESULT, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strncmp(name, rows[i].name, strlen(rows[i].name)) == 0) {
			return &rows[i];
		}
	}
	return NULL;
}

static struct kt_api_entry *add(uintptr_t function, const char *api, const char *name,
				const char *how)
{
	size_t i = n_entries / KT_API_STUBS;
	struct kt_api_entry *entry;

	if (i == CHUNKS) {
		return NULL;
	}
	if (!chunks[i].entries && !make_chunk(&chunks[i], (uint32_t)(i * KT_API_STUBS))) {
		kt_count(&kt_counters->setup_failures);
		return NULL;
	}
	entry = kt_api_entry_at(n_entries);
	entry->stub = (uintptr_t)chunks[i].stubs + STUB * (n_entries % KT_API_STUBS);
	entry->api = api;
	entry->how = how;
	entry->known = kt_api_function_find(name);
	entry->stack_words = kt_api_stack_words(entry->known);
	entry->lookup = lookup_of(name);
	entry->is_traced = kt_api_is_chosen(name, entry->known);
	entry->is_foreign = !kt_api_library_of(function);
	copy_name(entry->name, name);
	set_function(entry, function);
	n_entries++;
	kt_count(&kt_counters->api_wrapped);
	return entry;
}

/* Returns the stub of the function, or `function` itself if it is not to be wrapped. */
static uintptr_t wrap(uintptr_t function, const char *name, const char *how)
{
	const char *api = kt_api_of_name(name);
	struct kt_api_entry *entry;

	if (!api || strlen(name) >= KT_API_NAME) {
		return function;
	}
	entry = find(function, api, name);
	entry = entry ? entry : add(function, api, name, how);
	if (!entry) {
		add_past(api, name, how);
	}
	return entry ? entry->stub : function;
}

uintptr_t kt_api_wrap(uintptr_t function, const char *name, const char *how)
{
	bool locked = kt_lock();
	const struct kt_api_library *library = kt_api_library_of(function);
	uintptr_t given = function;
	const char *known;
	bool is_data;

	if (library) { /* `function` is code of the API */
		known = kt_api_library_name(library, function, name, &is_data);
		if (!is_data) {
			given = wrap(function, known ? known : name, how);
		}
	}
	kt_unlock(locked);
	return given;
}

uintptr_t kt_api_wrap_any(uintptr_t function, const char *name, const char *how)
{
	bool locked = kt_lock();
	uintptr_t given = kt_api_is_stub(function) ? function : wrap(function, name, how);

	kt_unlock(locked);
	return given;
}

uintptr_t kt_api_function_of(uintptr_t address)
{
	uintptr_t function = 0;

	for (size_t i = 0; i < CHUNKS; i++) {
		const struct kt_api_entry *entries =
			__atomic_load_n(&chunks[i].entries, __ATOMIC_SEQ_CST);
		uintptr_t at;

		if (!entries) {
			break;
		}
		at = address - (uintptr_t)chunks[i].stubs;
		if (at < KT_PAGE) {
			function = __atomic_load_n(&entries[at / STUB].function,
						   __ATOMIC_SEQ_CST);
			break;
		}
	}
	return function ? function : address;
}

bool kt_api_is_stub(uintptr_t function)
{
	return kt_api_function_of(function) != function;
}

void kt_api_forget_unloaded(void)
{
	for (size_t i = 0; i < n_entries; i++) {
		struct kt_api_entry *entry = kt_api_entry_at(i);

		entry->is_unloaded =
			entry->is_unloaded ||
			(!entry->is_foreign && !kt_api_library_of(entry->function));
	}
}
