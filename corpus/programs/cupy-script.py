# SPDX-License-Identifier: MIT
"""Element-wise work, a reduction, a matrix product and a kernel of its own with CuPy: 200 rounds,
or as many as the first argument says."""
import sys

import cupy

cupy.random.seed(0)
a = cupy.random.rand(512, 512)
b = cupy.random.rand(512, 512)
axpy = cupy.RawKernel(
    'extern "C" __global__ void axpy(double *y, const double *x, double a, int n)'
    '{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }', "axpy")
for i in range(int(sys.argv[1]) if len(sys.argv) > 1 else 200):
    axpy((a.size // 256,), (256,), (a, b, 0.001, a.size))
    b = cupy.sqrt(b * 0.5 + a * 0.5)
print("sum", f"{float(a.sum()):.6f}", "trace", f"{float((a @ b).trace()):.6f}")
