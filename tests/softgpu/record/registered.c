/* SPDX-License-Identifier: MIT */
/*
 * Registers pieces of the heap that share their pages with other data, and copies from and
 * to them. A recorder that protects registered pages also protects the other data in them,
 * so the device must keep no state in the heap.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus/workloads/cuda-driver.h"

#define PIECES 60
#define APART  8192 /* bytes between pieces, so that no two pieces share a page */
#define DEVICE ((size_t)2 << 20)

static struct kt_cuda cuda;

static int check(int code, const char *what)
{
	if (code) {
		printf("%s: %d\n", what, code);
	}
	return code;
}
#define CHECK(call)                                                                        \
	if (check(cuda.call, #call)) {                                                     \
		return false;                                                              \
	}

static bool upload(size_t bytes, void **piece, kt_cu_address *device, int i)
{
	kt_cu_stream stream;

	*piece = malloc(bytes);
	if (!*piece || !malloc(APART)) { /* never freed, to separate the pieces */
		return false;
	}
	memset(*piece, i, bytes);
	CHECK(cuMemHostRegister(*piece, bytes, 0));
	CHECK(cuStreamCreate(&stream, 0));
	CHECK(cuMemAlloc(device, DEVICE));
	CHECK(cuMemcpyHtoD(*device, *piece, bytes));
	memset(*piece, 0xff, bytes);
	return true;
}

static bool download(size_t bytes, unsigned char *piece, kt_cu_address device, int i)
{
	CHECK(cuMemcpyDtoH(piece, device, bytes));
	for (size_t at = 0; at < bytes; at++) {
		if (piece[at] != i) {
			printf("piece %d is wrong at %zu\n", i, at);
			return false;
		}
	}
	CHECK(cuMemHostUnregister(piece));
	CHECK(cuMemFree(device));
	free(piece);
	return true;
}

static bool all(size_t bytes)
{
	void *pieces[PIECES];
	kt_cu_address devices[PIECES];
	kt_cu_context context;

	CHECK(cuInit(0));
	CHECK(cuCtxCreate(&context, 0, 0));
	for (int i = 0; i < PIECES; i++) {
		if (!upload(bytes, &pieces[i], &devices[i], i)) {
			return false;
		}
	}
	for (int i = 0; i < PIECES; i++) {
		if (!download(bytes, pieces[i], devices[i], i)) {
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	const char *reason;

	if (argc != 2 || kt_cuda_load(&cuda, &reason) != KT_LIBRARY_LOADED) {
		return 2;
	}
	if (!all(strtoul(argv[1], NULL, 0))) {
		return 1;
	}
	puts("ok");
	return 0;
}
