/* SPDX-License-Identifier: MIT */
/*
 * Runs the fuzz target of fuzz-kmd.c with random inputs on the actual device files: those
 * of the KMD if it is preloaded, otherwise those of a kernel module. No process may crash,
 * except one that is killed in the middle of its work.
 * Usage: random-files SEED PROCESSES INPUTS
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "corpus/softgpu/kmd/kmd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 2048 /* limit of an input, in bytes */

/* --- the fuzz target's calls, made on the device files --- */

int kt_kmd_open(enum kt_kmd_device device, int flags)
{
	static const char *const paths[] = {[KT_KMD_CONTROL] = KT_ABI_FILE_CONTROL,
					    [KT_KMD_GPU] = KT_ABI_FILE_GPU,
					    [KT_KMD_UVM] = KT_ABI_FILE_UVM};
	int fd = open(paths[device], flags | O_RDWR);

	if (fd < 0) {
		perror(paths[device]);
		_exit(1);
	}
	return fd;
}

int kt_kmd_ioctl(int fd, unsigned long request, uint64_t argument)
{
	return ioctl(fd, request, argument);
}

long kt_kmd_mmap(int fd, uint64_t address, uint64_t length, int protection, int flags,
		 uint64_t offset)
{
	void *at = mmap((void *)(uintptr_t)address, length, protection, flags, fd,
			(off_t)offset);

	return at == MAP_FAILED ? -1 : (long)at;
}

/* The UUID is the software GPU's, which is the same in all processes. */
struct kt_kmd *kt_kmd_get(void)
{
	static struct kt_kmd kmd = {.uuid = "ktail-soft-gpu-0"};

	return &kmd;
}

uint64_t kt_gpu_memory_left(const struct kt_gpu *gpu, enum kt_gpu_aperture aperture)
{
	(void)gpu;
	(void)aperture;
	return KT_GPU_DEVICE_BYTES;
}

/* --- inputs --- */

static uint64_t state;

static uint64_t next(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return state >> 33;
}

static int run(unsigned long inputs)
{
	uint8_t data[MOST];

	for (unsigned long i = 0; i < inputs; i++) {
		size_t n = next() % sizeof(data);

		for (size_t j = 0; j < n; j++) {
			data[j] = (uint8_t)next();
		}
		if (LLVMFuzzerTestOneInput(data, n) != 0) {
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc == 4 ? strtoull(argv[1], NULL, 10) : 0;
	unsigned long processes = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	int failed = processes == 0;
	pid_t victim = 0;
	int status;

	for (unsigned long i = 0; i <= processes; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			state = seed * 1000 + i;
			_exit(run(i == processes ? ~0ul : strtoul(argv[3], NULL, 10)));
		}
		victim = pid;
	}
	usleep(300000);
	kill(victim, SIGKILL); /* the last process runs for ever */
	for (unsigned long i = 0; i <= processes; i++) {
		pid_t pid = wait(&status);

		if (pid != victim && status != 0) {
			fprintf(stderr, "process %d: status %#x\n", (int)pid, status);
			failed = 1;
		}
	}
	return failed;
}
