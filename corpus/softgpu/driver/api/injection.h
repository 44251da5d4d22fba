/* SPDX-License-Identifier: MIT */
/*
 * The library of a tool, as CUPTI's manual has it: cuInit loads the one that the variable
 * CUDA_INJECTION64_PATH names and calls its `int InitializeInjection(void)`.
 */
#ifndef KTAIL_SOFTGPU_DRIVER_INJECTION_H
#define KTAIL_SOFTGPU_DRIVER_INJECTION_H

/*
 * Once in a process, before the driver is opened; who comes meanwhile waits for it, unless
 * it is the library itself that calls. One that cannot be loaded, has no such function or
 * fails changes nothing: the program runs without it.
 */
void kt_injection_load(void);

#endif
