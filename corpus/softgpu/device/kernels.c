/* SPDX-License-Identifier: MIT */
/*
 * The built-in kernels. Thread i processes element i. No two threads of a launch share an
 * element, so the device processes as many elements at once as the channel's budget for the
 * turn allows.
 */
#include "corpus/softgpu/device/engine.h"

#include <string.h>

#define MAX_SPIN_TICKS (UINT64_C(10000000) * KT_GPU_TICKS_PER_MICROSECOND)
#define ELEMENT        sizeof(uint32_t)

/* Indexed by enum kt_gpu_kernel; each digit is the size of an argument in bytes. */
static const char *const signatures[KT_GPU_KERNELS] = {
#define ROW(name, number, arguments) [number] = arguments,
	KT_GPU_KERNEL_TABLE(ROW)
#undef ROW
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

enum { MAX_ARRAYS = 3 };

/* Processes n elements of each array of the kernel; those of array i begin at at[i]. */
typedef void on_elements(uint32_t *const at[MAX_ARRAYS], uint64_t n,
			 const uint64_t *arguments, uint32_t *sum);

/* Arguments 0 to n_arrays - 1 are arrays. */
struct elementwise {
	on_elements *act;
	unsigned n_arrays;
	unsigned count;   /* index of the argument that holds the number of elements */
	unsigned written; /* index of the written array; n_arrays: none */
	bool overwritten; /* written without being read */
};

/*
 * Processes the remaining elements, from the channel's position on, as far as the budget
 * lasts. Elements in the arena are processed in place, elements in user memory in a copy.
 */
static enum kt_gpu_result run_elements(struct kt_gpu_channel *channel,
				       const struct elementwise *kernel,
				       const uint64_t *arguments, uint64_t threads)
{
	const struct kt_gpu_space *space = channel->space;
	struct kt_gpu *gpu = channel->gpu;
	uint64_t count = least(arguments[kernel->count], threads);
	uint32_t *at[MAX_ARRAYS] = {NULL};

	while (channel->progress.at < count) {
		uint64_t offset = channel->progress.at * ELEMENT;
		uint64_t n = count - channel->progress.at;
		struct kt_gpu_span spans[MAX_ARRAYS];

		if (channel->budget < (int64_t)ELEMENT) {
			return KT_GPU_AGAIN;
		}
		n = least(n, (uint64_t)channel->budget / ELEMENT);
		for (unsigned i = 0; i < kernel->n_arrays; i++) {
			if (!kt_gpu_translate(space, arguments[i] + offset, &spans[i])) {
				return KT_GPU_FAULT;
			}
			n = least(n, spans[i].bytes / ELEMENT);
			n = spans[i].at ? n : least(n, KT_GPU_BOUNCE);
		}
		for (unsigned i = 0; i < kernel->n_arrays; i++) {
			at[i] = spans[i].at ? (void *)spans[i].at : gpu->bounce[i];
			if (!spans[i].at &&
			    !(i == kernel->written && kernel->overwritten) &&
			    !kt_gpu_user_read(gpu, spans[i].user, at[i], n * ELEMENT)) {
				return KT_GPU_FAULT;
			}
		}
		kernel->act(at, n, arguments, &channel->progress.sum);
		for (unsigned i = 0; i < kernel->n_arrays; i++) {
			if (!spans[i].at && i == kernel->written &&
			    !kt_gpu_user_write(gpu, spans[i].user, at[i], n * ELEMENT)) {
				return KT_GPU_FAULT;
			}
		}
		channel->progress.at += n;
		channel->budget -= (int64_t)(n * ELEMENT);
	}
	return KT_GPU_DONE;
}

static void add_elements(uint32_t *const at[MAX_ARRAYS], uint64_t n,
			 const uint64_t *arguments, uint32_t *sum)
{
	(void)arguments;
	(void)sum;
	for (uint64_t i = 0; i < n; i++) {
		at[2][i] = at[0][i] + at[1][i];
	}
}

static void scale_elements(uint32_t *const at[MAX_ARRAYS], uint64_t n,
			   const uint64_t *arguments, uint32_t *sum)
{
	(void)sum;
	for (uint64_t i = 0; i < n; i++) {
		at[0][i] = at[0][i] * (uint32_t)arguments[2] + (uint32_t)arguments[3];
	}
}

static void sum_elements(uint32_t *const at[MAX_ARRAYS], uint64_t n,
			 const uint64_t *arguments, uint32_t *sum)
{
	(void)arguments;
	for (uint64_t i = 0; i < n; i++) {
		*sum += at[0][i];
	}
}

/* Adds `value` to the dword at `address`: atomically, except in user memory. */
static enum kt_gpu_result add(const struct kt_gpu_space *space, uint64_t address,
			      uint32_t value)
{
	struct kt_gpu_span span;
	uint32_t word = 0;

	if (!kt_gpu_translate(space, address, &span)) {
		return KT_GPU_FAULT;
	}
	if (span.at) {
		__atomic_fetch_add((uint32_t *)(void *)span.at, value, __ATOMIC_RELAXED);
		return KT_GPU_DONE;
	}
	if (!kt_gpu_user_read(space->gpu, span.user, &word, sizeof(word))) {
		return KT_GPU_FAULT;
	}
	word += value;
	return kt_gpu_user_write(space->gpu, span.user, &word, sizeof(word)) ? KT_GPU_DONE
									     : KT_GPU_FAULT;
}

/* Parks the channel until its deadline; other channels of the device continue. */
static enum kt_gpu_result spin(struct kt_gpu_channel *channel, const uint64_t *arguments,
			       uint64_t threads)
{
	struct kt_gpu_progress *progress = &channel->progress;
	uint64_t ticks = arguments[1];

	if (arguments[0] % ELEMENT || ticks > MAX_SPIN_TICKS) {
		return KT_GPU_ILLEGAL;
	}
	if (!progress->begun) {
		progress->begun = true;
		progress->deadline =
			kt_gpu_time() + ticks * 1000 / KT_GPU_TICKS_PER_MICROSECOND;
	}
	if (kt_gpu_time() < progress->deadline) {
		channel->wake = progress->deadline;
		return KT_GPU_PARKED;
	}
	return add(channel->space, arguments[0], (uint32_t)threads);
}

enum kt_gpu_result kt_gpu_kernel_run(struct kt_gpu_channel *channel, uint32_t kernel,
				     uint64_t threads, const uint8_t *arguments,
				     size_t bytes)
{
	static const struct elementwise adds = {add_elements, 3, 3, 2, true};
	static const struct elementwise scales = {scale_elements, 1, 1, 0, false};
	static const struct elementwise sums = {sum_elements, 1, 2, 1, false};
	enum kt_gpu_result result;
	uint64_t values[4] = {0};
	size_t at = 0;

	if (kernel >= KT_GPU_KERNELS || !signatures[kernel]) {
		return KT_GPU_ILLEGAL;
	}
	for (size_t i = 0; signatures[kernel][i]; i++) {
		size_t size = (size_t)(signatures[kernel][i] - '0');
		uint32_t narrow = 0;

		at = (at + size - 1) & ~(size - 1);
		if (at > bytes || size > bytes - at) {
			return KT_GPU_ILLEGAL;
		}
		if (size == 8) {
			memcpy(&values[i], arguments + at, 8);
		} else {
			memcpy(&narrow, arguments + at, 4);
			values[i] = narrow;
		}
		at += size;
	}
	switch ((enum kt_gpu_kernel)kernel) {
	case KT_GPU_VECTOR_ADD:
		return (values[0] | values[1] | values[2]) % ELEMENT
			       ? KT_GPU_ILLEGAL
			       : run_elements(channel, &adds, values, threads);
	case KT_GPU_SCALE:
		return values[0] % ELEMENT
			       ? KT_GPU_ILLEGAL
			       : run_elements(channel, &scales, values, threads);
	case KT_GPU_REDUCE:
		if ((values[0] | values[1]) % ELEMENT) {
			return KT_GPU_ILLEGAL;
		}
		result = run_elements(channel, &sums, values, threads);
		return result == KT_GPU_DONE && values[2] && threads
			       ? add(channel->space, values[1], channel->progress.sum)
			       : result;
	case KT_GPU_SPIN: return spin(channel, values, threads);
	case KT_GPU_KERNELS: break;
	}
	return KT_GPU_ILLEGAL;
}
