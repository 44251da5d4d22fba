/* SPDX-License-Identifier: MIT */
/* Tests which kernel modules and cards cuInit accepts. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "corpus/softgpu/driver/api.h"
#include "tests/suite.h"

FILE *__real_fopen(const char *path, const char *mode);      /* NOLINT: names of ld's */
FILE *__wrap_fopen(const char *path, const char *mode);      /* NOLINT */
int __real_ioctl(int fd, unsigned long request, void *data); /* NOLINT */
int __wrap_ioctl(int fd, unsigned long request, ...);        /* NOLINT */

static const char *version; /* text of KT_ABI_FILE_VERSION; NULL: the KMD's */
static int requests;
static int cards; /* > 0: a card without a file and some of older generations come first */

FILE *__wrap_fopen(const char *path, const char *mode) /* NOLINT */
{
	if (!version || strcmp(path, KT_ABI_FILE_VERSION) != 0) {
		return __real_fopen(path, mode);
	}
	return *version ? fmemopen((void *)(uintptr_t)version, strlen(version), "r") : NULL;
}

static unsigned engines; /* mask of copy engines that share compute's runlist; 0: as is */
static uint32_t copy_engine = UINT32_MAX; /* that the driver allocated last */

static void change_engines(const struct kt_abi_control *control,
			   const struct kt_abi_alloc *alloc, unsigned nr)
{
	struct kt_abi_copy_caps *caps;
	struct kt_abi_copy_params copy;

	if (nr == KT_ABI_NR_CONTROL && control->command == KT_ABI_GET_COPY_CAPS &&
	    engines) {
		caps = (struct kt_abi_copy_caps *)(uintptr_t)control->params;
		memset(caps, 0, sizeof(*caps));
		caps->present = 0xff;
		for (unsigned i = 0; i < 8; i++) {
			caps->caps[i][0] = 0x4 | (engines >> i & 1);
		}
	}
	if (nr == KT_ABI_NR_ALLOC && alloc->class_number == KT_ABI_CLASS_COPY) {
		memcpy(&copy, (const void *)(uintptr_t)alloc->params, sizeof(copy));
		copy_engine = copy.version ? UINT32_MAX : copy.engine;
	}
}

static bool elsewhere; /* the GPU is in another place, and 3 MiB of its memory are free */

static void change_address(const struct kt_abi_control *control,
			   struct kt_abi_card_info *card, unsigned nr)
{
	struct kt_abi_fb_info *memory;

	if (elsewhere && nr == KT_ABI_NR_CARD_INFO) {
		card->pci.domain = 2;
		card->pci.bus = 0x41;
		card->pci.slot = 3;
	}
	if (elsewhere && nr == KT_ABI_NR_CONTROL &&
	    control->command == KT_ABI_GET_FB_INFO) {
		memory = (struct kt_abi_fb_info *)(uintptr_t)control->params;
		for (uint32_t i = 0; i < memory->n; i++) {
			memory->list[i].data =
				memory->list[i].index == KT_ABI_FB_INFO_FREE_KIB
					? 3 << 10
					: memory->list[i].data;
		}
	}
}

static int change(unsigned long request, void *data, int result)
{
	struct kt_abi_card_info *list = data;
	struct kt_abi_control *control = data;
	struct kt_abi_arch *arch;
	static int asked;

	if (_IOC_TYPE(request) == KT_ABI_TYPE) {
		change_engines(data, data, _IOC_NR(request));
		change_address(data, data, _IOC_NR(request));
	}
	if (result != 0 || !cards) {
		return result;
	}
	if (_IOC_TYPE(request) == KT_ABI_TYPE && _IOC_NR(request) == KT_ABI_NR_CARD_INFO) {
		for (int i = 1; i <= cards; i++) {
			list[i] = list[0];
		}
		list[cards + 2] = list[0];
		list[0].minor = 7;
	}
	if (_IOC_TYPE(request) == KT_ABI_TYPE && _IOC_NR(request) == KT_ABI_NR_CONTROL &&
	    control->command == KT_ABI_GET_ARCH && asked++ < cards) {
		arch = (struct kt_abi_arch *)(uintptr_t)control->params;
		arch->architecture = 0x170; /* Ampere */
	}
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...) /* NOLINT */
{
	va_list more;
	void *data;

	va_start(more, request);
	data = va_arg(more, void *);
	va_end(more);
	requests++;
	return change(request, data, __real_ioctl(fd, request, data));
}

