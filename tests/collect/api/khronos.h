/* SPDX-License-Identifier: MIT */
/*
 * Libraries with the file names of EGL, OpenGL, OpenCL and Vulkan, and the library of their
 * driver. Their functions have names of the API, and report the arguments with which they
 * were called. All libraries of the API export all functions below.
 */
#ifndef KTAIL_TESTS_API_KHRONOS_H
#define KTAIL_TESTS_API_KHRONOS_H

#include "tests/collect/api/stand-in.h"

typedef void (*any_function)(void);

/* --- lookup functions, with the parameters in their specifications --- */

STAND_IN any_function eglGetProcAddress(const char *name);
STAND_IN any_function glXGetProcAddressARB(const unsigned char *name);
STAND_IN any_function vkGetInstanceProcAddr(const void *instance, const char *name);
/* The names of devices are "a" and "b". */
STAND_IN any_function vkGetDeviceProcAddr(const char *device, const char *name);
STAND_IN void *clGetExtensionFunctionAddress(const char *name);
STAND_IN void *clGetExtensionFunctionAddressForPlatform(const void *platform,
							const char *name);

/* --- exported functions --- */

STAND_IN unsigned eglInitialize(word display, word major, word minor);
/* Calls functions of the driver, which it finds by dlsym(). */
STAND_IN unsigned eglSwapBuffers(word display, word surface);
STAND_IN void glClearColor(float red, float green, float blue, float alpha);
STAND_IN double glDepthRange(double near, double far); /* in OpenGL, it returns nothing */
STAND_IN float glGetError(void);                       /* what glClearColor() was given */
STAND_IN uint64_t glClear(unsigned mask);
STAND_IN void glFlush(void);
STAND_IN int clFinish(word queue);
/* In no table of decode/tables. */
STAND_IN int glTestNone(void);

#endif
