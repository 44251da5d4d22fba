/* SPDX-License-Identifier: MIT */
/*
 * Functions of the CUDA API: what each is for and how its parameters are passed on x86-64.
 * Source of the facts: decode/tables/api.tsv. Static data; nothing allocates; safe in a
 * signal handler.
 */
#ifndef KTAIL_DECODE_API_FUNCTIONS_H
#define KTAIL_DECODE_API_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a call is for. "copy": the direction is an argument or follows from addresses. */
#define KT_API_KINDS(X)                                                                    \
	X(INIT, "init")                                                                    \
	X(DEVICE, "device") /* picks a device, joins peers */                              \
	X(CONTEXT_CREATE, "context-create")                                                \
	X(CONTEXT_DESTROY, "context-destroy")                                              \
	X(CONTEXT, "context") /* current context, limits */                                \
	X(MODULE_LOAD, "module-load")                                                      \
	X(MODULE_UNLOAD, "module-unload")                                                  \
	X(MODULE, "module") /* finds and sets up what a module has */                      \
	X(MEMORY_ALLOC, "memory-alloc")                                                    \
	X(MEMORY_FREE, "memory-free")                                                      \
	X(MEMORY_MAP, "memory-map") /* address ranges; memory of others */                 \
	X(MEMORY_UNMAP, "memory-unmap")                                                    \
	X(MEMORY, "memory") /* access, advice, prefetch, pools' attributes */              \
	X(HOST_ALLOC, "host-alloc")                                                        \
	X(HOST_FREE, "host-free")                                                          \
	X(HOST_REGISTER, "host-register")                                                  \
	X(HOST_UNREGISTER, "host-unregister")                                              \
	X(STREAM_CREATE, "stream-create")                                                  \
	X(STREAM_DESTROY, "stream-destroy")                                                \
	X(STREAM, "stream") /* other work and settings of a stream */                      \
	X(EVENT_CREATE, "event-create")                                                    \
	X(EVENT_DESTROY, "event-destroy")                                                  \
	X(EVENT_RECORD, "event-record")                                                    \
	X(EVENT_WAIT, "event-wait") /* the stream waits, not the caller */                 \
	X(COPY, "copy")                                                                    \
	X(COPY_TO_DEVICE, "copy-to-device")                                                \
	X(COPY_FROM_DEVICE, "copy-from-device")                                            \
	X(COPY_DEVICE, "copy-device")                                                      \
	X(COPY_ASYNC, "copy-async")                                                        \
	X(COPY_ASYNC_TO_DEVICE, "copy-async-to-device")                                    \
	X(COPY_ASYNC_FROM_DEVICE, "copy-async-from-device")                                \
	X(COPY_ASYNC_DEVICE, "copy-async-device")                                          \
	X(FILL, "fill")                                                                    \
	X(FILL_ASYNC, "fill-async")                                                        \
	X(LAUNCH, "launch")                                                                \
	X(LAUNCH_HOST, "launch-host")                                                      \
	X(GRAPH_CAPTURE, "graph-capture")                                                  \
	X(GRAPH_CREATE, "graph-create") /* builds, instantiates, uploads, updates */       \
	X(GRAPH_DESTROY, "graph-destroy")                                                  \
	X(GRAPH_LAUNCH, "graph-launch")                                                    \
	X(SYNCHRONIZE, "synchronize")                                                      \
	X(PROGRESS, "progress") /* asks whether work is done, does not wait */             \
	X(QUERY, "query")                                                                  \
	X(ERROR, "error")                                                                  \
	X(ENTRY_POINTS, "entry-points")                                                    \
	X(OTHER, "other")

#define KT_API_KIND_ENUMERATOR(name, text) KT_API_KIND_##name,
enum kt_api_kind { KT_API_KINDS(KT_API_KIND_ENUMERATOR) KT_API_KIND_COUNT };
#undef KT_API_KIND_ENUMERATOR

/* Where in a program's life such a call belongs. */
enum kt_api_phase {
	KT_API_PHASE_NONE, /* says nothing */
	KT_API_PHASE_CREATE,
	KT_API_PHASE_INIT,
	KT_API_PHASE_USE,
	KT_API_PHASE_DESTROY,
};

struct kt_api_function {
	const char *name; /* without _v2, _ptsz; with _vN where that version differs */
	const char *parameters; /* as in the table: "8884"; "": takes none; NULL: unknown */
	enum kt_api_kind kind;
	enum kt_api_phase phase;
	int8_t bytes; /* the argument that says how many bytes; -1: none does */
	int8_t rows;  /* the argument to multiply it with; -1: none */
	int8_t unit;  /* bytes of one */
};

/*
 * The row of a symbol: "cuMemcpyHtoD_v2", "cuMemcpyAsync_ptsz", and CUPTI's names,
 * "cudaMemcpyAsync_ptsz_v7000". A version's own row before the common one. NULL: unknown.
 * O(log rows).
 */
const struct kt_api_function *kt_api_function_find(const char *name);

/* "copy-to-device"; "USE", or "-" for KT_API_PHASE_NONE. Static. */
const char *kt_api_kind_name(enum kt_api_kind kind);
const char *kt_api_phase_name(enum kt_api_phase phase);

/* All rows, in order of their names, for tests and listings. */
size_t kt_api_functions(void);
const struct kt_api_function *kt_api_function_at(size_t i);

/*
 * Arguments, as events have them: what comes in the six registers of integers (rdi, rsi,
 * rdx, rcx, r8, r9), in that order. Smaller ones are extended with zeros. A struct of up to
 * 16 bytes gives one or two; larger ones, floating-point numbers and what goes on the stack
 * give none. System V ABI, AMD64 supplement, "Parameter Passing".
 */
#define KT_API_ARGUMENTS 6

/*
 * Takes them from the registers at a call: sets arguments[0..n) and returns n. Of a
 * function that is unknown (NULL, or no parameters known) it gives all six as they are.
 */
size_t kt_api_arguments_of_registers(uint64_t arguments[KT_API_ARGUMENTS],
				     const struct kt_api_function *function,
				     const uint64_t registers[KT_API_ARGUMENTS]);

/*
 * The same from a struct whose members are the parameters in order, naturally aligned, such
 * as CUPTI's functionParams. 0 if the function is unknown or params is NULL.
 */
size_t kt_api_arguments_of_struct(uint64_t arguments[KT_API_ARGUMENTS],
				  const struct kt_api_function *function,
				  const void *params);

/* How many words of 8 bytes a call has on the stack, above the return address; 0 if
 * unknown. */
size_t kt_api_stack_words(const struct kt_api_function *function);

/*
 * How many bytes a call is about, by its arguments. False: the function (or NULL) has no
 * argument that says so, or n is too small, or the product is above UINT64_MAX.
 */
bool kt_api_bytes(uint64_t *bytes, const struct kt_api_function *function,
		  const uint64_t *arguments, size_t n);

#endif
