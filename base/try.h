/* SPDX-License-Identifier: MIT */
/*
 * Two macros that leave a function when a call in it fails. KT_TRY() returns the status of
 * the call; it is for functions that have no resources to release. KT_TRY_END() sets the
 * local variable `int code` to the status and, on failure, jumps to the label `end`, where
 * the function releases its resources. Both macros evaluate the call once.
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
