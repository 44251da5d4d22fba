/* SPDX-License-Identifier: MIT */
/*
 * Makes each request and each mapping of the driver's lower half fail once. The call must
 * report the failure and leave no resource allocated, and the next call must work. The
 * linker redirects the driver's ioctl and mmap to this file (--wrap).
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "corpus/softgpu/driver/driver.h"
#include "corpus/softgpu/driver/rm.h"
#include "tests/suite.h"

#define LOW_END UINT64_C(0x10000000000)

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__real_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);

static unsigned until_failure; /* calls until one fails; 0: none fails */

static bool fails(void)
{
	return until_failure > 0 && --until_failure == 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (fails()) {
		errno = EIO;
		return -1;
	}
	return __real_ioctl(fd, request, argument);
}

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	if (fails()) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return __real_mmap(at, bytes, protection, flags, fd, offset);
}

/* --- resources that the driver holds --- */

struct held {
	unsigned files;
	uint64_t mapped;   /* bytes that map the device's memory or lie below 2^40 */
	uint32_t free_kib; /* free device memory, in KiB */
};

static unsigned count_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned n = 0;

	while (folder && readdir(folder)) {
		n++;
	}
	closedir(folder);
	return n;
}

static uint64_t count_mapped(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	uint64_t bytes = 0;

	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long long begin = 0;
		unsigned long long end = 0;

		if (sscanf(line, "%llx-%llx", &begin, &end) == 2 &&
		    (end <= LOW_END || strstr(line, "memfd:ktail"))) {
			bytes += end - begin;
		}
	}
	fclose(maps);
	return bytes;
}

static struct held measure(void)
{
	struct kt_driver *driver = kt_driver_get();
	struct kt_abi_fb_info info = {.n = 1};
	struct held held = {.files = count_files(), .mapped = count_mapped()};

	info.list[0].index = KT_ABI_FB_INFO_FREE_KIB;
	if (driver && kt_rm_control(driver, driver->subdevice, KT_ABI_GET_FB_INFO, &info) ==
			      KT_CU_OK) {
		held.free_kib = info.list[0].data;
	}
	return held;
}

static void check_same(struct held before)
{
	struct held after = measure();

	CU_ASSERT_EQUAL(after.files, before.files);
	CU_ASSERT_EQUAL(after.mapped, before.mapped);
	CU_ASSERT_EQUAL(after.free_kib, before.free_kib);
}

/* --- calls that fail at each request in turn --- */

static void test_open(void)
{
	unsigned failures = 0;
	int result;

	/*
	 * The KMD creates the device at the first request, which succeeds here, so that the
	 * device exists before anything is measured.
	 */
	until_failure = 2;
	CU_ASSERT_NOT_EQUAL(kt_driver_open(), KT_CU_OK);
	for (unsigned n = 1;; n++) {
		struct held before = measure();

		until_failure = n;
		result = kt_driver_open();
		until_failure = 0;
		if (result == KT_CU_OK) {
			break;
		}
		failures++;
		CU_ASSERT_PTR_NULL(kt_driver_get());
		check_same(before);
	}
	CU_ASSERT(failures > 25);
}

static int make_context(void)
{
	struct kt_context *context = NULL;
	int result = kt_context_create(&context, false, false);

	if (result == KT_CU_OK) {
		until_failure = 0;
		kt_context_destroy(context);
	} else {
		CU_ASSERT_PTR_NULL(context);
	}
	return result;
}

static int make_memory(enum kt_memory_kind kind)
{
	struct kt_memory memory;
	int result = kt_memory_create(&memory, kind, 100000);

	until_failure = 0;
	CU_ASSERT_EQUAL(memory.bytes == 0, result != KT_CU_OK);
	kt_memory_destroy(&memory);
	return result;
}

static int make_device_memory(void)
{
	return make_memory(KT_MEMORY_DEVICE);
}

static int make_mapped_memory(void)
{
	return make_memory(KT_MEMORY_DEVICE_MAPPED);
}

static int make_system_memory(void)
{
	return make_memory(KT_MEMORY_SYSTEM);
}

static int make_registered(void)
{
	static _Alignas(KT_ABI_PAGE) uint8_t user[KT_ABI_PAGE];
	struct kt_memory memory;
	int result = kt_memory_register(&memory, user, sizeof(user));

	until_failure = 0;
	kt_memory_destroy(&memory);
	return result;
}

/*
 * Makes each request of `make` fail in turn, until three calls in a row succeed. Returns
 * the number of failed calls.
 */
static unsigned fail_everywhere(int (*make)(void))
{
	unsigned failures = 0;
	unsigned good_in_a_row = 0;

	CU_ASSERT_EQUAL_FATAL(kt_driver_open(), KT_CU_OK);
	CU_ASSERT_EQUAL_FATAL(make_context(), KT_CU_OK);
	/*
	 * If an address range is refused, the driver uses another, so one success does not
	 * show that all requests were tried.
	 */
	for (unsigned n = 1; good_in_a_row < 3; n++) {
		struct held before = measure();
		int result;

		until_failure = n;
		result = make();
		until_failure = 0;
		failures += result != KT_CU_OK;
		good_in_a_row = result == KT_CU_OK ? good_in_a_row + 1 : 0;
		check_same(before);
	}
	CU_ASSERT_EQUAL(make_context(), KT_CU_OK);
	return failures;
}

static void test_context(void)
{
	CU_ASSERT(fail_everywhere(make_context) > 60);
}

static void test_memory(void)
{
	CU_ASSERT_EQUAL(fail_everywhere(make_device_memory), 4);
	CU_ASSERT_EQUAL(fail_everywhere(make_mapped_memory), 7);
	CU_ASSERT_EQUAL(fail_everywhere(make_system_memory), 6);
	CU_ASSERT_EQUAL(fail_everywhere(make_registered), 3);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"open", test_open},
		{"memory", test_memory},
		{"context", test_context},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("failures below the software GPU's driver", tests);
}
