/* SPDX-License-Identifier: MIT */
/*
 * Tests the functions that the software GPU's driver exports, with the device in the KMD.
 * The test is run once for each transfer method.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "corpus/softgpu/driver/api.h"
#include "corpus/workloads/common.h"
#include "tests/suite.h"

#define OK(call)           CU_ASSERT_EQUAL((call), KT_CU_OK)
#define FAILS(call, error) CU_ASSERT_EQUAL((call), (error))

static kt_cu_context begin(void)
{
	kt_cu_context context = NULL;

	CU_ASSERT_EQUAL_FATAL(cuInit(0), KT_CU_OK);
	CU_ASSERT_EQUAL_FATAL(cuCtxCreate(&context, 0, 0), KT_CU_OK);
	return context;
}

static bool by_dma(void)
{
	return kt_driver_get()->transfer == KT_TRANSFER_DMA;
}

static void fill(uint8_t *bytes, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		bytes[i] = (uint8_t)(seed >> 24);
	}
}

/* --- initialization and contexts --- */

static void test_not_initialised(void)
{
	kt_cu_address address;
	int n;

	FAILS(cuDeviceGetCount(&n), KT_CU_NOT_INITIALIZED);
	FAILS(cuMemAlloc(&address, 4), KT_CU_NOT_INITIALIZED);
	FAILS(cuStreamSynchronize(NULL), KT_CU_NOT_INITIALIZED);
	FAILS(cuInit(1), KT_CU_INVALID_VALUE);
}

static void test_device(void)
{
	const char *text = NULL;
	struct kt_cu_uuid uuid;
	kt_cu_device device;
	char name[8];
	size_t bytes = 0;
	int value = 0;

	OK(cuInit(0));
	OK(cuDeviceGet(&device, 0));
	FAILS(cuDeviceGet(&device, 1), KT_CU_INVALID_DEVICE);
	OK(cuDeviceGetName(name, sizeof(name), 0));
	CU_ASSERT(strlen(name) < sizeof(name));
	FAILS(cuDeviceGetName(name, 0, 0), KT_CU_INVALID_VALUE);
	OK(cuDeviceTotalMem(&bytes, 0));
	CU_ASSERT(bytes > 0);
	OK(cuDeviceGetUuid(&uuid, 0));
	OK(cuDeviceGetAttribute(&value, KT_CU_COMPUTE_MAJOR, 0));
	CU_ASSERT_EQUAL(value, 9);
	FAILS(cuDeviceGetAttribute(&value, 0, 0), KT_CU_INVALID_VALUE);
	OK(cuGetErrorName(KT_CU_NOT_READY, &text));
	CU_ASSERT_STRING_EQUAL(text, "CUDA_ERROR_NOT_READY");
	FAILS(cuGetErrorName(12345, &text), KT_CU_INVALID_VALUE);
}

static void test_contexts(void)
{
	kt_cu_context first = begin();
	kt_cu_context second = begin();
	kt_cu_context now = NULL;
	kt_cu_address address;

	OK(cuCtxPopCurrent(&now));
	CU_ASSERT_PTR_EQUAL(now, second);
	OK(cuCtxGetCurrent(&now));
	CU_ASSERT_PTR_EQUAL(now, first);
	OK(cuCtxPushCurrent(second));
	OK(cuCtxDestroy(second));
	FAILS(cuCtxDestroy(second), KT_CU_INVALID_CONTEXT);
	FAILS(cuCtxSetCurrent(second), KT_CU_INVALID_CONTEXT);
	OK(cuCtxGetCurrent(&now));
	CU_ASSERT_PTR_EQUAL(now, first);
	OK(cuCtxDestroy(first));
	FAILS(cuMemAlloc(&address, 4), KT_CU_INVALID_CONTEXT);
	FAILS(cuCtxSynchronize(), KT_CU_INVALID_CONTEXT);
	FAILS(cuCtxPopCurrent(NULL), KT_CU_INVALID_CONTEXT);
}

