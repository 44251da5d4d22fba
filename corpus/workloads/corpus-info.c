/* SPDX-License-Identifier: MIT */
/*
 * Prints the GPU and the driver, so that a recording can be stored with its origin; with
 * --ptx, prints the PTX of the kernels instead.
 */
#include <stdio.h>

#include "corpus/workloads/common.h"

static int print_ptx(void *context, const char *value)
{
	(void)value;
	*(bool *)context = true;
	return 0;
}

static const struct kt_option table[] = {
	{"ptx", 'p', NULL, "print the kernels' PTX and exit; needs no GPU",
	 KT_SET(print_ptx)},
	KT_WORK_HELP,
	{0},
};

static const struct kt_command_line command = {
	.usage = "corpus-info [--ptx]",
	.summary = "Prints the device's name and compute capability, the number of "
		   "devices and the CUDA version of the driver, one KEY=VALUE a line.",
	.table = table,
};

int main(int argc, char **argv)
{
	bool ptx = false;
	char name[256] = "";
	int devices = 0, version = 0, major = 0, minor = 0;
	kt_cu_device device;

	kt_work_options("corpus-info", &command, argc, argv, &ptx);
	if (ptx) {
		fputs(kt_kernels_ptx, stdout);
		return kt_work_end(true);
	}
	device = kt_work_start();
	KT_CU(cuDeviceGetName, name, sizeof(name), device);
	KT_CU(cuDeviceGetCount, &devices);
	KT_CU(cuDeviceGetAttribute, &major, KT_CU_COMPUTE_MAJOR, device);
	KT_CU(cuDeviceGetAttribute, &minor, KT_CU_COMPUTE_MINOR, device);
	KT_CU(cuDriverGetVersion, &version);
	printf("gpu=%s\ndevices=%d\ncompute=%d.%d\ncuda=%d.%d\n", name, devices, major,
	       minor, version / 1000, version % 1000 / 10);
	return kt_work_end(true);
}
