/* SPDX-License-Identifier: MIT */
/*
 * The loaders of OpenCL, Vulkan, EGL and OpenGL ES on a machine without a driver: each call
 * fails as a loader's first call does there.
 */
#include <stdint.h>

#include "corpus/workloads/khronos.h"

#define DEFINE(name, value)                                                                \
	__attribute__((visibility("default"))) intptr_t name(void);                        \
	intptr_t name(void)                                                                \
	{                                                                                  \
		return value;                                                              \
	}
#define NO_PLATFORM(name) DEFINE(name, -1001) /* CL_PLATFORM_NOT_FOUND_KHR */
#define NO_DRIVER(name)   DEFINE(name, -9)    /* VK_ERROR_INCOMPATIBLE_DRIVER */
#define NOTHING(name)     DEFINE(name, 0)     /* EGL_FALSE, no function */

KT_OPENCL_FUNCTIONS(NO_PLATFORM)
KT_VULKAN_FUNCTIONS(NO_DRIVER)
KT_EGL_FUNCTIONS(NOTHING)
KT_GLES_FUNCTIONS(NOTHING)