static void test_primary(void)
{
	kt_cu_context a = NULL;
	kt_cu_context b = NULL;

	OK(cuDevicePrimaryCtxRetain(&a, 0));
	OK(cuDevicePrimaryCtxRetain(&b, 0));
	CU_ASSERT_PTR_EQUAL(a, b);
	FAILS(cuCtxDestroy(a), KT_CU_INVALID_CONTEXT);
	OK(cuDevicePrimaryCtxRelease(0));
	OK(cuCtxSetCurrent(a));
	OK(cuDevicePrimaryCtxRelease(0));
	FAILS(cuDevicePrimaryCtxRelease(0), KT_CU_INVALID_CONTEXT);
	OK(cuCtxSetCurrent(NULL));
}

/* Destroying a context frees all its objects and makes their handles invalid. */
static void test_destroy_with_everything(void)
{
	kt_cu_context context = begin();
	kt_cu_stream stream;
	kt_cu_event event;
	kt_cu_module module;
	kt_cu_address address;
	kt_cu_graph graph;
	kt_cu_graph_exec executable;
	void *host;

	OK(cuStreamCreate(&stream, 0));
	OK(cuEventCreate(&event, 0));
	OK(cuModuleLoadData(&module, kt_kernels_ptx));
	OK(cuMemAlloc(&address, 5 << 20));
	OK(cuMemAllocHost(&host, 100000));
	OK(cuStreamBeginCapture(stream, 2));
	OK(cuStreamEndCapture(stream, &graph));
	OK(cuGraphInstantiate(&executable, graph, 0));
	OK(cuStreamBeginCapture(stream, 2));
	OK(cuCtxDestroy(context));
	FAILS(cuStreamSynchronize(stream), KT_CU_INVALID_CONTEXT);
	FAILS(cuStreamDestroy(stream), KT_CU_INVALID_HANDLE);
	FAILS(cuEventDestroy(event), KT_CU_INVALID_HANDLE);
	FAILS(cuModuleUnload(module), KT_CU_INVALID_HANDLE);
	FAILS(cuGraphExecDestroy(executable), KT_CU_INVALID_VALUE);
	OK(cuGraphDestroy(graph));
}

/* --- memory --- */

static void test_memory(void)
{
	kt_cu_context context = begin();
	kt_cu_address address = 0;
	uint8_t byte = 0;
	void *host = NULL;
	uint8_t *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	FAILS(cuMemAlloc(NULL, 4), KT_CU_INVALID_VALUE);
	FAILS(cuMemAlloc(&address, 0), KT_CU_INVALID_VALUE);
	FAILS(cuMemAlloc(&address, SIZE_MAX / 2), KT_CU_OUT_OF_MEMORY);
	OK(cuMemAlloc(&address, 100));
	FAILS(cuMemFree(address + 1), KT_CU_INVALID_VALUE);
	FAILS(cuMemcpyHtoD(address, NULL, 1), KT_CU_INVALID_VALUE);
	FAILS(cuMemcpyHtoD(address + (4 << 20), &byte, 1), KT_CU_INVALID_VALUE);
	FAILS(cuMemcpyDtoH(&byte, address, SIZE_MAX), KT_CU_INVALID_VALUE);
	OK(cuMemcpyDtoH(NULL, 0, 0));
	OK(cuMemFree(address));
	FAILS(cuMemFree(address), KT_CU_INVALID_VALUE);
	OK(cuMemAllocHost(&host, 5000));
	FAILS(cuMemHostUnregister(host), KT_CU_HOST_NOT_REGISTERED);
	OK(cuMemFreeHost(host));
	FAILS(cuMemFreeHost(host), KT_CU_INVALID_VALUE);
	OK(cuMemHostRegister(pages + 100, 4096, 0));
	FAILS(cuMemHostRegister(pages, 10, 0), KT_CU_HOST_ALREADY_REGISTERED);
	FAILS(cuMemFreeHost(pages + 100), KT_CU_INVALID_VALUE);
	OK(cuMemHostUnregister(pages + 100));
	OK(cuMemHostRegister(pages, 10, 0));
	OK(cuMemHostUnregister(pages));
	munmap(pages, 3 * 4096);
	OK(cuCtxDestroy(context));
}

