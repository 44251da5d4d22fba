/* SPDX-License-Identifier: MIT */
/* Letters of the alphabets api and calls that are names of CUDA functions. */
#ifndef KTAIL_BASE_CALL_LETTER_H
#define KTAIL_BASE_CALL_LETTER_H

#include <stdbool.h>
#include <string.h>

/* Returns whether a letter is the name of a driver or runtime function: "cuInit". */
static inline bool kt_is_call_letter(const char *letter)
{
	const char *rest = letter + (strncmp(letter, "cuda", 4) == 0 ? 4 : 2);

	return strncmp(letter, "cu", 2) == 0 && *rest >= 'A' && *rest <= 'Z';
}

#endif
