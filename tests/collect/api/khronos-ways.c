/* SPDX-License-Identifier: MIT */
/*
 * Obtains functions of EGL, OpenGL, OpenCL and Vulkan in all possible ways, and prints
 * their results, which are the same with and without a recorder. It is linked with
 * libGLESv2, but has a glClear of its own.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/collect/api/khronos.h"

typedef uint64_t clear_fn(unsigned);

__attribute__((visibility("default"))) uint64_t glClear(unsigned mask)
{
	return 1000000 + mask;
}

static void say(const char *what, double value)
{
	printf("%s: %.0f\n", what, value);
	fflush(stdout);
}

static void *library(const char *name)
{
	void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		printf("no library: %s\n", dlerror());
		exit(1);
	}
	return handle;
}

/* Assigns a pointer to a function of any type; both have the same size. */
#define SET(variable, pointer)                                                             \
	do {                                                                               \
		__typeof__(pointer) found_ = (pointer);                                    \
		memcpy(&(variable), &found_, sizeof(found_));                              \
	} while (0)

static void by_egl(void)
{
	void *egl = library("libEGL.so.1");
	__typeof__(&eglGetProcAddress) get;
	__typeof__(&eglInitialize) initialize, again;
	__typeof__(&eglSwapBuffers) swap;
	__typeof__(&glTestNone) none;
	clear_fn *clear;

	SET(get, dlsym(egl, "eglGetProcAddress"));
	SET(initialize, get("eglInitialize"));
	SET(again, dlsym(egl, "eglInitialize"));
	say("eglInitialize", initialize(1, 2, 3));
	say("same", initialize == again);
	SET(clear, get("glClear"));
	say("glClear", (double)clear(7));
	SET(again, get("glClear"));
	say("same", memcmp(&again, &clear, sizeof(clear)) == 0);
	SET(none, get("glTestNone"));
	say("glTestNone", none());
	say("nowhere", get("glFinish") == NULL);
	SET(swap, dlsym(egl, "eglSwapBuffers"));
	say("eglSwapBuffers", swap(5, 6));
	say("clearenv", dlsym(egl, "clearenv") != NULL);
}

static void by_gl(void)
{
	void *gl = library("libGL.so.1");
	__typeof__(&glXGetProcAddressARB) get;
	uint64_t (*draw)(unsigned, int, int);
	__typeof__(&glClearColor) colour;
	__typeof__(&glDepthRange) range;
	__typeof__(&glGetError) error;

	SET(get, dlsym(gl, "glXGetProcAddressARB"));
	SET(draw, get((const unsigned char *)"glDrawArrays"));
	say("glDrawArrays", (double)draw(4, -1, 3));
	SET(colour, dlsym(gl, "glClearColor"));
	SET(range, dlsym(gl, "glDepthRange"));
	SET(error, dlsym(gl, "glGetError"));
	colour(1, 2, 3, 4);
	say("colour", (double)error());
	say("range", range(10, 20));
}

static void by_vulkan(void)
{
	void *vulkan = library("libvulkan.so.1");
	__typeof__(&vkGetInstanceProcAddr) get;
	__typeof__(&vkGetDeviceProcAddr) get_of_device;
	int (*create)(word, word, word, word);
	int (*submit[2])(word, unsigned, word, word);

	SET(get, dlsym(vulkan, "vkGetInstanceProcAddr"));
	SET(create, get(NULL, "vkCreateDevice"));
	say("vkCreateDevice", create(1, 2, 3, 4));
	SET(get_of_device, get(NULL, "vkGetDeviceProcAddr"));
	SET(submit[0], get_of_device("a", "vkQueueSubmit"));
	SET(submit[1], get_of_device("b", "vkQueueSubmit"));
	say("vkQueueSubmit", submit[0](1, 2, 3, 4));
	say("vkQueueSubmit", submit[1](1, 2, 3, 4));
	/* After an unload, pointers of drivers are still valid. */
	dlclose(library("libOpenCL.so.1"));
	SET(submit[1], get_of_device("b", "vkQueueSubmit"));
	say("vkQueueSubmit", submit[0](1, 2, 3, 4));
	say("vkQueueSubmit", submit[1](1, 2, 3, 4));
}

static void by_opencl(void)
{
	void *opencl = library("libOpenCL.so.1");
	__typeof__(&clGetExtensionFunctionAddress) get;
	__typeof__(&clGetExtensionFunctionAddressForPlatform) get_of_platform;
	__typeof__(&clFinish) finish;
	int (*launch)(word, word, unsigned, word, word, word, unsigned, word, word);

	SET(finish, dlsym(opencl, "clFinish"));
	say("clFinish", finish(-36));
	SET(get, dlsym(opencl, "clGetExtensionFunctionAddress"));
	SET(launch, get("clEnqueueNDRangeKernel"));
	say("clEnqueueNDRangeKernel", launch(1, 2, 3, 4, 5, 6, 7, 8, 9));
	SET(get_of_platform, dlsym(opencl, "clGetExtensionFunctionAddressForPlatform"));
	SET(launch, get_of_platform(NULL, "clEnqueueNDRangeKernel"));
	say("clEnqueueNDRangeKernel", launch(9, 8, 7, 6, 5, 4, 3, 2, 1));
}

/* The program's own glClear is found before that of libGLESv2, and is not recorded. */
static void by_own(void)
{
	static const char *const plugins[] = {"libapi-own-now.so", "libapi-own-lazy.so"};
	clear_fn *clear;

	for (int i = 0; i < 2; i++) {
		SET(clear, dlsym(library(plugins[i]), "clear_by_import"));
		say("by import", (double)clear(1));
		SET(clear, dlsym(library(plugins[i]), "clear_by_default"));
		say("by default", (double)clear(2));
	}
	SET(clear, dlsym(dlopen(NULL, RTLD_NOW), "glClear"));
	say("by name", (double)clear(3));
	SET(clear, dlsym(library("libGLESv2.so.2"), "glClear"));
	say("of the library", (double)clear(4));
	glFlush(); /* an import */
}

int main(void)
{
	by_egl();
	by_gl();
	by_vulkan();
	by_opencl();
	by_own();
	return 0;
}