#define ROOM ((size_t)2200000)

/*
 * Copies to the device and back at unaligned addresses. Adjacent bytes must remain
 * unchanged.
 */
static void copy_at(kt_cu_address device, uint8_t *host, uint8_t *back, uint8_t *mirror,
		    size_t at, size_t bytes)
{
	fill(host + at % 7, bytes, (uint32_t)(at + bytes));
	memcpy(mirror + at, host + at % 7, bytes);
	OK(cuMemcpyHtoD(device + at, host + at % 7, bytes));
	memset(back, 0, bytes + 8);
	OK(cuMemcpyDtoH(back + at % 5, device + at, bytes));
	CU_ASSERT(memcmp(back + at % 5, mirror + at, bytes) == 0);
	CU_ASSERT(back[at % 5 + bytes] == 0);
}

static void copy_all(uint8_t *host, uint8_t *back)
{
	static const size_t offsets[] = {0, 1, 13, 4095, 65533};
	static const size_t sizes[] = {1,     3,     255,   256,     257,    4097,
				       24575, 24576, 24577, 1048579, 2100001};
	uint8_t *mirror = calloc(1, ROOM);
	kt_cu_address device = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mirror);
	OK(cuMemAlloc(&device, ROOM));
	OK(cuMemsetD8(device, 0x5a, ROOM));
	memset(mirror, 0x5a, ROOM);
	for (size_t p = 0; p < sizeof(offsets) / sizeof(offsets[0]); p++) {
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			copy_at(device, host, back, mirror, offsets[p], sizes[s]);
		}
	}
	OK(cuMemcpyDtoH(back, device, ROOM));
	CU_ASSERT(memcmp(back, mirror, ROOM) == 0);
	OK(cuMemFree(device));
	free(mirror);
}

static void test_copies(void)
{
	kt_cu_context context = begin();
	uint8_t *host = malloc(ROOM);
	uint8_t *back = malloc(ROOM);
	void *locked_host = NULL;
	void *locked_back = NULL;

	CU_ASSERT_FATAL(host != NULL && back != NULL);
	copy_all(host, back);
	CU_ASSERT_EQUAL_FATAL(cuMemAllocHost(&locked_host, ROOM), KT_CU_OK);
	CU_ASSERT_EQUAL_FATAL(cuMemAllocHost(&locked_back, ROOM), KT_CU_OK);
	copy_all(locked_host, locked_back);
	OK(cuMemFreeHost(locked_host));
	OK(cuMemFreeHost(locked_back));
	free(host);
	free(back);
	OK(cuCtxDestroy(context));
}

/* Tests allocations that are small pieces of one slab. */
static void test_pieces(void)
{
	enum { N = 50 };
	kt_cu_context context = begin();
	kt_cu_address pieces[N];
	uint8_t data[777];
	uint8_t back[777];

	for (unsigned i = 0; i < N; i++) {
		OK(cuMemAlloc(&pieces[i], sizeof(data)));
		fill(data, sizeof(data), i);
		OK(cuMemcpyHtoD(pieces[i], data, sizeof(data)));
	}
	for (unsigned i = 0; i < N; i++) {
		fill(data, sizeof(data), i);
		OK(cuMemcpyDtoH(back, pieces[i], sizeof(back)));
		CU_ASSERT(memcmp(back, data, sizeof(data)) == 0);
		OK(cuMemFree(pieces[i]));
	}
	OK(cuCtxDestroy(context));
}

static void test_on_device(void)
{
	kt_cu_context context = begin();
	kt_cu_address device = 0;
	uint32_t *back = malloc(400000);

	CU_ASSERT_PTR_NOT_NULL_FATAL(back);
	OK(cuMemAlloc(&device, 400000));
	OK(cuMemsetD32(device, 0x12345678, 100000));
	FAILS(cuMemsetD32(device, 1, 100065), KT_CU_INVALID_VALUE);
	FAILS(cuMemsetD32(device + 1, 1, 1), KT_CU_INVALID_VALUE);
	OK(cuMemsetD8(device + 200001, 0xab, 3));
	OK(cuMemcpyDtoD(device, device + 200000, 4));
	OK(cuMemcpyDtoH(back, device, 400000));
	CU_ASSERT_EQUAL(back[0], 0xababab78);
	CU_ASSERT_EQUAL(back[1], 0x12345678);
	CU_ASSERT_EQUAL(back[50000], 0xababab78);
	CU_ASSERT_EQUAL(back[99999], 0x12345678);
	free(back);
	OK(cuCtxDestroy(context));
}

