/* SPDX-License-Identifier: MIT */
/*
 * The device of the fake libcuda: ranges of memory, streams as queues of operations that
 * run when the program waits, and counts of the existing objects. Callers hold a lock,
 * because these functions are not thread-safe.
 */
#ifndef KTAIL_TESTS_FAKE_DEVICE_H
#define KTAIL_TESTS_FAKE_DEVICE_H

#include <stdbool.h>

#include "corpus/workloads/cuda-driver.h"

enum { INVALID_VALUE = 1, INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_FOUND = 500 };

enum kind {
	PRIMARY,
	CONTEXT,
	MODULE,
	DEVICE_MEMORY,
	PINNED,
	REGISTERED,
	STREAM,
	EVENT,
	GRAPH,
	EXECUTABLE,
	N_KINDS
};
extern long fake_alive[N_KINDS];

enum action { COPY, LAUNCH, WAIT };

struct operation {
	enum action action;
	void *to, *from; /* for COPY, as are the next two */
	void *staged;    /* owned by the operation; NULL or equal to `from` */
	size_t bytes;
	const char *kernel; /* for LAUNCH, as are the next two */
	unsigned threads;
	uint64_t arguments[4];
	kt_cu_event event; /* for WAIT, as is `position` */
	size_t position;
	struct operation *next; /* owned by the operation; NULL at the end */
};

struct kt_cu_stream_object {
	struct operation *first;
	size_t done, issued; /* numbers of operations executed and added */
	bool capturing;
	kt_cu_graph graph;
	kt_cu_stream next;
};

struct kt_cu_event_object {
	kt_cu_stream stream;
	/* The event is complete when the stream has executed this many operations. */
	size_t position;
};

struct kt_cu_graph_object {
	struct operation *first;
	size_t n;
};
struct kt_cu_graph_exec_object {
	struct kt_cu_graph_object graph;
};
struct kt_cu_module_object {
	int unused;
};
struct kt_cu_context_object {
	int unused;
};

extern struct kt_cu_stream_object fake_null_stream;
extern kt_cu_stream fake_streams; /* list of all streams except the null stream */
extern _Thread_local kt_cu_context fake_current;

/* Returns a zeroed object and counts it as existing. fake_destroy() frees it. */
void *fake_make(enum kind kind, size_t bytes);
/* Frees the object and removes it from the count. Returns INVALID_HANDLE for NULL. */
kt_cu_result fake_destroy(enum kind kind, void *object);

void fake_add_range(enum kind kind, void *start, size_t bytes);
kt_cu_result fake_remove_range(enum kind kind, void *start);
/*
 * Returns whether [start, start + bytes) lies within one range: of device memory if
 * `device`, else of page-locked host memory.
 */
bool fake_within(const void *start, size_t bytes, bool device);

/* Adds a copy of the operation to a list. */
void fake_append(struct operation **first, const struct operation *op);
void fake_free_operations(struct operation *op);
/*
 * Adds the operation to the stream, or, if the stream is capturing, to its graph. Returns
 * INVALID_CONTEXT if there is no current context.
 */
kt_cu_result fake_issue(kt_cu_stream stream, const struct operation *op);
/* Executes the stream's operations until `position` of them are done. */
void fake_drain(kt_cu_stream stream, size_t position);
/*
 * Executes all operations of the stream. Returns INVALID_HANDLE while the stream is
 * capturing.
 */
kt_cu_result fake_wait_for(kt_cu_stream stream);

#endif
