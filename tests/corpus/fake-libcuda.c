/* SPDX-License-Identifier: MIT */
/*
 * A libcuda.so.1 for tests of the workloads: host memory serves as device memory, and
 * kernels run on the CPU, selected by name. Execution is deliberately lazy, so that a
 * workload with a missing wait computes wrong results: a stream's operations run only when
 * the program waits for them, and a copy from pageable memory may still be pending when the
 * call returns. The process exits with status 99 if an object was not freed.
 *
 * FAKE_CUDA_DEVICES=0     there is no device
 * FAKE_CUDA_FAIL=NAME:N   the exported function NAME returns N; objects need not be freed
 * FAKE_CUDA_WRONG=1       synchronous copies to the host invert one bit
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/corpus/fake-device.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct kt_cu_context_object primary;

#define EXPORT __attribute__((visibility("default")))

static kt_cu_result planned(const char *function)
{
	const char *fail = getenv("FAKE_CUDA_FAIL");
	size_t length = strlen(function);

	if (fail && strncmp(fail, function, length) == 0 && fail[length] == ':') {
		return atoi(fail + length + 1);
	}
	return KT_CU_SUCCESS;
}

/*
 * Defines an exported function, which returns the planned failure or else makes the call
 * with the mutex held.
 */
#define FAKE(function, parameters, call)                                                   \
	EXPORT kt_cu_result function parameters;                                           \
	EXPORT kt_cu_result function parameters                                            \
	{                                                                                  \
		kt_cu_result result = planned(#function);                                  \
                                                                                           \
		if (result == KT_CU_SUCCESS) {                                             \
			pthread_mutex_lock(&mutex);                                        \
			result = call;                                                     \
			pthread_mutex_unlock(&mutex);                                      \
		}                                                                          \
		return result;                                                             \
	}

static kt_cu_stream stream_of(kt_cu_stream stream)
{
	return stream ? stream : &fake_null_stream;
}

/* --- initialization and devices --- */

static kt_cu_result init(void)
{
	const char *devices = getenv("FAKE_CUDA_DEVICES");

	return devices && atoi(devices) == 0 ? KT_CU_NO_DEVICE : KT_CU_SUCCESS;
}

static kt_cu_result set_int(int *out, int value)
{
	*out = value;
	return KT_CU_SUCCESS;
}

static kt_cu_result error_name(kt_cu_result code, const char **name)
{
	*name = code == KT_CU_NO_DEVICE ? "CUDA_ERROR_NO_DEVICE"
		: code == 2             ? "CUDA_ERROR_OUT_OF_MEMORY"
					: NULL;
	return *name ? KT_CU_SUCCESS : INVALID_VALUE;
}

static kt_cu_result device_name(char *name, int size)
{
	snprintf(name, (size_t)size, "Fake \"GPU\" 1");
	return KT_CU_SUCCESS;
}

FAKE(cuInit, (unsigned flags), flags ? INVALID_VALUE : init())
FAKE(cuDriverGetVersion, (int *version), set_int(version, 13000))
FAKE(cuGetErrorName, (kt_cu_result code, const char **name), error_name(code, name))
FAKE(cuDeviceGetCount, (int *count), set_int(count, 1))
FAKE(cuDeviceGet, (kt_cu_device * device, int ordinal),
     ordinal ? INVALID_VALUE : set_int(device, 0))
FAKE(cuDeviceGetName, (char *name, int size, kt_cu_device device),
     device ? INVALID_VALUE : device_name(name, size))
FAKE(cuDeviceGetAttribute, (int *value, int attribute, kt_cu_device device),
     device ? INVALID_VALUE : set_int(value, attribute == KT_CU_COMPUTE_MAJOR ? 9 : 0))

/* --- contexts --- */

static kt_cu_result retain(kt_cu_context *context)
{
	fake_alive[PRIMARY]++;
	*context = &primary;
	return KT_CU_SUCCESS;
}

static kt_cu_result create_context(kt_cu_context *context)
{
	*context = fake_current = fake_make(CONTEXT, sizeof(**context));
	return KT_CU_SUCCESS;
}

static kt_cu_result set_current(kt_cu_context context)
{
	fake_current = context;
	return KT_CU_SUCCESS;
}

static kt_cu_result release(void)
{
	return --fake_alive[PRIMARY] < 0 ? INVALID_CONTEXT : KT_CU_SUCCESS;
}

static kt_cu_result wait_for_all(void)
{
	kt_cu_result result = fake_wait_for(&fake_null_stream);

	for (kt_cu_stream s = fake_streams; s && !result; s = s->next) {
		result = fake_wait_for(s);
	}
	return fake_current ? result : INVALID_CONTEXT;
}

FAKE(cuDevicePrimaryCtxRetain, (kt_cu_context * context, kt_cu_device device),
     device ? INVALID_VALUE : retain(context))
FAKE(cuDevicePrimaryCtxRelease_v2, (kt_cu_device device),
     device ? INVALID_VALUE : release())
FAKE(cuDevicePrimaryCtxSetFlags_v2, (kt_cu_device device, unsigned flags),
     device || flags != KT_CU_CTX_SCHED_BLOCKING_SYNC ? INVALID_VALUE : KT_CU_SUCCESS)
FAKE(cuCtxCreate_v2, (kt_cu_context * context, unsigned flags, kt_cu_device device),
     device || flags ? INVALID_VALUE : create_context(context))
FAKE(cuCtxDestroy_v2, (kt_cu_context context), fake_destroy(CONTEXT, context))
FAKE(cuCtxSetCurrent, (kt_cu_context context), set_current(context))
FAKE(cuCtxSynchronize, (void), wait_for_all())

/* --- modules and kernels --- */

static kt_cu_result load_module(kt_cu_module *module, const char *image)
{
	if (!fake_current || !strstr(image, ".visible .entry")) {
		return INVALID_VALUE;
	}
	*module = fake_make(MODULE, sizeof(**module));
	return KT_CU_SUCCESS;
}

static kt_cu_result get_function(kt_cu_function *function, const char *name)
{
	static const char *const names[] = {"vector_add", "scale", "spin"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name) == 0) {
			*function = (kt_cu_function)(uintptr_t)names[i];
			return KT_CU_SUCCESS;
		}
	}
	return NOT_FOUND;
}