/* --- kernels --- */

static void test_modules(void)
{
	kt_cu_context context = begin();
	kt_cu_module module = NULL;
	kt_cu_function function = NULL;

	FAILS(cuModuleLoadData(&module, "not PTX"), KT_CU_INVALID_IMAGE);
	FAILS(cuModuleLoadData(&module, "\177ELF"), KT_CU_NO_BINARY_FOR_GPU);
	FAILS(cuModuleLoadData(&module, NULL), KT_CU_INVALID_VALUE);
	OK(cuModuleLoadData(&module, ".version 7.0 .entry mine(){}"));
	FAILS(cuModuleGetFunction(&function, module, "mine"), KT_CU_NOT_SUPPORTED);
	FAILS(cuModuleGetFunction(&function, module, "scale"), KT_CU_NOT_FOUND);
	OK(cuModuleUnload(module));
	FAILS(cuModuleUnload(module), KT_CU_INVALID_HANDLE);
	OK(cuCtxDestroy(context));
}

static int scale(kt_cu_function function, kt_cu_stream stream, kt_cu_address x, uint32_t n,
		 uint32_t factor, uint32_t addend)
{
	void *parameters[] = {&x, &n, &factor, &addend};

	return cuLaunchKernel(function, KT_GRID(n), 1, 1, KT_BLOCK, 1, 1, 0, stream,
			      parameters, NULL);
}

static kt_cu_function find_kernel(kt_cu_module *module, const char *name)
{
	kt_cu_function function = NULL;

	OK(cuModuleLoadData(module, kt_kernels_ptx));
	OK(cuModuleGetFunction(&function, *module, name));
	return function;
}

static void test_launches(void)
{
	kt_cu_context context = begin();
	kt_cu_module module;
	kt_cu_function function = find_kernel(&module, "scale");
	struct {
		uint64_t x;
		uint32_t n, factor, addend;
	} packed = {.n = 1, .factor = 3, .addend = 5};
	size_t size = 20;
	void *extra[] = {(void *)1, &packed, (void *)2, &size, NULL};
	uint32_t value = 7;
	void *none[4] = {NULL};

	OK(cuMemAlloc(&packed.x, 4));
	OK(cuMemcpyHtoD(packed.x, &value, 4));
	OK(scale(function, NULL, packed.x, 1, 2, 1));
	OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
	OK(cuMemcpyDtoH(&value, packed.x, 4));
	CU_ASSERT_EQUAL(value, (7 * 2 + 1) * 3 + 5);
	size = 19;
	FAILS(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
	      KT_CU_INVALID_VALUE);
	FAILS(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, none, NULL),
	      KT_CU_INVALID_VALUE);
	FAILS(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
	      KT_CU_INVALID_VALUE);
	FAILS(cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, NULL, none, NULL),
	      KT_CU_INVALID_VALUE);
	FAILS(cuLaunchKernel(function, 1, 65536, 1, 1, 1, 1, 0, NULL, none, NULL),
	      KT_CU_INVALID_VALUE);
	FAILS(cuLaunchKernel(function, 1, 1, 1, 512, 3, 1, 0, NULL, none, NULL),
	      KT_CU_INVALID_VALUE);
	OK(cuModuleUnload(module));
	FAILS(scale(function, NULL, packed.x, 1, 2, 1), KT_CU_INVALID_HANDLE);
	OK(cuCtxDestroy(context));
}

