/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: of any file, the reader gives only kernels whose code and parameters lie in
 * the file and in the range of parameters, or fails.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "corpus/softgpu/driver/work/cubin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct kt_cubin_kernel *kernel, const uint8_t *file, size_t size)
{
	const struct kt_kernel_needs *needs = &kernel->needs;

	if (kernel->code < file || kernel->code_bytes > size ||
	    (size_t)(kernel->code - file) > size - kernel->code_bytes ||
	    !memchr(kernel->name, 0, size)) {
		abort();
	}
	for (unsigned i = 0; i < needs->n; i++) {
		if ((uint32_t)needs->parameters[i].offset + needs->parameters[i].bytes >
		    needs->parameter_bytes) {
			abort();
		}
	}
}

/*
 * The input changes a true cubin: its new size, then pairs of an offset and a byte. Random
 * files would hardly get past the header.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t cubin[] = {
#include "tests/softgpu/driver/needs-sm90.inc"
	};
	struct kt_cubin_kernel kernel;
	uint16_t at;
	size_t bytes;
	size_t next = 0;
	uint8_t *file;

	if (size < sizeof(at)) {
		return 0;
	}
	memcpy(&at, data, sizeof(at));
	bytes = at == 0 || at > sizeof(cubin) ? sizeof(cubin) : at;
	file = malloc(bytes);
	if (!file) {
		return 0;
	}
	memcpy(file, cubin, bytes);
	for (size_t i = sizeof(at); i + 2 < size; i += 3) {
		memcpy(&at, data + i, sizeof(at));
		file[at % bytes] = data[i + 2];
	}
	while (kt_cubin_next(&kernel, file, bytes, &next) == KT_CUBIN_OK) {
		check(&kernel, file, bytes);
	}
	free(file);
	return 0;
}
