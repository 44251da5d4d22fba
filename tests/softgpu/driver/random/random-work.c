/* SPDX-License-Identifier: MIT */
#include "tests/softgpu/driver/random/random.h"

#include <stdlib.h>
#include <string.h>

/* --- choice of blocks --- */

/*
 * Picks a used block of at least `least` bytes whose location is in the mask and which the
 * context can use. Returns false if there is none.
 */
static bool pick_block(struct worker *w, unsigned context, unsigned locations, size_t least,
		       unsigned *out)
{
	unsigned at = pick(w, MAX_BLOCKS);

	for (unsigned n = 0; n < MAX_BLOCKS; n++, at = (at + 1) % MAX_BLOCKS) {
		const struct block *b = &w->blocks[at];

		if (b->used && (1u << b->location) & locations && b->bytes >= least &&
		    (b->location != IN_DEVICE_MEMORY || b->context == context)) {
			*out = at;
			return true;
		}
	}
	return false;
}

/*
 * Picks an aligned offset in the block. Returns the number of elements from there to the
 * end of the block.
 */
static size_t elements(struct worker *w, const struct block *b, size_t *offset)
{
	size_t skip = (size_t)(-b->address & 3);

	*offset = skip + pick(w, (uint32_t)((b->bytes - skip) / 4)) / 2 * 4;
	return (b->bytes - *offset) / 4;
}

static bool make_copy(struct worker *w, unsigned context, unsigned from, unsigned to,
		      struct work *out)
{
	size_t most = SIZE_MAX;

	out->n_blocks = 2;
	if (!pick_block(w, context, from, 1, &out->blocks[0]) ||
	    !pick_block(w, context, to, 1, &out->blocks[1]) ||
	    out->blocks[0] == out->blocks[1]) {
		return false;
	}
	for (unsigned i = 0; i < 2; i++) {
		const struct block *b = &w->blocks[out->blocks[i]];

		out->offsets[i] = pick(w, 2) ? pick(w, (uint32_t)b->bytes) : 0;
		if (b->bytes - out->offsets[i] < most) {
			most = b->bytes - out->offsets[i];
		}
	}
	out->n = pick(w, 2) ? most : 1 + pick(w, (uint32_t)most);
	return true;
}

static bool make_launch(struct worker *w, unsigned context, struct work *out)
{
	static const unsigned n_blocks[WORK_KINDS] = {
		[WORK_ADD] = 3, [WORK_SCALE] = 1, [WORK_REDUCE] = 2, [WORK_SPIN] = 1};
	unsigned locked = 1u << IN_DEVICE_MEMORY | 1u << IN_PINNED_MEMORY |
			  1u << IN_REGISTERED_MEMORY;
	size_t most = SIZE_MAX;

	out->n_blocks = n_blocks[out->kind];
	for (unsigned i = 0; i < out->n_blocks; i++) {
		size_t capacity;

		if (!pick_block(w, context, locked, 8, &out->blocks[i]) ||
		    (i > 0 && out->blocks[i] == out->blocks[0]) ||
		    (i > 1 && out->blocks[i] == out->blocks[1])) {
			return false;
		}
		capacity = elements(w, &w->blocks[out->blocks[i]], &out->offsets[i]);
		if (capacity < most && !(out->kind == WORK_REDUCE && i == 1)) {
			most = capacity;
		}
	}
	out->n = out->kind == WORK_SPIN ? 1 : 1 + pick(w, (uint32_t)most);
	out->factor = pick(w, UINT32_MAX);
	out->addend = pick(w, UINT32_MAX);
	return true;
}

bool make_work(struct worker *w, unsigned context, bool for_graph, struct work *out)
{
	const char *transfer = getenv("KTAIL_SOFTGPU_TRANSFER");
	bool dma = !transfer || !*transfer || strcmp(transfer, "dma") == 0;
	unsigned device = 1u << IN_DEVICE_MEMORY;
	unsigned locked = 1u << IN_PINNED_MEMORY | 1u << IN_REGISTERED_MEMORY;
	unsigned host = for_graph ? locked : locked | 1u << IN_PAGEABLE_MEMORY;

	*out = (struct work){.kind = (enum work_kind)pick(w, WORK_KINDS)};
	if (for_graph && (out->kind == WORK_ON || (out->kind < WORK_ON && !dma))) {
		out->kind = WORK_SCALE;
	}
	switch (out->kind) {
	case WORK_TO: return make_copy(w, context, host, device, out);
	case WORK_FROM: return make_copy(w, context, device, host, out);
	case WORK_ON: return make_copy(w, context, device, device, out);
	default: return make_launch(w, context, out);
	}
}

