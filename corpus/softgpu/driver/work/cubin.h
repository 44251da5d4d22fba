/* SPDX-License-Identifier: MIT */
/*
 * Reads a cubin, an ELF file with machine code of a GPU: its kernels, what their launches
 * need, and their parameters. Sources: the ELF specification; the attributes in .nv.info
 * have no public document, their numbers are those that "readelf" of the CUDA toolkit names
 * and ptxas 13.0 writes. This file does not depend on the driver.
 */
#ifndef KTAIL_SOFTGPU_CUBIN_H
#define KTAIL_SOFTGPU_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KT_CUBIN_SM90       90u
#define KT_CUBIN_PARAMETERS 32
#define KT_CUBIN_BARRIERS   16 /* CUDA C++ Programming Guide, "Compute Capabilities" */

/* Each block of Hopper has so much shared memory for the system, before its own. */
#define KT_CUBIN_SYSTEM_SHARED 1024u

struct kt_parameter {
	uint16_t offset; /* from the first parameter */
	uint16_t bytes;
};

/* What a kernel needs, apart from its code. */
struct kt_kernel_needs {
	uint32_t registers; /* per thread */
	uint32_t barriers;
	uint32_t most_threads; /* per block; 0: as many as the device takes */
	uint32_t block[3];     /* the only block that the kernel runs in; 0: any */
	uint32_t shared_bytes; /* static shared memory */
	uint32_t stack_bytes;  /* local memory per thread */
	uint32_t parameter_bytes;
	struct kt_parameter parameters[KT_CUBIN_PARAMETERS];
	unsigned n;
};

struct kt_cubin_kernel {
	const char *name; /* Weak, like `code`: part of the file */
	const uint8_t *code;
	size_t code_bytes;
	struct kt_kernel_needs needs;
};

enum kt_cubin_status {
	KT_CUBIN_OK = 0,
	KT_CUBIN_NONE,        /* no kernel has this number or name */
	KT_CUBIN_BAD,         /* not a cubin, or damaged */
	KT_CUBIN_OTHER,       /* for other machines than KT_CUBIN_SM90 */
	KT_CUBIN_UNSUPPORTED, /* needs relocations, other banks, clusters, too many barriers
			       */
};

/*
 * Returns the size of the file that begins at `image`, from its header; 0 if it is not an
 * ELF file of 64 bits. Reads the header only.
 */
size_t kt_cubin_bytes(const void *image);

/*
 * Reads the next kernel; *at is 0 for the first one. A kernel is a defined entry: other
 * global functions are skipped. The image may begin at any address. O(sections + symbols).
 */
enum kt_cubin_status kt_cubin_next(struct kt_cubin_kernel *out, const void *image,
				   size_t bytes, size_t *at);
enum kt_cubin_status kt_cubin_find(struct kt_cubin_kernel *out, const void *image,
				   size_t bytes, const char *name);

#endif