/*
 * Returns the copy engine of a context's channels; 98 if there is no context because of
 * it, 99 if none was asked for.
 */
static int engine_in_child(void)
{
	const pid_t child = fork();
	kt_cu_context context;
	int status = 0;

	if (child == 0) {
		_exit(cuInit(0) == 0 && cuCtxCreate(&context, 0, 0) == 0 ? (int)copy_engine
		      : copy_engine == UINT32_MAX                        ? 99
									 : 98);
	}
	CU_ASSERT_FATAL(child > 0 && waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Returns the result of cuInit in a child, which opens the driver for the first time. */
static int init_in_child(void)
{
	const pid_t child = fork();
	int status = 0;

	if (child == 0) {
		const int code = cuInit(0);

		_exit(code == KT_CU_DRIVER_MISMATCH && requests == 0 ? 83
		      : code == KT_CU_NO_DEVICE_HERE                 ? 10
		      : code                                         ? 1
								     : 0);
	}
	CU_ASSERT_FATAL(child > 0 && waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* No request is made of a kernel module of another release than 580. */
static void test_releases(void)
{
	static const struct {
		const char *text;
		int result; /* of init_in_child() */
	} rows[] = {
		{"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  "
		 "Release "
		 "Build  (dvs-builder@U22)\nGCC version:  gcc version 12.2.0\n",
		 0},
		{"NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 "
		 "07:07:34 UTC 2025\n",
		 0},
		{"NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Thu Jan 23 "
		 "04:08:13 UTC 2025\n",
		 83},
		{"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  590.44.01  "
		 "Release "
		 "Build  (580.)\n",
		 83},
		{"NVRM version: NVIDIA UNIX x86_64 Kernel Module  5800.1\n", 83},
		{"\n", 83},
		{"", 10},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		version = rows[i].text;
		CU_ASSERT_EQUAL(init_in_child(), rows[i].result);
	}
	version = NULL;
	CU_ASSERT_EQUAL(init_in_child(), 0);
}

/* The first card of the right generation is taken, whatever cards come first. */
static void test_cards(void)
{
	for (cards = 1; cards < 4; cards++) {
		CU_ASSERT_EQUAL(init_in_child(), 0);
	}
	cards = 0;
}

/* The copy engine must share compute's runlist; the KMD has the numbers 0 and 1 alone. */
static void test_copy_engines(void)
{
	static const struct {
		unsigned engines;
		int chosen;
	} rows[] = {{0, 1}, {0x3, 1}, {0x1, 0}, {0xf2, 1}, {0x8, 98}, {0x100, 99}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		engines = rows[i].engines;
		CU_ASSERT_EQUAL(engine_in_child(), rows[i].chosen);
	}
	engines = 0;
}

/* The last test: it opens the driver in this process. */
static void test_address(void)
{
	static const int rows[][2] = {{33, 0x41}, {34, 3}, {50, 2}};
	kt_cu_context context = NULL;
	size_t left = 0;
	size_t total = 0;
	int value = 0;

	elsewhere = true;
	CU_ASSERT_EQUAL_FATAL(cuInit(0), KT_CU_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CU_ASSERT_EQUAL(cuDeviceGetAttribute(&value, rows[i][0], 0), KT_CU_OK);
		CU_ASSERT_EQUAL(value, rows[i][1]);
	}
	CU_ASSERT_EQUAL(cuCtxCreate(&context, 0, 0), KT_CU_OK);
	CU_ASSERT_EQUAL(cuMemGetInfo(&left, &total), KT_CU_OK);
	CU_ASSERT_EQUAL(left, 3u << 20);
	CU_ASSERT_EQUAL(total, UINT64_C(4) << 30);
	CU_ASSERT_EQUAL(cuCtxDestroy(context), KT_CU_OK);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"releases of the kernel module", test_releases},
		{"cards", test_cards},
		{"copy engines", test_copy_engines},
		{"where the GPU is, and its free memory", test_address},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("softgpu-open", tests);
}
