/* SPDX-License-Identifier: MIT */
/*
 * The recorder's own system calls: KT_KERNEL() of base/kernel-call.h, and a variant for
 * calls whose failure the recorder must survive.
 */
#ifndef KTAIL_COLLECT_KERNEL_H
#define KTAIL_COLLECT_KERNEL_H

#include "base/kernel-call.h"
#include "collect/preload/process/faults.h"

/*
 * Tests make each call that uses this macro fail once (collect/preload/process/faults.h).
 */
#define KT_KERNEL_TRY(number, ...)                                                         \
	(kt_fault_now(#number) ? -12L /* ENOMEM */ : KT_KERNEL(number, __VA_ARGS__))

#endif
