/* SPDX-License-Identifier: MIT */
/*
 * Two ways to leave a function when a callee failed. KT_TRY() is for a function with
 * nothing to release. A function that has something to release keeps its result in `int
 * code` and releases everything at a label `end`, where KT_TRY_END() jumps. Both evaluate
 * the expression once; KT_OK is 0.
 */
#ifndef KTAIL_BASE_TRY_H
#define KTAIL_BASE_TRY_H

#define KT_TRY(call)                                                                       \
	do {                                                                               \
		int kt_try_code_ = (call);                                                 \
		if (kt_try_code_) {                                                        \
			return kt_try_code_;                                               \
		}                                                                          \
	} while (0)

#define KT_TRY_END(call)                                                                   \
	do {                                                                               \
		code = (call);                                                             \
		if (code) {                                                                \
			goto end;                                                          \
		}                                                                          \
	} while (0)

#endif
