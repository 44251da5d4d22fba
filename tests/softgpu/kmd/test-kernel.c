/* SPDX-License-Identifier: MIT */
/*
 * Tests conditions that a kernel checks in addition to the requests themselves. A driver
 * that violates abi.h must fail here as it would on a kernel.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/softgpu/kmd/play.h"
#include "tests/suite.h"

static struct play p;

static uint32_t map_with(int fd, uint32_t memory)
{
	struct kt_abi_map m = {.client = p.client,
			       .device = p.device,
			       .memory = memory,
			       .length = 4096,
			       .fd = fd};

	return play_rm(p.control, KT_ABI_NR_MAP_MEMORY, &m, sizeof(m)) ? PLAY_FAILED
								       : m.status;
}

static void whole_numbers(void)
{
	struct kt_abi_sys_params sys = {.memblock_size = PLAY_MEMORY_BLOCK};
	unsigned nr = KT_ABI_NR_SYS_PARAMS;
	unsigned both = _IOC_READ | _IOC_WRITE;

	CU_ASSERT_EQUAL(ioctl(p.control, _IOC(both, 'F', nr, sizeof(sys)), &sys), 0);
	errno = 0;
	CU_ASSERT_EQUAL(ioctl(p.control, _IOC(both, 'G', nr, sizeof(sys)), &sys), -1);
	CU_ASSERT_EQUAL(errno, EINVAL);
	errno = 0;
	CU_ASSERT_EQUAL(ioctl(p.control, _IOC(_IOC_READ, 'F', nr, sizeof(sys)), &sys), -1);
	CU_ASSERT_EQUAL(errno, EINVAL);
}

static void fresh_descriptors(void)
{
	struct play_memory memory;
	int fd = open(KT_ABI_FILE_GPU, O_RDWR);

	CU_ASSERT_FATAL(
		play_memory_create(&p, &memory, KT_ABI_CLASS_MEMORY_LOCAL, 8192, false));
	CU_ASSERT_EQUAL(map_with(fd, memory.handle), KT_ABI_OK);
	CU_ASSERT_EQUAL(map_with(fd, memory.handle), KT_ABI_STATE_IN_USE);
	close(fd);
	CU_ASSERT(play_memory_destroy(&p, &memory));
}

static void access_of_files(void)
{
	struct play_memory memory;
	int fd = open(KT_ABI_FILE_GPU, O_RDONLY);
	void *cpu;

	CU_ASSERT_FATAL(
		play_memory_create(&p, &memory, KT_ABI_CLASS_MEMORY_LOCAL, 8192, false));
	CU_ASSERT_EQUAL(map_with(fd, memory.handle), KT_ABI_OK);
	errno = 0;
	cpu = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CU_ASSERT(cpu == MAP_FAILED && errno == EACCES);
	cpu = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	CU_ASSERT(cpu != MAP_FAILED);
	munmap(cpu, 4096);
	close(fd);
	CU_ASSERT(play_memory_destroy(&p, &memory));
}

/* Each file of nvidia-uvm must be initialized separately. */
static void files_of_unified_memory(void)
{
	struct kt_abi_uvm_range range = {.base = UINT64_C(1) << 40, .length = 4096};
	struct kt_abi_uvm_mm mm = {0};
	int fd = open(KT_ABI_FILE_UVM, O_RDWR);

	CU_ASSERT_EQUAL(ioctl(fd, KT_ABI_UVM_CREATE_EXTERNAL, &range), 0);
	CU_ASSERT_EQUAL(range.status, KT_ABI_ILLEGAL_ACTION);
	mm.fd = fd;
	CU_ASSERT_EQUAL(ioctl(p.uvm_mm, KT_ABI_UVM_MM_INITIALIZE, &mm), 0);
	CU_ASSERT_EQUAL(mm.status, KT_ABI_INVALID_ARGUMENT);
	close(fd);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"a request is its whole number", whole_numbers},
		{"a mapping takes a fresh descriptor", fresh_descriptors},
		{"access of files", access_of_files},
		{"files of unified memory", files_of_unified_memory},
		CU_TEST_INFO_NULL,
	};
	int failed;

	if (!play_open(&p)) {
		return 1;
	}
	failed = kt_run_suite("what a kernel looks at", tests);
	play_close(&p);
	return failed;
}
