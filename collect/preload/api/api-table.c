/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/api/api-table.h"

#include <string.h>
#include <sys/mman.h>

#include "collect/preload/api/api-libraries.h"
#include "collect/preload/api/api-stubs.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"
#include "decode/api-functions.h"

enum { CHUNKS = 64 }; /* 16,320 functions: more than ten times what the libraries export */

/* One page of stubs and what they stand for. */
struct chunk {
	const unsigned char *stubs;
	struct kt_api_entry *entries; /* KT_API_STUBS of them */
};

static struct chunk chunks[CHUNKS];
static size_t n_entries;
static struct kt_api_past *pasts;
static size_t n_pasts;
static size_t room_for_pasts;

struct kt_api_entry *kt_api_entry_at(uint64_t number)
{
	return &chunks[number / KT_API_STUBS].entries[number % KT_API_STUBS];
}

size_t kt_api_entries(void)
{
	return n_entries;
}

/* --- past us --- */

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
	if (kt_table_reserve((void **)&pasts, &room_for_pasts, n_pasts + 1,
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

/* --- wrapped --- */

/* Of a library that was unloaded and came again the functions get their stubs back. */
static struct kt_api_entry *find(uintptr_t function, const char *api, const char *name)
{
	for (size_t i = 0; i < n_entries; i++) {
		struct kt_api_entry *entry = kt_api_entry_at(i);

		if ((entry->function != function && !entry->is_gone) || entry->api != api ||
		    strcmp(entry->name, name) != 0) {
			continue;
		}
		__atomic_store_n(&entry->function, function, __ATOMIC_SEQ_CST);
		entry->is_gone = false;
		return entry;
	}
	return NULL;
}

static bool make_chunk(struct chunk *chunk, uint32_t first)
{
	size_t size = kt_whole_pages(KT_API_STUBS * sizeof(*chunk->entries));
	long got = KT_KERNEL_TRY(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (kt_kernel_failed(got)) {
		return false;
	}
	chunk->stubs = kt_api_stubs_make(first);
	if (!chunk->stubs) {
		KT_KERNEL(SYS_munmap, got, size);
		return false;
	}
	/* Last: who finds it without the lock finds the stubs too. */
	__atomic_store_n(&chunk->entries, (struct kt_api_entry *)got, __ATOMIC_SEQ_CST);
	return true;
}

/* Room for one more, or NULL. */
static struct kt_api_entry *next_entry(void)
{
	size_t i = n_entries / KT_API_STUBS;

	if (i == CHUNKS) {
		return NULL;
	}
	if (!chunks[i].entries && !make_chunk(&chunks[i], (uint32_t)(i * KT_API_STUBS))) {
		kt_count(&kt_counters->setup_failures);
		return NULL;
	}
	return kt_api_entry_at(n_entries);
}

static enum kt_api_gives gives(const char *name)
{
	static const struct {
		const char *prefix; /* of the name, variants follow */
		enum kt_api_gives gives;
	} rows[] = {
		{"cuGetProcAddress", KT_API_GIVES_FUNCTION},
		{"cudaGetDriverEntryPoint", KT_API_GIVES_FUNCTION},
		{"cuGetExportTable", KT_API_GIVES_TABLE},
		{"cudaGetExportTable", KT_API_GIVES_TABLE},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strncmp(name, rows[i].prefix, strlen(rows[i].prefix)) == 0) {
			return rows[i].gives;
		}
	}
	return KT_API_GIVES_NOTHING;
}

/* The runtime's functions that return something else than an error code. */
static bool has_result(const char *name)
{
	static const char *const without[] = {"cudaGetErrorName", "cudaGetErrorString",
					      "cudaCreateChannelDesc"};

	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		if (strcmp(name, without[i]) == 0) {
			return false;
		}
	}
	return true;
}

static struct kt_api_entry *add(uintptr_t function, const char *api, const char *name,
				const char *how)
{
	struct kt_api_entry *entry = next_entry();

	if (!entry) {
		return NULL;
	}
	entry->function = function;
	entry->stub = kt_api_stub_at(chunks[n_entries / KT_API_STUBS].stubs,
				     (uint32_t)(n_entries % KT_API_STUBS));
	entry->api = api;
	entry->how = how;
	entry->known = kt_api_function_find(name);
	entry->stack_words = kt_api_stack_words(entry->known);
	entry->gives = gives(name);
	entry->has_result = has_result(name);
	copy_name(entry->name, name);
	n_entries++;
	kt_count(&kt_counters->api_wrapped);
	return entry;
}

/* `function` lies in the library's code. */
static uintptr_t wrap(const struct kt_api_library *library, uintptr_t function,
		      const char *asked, const char *how)
{
	bool is_data;
	const char *exported = kt_api_library_name(library, function, asked, &is_data);
	const char *name = exported ? exported : asked;
	struct kt_api_entry *entry;

	if (is_data || !kt_api_has_name(name) || strlen(name) >= KT_API_NAME) {
		return function;
	}
	entry = find(function, library->api, name);
	entry = entry ? entry : add(function, library->api, name, how);
	if (!entry) {
		add_past(library->api, name, how);
	}
	return entry ? entry->stub : function;
}

uintptr_t kt_api_wrap(uintptr_t function, const char *name, const char *how)
{
	bool locked = kt_lock();
	const struct kt_api_library *library = kt_api_library_of(function);
	uintptr_t given = library ? wrap(library, function, name, how) : function;

	kt_unlock(locked);
	return given;
}

/* Whose stub it is, or NULL. */
static const struct kt_api_entry *entry_of(uintptr_t address)
{
	for (size_t i = 0; i < CHUNKS; i++) {
		const struct kt_api_entry *entries =
			__atomic_load_n(&chunks[i].entries, __ATOMIC_SEQ_CST);
		uintptr_t first;
		size_t n;

		if (!entries) {
			break;
		}
		first = kt_api_stub_at(chunks[i].stubs, 0);
		n = kt_api_stub_at(chunks[i].stubs, 1) - first;
		if (address - first < n * KT_API_STUBS) {
			return &entries[(address - first) / n];
		}
	}
	return NULL;
}

uintptr_t kt_api_function_of(uintptr_t address)
{
	const struct kt_api_entry *entry = entry_of(address);
	uintptr_t function =
		entry ? __atomic_load_n(&entry->function, __ATOMIC_SEQ_CST) : 0;

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

		entry->is_gone = entry->is_gone || !kt_api_library_of(entry->function);
	}
}
