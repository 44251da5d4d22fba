/* SPDX-License-Identifier: MIT */
#include "tests/softgpu/driver/random/random.h"

#include <stdlib.h>
#include <string.h>

void make_current(struct worker *w, unsigned context)
{
	MUST(w, cuCtxSetCurrent(w->contexts[context].handle));
}

/* Picks a size near a threshold between two of the driver's methods. */
size_t pick_bytes(struct worker *w)
{
	static const size_t near[] = {1, 4, 256, 4096, 24576, 65536, 131072, 1048576};
	size_t bytes;

	if (pick(w, 3) == 0) {
		return 1 + pick(w, 3000);
	}
	bytes = near[pick(w, pick(w, 4) ? 7 : 8)];
	bytes += pick(w, 5);
	return bytes > 2 ? bytes - 2 : bytes;
}

static void fill_random(struct worker *w, uint8_t *bytes, size_t n)
{
	uint32_t x = pick(w, UINT32_MAX);

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525u + 1013904223u;
		bytes[i] = (uint8_t)(x >> 24);
	}
}

static void take_memory(struct worker *w, struct block *b)
{
	size_t skip = pick(w, 2) ? pick(w, 4096) : 0;
	void *pinned = NULL;

	switch (b->location) {
	case IN_DEVICE_MEMORY: MUST(w, cuMemAlloc(&b->address, b->bytes)); return;
	case IN_PINNED_MEMORY:
		MUST(w, cuMemAllocHost(&pinned, b->bytes));
		b->address = (uintptr_t)pinned;
		break;
	default: /* whole pages, so that no two registered blocks share a page */
		b->raw = aligned_alloc(4096, (skip + b->bytes + 4095) / 4096 * 4096);
		HOLDS(w, b->raw);
		b->address = (uintptr_t)b->raw + skip;
	}
	fill_random(w, b->model, b->bytes);
	memcpy((void *)(uintptr_t)b->address, b->model, b->bytes);
	if (b->location == IN_REGISTERED_MEMORY) {
		MUST(w, cuMemHostRegister((void *)(uintptr_t)b->address, b->bytes, 0));
	}
}

int make_block(struct worker *w, unsigned context)
{
	for (unsigned i = 0; i < MAX_BLOCKS; i++) {
		struct block *b = &w->blocks[i];

		if (b->used) {
			continue;
		}
		*b = (struct block){.used = true, .context = context, .stream = -1};
		b->location =
			pick(w, 2) ? IN_DEVICE_MEMORY : (enum location)pick(w, LOCATIONS);
		b->bytes = pick_bytes(w);
		b->model = malloc(b->bytes);
		HOLDS(w, b->model);
		make_current(w, context);
		take_memory(w, b);
		if (b->location == IN_DEVICE_MEMORY) { /* its contents are unknown */
			fill_random(w, b->model, b->bytes);
			MUST(w, cuMemcpyHtoD(b->address, b->model, b->bytes));
		}
		return (int)i;
	}
	return -1;
}

/* --- order of work --- */

static bool is_default(unsigned stream)
{
	return stream < MAX_CONTEXTS;
}

static bool in_order(const struct worker *w, unsigned a, unsigned b)
{
	const struct stream *s = &w->streams[a];
	const struct stream *t = &w->streams[b];

	return s->context == t->context &&
	       ((is_default(a) && t->blocking) || (is_default(b) && s->blocking));
}

/* Makes the program wait for the stream's work, in one of four ways. */
static void wait_for(struct worker *w, unsigned stream)
{
	const struct stream *s = &w->streams[stream];
	kt_cu_result result = KT_CU_NOT_READY;
	kt_cu_event event;

	make_current(w, s->context);
	switch (pick(w, 4)) {
	case 0: MUST(w, cuStreamSynchronize(s->handle)); break;
	case 1: MUST(w, cuCtxSynchronize()); break;
	case 2:
		while (result == KT_CU_NOT_READY) {
			result = cuStreamQuery(s->handle);
		}
		MUST(w, result);
		break;
	default:
		MUST(w, cuEventCreate(&event, 0));
		MUST(w, cuEventRecord(event, s->handle));
		MUST(w, cuEventSynchronize(event));
		MUST(w, cuEventQuery(event));
		MUST(w, cuEventDestroy(event));
	}
}

/*
 * Makes stream `to` wait for an event of stream `from`. The event is either an existing
 * event, for which other streams may still wait, or a new event that is destroyed before
 * the wait is over.
 */
static void wait_in_device(struct worker *w, unsigned from, unsigned to)
{
	const struct stream *s = &w->streams[from];
	unsigned i = pick(w, MAX_EVENTS);
	bool kept = w->events[i].used && w->events[i].context == s->context;
	kt_cu_event event = kept ? w->events[i].handle : NULL;

	make_current(w, s->context);
	if (!kept) {
		MUST(w, cuEventCreate(&event, pick(w, 4)));
	}
	MUST(w, cuEventRecord(event, s->handle));
	make_current(w, w->streams[to].context);
	MUST(w, cuStreamWaitEvent(w->streams[to].handle, event, 0));
	if (!kept) {
		MUST(w, cuEventDestroy(event));
	}
}

void settle(struct worker *w, struct block *block)
{
	if (block->stream >= 0) {
		wait_for(w, (unsigned)block->stream);
		block->stream = -1;
	}
}

void order(struct worker *w, struct block *block, unsigned stream)
{
	unsigned last = (unsigned)block->stream;

	if (block->stream >= 0 && last != stream && !in_order(w, last, stream)) {
		if (pick(w, 4) == 0) {
			wait_for(w, last);
		} else {
			wait_in_device(w, last, stream);
		}
	}
	block->stream = (int)stream;
}

/* --- contents --- */

void scribble(struct worker *w, struct block *block)
{
	size_t at = pick(w, (uint32_t)block->bytes);
	size_t n = 1 + pick(w, (uint32_t)(block->bytes - at));

	settle(w, block);
	fill_random(w, block->model + at, n);
	memcpy((uint8_t *)(uintptr_t)block->address + at, block->model + at, n);
}

void verify_block(struct worker *w, unsigned i)
{
	struct block *b = &w->blocks[i];
	uint8_t *got = (uint8_t *)(uintptr_t)b->address;

	settle(w, b);
	if (b->location == IN_DEVICE_MEMORY) {
		got = malloc(b->bytes);
		HOLDS(w, got);
		make_current(w, b->context);
		MUST(w, cuMemcpyDtoH(got, b->address, b->bytes));
	}
	HOLDS(w, memcmp(got, b->model, b->bytes) == 0);
	if (b->location == IN_DEVICE_MEMORY) {
		free(got);
	}
}

void free_block(struct worker *w, unsigned i)
{
	struct block *b = &w->blocks[i];
	void *host = (void *)(uintptr_t)b->address;

	free_graphs_of(w, i);
	/*
	 * For half of the blocks, and for all blocks that other contexts or the program may
	 * still use, wait for the pending work first.
	 */
	if (pick(w, 2) || b->location != IN_DEVICE_MEMORY ||
	    (b->stream >= 0 && w->streams[b->stream].context != b->context)) {
		verify_block(w, i);
	}
	make_current(w, b->context);
	switch (b->location) {
	case IN_DEVICE_MEMORY: MUST(w, cuMemFree(b->address)); break;
	case IN_PINNED_MEMORY: MUST(w, cuMemFreeHost(host)); break;
	case IN_REGISTERED_MEMORY: MUST(w, cuMemHostUnregister(host)); break;
	default: break;
	}
	free(b->raw);
	free(b->model);
	*b = (struct block){0};
}
