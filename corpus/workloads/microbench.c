/* SPDX-License-Identifier: MIT */
/*
 * A microbenchmark with the parameters that Menychtas, Shen and Scott (USENIX ATC 2013,
 * section 3) name for theirs, which is not published. Options set the number of contexts,
 * of streams in each context (the paper's command queues) and of requests in each stream,
 * and the kind and length of the requests. At the end, finished kernels are counted and
 * copied data is compared.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus/workloads/common.h"
#include "corpus/workloads/measure.h"

enum { MAX_CONTEXTS = 16, MAX_STREAMS = 32 };
enum kind { COMPUTE, H2D, D2H, MIXED };
static const char *const kind_names[] = {"compute", "h2d", "d2h", "mixed", NULL};

struct options {
	unsigned long contexts;
	unsigned long streams;
	unsigned long requests;
	unsigned long kind;
	unsigned long length;
	bool wait;
	bool times;
	bool events;
};

static int set_kind(void *context, const char *value)
{
	return kt_work_choice(&((struct options *)context)->kind, value, kind_names,
			      "--kind");
}

static const struct kt_option table[] = {
	{"contexts", 'c', "N", "contexts (default 1)",
	 KT_NUMBER(struct options, contexts, 1, MAX_CONTEXTS)},
	{"streams", 's', "N", "streams in each context (default 1)",
	 KT_NUMBER(struct options, streams, 1, MAX_STREAMS)},
	{"requests", 'r', "N", "requests in each stream (default 10)",
	 KT_NUMBER(struct options, requests, 1, 100000)},
	{"kind", 'k', "KIND", "compute (default), h2d, d2h, mixed: each in turn",
	 KT_SET(set_kind)},
	{"length", 'l', "N", "clock ticks of a kernel, bytes of a copy (default 4096)",
	 KT_NUMBER(struct options, length, 4, 1ul << 24)},
	{"wait", 'w', NULL, "wait for each request before the next",
	 KT_FLAG(struct options, wait)},
	{"times", 't', NULL, "print the duration of a request to standard error",
	 KT_FLAG(struct options, times)},
	{"events", 'e', NULL,
	 "wait for each request; print its time on the device, by CUDA events, to standard "
	 "error",
	 KT_FLAG(struct options, events)},
	KT_WORK_HELP,
	{0},
};

static const struct kt_command_line command = {
	.usage = "microbench [--contexts N] [--streams N] [--requests N] [--kind KIND] "
		 "[--length N] [--wait] [--times] [--events]",
	.summary = "Issues requests of one kind and length in several contexts and "
		   "streams.",
	.table = table,
};

/* A stream and the memory that its requests use. */
struct lane {
	kt_cu_stream stream;
	kt_cu_address counter; /* number of finished kernels */
	kt_cu_address block;
	void *out; /* page-locked, `length` bytes: sent to the device */
	void *in;  /* page-locked, `length` bytes: received from the device */
	kt_cu_event before; /* with --events, around each request */
	kt_cu_event after;
};

struct bench {
	kt_cu_context context;
	struct kt_kernels kernels;
	struct lane lanes[MAX_STREAMS];
};

/* Returns the kind of request number i of a stream. */
static enum kind kind_of(const struct options *options, unsigned long i)
{
	return options->kind == MIXED ? (enum kind)(i % MIXED) : (enum kind)options->kind;
}

/* Returns how many requests of a stream are of this kind. */
static unsigned long count_kind(const struct options *options, enum kind kind)
{
	unsigned long n = 0;

	for (unsigned long i = 0; i < options->requests; i++) {
		n += kind_of(options, i) == kind;
	}
	return n;
}

static void make_bench(struct bench *bench, const struct options *options,
		       kt_cu_device device, uint32_t seed)
{
	KT_CU(cuCtxCreate, &bench->context, 0, device);
	kt_kernels_load(&bench->kernels);
	for (unsigned long s = 0; s < options->streams; s++) {
		struct lane *lane = &bench->lanes[s];
		size_t length = options->length;
		uint32_t zero = 0;

		KT_CU(cuStreamCreate, &lane->stream, KT_CU_STREAM_NON_BLOCKING);
		KT_CU(cuMemAlloc, &lane->counter, sizeof(zero));
		KT_CU(cuMemcpyHtoD, lane->counter, &zero, sizeof(zero));
		KT_CU(cuMemAlloc, &lane->block, length);
		KT_CU(cuMemAllocHost, &lane->out, length);
		KT_CU(cuMemAllocHost, &lane->in, length);
		if (options->events) {
			KT_CU(cuEventCreate, &lane->before, 0);
			KT_CU(cuEventCreate, &lane->after, 0);
		}
		memset(lane->out, 0, length);
		memset(lane->in, 0, length);
		kt_fill(lane->out, length / sizeof(uint32_t), seed + (uint32_t)s);
		/* If no request copies to the device, only this copy fills the block. */
		if (count_kind(options, H2D) == 0) {
			KT_CU(cuMemcpyHtoD, lane->block, lane->out, length);
		}
	}
	kt_work_wait();
	KT_CU(cuCtxSetCurrent, NULL);
}

