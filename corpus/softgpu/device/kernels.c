/* SPDX-License-Identifier: MIT */
/*
 * The built-in kernels. Thread i works on element i; as no two threads of a launch work on
 * the same element, whole stretches of memory are worked on at once, as far as a turn of
 * the channel goes.
 */
#include "corpus/softgpu/device/engine.h"

#include <string.h>

#define MAX_SPIN_TICKS (UINT64_C(10000000) * KT_GPU_TICKS_PER_MICROSECOND)
#define ELEMENT        sizeof(uint32_t)

/* Signatures by kernel: "8" and "4" are the bytes of an argument. */
static const char *const signatures[KT_GPU_KERNELS] = {
#define ROW(name, number, arguments) [number] = arguments,
	KT_GPU_KERNEL_TABLE(ROW)
#undef ROW
};

/* A stretch of an array: in memory as it is, or for user memory a copy. */
struct view {
	uint32_t *at;
	uint64_t user;
	uint64_t n;
	uint32_t *copy; /* room for KT_GPU_BOUNCE elements */
};

static struct view view_make(struct kt_gpu *gpu, unsigned i)
{
	return (struct view){.copy = gpu->bounce[i]};
}

static bool view_find(struct view *view, const struct kt_gpu_space *space, uint64_t array,
		      uint64_t element)
{
	struct kt_gpu_span span;

	if (!kt_gpu_translate(space, array + element * ELEMENT, &span)) {
		return false;
	}
	view->at = (void *)span.at;
	view->user = span.user;
	view->n = span.bytes / ELEMENT;
	if (!view->at && view->n > KT_GPU_BOUNCE) {
		view->n = KT_GPU_BOUNCE;
	}
	return true;
}

static bool view_load(struct view *view, struct kt_gpu *gpu, uint64_t n)
{
	if (view->at) {
		return true;
	}
	view->at = view->copy;
	return kt_gpu_user_read(gpu, view->user, view->copy, n * ELEMENT);
}

static bool view_store(struct view *view, struct kt_gpu *gpu, uint64_t n)
{
	return view->at != view->copy ||
	       kt_gpu_user_write(gpu, view->user, view->copy, n * ELEMENT);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How many elements the turn allows of `left`. */
static uint64_t allowed(const struct kt_gpu_channel *channel, uint64_t left)
{
	return channel->budget < (int64_t)ELEMENT
		       ? 0
		       : least(left, (uint64_t)channel->budget / ELEMENT);
}

static void account(struct kt_gpu_channel *channel, uint64_t n)
{
	channel->progress.at += n;
	channel->budget -= (int64_t)(n * ELEMENT);
}

static enum kt_gpu_result vector_add(struct kt_gpu_channel *channel,
				     const uint64_t *arguments, uint64_t threads)
{
	const struct kt_gpu_space *space = channel->space;
	uint64_t count = least(arguments[3], threads);
	struct view a = view_make(channel->gpu, 0);
	struct view b = view_make(channel->gpu, 1);
	struct view c = view_make(channel->gpu, 2);

	if ((arguments[0] | arguments[1] | arguments[2]) % ELEMENT) {
		return KT_GPU_ILLEGAL;
	}
	while (channel->progress.at < count) {
		uint64_t at = channel->progress.at;
		uint64_t n = allowed(channel, count - at);

		if (n == 0) {
			return KT_GPU_AGAIN;
		}
		if (!view_find(&a, space, arguments[0], at) ||
		    !view_find(&b, space, arguments[1], at) ||
		    !view_find(&c, space, arguments[2], at)) {
			return KT_GPU_FAULT;
		}
		n = least(n, least(a.n, least(b.n, c.n)));
		if (!view_load(&a, space->gpu, n) || !view_load(&b, space->gpu, n)) {
			return KT_GPU_FAULT;
		}
		c.at = c.at ? c.at : c.copy; /* it is only written: no need to read it */
		for (uint64_t i = 0; i < n; i++) {
			c.at[i] = a.at[i] + b.at[i];
		}
		if (!view_store(&c, space->gpu, n)) {
			return KT_GPU_FAULT;
		}
		account(channel, n);
	}
	return KT_GPU_DONE;
}

static enum kt_gpu_result scale(struct kt_gpu_channel *channel, const uint64_t *arguments,
				uint64_t threads)
{
	const struct kt_gpu_space *space = channel->space;
	uint64_t count = least(arguments[1], threads);
	uint32_t factor = (uint32_t)arguments[2];
	uint32_t addend = (uint32_t)arguments[3];
	struct view x = view_make(channel->gpu, 0);

	if (arguments[0] % ELEMENT) {
		return KT_GPU_ILLEGAL;
	}
	while (channel->progress.at < count) {
		uint64_t at = channel->progress.at;
		uint64_t n = allowed(channel, count - at);

		if (n == 0) {
			return KT_GPU_AGAIN;
		}
		if (!view_find(&x, space, arguments[0], at)) {
			return KT_GPU_FAULT;
		}
		n = least(n, x.n);
		if (!view_load(&x, space->gpu, n)) {
			return KT_GPU_FAULT;
		}
		for (uint64_t i = 0; i < n; i++) {
			x.at[i] = x.at[i] * factor + addend;
		}
		if (!view_store(&x, space->gpu, n)) {
			return KT_GPU_FAULT;
		}
		account(channel, n);
	}
	return KT_GPU_DONE;
}

/* *address += value, as an atomic addition does. */
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

static enum kt_gpu_result reduce(struct kt_gpu_channel *channel, const uint64_t *arguments,
				 uint64_t threads)
{
	const struct kt_gpu_space *space = channel->space;
	uint64_t count = least(arguments[2], threads);
	struct view x = view_make(channel->gpu, 0);

	if ((arguments[0] | arguments[1]) % ELEMENT) {
		return KT_GPU_ILLEGAL;
	}
	while (channel->progress.at < count) {
		uint64_t at = channel->progress.at;
		uint64_t n = allowed(channel, count - at);

		if (n == 0) {
			return KT_GPU_AGAIN;
		}
		if (!view_find(&x, space, arguments[0], at)) {
			return KT_GPU_FAULT;
		}
		n = least(n, x.n);
		if (!view_load(&x, space->gpu, n)) {
			return KT_GPU_FAULT;
		}
		for (uint64_t i = 0; i < n; i++) {
			channel->progress.sum += x.at[i];
		}
		account(channel, n);
	}
	return count ? add(space, arguments[1], channel->progress.sum) : KT_GPU_DONE;
}

/* The channel waits, not the device: others go on. */
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
	case KT_GPU_VECTOR_ADD: return vector_add(channel, values, threads);
	case KT_GPU_SCALE: return scale(channel, values, threads);
	case KT_GPU_REDUCE: return reduce(channel, values, threads);
	case KT_GPU_SPIN: return spin(channel, values, threads);
	case KT_GPU_KERNELS: break;
	}
	return KT_GPU_ILLEGAL;
}