static kt_cu_result launch(kt_cu_function function, unsigned blocks, unsigned block,
			   kt_cu_stream stream, void **parameters)
{
	struct operation op = {.action = LAUNCH, .threads = blocks * block};
	const char *name = (const char *)(uintptr_t)function;
	/* Sizes of the parameters in bytes, as in kt_kernels_ptx (common.h). */
	const char *sizes = strcmp(name, "vector_add") == 0 ? "8884"
			    : strcmp(name, "scale") == 0    ? "8444"
							    : "88";

	op.kernel = name;
	for (size_t i = 0; sizes[i]; i++) {
		memcpy(&op.arguments[i], parameters[i], (size_t)(sizes[i] - '0'));
	}
	if (!fake_within((void *)(uintptr_t)op.arguments[0], 4, true)) {
		return INVALID_VALUE;
	}
	return fake_issue(stream_of(stream), &op);
}

FAKE(cuModuleLoadData, (kt_cu_module * module, const void *image),
     load_module(module, image))
FAKE(cuModuleGetFunction,
     (kt_cu_function * function, kt_cu_module module, const char *name),
     module ? get_function(function, name) : INVALID_HANDLE)
FAKE(cuModuleUnload, (kt_cu_module module),
     fake_current ? fake_destroy(MODULE, module) : INVALID_CONTEXT)
FAKE(cuLaunchKernel,
     (kt_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
      kt_cu_stream stream, void **parameters, void **extra),
     grid_y *grid_z *block_y *block_z != 1 || shared_bytes || extra
	     ? INVALID_VALUE
	     : launch(function, grid_x, block_x, stream, parameters))

/* --- memory and copies --- */

static kt_cu_result allocate(enum kind kind, void **out, size_t bytes)
{
	void *memory;

	if (!fake_current || bytes == 0) {
		return fake_current ? INVALID_VALUE : INVALID_CONTEXT;
	}
	memory = malloc(bytes);
	if (!memory) {
		return 2;
	}
	memset(memory, 0xa5, bytes);
	fake_add_range(kind, memory, bytes);
	*out = memory;
	return KT_CU_SUCCESS;
}

static kt_cu_result allocate_device(kt_cu_address *address, size_t bytes)
{
	void *memory = NULL;
	kt_cu_result result = allocate(DEVICE_MEMORY, &memory, bytes);

	*address = (kt_cu_address)(uintptr_t)memory;
	return result;
}

static kt_cu_result free_memory(enum kind kind, void *memory)
{
	kt_cu_result result = wait_for_all();

	if (!result) {
		result = fake_remove_range(kind, memory);
	}
	if (!result) {
		free(memory);
	}
	return result;
}

static kt_cu_result register_memory(void *memory, size_t bytes)
{
	if (!fake_current || (uintptr_t)memory % 4096 || bytes == 0) {
		return INVALID_VALUE;
	}
	fake_add_range(REGISTERED, memory, bytes);
	return KT_CU_SUCCESS;
}

