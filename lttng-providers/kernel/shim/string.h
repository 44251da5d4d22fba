/* SPDX-License-Identifier: GPL-2.0 */
/* For files of the project that are plain C and are built into a module, too. */
#ifndef KT_SHIM_STRING_H
#define KT_SHIM_STRING_H

#include <linux/string.h>

#endif
