/* SPDX-License-Identifier: MIT */
/*
 * The functions of OpenCL, Vulkan, EGL and OpenGL ES that the workloads use. The Khronos
 * headers declare them; the workloads look them up at run time, as they do with the
 * functions of CUDA.
 */
#ifndef KTAIL_CORPUS_KHRONOS_H
#define KTAIL_CORPUS_KHRONOS_H

/* clang-format off */
/* libOpenCL.so.1: OpenCL 1.2 */
#define KT_OPENCL_FUNCTIONS(X) \
	X(clGetPlatformIDs) X(clGetDeviceIDs) X(clCreateContext) X(clCreateCommandQueue) \
	X(clCreateBuffer) X(clCreateProgramWithSource) X(clBuildProgram) \
	X(clGetProgramBuildInfo) X(clCreateKernel) X(clSetKernelArg) \
	X(clEnqueueWriteBuffer) X(clEnqueueNDRangeKernel) X(clEnqueueReadBuffer) \
	X(clReleaseMemObject) X(clReleaseKernel) X(clReleaseProgram) \
	X(clReleaseCommandQueue) X(clReleaseContext)

/* libvulkan.so.1: Vulkan 1.0 */
#define KT_VULKAN_FUNCTIONS(X) \
	X(vkCreateInstance) X(vkDestroyInstance) X(vkEnumeratePhysicalDevices) \
	X(vkGetPhysicalDeviceProperties) X(vkGetPhysicalDeviceQueueFamilyProperties) \
	X(vkGetPhysicalDeviceMemoryProperties) X(vkCreateDevice) X(vkDestroyDevice) \
	X(vkGetDeviceQueue) X(vkCreateBuffer) X(vkDestroyBuffer) \
	X(vkGetBufferMemoryRequirements) X(vkAllocateMemory) X(vkFreeMemory) \
	X(vkBindBufferMemory) X(vkMapMemory) X(vkUnmapMemory) X(vkCreateShaderModule) \
	X(vkDestroyShaderModule) X(vkCreateDescriptorSetLayout) \
	X(vkDestroyDescriptorSetLayout) X(vkCreatePipelineLayout) X(vkDestroyPipelineLayout) \
	X(vkCreateComputePipelines) X(vkDestroyPipeline) X(vkCreateDescriptorPool) \
	X(vkDestroyDescriptorPool) X(vkAllocateDescriptorSets) X(vkUpdateDescriptorSets) \
	X(vkCreateCommandPool) X(vkDestroyCommandPool) X(vkAllocateCommandBuffers) \
	X(vkBeginCommandBuffer) X(vkCmdBindPipeline) X(vkCmdBindDescriptorSets) \
	X(vkCmdDispatch) X(vkCmdPipelineBarrier) X(vkEndCommandBuffer) X(vkCreateFence) \
	X(vkDestroyFence) X(vkQueueSubmit) X(vkWaitForFences)

/* libEGL.so.1: EGL 1.5 */
#define KT_EGL_FUNCTIONS(X) \
	X(eglGetProcAddress) X(eglGetPlatformDisplay) X(eglGetError) X(eglInitialize) \
	X(eglBindAPI) X(eglChooseConfig) X(eglCreateContext) X(eglCreatePbufferSurface) \
	X(eglMakeCurrent) X(eglDestroySurface) X(eglDestroyContext) \
	X(eglTerminate) X(eglReleaseThread)

/* libGLESv2.so.2: OpenGL ES 2.0 */
#define KT_GLES_FUNCTIONS(X) \
	X(glCreateShader) X(glShaderSource) X(glCompileShader) X(glGetShaderiv) \
	X(glGetShaderInfoLog) X(glDeleteShader) X(glCreateProgram) X(glAttachShader) \
	X(glBindAttribLocation) X(glLinkProgram) X(glGetProgramiv) X(glUseProgram) \
	X(glDeleteProgram) X(glGetUniformLocation) X(glUniform4f) X(glGenBuffers) \
	X(glBindBuffer) X(glBufferData) X(glDeleteBuffers) X(glEnableVertexAttribArray) \
	X(glVertexAttribPointer) X(glViewport) X(glClearColor) X(glClear) X(glDrawArrays) \
	X(glFinish) X(glReadPixels) X(glGetError)
/* clang-format on */

/* A struct's members for a list of functions, in the list's order. */
#define KT_FUNCTION_FIELD(name) __typeof__(name) *name;
#define KT_FUNCTION_NAME(name)  #name,

/* Fills in *functions, a struct of KT_FUNCTION_FIELD of the list; exits if that fails. */
#define KT_FUNCTIONS_LOAD(library, LIST, functions)                                        \
	do {                                                                               \
		static const char *const names[] = {LIST(KT_FUNCTION_NAME)};               \
		_Static_assert(sizeof(*(functions)) == sizeof(names),                      \
			       "the struct has other functions");                          \
		kt_work_load(library, names, sizeof(names) / sizeof(names[0]), functions); \
	} while (0)

#endif
