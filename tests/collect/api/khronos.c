/* SPDX-License-Identifier: MIT */
#include "tests/collect/api/khronos.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* Functions of the driver, as its library exports them (khronos-driver.c). */
static any_function of_driver(const char *name)
{
	static void *driver;
	void *symbol;
	any_function function = NULL;

	if (!driver) {
		driver = dlopen("libapi-driver.so", RTLD_NOW | RTLD_LOCAL);
	}
	symbol = driver ? dlsym(driver, name) : NULL;
	memcpy(&function, &symbol, sizeof(symbol));
	return function;
}

static const struct {
	const char *name;
	any_function function;
} own[] = {
	{"eglInitialize", (any_function)eglInitialize},
	{"vkGetDeviceProcAddr", (any_function)vkGetDeviceProcAddr},
	{"glTestNone", (any_function)glTestNone},
};

static any_function find(const char *name)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (strcmp(own[i].name, name) == 0) {
			return own[i].function;
		}
	}
	return of_driver(name);
}

any_function eglGetProcAddress(const char *name)
{
	return find(name);
}

any_function glXGetProcAddressARB(const unsigned char *name)
{
	return find((const char *)name);
}

any_function vkGetInstanceProcAddr(const void *instance, const char *name)
{
	(void)instance;
	return find(name);
}

any_function vkGetDeviceProcAddr(const char *device, const char *name)
{
	return strcmp(name, "vkQueueSubmit") != 0 ? find(name)
	       : strcmp(device, "a") == 0         ? of_driver("driver_submit_a")
						  : of_driver("driver_submit_b");
}

void *clGetExtensionFunctionAddress(const char *name)
{
	any_function function = find(name);
	void *pointer;

	memcpy(&pointer, &function, sizeof(pointer));
	return pointer;
}

void *clGetExtensionFunctionAddressForPlatform(const void *platform, const char *name)
{
	(void)platform;
	return clGetExtensionFunctionAddress(name);
}

unsigned eglInitialize(word display, word major, word minor)
{
	return (unsigned)(display + 2 * major + 3 * minor);
}

unsigned eglSwapBuffers(word display, word surface)
{
	any_function flush = of_driver("glFlush");

	if (flush) {
		flush();
	}
	return (unsigned)(display + surface);
}

static float given;

void glClearColor(float red, float green, float blue, float alpha)
{
	given = red + 2 * green + 3 * blue + 4 * alpha;
}

float glGetError(void)
{
	return given;
}

double glDepthRange(double near, double far)
{
	return near + 2 * far;
}

uint64_t glClear(unsigned mask)
{
	return STAND_IN_STEP(1, mask);
}

void glFlush(void)
{
}

int clFinish(word queue)
{
	return (int)queue;
}

int glTestNone(void)
{
	return 5;
}
