/* SPDX-License-Identifier: MIT */
/* KT_SANITIZED: the code is compiled for the address or thread sanitizer. */
#ifndef KTAIL_SOFTGPU_SANITIZED_H
#define KTAIL_SOFTGPU_SANITIZED_H

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define KT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define KT_SANITIZED 1
#endif
#endif

#endif