/* A kernel that writes to an unmapped address must end only its own context. */
static void test_sticky_error(void)
{
	kt_cu_context good = begin();
	kt_cu_context bad = begin();
	kt_cu_module module;
	kt_cu_function function = find_kernel(&module, "scale");
	kt_cu_address address;

	OK(scale(function, NULL, 0x10000, 1, 2, 1));
	FAILS(cuCtxSynchronize(), KT_CU_ILLEGAL_ADDRESS);
	FAILS(cuMemAlloc(&address, 4), KT_CU_ILLEGAL_ADDRESS);
	FAILS(cuModuleUnload(module), KT_CU_ILLEGAL_ADDRESS);
	OK(cuCtxDestroy(bad));
	OK(cuMemAlloc(&address, 4));
	OK(cuCtxDestroy(good));
}

/* --- streams and events --- */

static void test_streams(void)
{
	kt_cu_context context = begin();
	kt_cu_stream stream = NULL;

	FAILS(cuStreamCreate(&stream, 2), KT_CU_INVALID_VALUE);
	FAILS(cuStreamCreate(NULL, 0), KT_CU_INVALID_VALUE);
	OK(cuStreamCreate(&stream, KT_CU_STREAM_NON_BLOCKING));
	OK(cuStreamQuery(stream));
	OK(cuStreamSynchronize(stream));
	OK(cuStreamSynchronize(NULL));
	FAILS(cuStreamSynchronize((kt_cu_stream)context), KT_CU_INVALID_HANDLE);
	OK(cuStreamDestroy(stream));
	FAILS(cuStreamSynchronize(stream), KT_CU_INVALID_HANDLE);
	OK(cuCtxDestroy(context));
}

static int spin(kt_cu_function function, kt_cu_stream stream, kt_cu_address counter,
		uint64_t ticks)
{
	void *parameters[] = {&counter, &ticks};

	return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
}

static void test_events(void)
{
	kt_cu_context context = begin();
	kt_cu_module module;
	kt_cu_function function = find_kernel(&module, "spin");
	kt_cu_stream streams[3];
	kt_cu_event start = NULL;
	kt_cu_event end = NULL;
	kt_cu_address counter = 0;
	float ms = -1;

	OK(cuMemAlloc(&counter, 4));
	OK(cuMemsetD32(counter, 0, 1));
	OK(cuEventCreate(&start, 0));
	OK(cuEventCreate(&end, KT_CU_EVENT_BLOCKING_SYNC));
	for (unsigned i = 0; i < 3; i++) {
		OK(cuStreamCreate(&streams[i], KT_CU_STREAM_NON_BLOCKING));
	}
	OK(cuEventQuery(start));
	OK(cuEventSynchronize(start));
	OK(cuStreamWaitEvent(streams[0], start, 0));
	FAILS(cuEventElapsedTime(&ms, start, end), KT_CU_INVALID_HANDLE);
	OK(cuEventRecord(start, streams[0]));
	OK(spin(function, streams[0], counter, 2000000));
	OK(cuEventRecord(end, streams[0]));
	/*
	 * Records the same event in one channel after another. The event's value must not
	 * decrease.
	 */
	for (unsigned i = 0; i < 30; i++) {
		OK(cuStreamWaitEvent(streams[(i + 1) % 3], end, 0));
		OK(spin(function, streams[(i + 1) % 3], counter, 1000));
		OK(cuEventRecord(end, streams[(i + 1) % 3]));
	}
	OK(cuEventSynchronize(end));
	OK(cuEventElapsedTime(&ms, start, end));
	CU_ASSERT(ms > 0);
	OK(cuEventElapsedTime(&ms, end, start));
	CU_ASSERT(ms < 0);
	OK(cuCtxSynchronize());
	OK(cuEventDestroy(end));
	FAILS(cuEventRecord(end, NULL), KT_CU_INVALID_HANDLE);
	OK(cuCtxDestroy(context));
}

/*
 * A later record of an event replaces an earlier record, even if the later record's channel
 * is idle.
 */
