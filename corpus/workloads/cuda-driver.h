/* SPDX-License-Identifier: MIT */
/*
 * The part of the CUDA Driver API that the workloads use, declared here and looked up at
 * run time, so that they build without a toolkit and start without a driver.
 *
 * Names, signatures and numbers are facts of the interface that libcuda.so.1 exports from
 * CUDA 11.4 on; the exported names with "_v2" still exist in CUDA 13. KT_CUDA_FUNCTIONS is
 * the only list of functions: a row is the field's name (as in the API's manual), the
 * exported symbol, and the parameters.
 */
#ifndef KTAIL_CORPUS_CUDA_DRIVER_H
#define KTAIL_CORPUS_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "corpus/workloads/library.h"

typedef int kt_cu_result;
typedef int kt_cu_device;
typedef uint64_t kt_cu_address; /* an address in device memory */
typedef struct kt_cu_context_object *kt_cu_context;
typedef struct kt_cu_module_object *kt_cu_module;
typedef struct kt_cu_function_object *kt_cu_function;
typedef struct kt_cu_stream_object *kt_cu_stream;
typedef struct kt_cu_event_object *kt_cu_event;
typedef struct kt_cu_graph_object *kt_cu_graph;
typedef struct kt_cu_graph_exec_object *kt_cu_graph_exec;
typedef struct kt_cu_graph_node_object *kt_cu_graph_node;

enum kt_cu_results {
	KT_CU_SUCCESS = 0,
	KT_CU_STUB_LIBRARY = 34, /* a toolkit's link-time stub instead of a driver */
	KT_CU_NO_DEVICE = 100,
};

enum kt_cu_flags {
	KT_CU_CTX_SCHED_BLOCKING_SYNC = 4,
	KT_CU_STREAM_NON_BLOCKING = 1, /* no implicit waits on the default stream */
	KT_CU_EVENT_BLOCKING_SYNC = 1,
	KT_CU_EVENT_DISABLE_TIMING = 2,
	KT_CU_CAPTURE_RELAXED = 2,
	KT_CU_COMPUTE_MAJOR = 75, /* device attributes */
	KT_CU_COMPUTE_MINOR = 76,
};

