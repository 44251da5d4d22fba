/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes, parsed as metadata, must yield the offset of a clock or an error.
 */
#include <stddef.h>
#include <stdint.h>

#include "corpus/softgpu/truth/said-labels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int64_t offset;

	(void)kt_clock_offset_read(&offset, (const char *)data, size);
	return 0;
}
