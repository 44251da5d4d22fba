/* SPDX-License-Identifier: MIT */
/*
 * Kernels that need shared memory, static and dynamic, with barriers, or local memory. Blocks have at
 * most 128 threads.
 */
extern "C" __global__ void sums(const unsigned *in, unsigned *out, unsigned n)
{
	__shared__ unsigned part[128];
	extern __shared__ unsigned counts[];
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	part[threadIdx.x] = i < n ? in[i] : 0;
	counts[threadIdx.x] = i < n;
	__syncthreads();
	for (unsigned half = blockDim.x / 2; half; half /= 2) {
		if (threadIdx.x < half) {
			part[threadIdx.x] += part[threadIdx.x + half];
			counts[threadIdx.x] += counts[threadIdx.x + half];
		}
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		out[2 * blockIdx.x] = part[0];
		out[2 * blockIdx.x + 1] = counts[0];
	}
}

/* out[i] is a hash of in[(i + j) % n], j < 64, in the order of in[j] % 64. */
extern "C" __global__ void permute(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned own[64];
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned hash = 0;

#pragma unroll 1
	for (unsigned j = 0; j < 64; j++) {
		own[j] = in[(i + j) % n];
	}
#pragma unroll 1
	for (unsigned j = 0; j < 64; j++) {
		hash = hash * 31 + own[in[j] % 64];
	}
	if (i < n) {
		out[i] = hash;
	}
}
