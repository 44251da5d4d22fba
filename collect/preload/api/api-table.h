/* SPDX-License-Identifier: MIT */
/*
 * The API's functions that the program has got hold of: those whose pointers were wrapped,
 * and those that went past us. Grows, and moves nothing that stubs use. But for
 * kt_api_entry_at() and what says so the recorder's lock is held, or taken.
 */
#ifndef KTAIL_COLLECT_API_TABLE_H
#define KTAIL_COLLECT_API_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/api/api-libraries.h"

/* What is to be done after a call that has worked. */
enum kt_api_gives {
	KT_API_GIVES_NOTHING,
	KT_API_GIVES_FUNCTION, /* argument 1 points to a pointer to the function: wrap it */
	KT_API_GIVES_TABLE,    /* argument 1 points to the identity of a table */
};

struct kt_api_entry {
	uintptr_t function;
	uintptr_t stub;
	const char *api; /* static, as how */
	const char
		*how; /* the program got it first: "dlsym", "cuGetProcAddress", "import" */
	const struct kt_api_function *known; /* NULL: no row in decode/tables/api.tsv */
	size_t stack_words;                  /* if it is known */
	enum kt_api_gives gives;
	bool has_result;        /* it returns a CUresult or a cudaError_t */
	bool is_unloaded;       /* its library was unloaded */
	_Atomic uint64_t calls; /* not yet told in api_coverage */
	char name[KT_API_NAME];
};

/* How a table of functions without names is called, before its identity. */
#define KT_API_TABLE_PREFIX "export-table "

/* One that went past us. */
struct kt_api_past {
	const char *api;
	const char *how;
	char name[KT_API_NAME];
};

/*
 * The pointer to give to the program in place of `function`, which it asked for as `name`:
 * a stub, or `function` itself where that is no code of the API's, or there is no room:
 * then it is noted as past. `how` is static.
 */
uintptr_t kt_api_wrap(uintptr_t function, const char *name, const char *how);

/* Whether it is such a stub. Lock-free, as kt_api_function_of(). */
bool kt_api_is_stub(uintptr_t function);

/* The function behind a stub; any other address is its own. Lock-free, signal-safe. */
uintptr_t kt_api_function_of(uintptr_t address);

/* Notes one as past, once. Out of memory: it is counted all the same. */
void kt_api_note_past(const char *api, const char *name, const char *how);

/* The function of a stub. */
struct kt_api_entry *kt_api_entry_at(uint64_t number);

/* Those that lie in no library any more are not given out again. */
void kt_api_forget_unloaded(void);

size_t kt_api_entries(void);
size_t kt_api_pasts(void);
const struct kt_api_past *kt_api_past_at(size_t i);

#endif
