/* SPDX-License-Identifier: MIT */
/*
 * The code behind a wrapped pointer: a stub that says its number (r11) and jumps to
 * kt_api_wrap_entry(). A page of them is written before it may run, and never again.
 */
#ifndef KTAIL_COLLECT_API_STUBS_H
#define KTAIL_COLLECT_API_STUBS_H

#include <stdint.h>

#define KT_API_STUBS 255u /* in a page */

/* A page of stubs with the numbers first, first + 1 ..., or NULL. It stays for ever. */
const unsigned char *kt_api_stubs_make(uint32_t first);

/* The i-th of a page, i < KT_API_STUBS. */
uintptr_t kt_api_stub_at(const unsigned char *page, uint32_t i);

#endif
