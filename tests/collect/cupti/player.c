/* SPDX-License-Identifier: MIT */
/* Calls the functions of the stand-in for libcuda. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/cupti/stand-in.h"

#define DEEP 70

static jmp_buf before;

static void jump(void *data)
{
	(void)data;
	longjmp(before, 1);
}

static void *on_another_thread(void *unused)
{
	(void)unused;
	cuCtxSynchronize();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	uint64_t address;
	int device;
	int failed = cuInit(0);

	(void)argv;
	failed |= cuMemAlloc_v2(&address, 4096);
	failed |= cuCtxGetDevice(&device) || cuCtxGetDevice(&device);
	failed |= cudaMemcpy((void *)(uintptr_t)address, &address, 8, 1);
	failed |= cuMemFree_v2(0) != 1;
	if (setjmp(before) == 0) {
		cuLaunchHostFunc(NULL, jump, NULL);
	}
	failed |= cuMemFree_v2(address);
	failed |= pthread_create(&thread, NULL, on_another_thread, NULL);
	pthread_join(thread, NULL);
	if (argc > 1) {
		failed |= cuRecurse(DEEP);
	}
	printf("%s\n", failed ? "failed" : "done");
	return failed;
}
