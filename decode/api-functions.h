/* SPDX-License-Identifier: MIT */
/*
 * Describes functions of the APIs of GPUs (CUDA, OpenCL, EGL, OpenGL, Vulkan): their
 * purpose, and how their parameters are passed on x86-64. Source of the facts:
 * decode/tables/api.tsv, api-khronos.tsv. Static data; allocates nothing; safe in a signal
 * handler.
 */
#ifndef KTAIL_DECODE_API_FUNCTIONS_H
#define KTAIL_DECODE_API_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The purpose of a call. For "copy", the direction is an argument of the call or follows
 * from its addresses.
 */
#define KT_API_KINDS(X)                                                                    \
	X(INIT, "init")                                                                    \
	X(DEVICE, "device") /* selects a device, connects peers */                         \
	X(CONTEXT_CREATE, "context-create")                                                \
	X(CONTEXT_DESTROY, "context-destroy")                                              \
	X(CONTEXT, "context") /* current context, limits */                                \
	X(MODULE_LOAD, "module-load")                                                      \
	X(MODULE_UNLOAD, "module-unload")                                                  \
	X(MODULE, "module") /* finds and sets up the contents of a module */               \
	X(MEMORY_ALLOC, "memory-alloc")                                                    \
	X(MEMORY_FREE, "memory-free")                                                      \
	X(MEMORY_MAP, "memory-map") /* maps address ranges, imports shared memory */       \
	X(MEMORY_UNMAP, "memory-unmap")                                                    \
	X(MEMORY, "memory") /* access, advice, prefetch, attributes of pools */            \
	X(HOST_ALLOC, "host-alloc")                                                        \
	X(HOST_FREE, "host-free")                                                          \
	X(HOST_REGISTER, "host-register")                                                  \
	X(HOST_UNREGISTER, "host-unregister")                                              \
	X(STREAM_CREATE, "stream-create")                                                  \
	X(STREAM_DESTROY, "stream-destroy")                                                \
	X(STREAM, "stream") /* settings and other work of a stream */                      \
	X(EVENT_CREATE, "event-create")                                                    \
	X(EVENT_DESTROY, "event-destroy")                                                  \
	X(EVENT_RECORD, "event-record")                                                    \
	X(EVENT_WAIT, "event-wait")   /* makes the stream wait, not the caller */          \
	X(EVENT_STATE, "event-state") /* reads what the device has written to an event */  \
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
	X(LAUNCH_SETUP, "launch-setup") /* keeps values for the thread's next launch */    \
	X(LAUNCH_HOST, "launch-host")                                                      \
	X(GRAPH_CAPTURE, "graph-capture")                                                  \
	X(GRAPH_CREATE, "graph-create") /* builds, instantiates, uploads, updates */       \
	X(GRAPH_DESTROY, "graph-destroy")                                                  \
	X(GRAPH_LAUNCH, "graph-launch")                                                    \
	X(SYNCHRONIZE, "synchronize")                                                      \
	X(PROGRESS, "progress") /* queries whether work is done, without waiting */        \
	X(QUERY, "query")                                                                  \
	X(ERROR, "error")                                                                  \
	X(ENTRY_POINTS, "entry-points")                                                    \
	X(OTHER, "other")

#define KT_API_KIND_ENUMERATOR(name, text) KT_API_KIND_##name,
enum kt_api_kind { KT_API_KINDS(KT_API_KIND_ENUMERATOR) KT_API_KIND_COUNT };
#undef KT_API_KIND_ENUMERATOR

/* The phase in which a program calls the function. */
enum kt_api_phase {
	KT_API_PHASE_NONE, /* any phase */
	KT_API_PHASE_CREATE,
	KT_API_PHASE_INIT,
	KT_API_PHASE_USE,
	KT_API_PHASE_DESTROY,
};

/* What a call has to do with a kernel. Arguments are counted from 0. */
struct kt_api_kernel {
	enum {
		KT_API_KERNEL_NONE,
		KT_API_KERNEL_LAUNCHED, /* argument `handle` is the handle of the kernel */
		/* after the call, argument `handle` points to a handle of the kernel */
		KT_API_KERNEL_NAMED,   /* argument `of` points to the kernel's name */
		KT_API_KERNEL_ALIASED, /* argument `of` is another handle of the kernel */
	} what;
	int8_t handle;
	int8_t of;
};

struct kt_api_function {
	/* without _v2 and _ptsz; with _vN if the parameters differ between versions */
	const char *name;
	/* sizes as in the table, such as "8884"; "": none; NULL: unknown */
	const char *parameters;
	enum kt_api_kind kind;
	enum kt_api_phase phase;
	int8_t bytes;      /* index of the argument with the size; -1: none */
	int8_t rows;       /* index of the argument that multiplies the size; -1: none */
	int8_t unit;       /* bytes per unit of the size */
	bool returns_code; /* the result is an error code, 0 if the call worked */
	struct kt_api_kernel kernel;
};

