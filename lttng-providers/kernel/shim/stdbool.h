/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SHIM_STDBOOL_H
#define KT_SHIM_STDBOOL_H

#include <linux/types.h>

#endif