static void test_event_moves_on(void)
{
	kt_cu_context context = begin();
	kt_cu_module module;
	kt_cu_function function = find_kernel(&module, "spin");
	kt_cu_stream streams[2];
	kt_cu_event event = NULL;
	kt_cu_address counter = 0;
	uint32_t value = 0;

	OK(cuMemAlloc(&counter, 4));
	OK(cuMemsetD32(counter, 0, 1));
	OK(cuEventCreate(&event, 0));
	OK(cuStreamCreate(&streams[0], KT_CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&streams[1], KT_CU_STREAM_NON_BLOCKING));
	for (unsigned i = 0; i < 20; i++) {
		OK(spin(function, streams[0], counter, 500000));
		OK(cuEventRecord(event, streams[0]));
		OK(cuEventRecord(event, streams[1]));
		OK(cuEventSynchronize(event));
		OK(cuCtxSynchronize());
		OK(cuEventQuery(event));
	}
	OK(cuMemcpyDtoH(&value, counter, 4));
	CU_ASSERT_EQUAL(value, 20);
	OK(cuCtxDestroy(context));
}

/*
 * An event that is destroyed with a pending record returns its semaphore. The semaphore's
 * next owner, in another channel, must not be affected by that record.
 */
static void test_destroyed_events(void)
{
	kt_cu_context context = begin();
	kt_cu_module module;
	kt_cu_function function = find_kernel(&module, "spin");
	kt_cu_stream streams[2];
	kt_cu_address counter = 0;
	uint32_t value = 0;

	OK(cuMemAlloc(&counter, 4));
	OK(cuMemsetD32(counter, 0, 1));
	OK(cuStreamCreate(&streams[0], KT_CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&streams[1], KT_CU_STREAM_NON_BLOCKING));
	for (unsigned i = 0; i < 200; i++) {
		kt_cu_event event = NULL;

		OK(cuEventCreate(&event, KT_CU_EVENT_DISABLE_TIMING));
		OK(spin(function, streams[i % 2], counter, 100));
		OK(cuEventRecord(event, streams[i % 2]));
		OK(cuStreamWaitEvent(streams[(i + 1) % 2], event, 0));
		OK(cuEventDestroy(event));
	}
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH(&value, counter, 4));
	CU_ASSERT_EQUAL(value, 200);
	OK(cuCtxDestroy(context));
}

/* --- graphs --- */

static void test_capture_rules(void)
{
	kt_cu_context context = begin();
	kt_cu_stream stream = NULL;
	kt_cu_graph graph = NULL;
	kt_cu_address address;
	size_t n = 99;

	OK(cuStreamCreate(&stream, KT_CU_STREAM_NON_BLOCKING));
	FAILS(cuStreamBeginCapture(NULL, 0), KT_CU_CAPTURE_UNSUPPORTED);
	FAILS(cuStreamBeginCapture(stream, 3), KT_CU_INVALID_VALUE);
	FAILS(cuStreamEndCapture(stream, &graph), KT_CU_ILLEGAL_STATE);
	for (int mode = 0; mode < 3; mode++) {
		bool relaxed = mode == KT_CU_CAPTURE_RELAXED;

		OK(cuStreamBeginCapture(stream, mode));
		FAILS(cuStreamBeginCapture(stream, mode), KT_CU_ILLEGAL_STATE);
		FAILS(cuMemAlloc(&address, 4),
		      relaxed ? KT_CU_OK : KT_CU_CAPTURE_UNSUPPORTED);
		FAILS(cuStreamEndCapture(stream, &graph),
		      relaxed ? KT_CU_OK : KT_CU_CAPTURE_INVALIDATED);
		CU_ASSERT_EQUAL(graph != NULL, relaxed);
	}
	OK(cuGraphGetNodes(graph, NULL, &n));
	CU_ASSERT_EQUAL(n, 0);
	OK(cuGraphDestroy(graph));
	FAILS(cuGraphDestroy(graph), KT_CU_INVALID_VALUE);
	OK(cuStreamBeginCapture(stream, KT_CU_CAPTURE_RELAXED));
	FAILS(cuStreamSynchronize(stream), KT_CU_CAPTURE_UNSUPPORTED);
	FAILS(cuStreamEndCapture(stream, &graph), KT_CU_CAPTURE_INVALIDATED);
	OK(cuStreamSynchronize(stream));
	OK(cuCtxDestroy(context));
}

