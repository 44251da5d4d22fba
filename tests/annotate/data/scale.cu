/* SPDX-License-Identifier: MIT */
/*
 * scale.fatbin: nvcc 13.0, -fatbin -arch=sm_90 -compress-mode=size, which gives a zstd frame.
 * scale.sass: what nvdisasm 13.0 prints with -c of the cubin in it.
 */
#include <cstdio>
__global__ void scale(float *x, float f, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= f; }
int main(){float*p;cudaMalloc(&p,4096);scale<<<4,256>>>(p,2.0f,1024);cudaDeviceSynchronize();puts("ok");}
