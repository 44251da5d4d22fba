/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a program on the software GPU: prints the device's counts to standard
 * error at exit.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus/softgpu/device/gpu.h"

static void say(void)
{
	int (*count)(struct kt_gpu_counts *) = NULL;
	void *symbol = dlsym(RTLD_DEFAULT, "kt_softgpu_counts");
	struct kt_gpu_counts counts = {0};

	memcpy(&count, &symbol, sizeof(count));
	if (count && count(&counts) == 0) {
		fprintf(stderr, "device: %" PRIu64 " entries, %" PRIu64 " errors\n",
			counts.entries, counts.errors);
	}
}

__attribute__((constructor)) static void begin(void)
{
	atexit(say);
}
