/* SPDX-License-Identifier: MIT */
/* Recognises letters that are names of CUDA functions, in the alphabets api and calls. */
#ifndef KTAIL_BASE_CALL_LETTER_H
#define KTAIL_BASE_CALL_LETTER_H

#include <stdbool.h>
#include <string.h>

/* Returns whether a letter names a driver or runtime function: "cuInit", "cudaMalloc". */
static inline bool kt_is_call_letter(const char *letter)
{
	const char *rest = letter + (strncmp(letter, "cuda", 4) == 0 ? 4 : 2);

	return strncmp(letter, "cu", 2) == 0 && *rest >= 'A' && *rest <= 'Z';
}

#endif