static void test_graph(void)
{
	enum { N = 5000, BYTES = N * 4 };
	kt_cu_context context = begin();
	kt_cu_module module;
	kt_cu_function function = find_kernel(&module, "scale");
	kt_cu_graph_node nodes[4];
	kt_cu_graph_exec executable = NULL;
	kt_cu_graph graph = NULL;
	kt_cu_stream stream = NULL;
	kt_cu_address x = 0;
	void *memory = NULL;
	uint32_t *host;
	size_t n = 4;

	OK(cuStreamCreate(&stream, KT_CU_STREAM_NON_BLOCKING));
	OK(cuMemAlloc(&x, BYTES));
	CU_ASSERT_EQUAL_FATAL(cuMemAllocHost(&memory, BYTES), KT_CU_OK);
	host = memory;
	OK(cuStreamBeginCapture(stream, 0));
	FAILS(cuMemcpyHtoDAsync(x, host, BYTES, stream),
	      by_dma() ? KT_CU_OK : KT_CU_CAPTURE_UNSUPPORTED);
	if (!by_dma()) {
		FAILS(cuStreamEndCapture(stream, &graph), KT_CU_CAPTURE_INVALIDATED);
		OK(cuCtxDestroy(context));
		return;
	}
	OK(scale(function, stream, x, N, 3, 1));
	OK(cuMemcpyDtoHAsync(host, x, BYTES, stream));
	OK(cuStreamEndCapture(stream, &graph));
	OK(cuGraphGetNodes(graph, nodes, &n));
	CU_ASSERT(n == 3 && nodes[2] != NULL && nodes[3] == NULL);
	OK(cuGraphInstantiate(&executable, graph, 0));
	OK(cuGraphDestroy(graph));
	for (uint32_t i = 0; i < N; i++) {
		host[i] = i;
	}
	OK(cuGraphLaunch(executable, stream));
	OK(cuGraphLaunch(executable, stream));
	OK(cuStreamSynchronize(stream));
	for (uint32_t i = 0; i < N; i++) {
		CU_ASSERT_EQUAL_FATAL(host[i], (i * 3 + 1) * 3 + 1);
	}
	OK(cuGraphLaunch(executable, NULL));
	OK(cuGraphExecDestroy(executable));
	FAILS(cuGraphLaunch(executable, stream), KT_CU_INVALID_VALUE);
	OK(cuMemFreeHost(memory));
	OK(cuCtxDestroy(context));
}

/*
 * Launches a chain that has more kernels than a group. The graph is uploaded first, and is
 * then launched in several streams without waits in between. Each launch must follow the
 * previous one.
 */
static void test_graph_of_groups(void)
{
	enum { NODES = 3 * 17 + 2, LAUNCHES = 6 };
	kt_cu_context context = begin();
	kt_cu_module module;
	kt_cu_function function = find_kernel(&module, "scale");
	kt_cu_graph_exec executable = NULL;
	kt_cu_graph graph = NULL;
	kt_cu_stream streams[3] = {NULL};
	kt_cu_address x = 0;
	uint32_t value = 1;
	uint32_t expected = 1;

	for (unsigned i = 0; i < 3; i++) {
		OK(cuStreamCreate(&streams[i], KT_CU_STREAM_NON_BLOCKING));
	}
	OK(cuMemAlloc(&x, sizeof(value)));
	OK(cuMemcpyHtoD(x, &value, sizeof(value)));
	OK(cuStreamBeginCapture(streams[0], 0));
	for (unsigned i = 0; i < NODES; i++) {
		OK(scale(function, streams[0], x, 1, 3, i));
	}
	OK(cuStreamEndCapture(streams[0], &graph));
	FAILS(cuGraphUpload(NULL, streams[0]), KT_CU_INVALID_VALUE);
	OK(cuGraphInstantiate(&executable, graph, 0));
	OK(cuGraphUpload(executable, streams[2]));
	OK(cuGraphUpload(executable, streams[1]));
	for (unsigned i = 0; i < LAUNCHES; i++) {
		OK(cuGraphLaunch(executable, streams[i % 3]));
		for (uint32_t j = 0; j < NODES; j++) {
			expected = expected * 3 + j;
		}
	}
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH(&value, x, sizeof(value)));
	CU_ASSERT_EQUAL(value, expected);
	OK(cuGraphExecDestroy(executable));
	FAILS(cuGraphUpload(executable, streams[0]), KT_CU_INVALID_VALUE);
	OK(cuGraphDestroy(graph));
	OK(cuCtxDestroy(context));
}