/* --- the model --- */

static uint32_t load(const uint8_t *at, size_t i)
{
	uint32_t value;

	memcpy(&value, at + i * 4, 4);
	return value;
}

static void store(uint8_t *at, size_t i, uint32_t value)
{
	memcpy(at + i * 4, &value, 4);
}

static void model(struct worker *w, const struct work *work)
{
	uint8_t *at[3] = {NULL};

	for (unsigned i = 0; i < work->n_blocks; i++) {
		at[i] = w->blocks[work->blocks[i]].model + work->offsets[i];
	}
	if (work->kind <= WORK_ON) {
		memcpy(at[1], at[0], work->n);
		return;
	}
	for (size_t i = 0; i < work->n; i++) {
		switch (work->kind) {
		case WORK_ADD: store(at[2], i, load(at[0], i) + load(at[1], i)); break;
		case WORK_SCALE:
			store(at[0], i, load(at[0], i) * work->factor + work->addend);
			break;
		case WORK_REDUCE: store(at[1], 0, load(at[1], 0) + load(at[0], i)); break;
		default: store(at[0], 0, load(at[0], 0) + 1);
		}
	}
}

/* --- calls --- */

static kt_cu_result call_launch(struct worker *w, const struct work *work, unsigned stream)
{
	const struct stream *s = &w->streams[stream];
	const struct context *c = &w->contexts[s->context];
	kt_cu_function function = work->kind == WORK_ADD      ? c->add
				  : work->kind == WORK_SCALE  ? c->scale
				  : work->kind == WORK_REDUCE ? c->reduce
							      : c->spin;
	uint64_t at[3] = {0};
	uint64_t ticks = work->factor % 40000;
	uint32_t n = (uint32_t)work->n;
	uint32_t factor = work->factor;
	uint32_t addend = work->addend;
	unsigned block = work->kind == WORK_SPIN ? 1 : 1 + work->factor % 256;
	void *parameters[4] = {&at[0], &at[1], &at[2], &n};

	for (unsigned i = 0; i < work->n_blocks; i++) {
		at[i] = w->blocks[work->blocks[i]].address + work->offsets[i];
	}
	if (work->kind == WORK_SCALE) {
		parameters[1] = &n;
		parameters[2] = &factor;
		parameters[3] = &addend;
	} else if (work->kind == WORK_REDUCE) {
		parameters[2] = &n;
	} else if (work->kind == WORK_SPIN) {
		parameters[1] = &ticks;
	}
	return cuLaunchKernel(function, (n + block - 1) / block, 1, 1, block, 1, 1, 0,
			      s->handle, parameters, NULL);
}

static kt_cu_result call_copy(struct worker *w, const struct work *work, unsigned stream,
			      bool now)
{
	kt_cu_stream s = w->streams[stream].handle;
	uint64_t from = w->blocks[work->blocks[0]].address + work->offsets[0];
	uint64_t to = w->blocks[work->blocks[1]].address + work->offsets[1];
	void *source = (void *)(uintptr_t)from;
	void *target = (void *)(uintptr_t)to;

	switch (work->kind) {
	case WORK_TO:
		return now ? cuMemcpyHtoD(to, source, work->n)
			   : cuMemcpyHtoDAsync(to, source, work->n, s);
	case WORK_FROM:
		return now ? cuMemcpyDtoH(target, from, work->n)
			   : cuMemcpyDtoHAsync(target, from, work->n, s);
	default:
		return now ? cuMemcpyDtoD(to, from, work->n)
			   : cuMemcpyDtoDAsync(to, from, work->n, s);
	}
}

static void call(struct worker *w, const struct work *work, unsigned stream, bool now)
{
	if (work->kind <= WORK_ON) {
		MUST(w, call_copy(w, work, stream, now));
	} else {
		MUST(w, call_launch(w, work, stream));
	}
}

