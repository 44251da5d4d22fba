/* SPDX-License-Identifier: MIT */
/* What the cubins beside this are compiled from: nvcc 13.0, -cubin -arch=sm_75 and sm_90. */
extern "C" __global__ void axpy(float a, const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		y[i] = a * x[i] + y[i];
	}
}
extern "C" __global__ void reduce(const float *x, float *sum, int n)
{
	__shared__ float part[256];
	float s = 0;
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		s += x[i];
	}
	part[threadIdx.x] = s;
	__syncthreads();
	for (int w = 128; w > 0; w /= 2) {
		if (threadIdx.x < w) {
			part[threadIdx.x] += part[threadIdx.x + w];
		}
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		*sum = part[0];
	}
}
