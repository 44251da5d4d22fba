/* SPDX-License-Identifier: GPL-2.0 */
/* For files in plain C that are compiled into a module as well as into programs. */
#ifndef KT_SHIM_STRING_H
#define KT_SHIM_STRING_H

#include <linux/string.h>

#endif
