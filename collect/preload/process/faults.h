/* SPDX-License-Identifier: MIT */
/*
 * Fault injection, for tests alone: a library built with KT_FAULT_INJECTION lets the Nth
 * call of the recorder's that can fail do so, N from the environment variable KTAIL_FAULT.
 * In the real library kt_fault_now() is the constant false.
 */
#ifndef KTAIL_COLLECT_FAULTS_H
#define KTAIL_COLLECT_FAULTS_H

#include <stdbool.h>

#ifdef KT_FAULT_INJECTION
/* Whether this call, of that name, is to fail now. */
bool kt_fault_now(const char *site);
#else
static inline bool kt_fault_now(const char *site)
{
	(void)site;
	return false;
}
#endif

#endif
