/* SPDX-License-Identifier: MIT */
/*
 * Code shared by all workloads: start and end, options, errors, kernels, checksums.
 *
 * A workload is a whole program. Therefore the functions here, unlike those of the
 * libraries, print messages and exit, with a status of
 *   0   done, all results correct      1   a wrong result, or a call that failed
 *   2   invalid arguments              77  no driver or no device on this machine
 * The standard output of a workload depends only on the arguments: it never contains a
 * time, an address or a device's name, so the output of two runs can be compared byte for
 * byte.
 */
#ifndef KTAIL_CORPUS_COMMON_H
#define KTAIL_CORPUS_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/option-table.h"
#include "corpus/workloads/cuda-driver.h"

enum kt_work_exit {
	KT_WORK_OK = 0,
	KT_WORK_WRONG = 1,
	KT_WORK_USAGE = 2,
	KT_WORK_NO_GPU = 77,
};

/* The driver's functions; set by kt_work_start(). */
extern struct kt_cuda kt_cuda;

/* KT_WORK_HELP is the row for --help in a workload's option table. */
int kt_work_help(void *context, const char *value);
#define KT_WORK_HELP                                                                       \
	{                                                                                  \
		"help", 'h', NULL, "print this help and exit", KT_SET(kt_work_help)        \
	}

/*
 * Sets *out to the index of `value` in the NULL-terminated list `names`. Returns KT_E_USAGE
 * if the list does not contain `value`.
 */
int kt_work_choice(unsigned long *out, const char *value, const char *const *names,
		   const char *option);

/*
 * Parses the arguments; prints and exits on --help and on an error. `name` and `command`
 * must remain valid.
 */
void kt_work_options(const char *name, const struct kt_command_line *command, int argc,
		     char **argv, void *context);

/* Loads libcuda, initialises it and returns the first device. Exits if any step fails. */
kt_cu_device kt_work_start(void);

/*
 * Like kt_work_start(), but sets *device to the first device, makes the primary context of
 * the device current, and returns the context. `flags`, if not 0, become the context's
 * flags.
 */
kt_cu_context kt_work_enter(kt_cu_device *device, unsigned flags);
/* Unsets the current context and releases the device's primary context. */
void kt_work_leave(kt_cu_device device);

/*
 * Flushes standard output. Returns KT_WORK_OK if `right` is true and the flush succeeded,
 * else KT_WORK_WRONG.
 */
int kt_work_end(bool right);

/* Prints "NAME: TEXT" to standard error and exits with KT_WORK_WRONG. */
_Noreturn void kt_work_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Like kt_work_fail(), but exits with KT_WORK_NO_GPU. */
_Noreturn void kt_work_no_gpu(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/* Exits with a message if `result`, which `function` has returned, is not 0. */
void kt_work_check(const char *function, int result);

/* Like kt_library_load(), but exits with a message on failure. */
void kt_work_load(const char *library, const char *const *names, size_t n, void *functions);

/*
 * KT_CU(cuMemAlloc, &address, 4096) calls cuMemAlloc(&address, 4096), and exits with a
 * message if the call fails.
 */
#define KT_CU(function, ...) kt_cuda_check(#function, kt_cuda.function(__VA_ARGS__))
void kt_cuda_check(const char *function, kt_cu_result result);

/*
 * Waits for all work of the current context. Required after a copy from pageable memory if
 * a non-blocking stream uses the copied data: the call that copies may return before the
 * last data have reached the device.
 */
void kt_work_wait(void);

/*
 * The workloads' kernels as PTX text for cuModuleLoadData, which compiles it for the
 * device. Elements are unsigned 32-bit integers, so results are exact and wrap around.
 *
 *   vector_add(a, b, c, n)              c[i] = a[i] + b[i] for i < n
 *   scale(x, n, factor, addend)         x[i] = x[i] * factor + addend for i < n
 *   spin(counter, ticks)                one thread waits for `ticks` clock ticks of its
 *                                       multiprocessor and then adds 1 to *counter
 *
 * Pointers and ticks are 64 bits wide, all other parameters 32.
 */
extern const char kt_kernels_ptx[];

/* Threads per block of vector_add and scale, and the number of blocks for n elements. */
#define KT_BLOCK   256u
#define KT_GRID(n) (((unsigned)(n) + KT_BLOCK - 1) / KT_BLOCK)

/* The kernels of a context. */
struct kt_kernels {
	kt_cu_module module;
	kt_cu_function vector_add;
	kt_cu_function scale;
	kt_cu_function spin;
};
/* Loads the kernels into the current context. */
void kt_kernels_load(struct kt_kernels *kernels);
void kt_kernels_unload(struct kt_kernels *kernels);

/* Launches x[i] = x[i] * factor + addend on n elements at x, in a stream. */
void kt_launch_scale(const struct kt_kernels *kernels, kt_cu_stream stream, kt_cu_address x,
		     uint32_t n, uint32_t factor, uint32_t addend);
/* Launches c[i] = a[i] + b[i]; c may be a or b. */
void kt_launch_vector_add(const struct kt_kernels *kernels, kt_cu_stream stream,
			  kt_cu_address a, kt_cu_address b, kt_cu_address c, uint32_t n);
/*
 * Launches a kernel in which one GPU thread waits for `ticks` clock ticks, then adds 1 to
 * the 32-bit number at `counter`.
 */
void kt_launch_spin(const struct kt_kernels *kernels, kt_cu_stream stream,
		    kt_cu_address counter, uint64_t ticks);

/* Returns zeroed memory, owned by the caller. Ends the program if the allocation fails. */
void *kt_work_allocate(size_t bytes);

/* Fills n elements with a sequence determined by the seed. */
void kt_fill(uint32_t *values, size_t n, uint32_t seed);

/* Returns the 64-bit FNV-1a hash of the bytes. */
uint64_t kt_checksum(const void *data, size_t bytes);

/*
 * Returns whether c[i] = a[i] + b[i] for all of n elements; prints the index of the first
 * wrong element.
 */
bool kt_sum_check(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t n);
/* Prints the result of a workload that adds vectors of n elements; c is the last sum. */
void kt_sum_report(const uint32_t *c, unsigned long n, unsigned long repeat, bool right);

#endif
