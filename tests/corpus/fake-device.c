/* SPDX-License-Identifier: MIT */
#include "tests/corpus/fake-device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Host memory that serves as device memory or page-locked memory. */
struct range {
	enum kind kind;
	char *start;
	size_t bytes;
	struct range *next;
};

static const char *const kind_names[] = {
	"primary context",   "context", "module", "device memory", "pinned memory",
	"registered memory", "stream",  "event",  "graph",         "executable graph",
};
long fake_alive[N_KINDS];

static struct range *ranges;
struct kt_cu_stream_object fake_null_stream;
kt_cu_stream fake_streams;
_Thread_local kt_cu_context fake_current;

void *fake_make(enum kind kind, size_t bytes)
{
	void *object = calloc(1, bytes);

	if (!object) {
		abort();
	}
	fake_alive[kind]++;
	return object;
}

kt_cu_result fake_destroy(enum kind kind, void *object)
{
	if (!object) {
		return INVALID_HANDLE;
	}
	fake_alive[kind]--;
	free(object);
	return KT_CU_SUCCESS;
}

void fake_add_range(enum kind kind, void *start, size_t bytes)
{
	struct range *range = fake_make(kind, sizeof(*range));

	*range = (struct range){kind, start, bytes, ranges};
	ranges = range;
}

kt_cu_result fake_remove_range(enum kind kind, void *start)
{
	for (struct range **r = &ranges; *r; r = &(*r)->next) {
		if ((*r)->kind == kind && (*r)->start == start) {
			struct range *removed = *r;

			*r = removed->next;
			return fake_destroy(kind, removed);
		}
	}
	return INVALID_VALUE;
}

bool fake_within(const void *start, size_t bytes, bool device)
{
	const char *at = start;

	for (struct range *r = ranges; r; r = r->next) {
		if ((r->kind == DEVICE_MEMORY) == device && at >= r->start &&
		    at + bytes <= r->start + r->bytes) {
			return true;
		}
	}
	return false;
}

static void run_kernel(const struct operation *op)
{
	const uint64_t *p = op->arguments;

	if (strcmp(op->kernel, "vector_add") == 0) {
		const uint32_t *a = (const uint32_t *)p[0], *b = (const uint32_t *)p[1];
		uint32_t *c = (uint32_t *)p[2];

		for (uint32_t i = 0; i < (uint32_t)p[3] && i < op->threads; i++) {
			c[i] = a[i] + b[i];
		}
	} else if (strcmp(op->kernel, "scale") == 0) {
		uint32_t *x = (uint32_t *)p[0];

		for (uint32_t i = 0; i < (uint32_t)p[1] && i < op->threads; i++) {
			x[i] = x[i] * (uint32_t)p[2] + (uint32_t)p[3];
		}
	} else {
		++*(uint32_t *)p[0];
	}
}

static void run_operation(const struct operation *op)
{
	switch (op->action) {
	case COPY: memcpy(op->to, op->from, op->bytes); break;
	case LAUNCH: run_kernel(op); break;
	case WAIT: fake_drain(op->event->stream, op->position); break;
	}
}

void fake_drain(kt_cu_stream stream, size_t position)
{
	while (stream->first && stream->done < position) {
		struct operation *op = stream->first;

		stream->first = op->next;
		stream->done++;
		run_operation(op);
		free(op->staged);
		free(op);
	}
}

static struct operation *copy_of(const struct operation *op)
{
	struct operation *copy = malloc(sizeof(*copy));

	if (!copy) {
		abort();
	}
	*copy = *op;
	copy->next = NULL;
	return copy;
}

void fake_append(struct operation **first, const struct operation *op)
{
	while (*first) {
		first = &(*first)->next;
	}
	*first = copy_of(op);
}

kt_cu_result fake_issue(kt_cu_stream stream, const struct operation *op)
{
	if (!fake_current) {
		return INVALID_CONTEXT;
	}
	if (stream->capturing) {
		fake_append(&stream->graph->first, op);
		stream->graph->n++;
	} else {
		fake_append(&stream->first, op);
		stream->issued++;
	}
	return KT_CU_SUCCESS;
}

void fake_free_operations(struct operation *op)
{
	while (op) {
		struct operation *next = op->next;

		free(op);
		op = next;
	}
}

kt_cu_result fake_wait_for(kt_cu_stream stream)
{
	if (stream->capturing) {
		return INVALID_HANDLE;
	}
	fake_drain(stream, stream->issued);
	return KT_CU_SUCCESS;
}

/* Exits with status 99 if objects remain, unless FAKE_CUDA_FAIL plans a failure. */
__attribute__((destructor)) static void check_balance(void)
{
	bool balanced = true;

	if (getenv("FAKE_CUDA_FAIL")) {
		return;
	}
	for (size_t i = 0; i < N_KINDS; i++) {
		if (fake_alive[i] != 0) {
			fprintf(stderr, "fake libcuda: %ld too many: %s\n", fake_alive[i],
				kind_names[i]);
			balanced = false;
		}
	}
	if (!balanced) {
		fflush(NULL);
		_exit(99);
	}
}
