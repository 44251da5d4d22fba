/* SPDX-License-Identifier: MIT */
/*
 * Compares random sequences of CUDA calls with a model in plain C. The model executes each
 * call at once. Before a stream uses memory, it must therefore wait for the last stream
 * that used it, in one of many ways: by the program, by an event, or by the order of the
 * default stream with streams that are not NON_BLOCKING.
 *
 * A worker belongs to one thread. A failure ends the process with a message that contains
 * the seed for a repetition.
 */
#ifndef KTAIL_TESTS_SOFTGPU_RANDOM_H
#define KTAIL_TESTS_SOFTGPU_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corpus/softgpu/driver/api.h"

enum {
	MAX_BLOCKS = 24,
	MAX_CONTEXTS = 3,
	MAX_STREAMS = 12, /* the first MAX_CONTEXTS are the default streams */
	MAX_EVENTS = 8,
	MAX_GRAPHS = 6,
	MAX_NODES = 20, /* for each graph */
};

enum location {
	IN_DEVICE_MEMORY = 0,
	IN_PAGEABLE_MEMORY,
	IN_PINNED_MEMORY,
	IN_REGISTERED_MEMORY,
	LOCATIONS
};

/* Memory, and its contents according to the model. */
struct block {
	bool used;
	enum location location;
	uint64_t address; /* the address passed to calls */
	size_t bytes;
	uint8_t *raw;   /* owned; contains `address`; NULL unless PAGEABLE or REGISTERED */
	uint8_t *model; /* owned; `bytes` bytes */
	unsigned context;
	int stream; /* last stream that used the block; -1: no pending work */
};

struct stream {
	bool used;
	bool blocking; /* ordered with the default stream */
	unsigned context;
	kt_cu_stream handle;
};

struct context {
	kt_cu_context handle;
	kt_cu_module module;
	kt_cu_function add, scale, reduce, spin;
};

enum work_kind {
	WORK_TO = 0,
	WORK_FROM,
	WORK_ON,
	WORK_ADD,
	WORK_SCALE,
	WORK_REDUCE,
	WORK_SPIN,
	WORK_KINDS
};

/* A copy or a launch. Blocks are indexes, offsets are in bytes. */
struct work {
	enum work_kind kind;
	unsigned blocks[3]; /* the last one is written */
	size_t offsets[3];
	unsigned n_blocks;
	size_t n; /* copies: bytes; launches: elements */
	uint32_t factor;
	uint32_t addend;
};

struct graph {
	bool used;
	unsigned context;
	kt_cu_graph_exec handle;
	struct work nodes[MAX_NODES];
	unsigned n;
};

struct worker {
	uint64_t seed; /* state of the generator */
	unsigned n_contexts;
	bool shared; /* contexts are shared with other workers and are not destroyed */
	struct context contexts[MAX_CONTEXTS];
	struct block blocks[MAX_BLOCKS];
	struct stream streams[MAX_STREAMS];
	struct {
		bool used;
		unsigned context;
		kt_cu_event handle;
	} events[MAX_EVENTS];
	struct graph graphs[MAX_GRAPHS];
	uint64_t started; /* the seed at the start */
	unsigned step;
};

/* Returns a random number from 0 to n - 1. */
uint32_t pick(struct worker *w, uint32_t n);
/* check() ends the process unless the result is a success; complain() always ends it. */
void check(const struct worker *w, kt_cu_result result, const char *call, int line);
void complain(const struct worker *w, const char *what, int line);
#define MUST(w, call)       check(w, call, #call, __LINE__)
#define HOLDS(w, condition) ((condition) ? (void)0 : complain(w, #condition, __LINE__))

/* --- random-memory.c --- */

void make_current(struct worker *w, unsigned context);
/*
 * Creates a block of random size and location. Returns its index, or -1 if the table is
 * full.
 */
int make_block(struct worker *w, unsigned context);
void free_block(struct worker *w, unsigned i);
/* Waits for all pending work that uses the block. */
void settle(struct worker *w, struct block *block);
/* Makes later work in the stream run after all earlier work that uses the block. */
void order(struct worker *w, struct block *block, unsigned stream);
void verify_block(struct worker *w, unsigned i);
/* Lets the processor write random bytes to the block, which must be in host memory. */
void scribble(struct worker *w, struct block *block);
size_t pick_bytes(struct worker *w);

/* --- random-work.c --- */

/*
 * Chooses a copy or a launch for a stream of the context. Returns false if no suitable
 * memory exists.
 */
bool make_work(struct worker *w, unsigned context, bool for_graph, struct work *out);
/* Gives the work to the stream by a call of one of the functions that can do it. */
void do_work(struct worker *w, const struct work *work, unsigned stream);
void make_graph(struct worker *w, unsigned stream);
void launch_graph(struct worker *w, struct graph *graph, unsigned stream);
void free_graph(struct worker *w, struct graph *graph);
/* Frees the graphs that use the block. */
void free_graphs_of(struct worker *w, unsigned block);
void fill(struct worker *w, unsigned block);

#endif
