/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SHIM_ERRNO_H
#define KT_SHIM_ERRNO_H

#include <linux/errno.h>

#ifndef ENOTSUP
#define ENOTSUP EOPNOTSUPP /* equal in user space; the kernel has no ENOTSUP */
#endif

#endif
