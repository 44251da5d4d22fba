/* SPDX-License-Identifier: MIT */
/*
 * Usage: random-calls SEED STEPS THREADS CONTEXTS [shared]
 * Each thread has CONTEXTS contexts of its own; with `shared` all threads use the same
 * contexts.
 */
#include "tests/softgpu/driver/random/random.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".visible .entry vector_add() {ret;}\n"
			  ".visible .entry scale() {ret;}\n"
			  ".visible .entry reduce() {ret;}\n"
			  ".visible .entry spin() {ret;}\n";

uint32_t pick(struct worker *w, uint32_t n)
{
	uint64_t x;

	w->seed += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
	x = w->seed;
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return n ? (uint32_t)((x >> 32) % n) : 0;
}

void complain(const struct worker *w, const char *what, int line)
{
	fprintf(stderr, "seed %llu, step %u, line %d: %s\n", (unsigned long long)w->started,
		w->step, line, what);
	exit(1);
}

void check(const struct worker *w, kt_cu_result result, const char *call, int line)
{
	const char *name = "?";

	if (result != KT_CU_OK) {
		cuGetErrorName(result, &name);
		fprintf(stderr, "%s: ", name);
		complain(w, call, line);
	}
}

/* --- contexts --- */

static void load_module(struct worker *w, unsigned context)
{
	struct context *c = &w->contexts[context];

	make_current(w, context);
	MUST(w, cuModuleLoadData(&c->module, ptx));
	MUST(w, cuModuleGetFunction(&c->add, c->module, "vector_add"));
	MUST(w, cuModuleGetFunction(&c->scale, c->module, "scale"));
	MUST(w, cuModuleGetFunction(&c->reduce, c->module, "reduce"));
	MUST(w, cuModuleGetFunction(&c->spin, c->module, "spin"));
}

static void open_context(struct worker *w, unsigned context)
{
	struct context *c = &w->contexts[context];

	if (!w->shared) {
		MUST(w, cuCtxCreate(&c->handle, pick(w, 3) ? 0 : 4, 0));
	}
	w->streams[context] =
		(struct stream){.used = true, .blocking = true, .context = context};
	load_module(w, context);
}

static void reload_module(struct worker *w, unsigned context)
{
	for (unsigned i = 0; i < MAX_GRAPHS; i++) {
		if (w->graphs[i].used && w->graphs[i].context == context) {
			free_graph(w, &w->graphs[i]);
		}
	}
	make_current(w, context);
	MUST(w, cuModuleUnload(w->contexts[context].module));
	load_module(w, context);
}

/*
 * Waits for the work of the context's streams, and frees the context's memory. free_block()
 * first waits for other contexts' work on that memory.
 */
static void close_context(struct worker *w, unsigned context)
{
	for (unsigned i = 0; i < MAX_BLOCKS; i++) {
		struct block *b = &w->blocks[i];

		if (!b->used) {
			continue;
		}
		if (b->stream >= 0 && w->streams[b->stream].context == context) {
			settle(w, b);
		}
		if (b->context == context) {
			free_block(w, i);
		}
	}
	for (unsigned i = 0; i < MAX_GRAPHS; i++) {
		w->graphs[i].used = w->graphs[i].used && w->graphs[i].context != context;
	}
	for (unsigned i = 0; i < MAX_STREAMS; i++) {
		w->streams[i].used = w->streams[i].used && w->streams[i].context != context;
	}
	for (unsigned i = 0; i < MAX_EVENTS; i++) {
		w->events[i].used = w->events[i].used && w->events[i].context != context;
	}
	MUST(w, cuCtxDestroy(w->contexts[context].handle));
}

/* --- steps --- */

static unsigned pick_stream(struct worker *w)
{
	unsigned at = pick(w, MAX_STREAMS);

	while (!w->streams[at].used) {
		at = (at + 1) % MAX_STREAMS;
	}
	return at;
}

static void change_stream(struct worker *w)
{
	unsigned i = MAX_CONTEXTS + pick(w, MAX_STREAMS - MAX_CONTEXTS);
	struct stream *s = &w->streams[i];

	if (!s->used) {
		*s = (struct stream){.used = true, .context = pick(w, w->n_contexts)};
		s->blocking = pick(w, 2);
		make_current(w, s->context);
		MUST(w, cuStreamCreate(&s->handle,
				       s->blocking ? 0 : KT_CU_STREAM_NON_BLOCKING));
		return;
	}
	for (unsigned j = 0; j < MAX_BLOCKS; j++) {
		struct block *b = &w->blocks[j];

		if (b->used && b->stream == (int)i) {
			settle(w, b);
		}
	}
	MUST(w, cuStreamDestroy(s->handle));
	s->used = false;
}

static void change_event(struct worker *w)
{
	unsigned i = pick(w, MAX_EVENTS);

	if (w->events[i].used) {
		MUST(w, cuEventDestroy(w->events[i].handle));
	} else {
		w->events[i].context = pick(w, w->n_contexts);
		make_current(w, w->events[i].context);
		MUST(w, cuEventCreate(&w->events[i].handle, 0));
	}
	w->events[i].used = !w->events[i].used;
}