static kt_cu_result to_device(void *to, const void *from, size_t bytes, kt_cu_stream stream,
			      bool wait)
{
	struct operation op = {.action = COPY, .to = to, .bytes = bytes};
	bool locked = fake_within(from, bytes, false);
	kt_cu_result result;

	if (!fake_within(to, bytes, true) || (!wait && !locked)) {
		return INVALID_VALUE;
	}
	if (!locked) { /* the call returns after staging the data, before they arrive */
		op.staged = malloc(bytes);
		if (!op.staged) {
			abort();
		}
		memcpy(op.staged, from, bytes);
	}
	op.from = locked ? (void *)(uintptr_t)from : op.staged;
	result = fake_issue(stream, &op);
	return !result && wait && locked ? fake_wait_for(stream) : result;
}

static kt_cu_result to_host(void *to, void *from, size_t bytes, kt_cu_stream stream,
			    bool wait)
{
	struct operation op = {.action = COPY, .to = to, .from = from, .bytes = bytes};
	kt_cu_result result;

	if (!fake_within(from, bytes, true) || (!wait && !fake_within(to, bytes, false))) {
		return INVALID_VALUE;
	}
	result = fake_issue(stream, &op);
	if (!result && wait) {
		result = fake_wait_for(stream);
		if (getenv("FAKE_CUDA_WRONG")) {
			*(char *)to ^= 1;
		}
	}
	return result;
}

FAKE(cuMemAlloc_v2, (kt_cu_address * address, size_t bytes),
     allocate_device(address, bytes))
FAKE(cuMemFree_v2, (kt_cu_address address),
     free_memory(DEVICE_MEMORY, (void *)(uintptr_t)address))
FAKE(cuMemAllocHost_v2, (void **memory, size_t bytes), allocate(PINNED, memory, bytes))
FAKE(cuMemFreeHost, (void *memory), free_memory(PINNED, memory))
FAKE(cuMemHostRegister_v2, (void *memory, size_t bytes, unsigned flags),
     flags ? INVALID_VALUE : register_memory(memory, bytes))
FAKE(cuMemHostUnregister, (void *memory), fake_remove_range(REGISTERED, memory))
FAKE(cuMemcpyHtoD_v2, (kt_cu_address to, const void *from, size_t bytes),
     to_device((void *)(uintptr_t)to, from, bytes, &fake_null_stream, true))
FAKE(cuMemcpyDtoH_v2, (void *to, kt_cu_address from, size_t bytes),
     to_host(to, (void *)(uintptr_t)from, bytes, &fake_null_stream, true))
FAKE(cuMemcpyHtoDAsync_v2,
     (kt_cu_address to, const void *from, size_t bytes, kt_cu_stream stream),
     to_device((void *)(uintptr_t)to, from, bytes, stream_of(stream), false))
FAKE(cuMemcpyDtoHAsync_v2,
     (void *to, kt_cu_address from, size_t bytes, kt_cu_stream stream),
     to_host(to, (void *)(uintptr_t)from, bytes, stream_of(stream), false))

/* --- streams and events --- */

static kt_cu_result create_stream(kt_cu_stream *stream)
{
	if (!fake_current) {
		return INVALID_CONTEXT;
	}
	*stream = fake_make(STREAM, sizeof(**stream));
	(*stream)->next = fake_streams;
	fake_streams = *stream;
	return KT_CU_SUCCESS;
}

static kt_cu_result destroy_stream(kt_cu_stream stream)
{
	kt_cu_stream *link = &fake_streams;

	while (*link && *link != stream) {
		link = &(*link)->next;
	}
	if (!*link || fake_wait_for(stream)) {
		return INVALID_HANDLE;
	}
	*link = stream->next;
	return fake_destroy(STREAM, stream);
}

static kt_cu_result create_event(kt_cu_event *event)
{
	*event = fake_make(EVENT, sizeof(**event));
	return KT_CU_SUCCESS;
}

static kt_cu_result record(kt_cu_event event, kt_cu_stream stream)
{
	event->stream = stream;
	event->position = stream->issued;
	return KT_CU_SUCCESS;
}

static kt_cu_result wait_event(kt_cu_stream stream, kt_cu_event event)
{
	struct operation op = {.action = WAIT, .event = event, .position = event->position};

	return event->stream ? fake_issue(stream, &op) : KT_CU_SUCCESS;
}

static kt_cu_result synchronize_event(kt_cu_event event)
{
	if (event->stream) {
		fake_drain(event->stream, event->position);
	}
	return KT_CU_SUCCESS;
}

