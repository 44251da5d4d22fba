/* SPDX-License-Identifier: MIT */
/* A vector add with the CUDA runtime, for nvcc: what libcudart makes of its calls. */
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                        \
	do {                                                                               \
		cudaError_t error = (call);                                                \
		if (error != cudaSuccess) {                                                \
			fprintf(stderr, "vadd-runtime: %s: %s\n", #call,                   \
				cudaGetErrorString(error));                                \
			return 1;                                                          \
		}                                                                          \
	} while (0)

__global__ void add(const unsigned *a, const unsigned *b, unsigned *c, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		c[i] = a[i] + b[i];
	}
}

int main()
{
	const unsigned n = 4096;
	const size_t bytes = n * sizeof(unsigned);
	unsigned *a = (unsigned *)malloc(bytes);
	unsigned *b = (unsigned *)malloc(bytes);
	unsigned *c = (unsigned *)malloc(bytes);
	unsigned *da, *db, *dc;

	for (unsigned i = 0; i < n; i++) {
		a[i] = 3 * i;
		b[i] = 5 * i + 1;
	}
	CHECK(cudaMalloc(&da, bytes));
	CHECK(cudaMalloc(&db, bytes));
	CHECK(cudaMalloc(&dc, bytes));
	CHECK(cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice));
	add<<<n / 256, 256>>>(da, db, dc, n);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost));
	for (unsigned i = 0; i < n; i++) {
		if (c[i] != 8 * i + 1) {
			printf("vadd-runtime: element %u is wrong\n", i);
			return 1;
		}
	}
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dc));
	printf("vadd-runtime: ok\n");
	free(a);
	free(b);
	free(c);
	return 0;
}