static void order_all(struct worker *w, const struct work *work, unsigned stream)
{
	for (unsigned i = 0; i < work->n_blocks; i++) {
		order(w, &w->blocks[work->blocks[i]], stream);
	}
}

void do_work(struct worker *w, const struct work *work, unsigned stream)
{
	bool copy = work->kind <= WORK_ON;
	bool now = copy && pick(w, 2);

	if (now) {
		stream = w->streams[stream].context; /* the default stream */
	}
	order_all(w, work, stream);
	make_current(w, w->streams[stream].context);
	call(w, work, stream, now);
	model(w, work);
	for (unsigned i = 0; i < work->n_blocks && copy; i++) {
		struct block *b = &w->blocks[work->blocks[i]];

		/*
		 * The call returns only after it has read pageable memory, so this memory
		 * may be modified now.
		 */
		if ((now && work->kind != WORK_ON) || b->location == IN_PAGEABLE_MEMORY) {
			b->stream = -1;
		}
		if (b->location == IN_PAGEABLE_MEMORY && pick(w, 2)) {
			scribble(w, b);
		}
	}
}

void fill(struct worker *w, unsigned block)
{
	struct block *b = &w->blocks[block];
	size_t element = pick(w, 2) ? 4 : 1;
	size_t at = pick(w, (uint32_t)b->bytes) / element * element;
	size_t n = pick(w, (uint32_t)((b->bytes - at) / element + 1));
	uint32_t value = pick(w, UINT32_MAX);

	order(w, b, b->context);
	make_current(w, b->context);
	if (element == 1) {
		MUST(w, cuMemsetD8(b->address + at, (unsigned char)value, n));
		memset(b->model + at, (int)(value & 0xff), n);
	} else {
		MUST(w, cuMemsetD32(b->address + at, value, n));
		for (size_t i = 0; i < n; i++) {
			store(b->model + at, i, value);
		}
	}
}

/* --- graphs --- */

void make_graph(struct worker *w, unsigned stream)
{
	const struct stream *s = &w->streams[stream];
	struct graph *graph = &w->graphs[pick(w, MAX_GRAPHS)];
	unsigned n = pick(w, MAX_NODES + 1);
	kt_cu_graph captured = NULL;
	size_t count = 0;

	if (graph->used) {
		free_graph(w, graph);
	}
	*graph = (struct graph){.used = true, .context = s->context};
	make_current(w, s->context);
	MUST(w, cuStreamBeginCapture(s->handle, KT_CU_CAPTURE_RELAXED));
	while (graph->n < n && make_work(w, s->context, true, &graph->nodes[graph->n])) {
		call(w, &graph->nodes[graph->n++], stream, false);
	}
	MUST(w, cuStreamEndCapture(s->handle, &captured));
	MUST(w, cuGraphGetNodes(captured, NULL, &count));
	HOLDS(w, count == graph->n);
	MUST(w, cuGraphInstantiate(&graph->handle, captured, 0));
	MUST(w, cuGraphDestroy(captured));
}

void launch_graph(struct worker *w, struct graph *graph, unsigned stream)
{
	unsigned times = 1 + pick(w, 3);

	for (unsigned i = 0; i < graph->n; i++) {
		order_all(w, &graph->nodes[i], stream);
	}
	make_current(w, graph->context);
	if (pick(w, 3) == 0) {
		MUST(w, cuGraphUpload(graph->handle, w->streams[stream].handle));
	}
	while (times-- > 0) {
		MUST(w, cuGraphLaunch(graph->handle, w->streams[stream].handle));
		for (unsigned i = 0; i < graph->n; i++) {
			model(w, &graph->nodes[i]);
		}
	}
}

void free_graph(struct worker *w, struct graph *graph)
{
	MUST(w, cuGraphExecDestroy(graph->handle));
	graph->used = false;
}

void free_graphs_of(struct worker *w, unsigned block)
{
	for (unsigned g = 0; g < MAX_GRAPHS; g++) {
		struct graph *graph = &w->graphs[g];
		bool uses = false;

		for (unsigned i = 0; graph->used && i < graph->n; i++) {
			for (unsigned j = 0; j < graph->nodes[i].n_blocks; j++) {
				uses = uses || graph->nodes[i].blocks[j] == block;
			}
		}
		if (uses) {
			free_graph(w, graph);
		}
	}
}
