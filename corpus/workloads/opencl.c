/* SPDX-License-Identifier: MIT */
/* Adds two vectors as vadd does, by OpenCL. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdlib.h>

#include "corpus/workloads/common.h"
#include "corpus/workloads/khronos.h"

enum { MAX_PLATFORMS = 16 };

struct options {
	unsigned long size;
	unsigned long repeat;
	bool any;
};

static const struct kt_option table[] = {
	{"size", 'n', "N", "elements of 4 bytes in a vector (default 4096)",
	 KT_NUMBER(struct options, size, 1, 1ul << 24)},
	{"repeat", 'r', "N", "repetitions (default 1)",
	 KT_NUMBER(struct options, repeat, 1, 10000)},
	{"any", 'a', NULL, "use a device that is not a GPU if there is no GPU",
	 KT_FLAG(struct options, any)},
	KT_WORK_HELP,
	{0},
};

static const struct kt_command_line command = {
	.usage = "opencl [--size N] [--repeat N] [--any]",
	.summary = "Copies two vectors to the device, adds them there, copies the sum "
		   "back and checks it, by OpenCL.",
	.table = table,
};

static const char *const source =
	"kernel void vector_add(global const uint *a, global const uint *b,\n"
	"                       global uint *c, uint n)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	if (i < n)\n"
	"		c[i] = a[i] + b[i];\n"
	"}\n";

static struct {
	KT_OPENCL_FUNCTIONS(KT_FUNCTION_FIELD)
} cl;
#define CL(function, ...) kt_work_check(#function, cl.function(__VA_ARGS__))

/* Finds the first platform with a device of this type. */
static bool find_device(cl_device_type type, cl_platform_id *platform, cl_device_id *device)
{
	cl_platform_id platforms[MAX_PLATFORMS];
	cl_uint n = 0;
	cl_int result = cl.clGetPlatformIDs(MAX_PLATFORMS, platforms, &n);

	if (result == CL_PLATFORM_NOT_FOUND_KHR) {
		kt_work_no_gpu("clGetPlatformIDs: no platform");
	}
	kt_work_check("clGetPlatformIDs", result);
	for (cl_uint i = 0; i < n && i < MAX_PLATFORMS; i++) {
		result = cl.clGetDeviceIDs(platforms[i], type, 1, device, NULL);
		if (result == CL_SUCCESS) {
			*platform = platforms[i];
			return true;
		}
		if (result != CL_DEVICE_NOT_FOUND) {
			kt_work_check("clGetDeviceIDs", result);
		}
	}
	return false;
}

static cl_program build(cl_context context, cl_device_id device)
{
	char log[4096] = "";
	cl_int result = 0;
	const char *text = source;
	cl_program program = cl.clCreateProgramWithSource(context, 1, &text, NULL, &result);

	kt_work_check("clCreateProgramWithSource", result);
	result = cl.clBuildProgram(program, 1, &device, "", NULL, NULL);
	if (result == CL_BUILD_PROGRAM_FAILURE) {
		if (cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
					     sizeof(log), log, NULL) != CL_SUCCESS) {
			snprintf(log, sizeof(log), "its log is longer than %zu bytes",
				 sizeof(log));
		}
		kt_work_fail("clBuildProgram: %s", log);
	}
	kt_work_check("clBuildProgram", result);
	return program;
}

int main(int argc, char **argv)
{
	struct options options = {.size = 4096, .repeat = 1};
	uint32_t *host[3]; /* a, b, and their sum */
	cl_mem buffers[3];
	cl_platform_id platform = NULL;
	cl_device_id device = NULL;
	cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, 0, 0};
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_int result = 0;
	cl_uint n;
	size_t bytes, threads, block = KT_BLOCK;
	bool right = true;

	kt_work_options("opencl", &command, argc, argv, &options);
	KT_FUNCTIONS_LOAD("libOpenCL.so.1", KT_OPENCL_FUNCTIONS, &cl);
	if (!find_device(CL_DEVICE_TYPE_GPU, &platform, &device) &&
	    !(options.any && find_device(CL_DEVICE_TYPE_ALL, &platform, &device))) {
		kt_work_no_gpu("clGetDeviceIDs: no %s", options.any ? "device" : "GPU");
	}
	n = (cl_uint)options.size;
	bytes = n * sizeof(uint32_t);
	threads = KT_GRID(n) * (size_t)KT_BLOCK;

	properties[1] = (cl_context_properties)platform;
	context = cl.clCreateContext(properties, 1, &device, NULL, NULL, &result);
	kt_work_check("clCreateContext", result);
	queue = cl.clCreateCommandQueue(context, device, 0, &result);
	kt_work_check("clCreateCommandQueue", result);
	program = build(context, device);
	kernel = cl.clCreateKernel(program, "vector_add", &result);
	kt_work_check("clCreateKernel", result);
	for (cl_uint i = 0; i < 3; i++) {
		host[i] = kt_work_allocate(bytes);
		buffers[i] =
			cl.clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &result);
		kt_work_check("clCreateBuffer", result);
		CL(clSetKernelArg, kernel, i, sizeof(buffers[i]), &buffers[i]);
	}
	CL(clSetKernelArg, kernel, 3, sizeof(n), &n);

	for (unsigned long round = 0; round < options.repeat && right; round++) {
		for (uint32_t i = 0; i < 2; i++) {
			kt_fill(host[i], n, (uint32_t)round + i);
			CL(clEnqueueWriteBuffer, queue, buffers[i], CL_TRUE, 0, bytes,
			   host[i], 0, NULL, NULL);
		}
		CL(clEnqueueNDRangeKernel, queue, kernel, 1, NULL, &threads, &block, 0,
		   NULL, NULL);
		CL(clEnqueueReadBuffer, queue, buffers[2], CL_TRUE, 0, bytes, host[2], 0,
		   NULL, NULL);
		right = kt_sum_check(host[0], host[1], host[2], n);
	}
	kt_sum_report(host[2], options.size, options.repeat, right);

	for (int i = 0; i < 3; i++) {
		CL(clReleaseMemObject, buffers[i]);
		free(host[i]);
	}
	CL(clReleaseKernel, kernel);
	CL(clReleaseProgram, program);
	CL(clReleaseCommandQueue, queue);
	CL(clReleaseContext, context);
	return kt_work_end(right);
}
