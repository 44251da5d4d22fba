/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SHIM_STDDEF_H
#define KT_SHIM_STDDEF_H

#include <linux/stddef.h>
#include <linux/types.h>

#endif