static void measure(struct worker *w)
{
	unsigned stream = pick_stream(w);
	const struct stream *s = &w->streams[stream];
	kt_cu_event events[2];
	float milliseconds = -1;

	make_current(w, s->context);
	for (unsigned i = 0; i < 2; i++) {
		MUST(w, cuEventCreate(&events[i], 0));
		MUST(w, cuEventRecord(events[i], s->handle));
	}
	MUST(w, cuEventSynchronize(events[1]));
	MUST(w, cuEventElapsedTime(&milliseconds, events[0], events[1]));
	HOLDS(w, milliseconds >= 0);
	MUST(w, cuEventDestroy(events[0]));
	MUST(w, cuEventDestroy(events[1]));
}

static void work(struct worker *w)
{
	unsigned stream = pick_stream(w);
	struct work created;

	if (make_work(w, w->streams[stream].context, false, &created)) {
		do_work(w, &created, stream);
	}
}

/*
 * Captures only a stream of the calling thread, because other threads' default stream must
 * not wait for a capturing stream.
 */
static void graph(struct worker *w)
{
	struct graph *g = &w->graphs[pick(w, MAX_GRAPHS)];
	unsigned stream = pick_stream(w);

	if (g->used && w->streams[stream].context == g->context) {
		launch_graph(w, g, stream);
	} else if (stream >= MAX_CONTEXTS && !(w->shared && w->streams[stream].blocking)) {
		make_graph(w, stream);
	}
}

static void touch_block(struct worker *w)
{
	unsigned i = pick(w, MAX_BLOCKS);
	struct block *b = &w->blocks[i];

	if (!b->used) {
		(void)make_block(w, pick(w, w->n_contexts));
		return;
	}
	switch (pick(w, 5)) {
	case 0: free_block(w, i); break;
	case 1: verify_block(w, i); break;
	default:
		if (b->location == IN_DEVICE_MEMORY) {
			fill(w, i);
		} else {
			scribble(w, b);
		}
	}
}

static void step(struct worker *w)
{
	unsigned context = pick(w, w->n_contexts);
	unsigned which = pick(w, 200);

	if (which < 90) {
		work(w);
	} else if (which < 130) {
		touch_block(w);
	} else if (which < 165) {
		graph(w);
	} else if (which < 180) {
		change_stream(w);
	} else if (which < 190) {
		change_event(w);
	} else if (which < 195) {
		measure(w);
	} else if (which < 198) {
		reload_module(w, context);
	} else if (!w->shared) {
		close_context(w, context);
		open_context(w, context);
	}
}

static void finish(struct worker *w)
{
	for (unsigned i = 0; i < MAX_BLOCKS; i++) {
		if (w->blocks[i].used) {
			verify_block(w, i);
			free_block(w, i);
		}
	}
	if (!w->shared) {
		for (unsigned i = 0; i < w->n_contexts; i++) {
			close_context(w, i);
		}
	}
}

/* --- threads --- */

static unsigned steps;

static void *run(void *argument)
{
	struct worker *w = argument;

	for (unsigned i = 0; i < w->n_contexts; i++) {
		open_context(w, i);
	}
	for (w->step = 1; w->step <= steps; w->step++) {
		step(w);
	}
	finish(w);
	return NULL;
}

static unsigned long number(const char *text, unsigned long most)
{
	unsigned long n = strtoul(text, NULL, 10);

	return n > most ? most : n;
}

int main(int argc, char **argv)
{
	static struct worker workers[16];
	pthread_t threads[16];
	unsigned n;

	if (argc < 5) {
		fprintf(stderr,
			"usage: random-calls SEED STEPS THREADS CONTEXTS [shared]\n");
		return 2;
	}
	steps = (unsigned)number(argv[2], 1000000);
	n = (unsigned)number(argv[3], 16);
	MUST(&workers[0], cuInit(0));
	for (unsigned i = 0; i < n; i++) {
		struct worker *w = &workers[i];

		w->seed = w->started = strtoull(argv[1], NULL, 10) * 1000 + i;
		w->n_contexts = (unsigned)number(argv[4], MAX_CONTEXTS);
		w->shared = argc > 5 && strcmp(argv[5], "shared") == 0;
		for (unsigned c = 0; w->shared && c < w->n_contexts; c++) {
			w->contexts[c] = workers[0].contexts[c];
			if (i == 0) {
				MUST(w, cuCtxCreate(&w->contexts[c].handle, 0, 0));
			}
		}
	}
	for (unsigned i = 1; i < n; i++) {
		HOLDS(&workers[i],
		      pthread_create(&threads[i], NULL, run, &workers[i]) == 0);
	}
	run(&workers[0]);
	for (unsigned i = 1; i < n; i++) {
		pthread_join(threads[i], NULL);
	}
	for (unsigned c = 0; workers[0].shared && c < workers[0].n_contexts; c++) {
		MUST(&workers[0], cuCtxDestroy(workers[0].contexts[c].handle));
	}
	return 0;
}
