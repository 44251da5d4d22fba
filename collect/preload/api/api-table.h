/* SPDX-License-Identifier: MIT */
/*
 * Table of the API functions that the program has pointers to, both wrapped and bypassed.
 * The table only grows, and memory that stubs use never moves. kt_api_wrap() and
 * kt_api_note_past() take the recorder's lock unless the caller holds it. For the other
 * functions, the caller must hold the lock, unless the function is described as lock-free.
 */
#ifndef KTAIL_COLLECT_API_TABLE_H
#define KTAIL_COLLECT_API_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/api/api-libraries.h"

/* What a function gives the program if the call succeeds. Arguments count from 0. */
enum kt_api_gives {
	KT_API_GIVES_FUNCTION, /* argument 1 points to a function pointer: wrap it */
	KT_API_GIVES_RESULT,   /* returns a function pointer: wrap it */
	KT_API_GIVES_TABLE,    /* argument 1 points to a table's identity: note it */
};

/* A function by which programs get other functions. */
struct kt_api_lookup {
	const char *name; /* or the prefix of the names of all its variants */
	enum kt_api_gives gives;
	unsigned asked; /* index of the argument with the name of the wanted function */
};

/*
 * The stub of a function counts each call in `calls` and jumps to `target`: to the function
 * itself if its calls are only counted, else to kt_api_wrap_entry().
 */
struct kt_api_entry {
	_Atomic uint64_t calls; /* calls not yet reported in api_coverage */
	uintptr_t target;
	uintptr_t function;
	uintptr_t stub;
	const char *api; /* static text, as is `how` */
	const char *how; /* first source of the pointer: "dlsym", "cuGetProcAddress",
			    "import" */
	const struct kt_api_function *known; /* NULL if in no table of decode/tables */
	const struct kt_api_lookup *lookup;  /* NULL if the program gets no functions
					      * from it */
	size_t stack_words;                  /* words of arguments on the stack, if known */
	bool is_traced;                      /* see api-choice.h */
	bool is_foreign;                     /* not code of a library of the API */
	bool is_unloaded;                    /* the library of the function was unloaded */
	char name[KT_API_NAME];
};

/*
 * Prefix of the name under which a table of nameless functions is reported. The table's
 * identity follows the prefix.
 */
#define KT_API_TABLE_PREFIX "export-table "

/* A function that the program can call past the recorder. */
struct kt_api_past {
	const char *api;
	const char *how;
	char name[KT_API_NAME];
};

/*
 * Returns the pointer that the program gets for `function`, which it requested as `name`.
 * The pointer is a stub, or `function` itself if that is not a function of the API. If the
 * table is full, returns `function` and notes it as bypassed. `how` is a static text.
 */
uintptr_t kt_api_wrap(uintptr_t function, const char *name, const char *how);

/*
 * Like kt_api_wrap(), but wraps any function, because the lookup functions of OpenGL and
 * Vulkan return functions of drivers and generated code. The function is reported under the
 * requested name.
 */
uintptr_t kt_api_wrap_any(uintptr_t function, const char *name, const char *how);

/* Returns whether the address is a stub. Lock-free, as is kt_api_function_of(). */
bool kt_api_is_stub(uintptr_t function);

/*
 * Returns the function that a stub wraps, or any other address unchanged. Lock-free,
 * signal-safe.
 */
uintptr_t kt_api_function_of(uintptr_t address);

/* Notes a function as bypassed, once for each `how`. When out of memory, only counts it. */
void kt_api_note_past(const char *api, const char *name, const char *how);

/* Returns the entry of the stub with that number, which must exist. Lock-free. */
struct kt_api_entry *kt_api_entry_at(uint64_t number);

/*
 * Marks functions of unloaded libraries. If a library is loaded again, its functions get
 * the stubs that they had before.
 */
void kt_api_forget_unloaded(void);

size_t kt_api_entries(void);
size_t kt_api_pasts(void);
const struct kt_api_past *kt_api_past_at(size_t i);

#endif
