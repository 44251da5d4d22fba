/* SPDX-License-Identifier: MIT */
/*
 * Streams that wait for each other through events. In each round, every stream copies its
 * block to the device and scales it there. Every stream but the first then waits for the
 * previous stream and adds that stream's block to its own. Finally, every stream copies its
 * block back; the last block depends on all others.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus/workloads/common.h"

enum { MAX_STREAMS = 64, MAX_THREADS = 16 };

struct options {
	unsigned long streams;
	unsigned long rounds;
	unsigned long size;
	unsigned long threads;
	bool blocking;
};

static const struct kt_option table[] = {
	{"streams", 's', "N", "streams of a thread (default 4)",
	 KT_NUMBER(struct options, streams, 1, MAX_STREAMS)},
	{"rounds", 'r', "N", "repetitions (default 3)",
	 KT_NUMBER(struct options, rounds, 1, 10000)},
	{"size", 'n', "N", "elements of 4 bytes in a block (default 4096)",
	 KT_NUMBER(struct options, size, 1, 1ul << 20)},
	{"threads", 't', "N", "threads, each with its own streams (default 1)",
	 KT_NUMBER(struct options, threads, 1, MAX_THREADS)},
	{"blocking", 'b', NULL, "sleep in waits instead of polling",
	 KT_FLAG(struct options, blocking)},
	KT_WORK_HELP,
	{0},
};

static const struct kt_command_line command = {
	.usage = "streams [--streams N] [--rounds N] [--size N] [--threads N] "
		 "[--blocking]",
	.summary = "Runs copies and kernels in several streams that wait for each "
		   "other's events.",
	.table = table,
};

/* The work of one thread. */
struct job {
	const struct options *options;    /* Weak */
	const struct kt_kernels *kernels; /* Weak */
	kt_cu_context context;            /* Weak */
	uint32_t seed;
	uint64_t checksum;
	bool right;

	kt_cu_stream streams[MAX_STREAMS];
	kt_cu_event events[MAX_STREAMS]; /* signalled when a stream's sum is done */
	uint32_t *host;                  /* page-locked: a block for each stream */
	uint32_t *expected;
	kt_cu_address device;
};

static void *run_job(void *argument)
{
	struct job *job = argument;
	const struct options *options = job->options;
	uint32_t size = (uint32_t)options->size;
	size_t block = size * sizeof(*job->host);
	size_t n = options->size * options->streams;
	size_t bytes = n * sizeof(*job->host);
	unsigned flags = KT_CU_EVENT_DISABLE_TIMING |
			 (options->blocking ? KT_CU_EVENT_BLOCKING_SYNC : 0);
	void *pinned = NULL;

	KT_CU(cuCtxSetCurrent, job->context);
	for (unsigned long s = 0; s < options->streams; s++) {
		KT_CU(cuStreamCreate, &job->streams[s], KT_CU_STREAM_NON_BLOCKING);
		KT_CU(cuEventCreate, &job->events[s], flags);
	}
	KT_CU(cuMemAllocHost, &pinned, bytes);
	job->host = pinned;
	job->expected = kt_work_allocate(bytes);
	KT_CU(cuMemAlloc, &job->device, bytes);
	kt_fill(job->host, n, job->seed);
	kt_fill(job->expected, n, job->seed);
	job->right = true;
	for (unsigned long round = 0; round < options->rounds && job->right; round++) {
		for (unsigned long s = 0; s < options->streams; s++) {
			kt_cu_address own = job->device + s * block;
			uint32_t *host = job->host + s * size;
			kt_cu_stream stream = job->streams[s];

			KT_CU(cuMemcpyHtoDAsync, own, host, block, stream);
			kt_launch_scale(job->kernels, stream, own, size, 3, 1);
			if (s > 0) {
				KT_CU(cuStreamWaitEvent, stream, job->events[s - 1], 0);
				kt_launch_vector_add(job->kernels, stream, own - block, own,
						     own, size);
			}
			KT_CU(cuEventRecord, job->events[s], stream);
			KT_CU(cuMemcpyDtoHAsync, host, own, block, stream);
		}
		/* Computes the expected result on the CPU. */
		for (size_t i = 0; i < n; i++) {
			job->expected[i] = job->expected[i] * 3 + 1;
			job->expected[i] +=
				i >= options->size ? job->expected[i - options->size] : 0;
		}
		KT_CU(cuEventSynchronize, job->events[options->streams - 1]);
		for (unsigned long s = 0; s < options->streams; s++) {
			KT_CU(cuStreamSynchronize, job->streams[s]);
		}
		job->right = memcmp(job->host, job->expected, bytes) == 0;
	}
	job->checksum = kt_checksum(job->host, bytes);
	KT_CU(cuMemFree, job->device);
	KT_CU(cuMemFreeHost, job->host);
	free(job->expected);
	for (unsigned long s = 0; s < options->streams; s++) {
		KT_CU(cuEventDestroy, job->events[s]);
		KT_CU(cuStreamDestroy, job->streams[s]);
	}
	KT_CU(cuCtxSetCurrent, NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct job jobs[MAX_THREADS];
	pthread_t threads[MAX_THREADS];
	struct options options = {.streams = 4, .rounds = 3, .size = 4096, .threads = 1};
	struct kt_kernels kernels;
	kt_cu_context context;
	kt_cu_device device;
	bool right = true;

	kt_work_options("streams", &command, argc, argv, &options);
	context = kt_work_enter(&device,
				options.blocking ? KT_CU_CTX_SCHED_BLOCKING_SYNC : 0);
	kt_kernels_load(&kernels);

	for (unsigned long t = 0; t < options.threads; t++) {
		jobs[t].options = &options;
		jobs[t].kernels = &kernels;
		jobs[t].context = context;
		jobs[t].seed = (uint32_t)t;
	}
	/* The first job runs in the calling thread. */
	for (unsigned long t = 1; t < options.threads; t++) {
		if (pthread_create(&threads[t], NULL, run_job, &jobs[t]) != 0) {
			kt_work_fail("create a thread: failed");
		}
	}
	run_job(&jobs[0]);
	for (unsigned long t = 1; t < options.threads; t++) {
		pthread_join(threads[t], NULL);
	}
	for (unsigned long t = 0; t < options.threads; t++) {
		printf("streams: thread %lu, %lu streams, %lu rounds of %lu elements, "
		       "checksum %016" PRIx64 ": %s\n",
		       t, options.streams, options.rounds, options.size, jobs[t].checksum,
		       jobs[t].right ? "ok" : "wrong");
		right = right && jobs[t].right;
	}

	KT_CU(cuCtxSetCurrent, context);
	kt_kernels_unload(&kernels);
	kt_work_leave(device);
	return kt_work_end(right);
}
