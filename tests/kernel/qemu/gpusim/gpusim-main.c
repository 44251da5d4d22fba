// SPDX-License-Identifier: GPL-2.0
/* gpusim: simulated GPUs for the test bench. */
#include <linux/module.h>

#include "abi.h"
#include "gpusim.h"
#include "corpus/softgpu/abi.h"

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The ktail authors");
MODULE_DESCRIPTION("Devices with doorbells, for the test bench");
MODULE_VERSION(KT_ABI_RELEASE); /* programs read it as the driver's release */

static int __init gpusim_init(void)
{
	int error = gpusim_trap_init();

	if (error) {
		return error;
	}
	error = gpusim_bare_init();
	if (error) {
		return error;
	}
	error = gpusim_abi_init();
	if (error) {
		gpusim_bare_exit();
	}
	return error;
}

static void __exit gpusim_exit(void)
{
	gpusim_abi_exit();
	gpusim_bare_exit();
}

module_init(gpusim_init);
module_exit(gpusim_exit);