/* clang-format off */
#define KT_CUDA_FUNCTIONS(X) \
	X(cuInit, "cuInit", (unsigned flags)) \
	X(cuDriverGetVersion, "cuDriverGetVersion", (int *version)) \
	X(cuGetErrorName, "cuGetErrorName", (kt_cu_result code, const char **name)) \
	X(cuDeviceGetCount, "cuDeviceGetCount", (int *count)) \
	X(cuDeviceGet, "cuDeviceGet", (kt_cu_device *device, int ordinal)) \
	X(cuDeviceGetName, "cuDeviceGetName", (char *name, int size, kt_cu_device device)) \
	X(cuDeviceGetAttribute, "cuDeviceGetAttribute", \
	  (int *value, int attribute, kt_cu_device device)) \
	X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", \
	  (kt_cu_context *context, kt_cu_device device)) \
	X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (kt_cu_device device)) \
	X(cuDevicePrimaryCtxSetFlags, "cuDevicePrimaryCtxSetFlags_v2", \
	  (kt_cu_device device, unsigned flags)) \
	X(cuCtxCreate, "cuCtxCreate_v2", \
	  (kt_cu_context *context, unsigned flags, kt_cu_device device)) \
	X(cuCtxDestroy, "cuCtxDestroy_v2", (kt_cu_context context)) \
	X(cuCtxSetCurrent, "cuCtxSetCurrent", (kt_cu_context context)) \
	X(cuCtxSynchronize, "cuCtxSynchronize", (void)) \
	X(cuModuleLoadData, "cuModuleLoadData", (kt_cu_module *module, const void *image)) \
	X(cuModuleGetFunction, "cuModuleGetFunction", \
	  (kt_cu_function *function, kt_cu_module module, const char *name)) \
	X(cuModuleUnload, "cuModuleUnload", (kt_cu_module module)) \
	X(cuMemAlloc, "cuMemAlloc_v2", (kt_cu_address *address, size_t bytes)) \
	X(cuMemFree, "cuMemFree_v2", (kt_cu_address address)) \
	X(cuMemAllocHost, "cuMemAllocHost_v2", (void **memory, size_t bytes)) \
	X(cuMemFreeHost, "cuMemFreeHost", (void *memory)) \
	X(cuMemHostRegister, "cuMemHostRegister_v2", \
	  (void *memory, size_t bytes, unsigned flags)) \
	X(cuMemHostUnregister, "cuMemHostUnregister", (void *memory)) \
	X(cuMemcpyHtoD, "cuMemcpyHtoD_v2", \
	  (kt_cu_address to, const void *from, size_t bytes)) \
	X(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *to, kt_cu_address from, size_t bytes)) \
	X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", \
	  (kt_cu_address to, const void *from, size_t bytes, kt_cu_stream stream)) \
	X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", \
	  (void *to, kt_cu_address from, size_t bytes, kt_cu_stream stream)) \
	X(cuLaunchKernel, "cuLaunchKernel", \
	  (kt_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
	   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, \
	   kt_cu_stream stream, void **parameters, void **extra)) \
	X(cuStreamCreate, "cuStreamCreate", (kt_cu_stream *stream, unsigned flags)) \
	X(cuStreamDestroy, "cuStreamDestroy_v2", (kt_cu_stream stream)) \
	X(cuStreamSynchronize, "cuStreamSynchronize", (kt_cu_stream stream)) \
	X(cuStreamWaitEvent, "cuStreamWaitEvent", \
	  (kt_cu_stream stream, kt_cu_event event, unsigned flags)) \
	X(cuEventCreate, "cuEventCreate", (kt_cu_event *event, unsigned flags)) \
	X(cuEventDestroy, "cuEventDestroy_v2", (kt_cu_event event)) \
	X(cuEventRecord, "cuEventRecord", (kt_cu_event event, kt_cu_stream stream)) \
	X(cuEventSynchronize, "cuEventSynchronize", (kt_cu_event event)) \
	X(cuEventElapsedTime, "cuEventElapsedTime", \
	  (float *milliseconds, kt_cu_event start, kt_cu_event end)) \
	X(cuStreamBeginCapture, "cuStreamBeginCapture_v2", (kt_cu_stream stream, int mode)) \
	X(cuStreamEndCapture, "cuStreamEndCapture", \
	  (kt_cu_stream stream, kt_cu_graph *graph)) \
	X(cuGraphGetNodes, "cuGraphGetNodes", \
	  (kt_cu_graph graph, kt_cu_graph_node *nodes, size_t *count)) \
	X(cuGraphInstantiate, "cuGraphInstantiateWithFlags", \
	  (kt_cu_graph_exec *executable, kt_cu_graph graph, unsigned long long flags)) \
	X(cuGraphUpload, "cuGraphUpload", (kt_cu_graph_exec executable, kt_cu_stream stream)) \
	X(cuGraphLaunch, "cuGraphLaunch", (kt_cu_graph_exec executable, kt_cu_stream stream)) \
	X(cuGraphExecDestroy, "cuGraphExecDestroy", (kt_cu_graph_exec executable)) \
	X(cuGraphDestroy, "cuGraphDestroy", (kt_cu_graph graph))
/* clang-format on */

#define KT_CUDA_FIELD(field, symbol, parameters) kt_cu_result(*field) parameters;
struct kt_cuda {
	KT_CUDA_FUNCTIONS(KT_CUDA_FIELD)
};
#undef KT_CUDA_FIELD

/* Loads libcuda.so.1 and fills in *cuda, as kt_library_load() does. */
enum kt_library_load kt_cuda_load(struct kt_cuda *cuda, const char **reason);

#endif
