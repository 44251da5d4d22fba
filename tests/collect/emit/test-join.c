/* SPDX-License-Identifier: MIT */
/*
 * A program of a user who may not enter the run folder is counted before it is executed,
 * and no longer if the exec fails. Only root can change its user.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/admission.h"
#include "collect/environment.h"
#include "collect/preload/emit/join.h"
#include "collect/preload/process/counters.h"
#include "tests/suite.h"

#define NOBODY 65534

static void failed_exec(void)
{
	char folder[] = "/tmp/ktail-join-XXXXXX";
	char path[sizeof(folder) + 8];
	char key[KT_KEY_SIZE + 1];
	uint64_t before;

	memset(key, 'k', KT_KEY_SIZE);
	key[KT_KEY_SIZE] = '\0';
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/socket", folder);
	setenv(KT_ADMISSION_VARIABLE, path, 1);
	setenv(KT_KEY_VARIABLE, key, 1);
	CU_ASSERT_FALSE(kt_join_at_start());
	before = atomic_load(&kt_counters->not_joined);
	atomic_store(&kt_counters->shut_out_user, 7);
	CU_ASSERT_EQUAL_FATAL(seteuid(NOBODY), 0);
	for (int i = 0; i < 2; i++) {
		kt_join_before_exec();
		CU_ASSERT_EQUAL(atomic_load(&kt_counters->not_joined), before + 1);
		CU_ASSERT_EQUAL(atomic_load(&kt_counters->shut_out_user), NOBODY);
		kt_join_after_failed_exec();
		CU_ASSERT_EQUAL(atomic_load(&kt_counters->not_joined), before);
		CU_ASSERT_EQUAL(atomic_load(&kt_counters->shut_out_user), 7);
	}
	CU_ASSERT_EQUAL_FATAL(seteuid(0), 0);
	kt_join_before_exec();
	kt_join_after_failed_exec();
	CU_ASSERT_EQUAL(atomic_load(&kt_counters->not_joined), before);
	rmdir(folder);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"a failed exec of another user", failed_exec},
		CU_TEST_INFO_NULL,
	};

	return geteuid() == 0 ? kt_run_suite("join", tests) : 77;
}
