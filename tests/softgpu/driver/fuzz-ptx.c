/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: for any text, the reader either fails or returns names that occur in the
 * text, each once.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "corpus/softgpu/driver/work/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct kt_ptx *ptx, const char *text)
{
	for (size_t i = 0; i < ptx->n; i++) {
		if (!ptx->names[i][0] || !strstr(text, ptx->names[i])) {
			abort();
		}
		for (size_t j = 0; j < i; j++) {
			if (strcmp(ptx->names[i], ptx->names[j]) == 0) {
				abort();
			}
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct kt_ptx ptx;

	if (!text) {
		return 0;
	}
	memcpy(text, data, size);
	text[size] = '\0';
	if (kt_ptx_read(&ptx, text) == KT_PTX_OK) {
		check(&ptx, text);
		kt_ptx_free(&ptx);
	} else if (ptx.names || ptx.n) {
		abort();
	}
	free(text);
	return 0;
}
