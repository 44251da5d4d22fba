/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included before every source file (Kbuild), so that lines of the kernel log begin with
 * the module's name.
 */
#ifndef DW_LOG_H
#define DW_LOG_H

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#endif
