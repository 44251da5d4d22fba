/* SPDX-License-Identifier: MIT */
/*
 * Fault injection for tests: in a library built with KT_FAULT_INJECTION, the Nth call of
 * the recorder that can fail does so, with N from the environment variable KTAIL_FAULT.
 * Otherwise kt_fault_now() is the constant false.
 */
#ifndef KTAIL_COLLECT_FAULTS_H
#define KTAIL_COLLECT_FAULTS_H

#include <stdbool.h>

#ifdef KT_FAULT_INJECTION
/* Returns whether the call at this site is to fail now. */
bool kt_fault_now(const char *site);
#else
static inline bool kt_fault_now(const char *site)
{
	(void)site;
	return false;
}
#endif

#endif
