/* SPDX-License-Identifier: MIT */
/*
 * A library to preload, for experiments with two user-mode drivers on one machine. libcuda
 * asks the kernel module for its release (NV0000_CTRL_CMD_SYSTEM_GET_BUILD_VERSION, in
 * ctrl0000system.h of open-gpu-kernel-modules) and fails with
 * CUDA_ERROR_SYSTEM_DRIVER_MISMATCH if that release differs from the release of libcuda.
 * This library replaces the release in the answer by that of the loaded libcuda, if both
 * belong to the same branch (such as "580"), and prints a warning. Releases of a branch
 * mostly have the same interface, but nothing guarantees it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define NAME         "ktail-own-release"
#define RM_CONTROL   0x2a
#define GET_BUILD    0x101
#define GET_BUILD_V2 0x13e
#define RELEASE_MAX  32
#define VERSION_MARK ".so."

/* NVOS54_PARAMETERS of nvos.h */
struct control {
	uint32_t client;
	uint32_t object;
	uint32_t command;
	uint32_t flags;
	uint64_t parameters; /* address */
	uint32_t size;
	uint32_t status;
};

/* NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_PARAMS */
struct build_version {
	uint32_t size; /* size of each buffer in `texts`, in bytes */
	uint32_t padding;
	uint64_t texts[3]; /* addresses: driver, version, title */
	uint32_t changelist;
	uint32_t official_changelist;
};

/* NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_V2_PARAMS */
struct build_version_v2 {
	char texts[4][256]; /* driver, version, branch, title */
	uint32_t changelist;
	uint32_t official_changelist;
};

static void *address(uint64_t number)
{
	return (void *)(uintptr_t)number;
}

/*
 * A callback of dl_iterate_phdr(). If the object is libcuda, copies the release in the name
 * of its file, such as "libcuda.so.580.95.05", to `context`, a buffer of RELEASE_MAX bytes.
 */
static int find_release(struct dl_phdr_info *info, size_t size, void *context)
{
	char *release = context;
	char *real = info->dlpi_name && strstr(info->dlpi_name, "/libcuda.so")
			     ? realpath(info->dlpi_name, NULL)
			     : NULL;
	const char *mark = real ? strstr(strrchr(real, '/'), VERSION_MARK) : NULL;

	(void)size;
	if (mark && strchr(mark + strlen(VERSION_MARK), '.')) {
		snprintf(release, RELEASE_MAX, "%.31s", mark + strlen(VERSION_MARK));
	}
	free(real);
	return 0;
}

/*
 * Returns the length of the release number, such as "580.159.04", with which `text` begins;
 * 0 if `text` begins with something else.
 */
static size_t release_length(const char *text)
{
	size_t n = strspn(text, "0123456789.");

	return n > 4 && n < RELEASE_MAX && strspn(text, "0123456789") == 3 && text[3] == '.'
		       ? n
		       : 0;
}

/*
 * Replaces the first release number in the text by `own`, if both are of one branch and
 * `own` is not longer. Reports on standard error each release that cannot be replaced, and
 * the first replacement.
 */
static void replace_release(char *text, size_t size, const char *own)
{
	static int reported;
	const size_t length = strnlen(text, size);
	size_t n = 0;
	char *at = text;

	while (at < text + length && (n = release_length(at)) == 0) {
		at++;
	}
	if (n == 0 || (n == strlen(own) && memcmp(at, own, n) == 0)) {
		return;
	}
	if (strncmp(at, own, 4) != 0 || strlen(own) > n) {
		fprintf(stderr,
			NAME
			": libcuda %s is of another branch than the kernel module %.*s: "
			"nothing is changed\n",
			own, (int)n, at);
		return;
	}
	if (!reported) {
		reported = 1;
		fprintf(stderr,
			NAME
			": EXPERIMENT: libcuda %s runs on the kernel module %.*s, which "
			"its vendor does not support\n",
			own, (int)n, at);
	}
	memmove(at + strlen(own), at + n, length - (size_t)(at - text) - n + 1);
	memcpy(at, own, strlen(own));
}

__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...)
{
	static int (*next)(int, unsigned long, ...);
	struct control *control;
	char own[RELEASE_MAX] = "";
	va_list arguments;
	void *argument;
	int result;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (!next) {
		void *symbol = dlsym(RTLD_NEXT, "ioctl");

		memcpy(&next, &symbol, sizeof(next));
	}
	result = next(fd, request, argument);
	control = argument;
	if (result != 0 || _IOC_TYPE(request) != 'F' || _IOC_NR(request) != RM_CONTROL ||
	    _IOC_SIZE(request) != sizeof(*control) || control->status != 0) {
		return result;
	}
	if (control->command == GET_BUILD &&
	    control->size == sizeof(struct build_version)) {
		const struct build_version *build = address(control->parameters);

		dl_iterate_phdr(find_release, own);
		for (size_t i = 0; own[0] && i < 3; i++) {
			if (build->texts[i]) {
				replace_release(address(build->texts[i]), build->size, own);
			}
		}
	} else if (control->command == GET_BUILD_V2 &&
		   control->size == sizeof(struct build_version_v2)) {
		struct build_version_v2 *build = address(control->parameters);

		dl_iterate_phdr(find_release, own);
		for (size_t i = 0; own[0] && i < 4; i++) {
			replace_release(build->texts[i], sizeof(build->texts[i]), own);
		}
	}
	return result;
}
