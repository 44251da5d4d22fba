/* SPDX-License-Identifier: MIT */
/* Recognises letters that are names of API functions, in the alphabets api and calls. */
#ifndef KTAIL_BASE_CALL_LETTER_H
#define KTAIL_BASE_CALL_LETTER_H

#include <stdbool.h>
#include <string.h>

/*
 * Returns whether a letter names a function of CUDA, OpenCL, EGL, OpenGL or Vulkan:
 * "cuInit", "cudaMalloc", "glClear".
 */
static inline bool kt_is_call_letter(const char *letter)
{
	static const char *const prefixes[] = {"cu", "cuda", "cl", "egl", "gl", "vk"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		const size_t n = strlen(prefixes[i]);

		if (strncmp(letter, prefixes[i], n) == 0 && letter[n] >= 'A' &&
		    letter[n] <= 'Z') {
			return true;
		}
	}
	return false;
}

#endif
