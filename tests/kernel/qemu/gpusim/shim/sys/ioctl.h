/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GPUSIM_SHIM_SYS_IOCTL_H
#define GPUSIM_SHIM_SYS_IOCTL_H

#include <linux/ioctl.h>

#endif