/*
 * Returns whether the function is a query: a call changes nothing and submits nothing
 * (decode/tables/api.tsv has the criterion). NULL, an unknown function, is none.
 */
static inline bool kt_api_is_query(const struct kt_api_function *function)
{
	return function && (function->kind == KT_API_KIND_QUERY ||
			    function->kind == KT_API_KIND_ERROR ||
			    function->kind == KT_API_KIND_LAUNCH_SETUP);
}

/* Returns whether the call gives a handle of a kernel; NULL is allowed. */
static inline bool kt_api_gives_kernel(const struct kt_api_function *function)
{
	return function && (function->kernel.what == KT_API_KERNEL_NAMED ||
			    function->kernel.what == KT_API_KERNEL_ALIASED);
}

/*
 * Finds the row of a symbol, such as "cuMemcpyHtoD_v2", "cuMemcpyAsync_ptsz", or CUPTI's
 * "cudaMemcpyAsync_ptsz_v7000": the row of the symbol's version if there is one, else the
 * row for all versions. Returns NULL if the table has neither row. O(log rows).
 */
const struct kt_api_function *kt_api_function_find(const char *name);

/*
 * Returns whether `name` is of[0..length), or a variant of that: followed by _vN, _ptsz or
 * _ptds. "cuMemAlloc_v2" is a variant of "cuMemAlloc", and "cudaMemcpy_ptds_v7000" of
 * "cudaMemcpy". O(length of name).
 */
bool kt_api_is_variant(const char *name, const char *of, size_t length);

/*
 * Returns whether text[0..length) names a function of the tables: a symbol, or the name
 * that the symbols of a row with _vN have without it. O(rows).
 */
bool kt_api_is_name(const char *text, size_t length);

/* Return static names such as "copy-to-device" and "USE"; "-" for KT_API_PHASE_NONE. */
const char *kt_api_kind_name(enum kt_api_kind kind);
const char *kt_api_phase_name(enum kt_api_phase phase);

/* What the result of a call says. */
enum kt_api_outcome {
	KT_API_SUCCEEDED, /* also if the result is unknown, or the function has none */
	KT_API_NOT_YET,   /* what the call asks about, or waits for, is not done */
	KT_API_FAILED,
};

/*
 * Judges the result of a call by the codes of its API ("driver", "vulkan", ...): in CUDA
 * any code but 0 is an error, in OpenCL and Vulkan only a negative one is. `known` is
 * whether the result is known.
 */
enum kt_api_outcome kt_api_outcome(const char *api, bool known, int64_t result);

/* Enumerate all rows in order of names, for tests and listings. */
size_t kt_api_functions(void);
const struct kt_api_function *kt_api_function_at(size_t i);

/*
 * Maximum number of arguments in an event, which contains only arguments that are passed in
 * the six integer registers (rdi, rsi, rdx, rcx, r8, r9), in this order. Arguments shorter
 * than 8 bytes are zero-extended. A struct of up to 16 bytes takes one or two registers;
 * larger structs, floating-point numbers and arguments on the stack take no integer
 * register. Source: System V ABI, AMD64 supplement, "Parameter Passing".
 */
#define KT_API_ARGUMENTS 6

/*
 * Reads the arguments from the registers at a call into arguments[0..n), and returns n. If
 * `function` is NULL or its parameters are unknown, copies all six registers unchanged.
 */
size_t kt_api_arguments_of_registers(uint64_t arguments[KT_API_ARGUMENTS],
				     const struct kt_api_function *function,
				     const uint64_t registers[KT_API_ARGUMENTS]);

/*
 * Like kt_api_arguments_of_registers(), but reads the arguments from a struct whose members
 * are the parameters in order, naturally aligned, such as CUPTI's functionParams. Returns 0
 * if `function` is NULL, its parameters are unknown, or `params` is NULL.
 */
size_t kt_api_arguments_of_struct(uint64_t arguments[KT_API_ARGUMENTS],
				  const struct kt_api_function *function,
				  const void *params);

/*
 * Returns the number of 8-byte stack slots that the arguments of a call take above the
 * return address; 0 if the parameters are unknown.
 */
size_t kt_api_stack_words(const struct kt_api_function *function);

/*
 * Computes, from the arguments of a call, the number of bytes that the call concerns.
 * Returns false if `function` is NULL or has no argument with a size, if n is too small, or
 * if the result exceeds UINT64_MAX.
 */
bool kt_api_bytes(uint64_t *bytes, const struct kt_api_function *function,
		  const uint64_t *arguments, size_t n);

#endif