/* --- threads and processes --- */

static void *run_thread(void *argument)
{
	kt_cu_context context = argument;
	kt_cu_module module = NULL;
	kt_cu_function function = NULL;
	kt_cu_stream stream = NULL;
	kt_cu_address x = 0;
	uint32_t sent[3000];
	uint32_t got[3000];
	bool right = cuCtxSetCurrent(context) == KT_CU_OK &&
		     cuModuleLoadData(&module, kt_kernels_ptx) == KT_CU_OK &&
		     cuModuleGetFunction(&function, module, "scale") == KT_CU_OK;

	for (uint32_t round = 0; right && round < 20; round++) {
		fill((uint8_t *)sent, sizeof(sent), round);
		right = cuStreamCreate(&stream, round % 2) == KT_CU_OK &&
			cuMemAlloc(&x, sizeof(sent)) == KT_CU_OK &&
			cuMemcpyHtoDAsync(x, sent, sizeof(sent), stream) == KT_CU_OK &&
			scale(function, stream, x, 3000, 7, 9) == KT_CU_OK &&
			cuMemcpyDtoHAsync(got, x, sizeof(got), stream) == KT_CU_OK &&
			cuStreamSynchronize(stream) == KT_CU_OK;
		for (unsigned i = 0; right && i < 3000; i++) {
			right = got[i] == sent[i] * 7 + 9;
		}
		right = right && cuMemFree(x) == KT_CU_OK &&
			cuStreamDestroy(stream) == KT_CU_OK;
	}
	return right && cuModuleUnload(module) == KT_CU_OK ? argument : NULL;
}

static void test_threads(void)
{
	enum { THREADS = 8 };
	kt_cu_context contexts[2] = {begin(), begin()};
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < THREADS; i++) {
		CU_ASSERT_EQUAL_FATAL(
			pthread_create(&threads[i], NULL, run_thread, contexts[i % 2]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		void *right = NULL;

		pthread_join(threads[i], &right);
		CU_ASSERT_PTR_NOT_NULL(right);
	}
	OK(cuCtxDestroy(contexts[1]));
	OK(cuCtxDestroy(contexts[0]));
}

static void test_fork(void)
{
	kt_cu_context context = begin();
	kt_cu_address address;
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		_exit(cuInit(0) == KT_CU_NOT_INITIALIZED &&
				      cuMemAlloc(&address, 4) == KT_CU_NOT_INITIALIZED &&
				      cuCtxDestroy(context) == KT_CU_NOT_INITIALIZED
			      ? 0
			      : 1);
	}
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	OK(cuMemAlloc(&address, 4));
	OK(cuCtxDestroy(context));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"not initialised", test_not_initialised},
		{"device", test_device},
		{"contexts", test_contexts},
		{"primary context", test_primary},
		{"destroy with everything", test_destroy_with_everything},
		{"memory", test_memory},
		{"copies", test_copies},
		{"pieces", test_pieces},
		{"on the device", test_on_device},
		{"modules", test_modules},
		{"launches", test_launches},
		{"sticky error", test_sticky_error},
		{"streams", test_streams},
		{"events", test_events},
		{"an event moves on", test_event_moves_on},
		{"destroyed events", test_destroyed_events},
		{"capture rules", test_capture_rules},
		{"graph", test_graph},
		{"graph of several groups", test_graph_of_groups},
		{"threads", test_threads},
		{"fork", test_fork},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("upper half of the software GPU's driver", tests);
}
