/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SHIM_STDINT_H
#define KT_SHIM_STDINT_H

#include <linux/limits.h>
#include <linux/types.h>

/* The kernel's 64-bit types are `long long`, so 64-bit constants must be, too. */
#ifndef UINT64_C
#define INT32_C(c)  c
#define UINT32_C(c) c##U
#define INT64_C(c)  c##LL
#define UINT64_C(c) c##ULL
#endif
#ifndef UINT64_MAX
#define UINT64_MAX UINT64_C(0xffffffffffffffff)
#endif
#ifndef INT64_MAX
#define INT64_MAX INT64_C(0x7fffffffffffffff)
#endif
#ifndef UINT32_MAX
#define UINT32_MAX UINT32_C(0xffffffff)
#endif
#ifndef UINT16_MAX
#define UINT16_MAX UINT32_C(0xffff)
#endif
#ifndef UINT8_MAX
#define UINT8_MAX UINT32_C(0xff)
#endif

#endif