static void issue(struct bench *bench, struct lane *lane, const struct options *options,
		  unsigned long i)
{
	if (options->events) {
		KT_CU(cuEventRecord, lane->before, lane->stream);
	}
	switch (kind_of(options, i)) {
	case H2D:
		KT_CU(cuMemcpyHtoDAsync, lane->block, lane->out, options->length,
		      lane->stream);
		break;
	case D2H:
		KT_CU(cuMemcpyDtoHAsync, lane->in, lane->block, options->length,
		      lane->stream);
		break;
	default:
		kt_launch_spin(&bench->kernels, lane->stream, lane->counter,
			       options->length);
	}
	if (options->events) {
		float milliseconds;

		KT_CU(cuEventRecord, lane->after, lane->stream);
		KT_CU(cuEventSynchronize, lane->after);
		KT_CU(cuEventElapsedTime, &milliseconds, lane->before, lane->after);
		fprintf(stderr, "request %lu: %.3f us\n", i, 1000 * (double)milliseconds);
	}
	if (options->wait) {
		KT_CU(cuStreamSynchronize, lane->stream);
	}
}

static bool check_all(struct bench *benches, const struct options *options)
{
	bool right = true;

	for (unsigned long c = 0; c < options->contexts; c++) {
		KT_CU(cuCtxSetCurrent, benches[c].context);
		for (unsigned long s = 0; s < options->streams; s++) {
			struct lane *lane = &benches[c].lanes[s];
			uint32_t counter = 0;
			bool same;

			KT_CU(cuMemcpyDtoH, &counter, lane->counter, sizeof(counter));
			/*
			 * If no request copies from the device, only this copy fills `in`.
			 */
			if (count_kind(options, D2H) == 0) {
				KT_CU(cuMemcpyDtoH, lane->in, lane->block, options->length);
			}
			same = counter == count_kind(options, COMPUTE) &&
			       memcmp(lane->in, lane->out, options->length) == 0;
			printf("microbench: context %lu, stream %lu, %s, %lu requests of "
			       "%lu, kernels %lu, checksum %016" PRIx64 ": %s\n",
			       c, s, kind_names[options->kind], options->requests,
			       options->length, (unsigned long)counter,
			       kt_checksum(lane->in, options->length),
			       same ? "ok" : "wrong");
			right = same && right;
		}
	}
	return right;
}

int main(int argc, char **argv)
{
	static struct bench benches[MAX_CONTEXTS];
	struct options options = {
		.contexts = 1,
		.streams = 1,
		.requests = 10,
		.kind = COMPUTE,
		.length = 4096,
	};
	/*
	 * Durations of the calls that submit requests; with --wait, they include the wait
	 * until the request is done.
	 */
	struct kt_times times = {0};
	kt_cu_device device;
	bool right;

	kt_work_options("microbench", &command, argc, argv, &options);
	device = kt_work_start();
	for (unsigned long c = 0; c < options.contexts; c++) {
		make_bench(&benches[c], &options, device, (uint32_t)(c * MAX_STREAMS));
	}
	if (options.times) {
		kt_times_make(&times,
			      options.contexts * options.streams * options.requests);
	}
	/*
	 * Submits requests to the contexts and their streams in turn, then waits for all
	 * requests.
	 */
	for (unsigned long i = 0; i < options.requests; i++) {
		for (unsigned long c = 0; c < options.contexts; c++) {
			KT_CU(cuCtxSetCurrent, benches[c].context);
			for (unsigned long s = 0; s < options.streams; s++) {
				uint64_t begin = kt_now_ns();

				issue(&benches[c], &benches[c].lanes[s], &options, i);
				kt_times_add(&times, begin);
			}
		}
	}
	for (unsigned long c = 0; c < options.contexts; c++) {
		KT_CU(cuCtxSetCurrent, benches[c].context);
		for (unsigned long s = 0; s < options.streams; s++) {
			KT_CU(cuStreamSynchronize, benches[c].lanes[s].stream);
		}
	}
	kt_times_report(&times, "microbench", "requests");
	kt_times_free(&times);
	right = check_all(benches, &options);
	for (unsigned long c = 0; c < options.contexts; c++) {
		struct bench *bench = &benches[c];

		KT_CU(cuCtxSetCurrent, bench->context);
		for (unsigned long s = 0; s < options.streams; s++) {
			struct lane *lane = &bench->lanes[s];

			KT_CU(cuMemFreeHost, lane->in);
			KT_CU(cuMemFreeHost, lane->out);
			KT_CU(cuMemFree, lane->block);
			KT_CU(cuMemFree, lane->counter);
			if (options.events) {
				KT_CU(cuEventDestroy, lane->before);
				KT_CU(cuEventDestroy, lane->after);
			}
			KT_CU(cuStreamDestroy, lane->stream);
		}
		kt_kernels_unload(&bench->kernels);
		KT_CU(cuCtxSetCurrent, NULL);
		KT_CU(cuCtxDestroy, bench->context);
	}
	return kt_work_end(right);
}
