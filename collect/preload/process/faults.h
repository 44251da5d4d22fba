/* SPDX-License-Identifier: MIT */
/*
 * Fault injection for tests. In a library built with KT_FAULT_INJECTION, the Nth fallible
 * call of the recorder fails; the environment variable KTAIL_FAULT holds N. In any other
 * build, kt_fault_now() is the constant false.
 */
#ifndef KTAIL_COLLECT_FAULTS_H
#define KTAIL_COLLECT_FAULTS_H

#include <stdbool.h>

#ifdef KT_FAULT_INJECTION
/* Returns whether the call that `site` names must fail now. */
bool kt_fault_now(const char *site);
#else
static inline bool kt_fault_now(const char *site)
{
	(void)site;
	return false;
}
#endif

#endif
