/* SPDX-License-Identifier: MIT */
/*
 * CUDA graphs: captures kernels from a stream as a graph of a given length, then launches
 * the graph repeatedly. A driver may submit a whole launch in one piece, however long the
 * graph is.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "corpus/workloads/common.h"
#include "corpus/workloads/measure.h"

struct options {
	unsigned long nodes;
	unsigned long launches;
	unsigned long size;
	bool upload;
	bool marks;
	bool times;
};

static const struct kt_option table[] = {
	{"nodes", 'k', "N", "kernels in the graph (default 10)",
	 KT_NUMBER(struct options, nodes, 1, 10000)},
	{"launches", 'l', "N", "launches of the graph (default 5)",
	 KT_NUMBER(struct options, launches, 1, 10000)},
	{"size", 'n', "N", "elements of 4 bytes (default 1024)",
	 KT_NUMBER(struct options, size, 1, 1ul << 20)},
	{"upload", 'u', NULL, "upload the graph before its first launch",
	 KT_FLAG(struct options, upload)},
	{"marks", 'm', NULL, "mark each launch in the command stream",
	 KT_FLAG(struct options, marks)},
	{"times", 't', NULL, "print the duration of launches to standard error",
	 KT_FLAG(struct options, times)},
	KT_WORK_HELP,
	{0},
};

static const struct kt_command_line command = {
	.usage = "graphs [--nodes N] [--launches N] [--size N] [--upload] [--marks] "
		 "[--times]",
	.summary = "Captures a chain of kernels as a graph and launches it repeatedly.",
	.table = table,
};

enum { FACTOR = 5, ADDEND = 7 };

/* The number in the mark before an upload. The numbers of launches are smaller. */
#define UPLOAD 1000000

/* Uploads what the launches of the graph need, if an option asks for it. */
static void upload(const struct options *options, kt_cu_graph_exec executable,
		   kt_cu_stream stream, const struct kt_marks *marks)
{
	struct kt_times times = {0};
	uint64_t begin;

	if (!options->upload) {
		return;
	}
	if (options->times) {
		kt_times_make(&times, 1);
	}
	kt_mark(marks, (uint32_t)options->nodes, UPLOAD);
	begin = kt_now_ns();
	KT_CU(cuGraphUpload, executable, stream);
	kt_times_add(&times, begin);
	KT_CU(cuStreamSynchronize, stream);
	kt_times_report(&times, "graphs: upload", "calls");
	kt_times_free(&times);
}

/*
 * Instantiates the graph, then launches it repeatedly and waits after each launch. Writes
 * mark (`nodes`, 0) before the instantiation, mark (`nodes`, UPLOAD) before an upload, and
 * mark (`nodes`, i) before launch i, counted from 1.
 */
static void launch_all(const struct options *options, kt_cu_graph graph,
		       kt_cu_stream stream, const struct kt_marks *marks)
{
	kt_cu_graph_exec executable = NULL;
	struct kt_times times = {0};
	uint32_t nodes = (uint32_t)options->nodes;
	uint64_t begin;

	if (options->times) {
		kt_times_make(&times, options->launches);
	}
	kt_mark(marks, nodes, 0);
	begin = kt_now_ns();
	KT_CU(cuGraphInstantiate, &executable, graph, 0);
	kt_times_add(&times, begin);
	kt_times_report(&times, "graphs: instantiation", "calls");
	upload(options, executable, stream, marks);
	for (uint32_t i = 1; i <= options->launches; i++) {
		kt_mark(marks, nodes, i);
		begin = kt_now_ns();
		KT_CU(cuGraphLaunch, executable, stream);
		kt_times_add(&times, begin);
		KT_CU(cuStreamSynchronize, stream);
		if (i == 1) {
			kt_times_report(&times, "graphs: first launch", "calls");
		}
	}
	kt_mark_end(marks);
	kt_times_report(&times, "graphs: repeated launches", "calls");
	kt_times_free(&times);
	KT_CU(cuGraphExecDestroy, executable);
}

static bool check(const struct options *options, uint32_t *values)
{
	uint32_t *start = kt_work_allocate(options->size * sizeof(*start));
	bool right = true;

	kt_fill(start, options->size, 0);
	for (size_t i = 0; i < options->size && right; i++) {
		for (unsigned long j = 0; j < options->nodes * options->launches; j++) {
			start[i] = start[i] * FACTOR + ADDEND;
		}
		right = values[i] == start[i];
	}
	free(start);
	printf("graphs: %lu nodes, %lu launches, %lu elements, checksum %016" PRIx64
	       ": %s\n",
	       options->nodes, options->launches, options->size,
	       kt_checksum(values, options->size * sizeof(*values)),
	       right ? "ok" : "wrong");
	return right;
}

int main(int argc, char **argv)
{
	struct options options = {.nodes = 10, .launches = 5, .size = 1024};
	kt_cu_device device;
	size_t bytes;
	uint32_t *values;
	struct kt_kernels kernels;
	struct kt_marks marks = {0};
	kt_cu_graph graph = NULL;
	size_t count = 0;
	kt_cu_stream stream = NULL;
	kt_cu_address x = 0;
	bool right;

	kt_work_options("graphs", &command, argc, argv, &options);
	kt_work_enter(&device, 0);
	bytes = options.size * sizeof(*values);
	values = kt_work_allocate(bytes);
	kt_kernels_load(&kernels);
	KT_CU(cuStreamCreate, &stream, KT_CU_STREAM_NON_BLOCKING);
	KT_CU(cuMemAlloc, &x, bytes);
	kt_fill(values, options.size, 0);
	KT_CU(cuMemcpyHtoD, x, values, bytes);
	kt_work_wait();
	if (options.marks) {
		kt_marks_make(&marks);
	}
	/*
	 * Relaxed mode permits allocations during the capture: a kernel's first launch may
	 * load its code and so allocate memory.
	 */
	KT_CU(cuStreamBeginCapture, stream, KT_CU_CAPTURE_RELAXED);
	for (unsigned long i = 0; i < options.nodes; i++) {
		kt_launch_scale(&kernels, stream, x, (uint32_t)options.size, FACTOR,
				ADDEND);
	}
	KT_CU(cuStreamEndCapture, stream, &graph);
	KT_CU(cuGraphGetNodes, graph, NULL, &count);
	if (count != options.nodes) {
		kt_work_fail("capture %lu kernels: the graph has %zu nodes", options.nodes,
			     count);
	}
	launch_all(&options, graph, stream, &marks);
	KT_CU(cuGraphDestroy, graph);
	KT_CU(cuMemcpyDtoH, values, x, bytes);
	right = check(&options, values);

	kt_marks_free(&marks);
	KT_CU(cuMemFree, x);
	KT_CU(cuStreamDestroy, stream);
	kt_kernels_unload(&kernels);
	free(values);
	kt_work_leave(device);
	return kt_work_end(right);
}