static kt_cu_result elapsed(float *milliseconds, kt_cu_event start, kt_cu_event end)
{
	if (!start->stream || !end->stream) {
		return INVALID_VALUE; /* not recorded */
	}
	*milliseconds = 0.5F;
	return KT_CU_SUCCESS;
}

FAKE(cuStreamCreate, (kt_cu_stream * stream, unsigned flags),
     flags != KT_CU_STREAM_NON_BLOCKING ? INVALID_VALUE : create_stream(stream))
FAKE(cuStreamDestroy_v2, (kt_cu_stream stream), destroy_stream(stream))
FAKE(cuStreamSynchronize, (kt_cu_stream stream), fake_wait_for(stream_of(stream)))
FAKE(cuStreamWaitEvent, (kt_cu_stream stream, kt_cu_event event, unsigned flags),
     flags ? INVALID_VALUE : wait_event(stream_of(stream), event))
FAKE(cuEventCreate, (kt_cu_event * event, unsigned flags),
     flags > 3 ? INVALID_VALUE : create_event(event))
FAKE(cuEventDestroy_v2, (kt_cu_event event), fake_destroy(EVENT, event))
FAKE(cuEventRecord, (kt_cu_event event, kt_cu_stream stream),
     record(event, stream_of(stream)))
FAKE(cuEventSynchronize, (kt_cu_event event), synchronize_event(event))
FAKE(cuEventElapsedTime, (float *milliseconds, kt_cu_event start, kt_cu_event end),
     elapsed(milliseconds, start, end))

/* --- graphs --- */

static kt_cu_result begin_capture(kt_cu_stream stream)
{
	if (!stream || stream->capturing) {
		return INVALID_VALUE;
	}
	stream->capturing = true;
	stream->graph = fake_make(GRAPH, sizeof(*stream->graph));
	return KT_CU_SUCCESS;
}

static kt_cu_result end_capture(kt_cu_stream stream, kt_cu_graph *graph)
{
	if (!stream->capturing) {
		return INVALID_VALUE;
	}
	stream->capturing = false;
	*graph = stream->graph;
	return KT_CU_SUCCESS;
}

static kt_cu_result count_nodes(kt_cu_graph graph, size_t *count)
{
	*count = graph->n;
	return KT_CU_SUCCESS;
}

static kt_cu_result instantiate(kt_cu_graph_exec *executable, kt_cu_graph graph)
{
	*executable = fake_make(EXECUTABLE, sizeof(**executable));
	for (struct operation *op = graph->first; op; op = op->next) {
		fake_append(&(*executable)->graph.first, op);
	}
	return KT_CU_SUCCESS;
}

static kt_cu_result launch_graph(kt_cu_graph_exec executable, kt_cu_stream stream)
{
	kt_cu_result result = KT_CU_SUCCESS;

	for (struct operation *op = executable->graph.first; op && !result; op = op->next) {
		result = fake_issue(stream, op);
	}
	return result;
}

static kt_cu_result destroy_graph(enum kind kind, void *object,
				  struct kt_cu_graph_object *graph)
{
	fake_free_operations(graph->first);
	return fake_destroy(kind, object);
}

FAKE(cuStreamBeginCapture_v2, (kt_cu_stream stream, int mode),
     mode != KT_CU_CAPTURE_RELAXED ? INVALID_VALUE : begin_capture(stream))
FAKE(cuStreamEndCapture, (kt_cu_stream stream, kt_cu_graph *graph),
     end_capture(stream, graph))
FAKE(cuGraphGetNodes, (kt_cu_graph graph, kt_cu_graph_node *nodes, size_t *count),
     nodes ? INVALID_VALUE : count_nodes(graph, count))
FAKE(cuGraphInstantiateWithFlags,
     (kt_cu_graph_exec * executable, kt_cu_graph graph, unsigned long long flags),
     flags ? INVALID_VALUE : instantiate(executable, graph))
FAKE(cuGraphUpload, (kt_cu_graph_exec executable, kt_cu_stream stream),
     !executable || !stream_of(stream) ? INVALID_VALUE : KT_CU_SUCCESS)
FAKE(cuGraphLaunch, (kt_cu_graph_exec executable, kt_cu_stream stream),
     launch_graph(executable, stream_of(stream)))
FAKE(cuGraphExecDestroy, (kt_cu_graph_exec executable),
     destroy_graph(EXECUTABLE, executable, &executable->graph))
FAKE(cuGraphDestroy, (kt_cu_graph graph), destroy_graph(GRAPH, graph, graph))
