/* SPDX-License-Identifier: MIT */
/*
 * The two ways to leave a function whose callee failed.
 *
 * KT_TRY() is for a function that holds nothing yet. One that has something to give back
 * keeps its result in `int code` and has a label `end`, at which everything is released;
 * KT_TRY_END() goes there. In both the expression is evaluated once, and KT_OK is 0.
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
