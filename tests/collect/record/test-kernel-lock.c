/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/kernel-modules.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktail/status.h>

#include "tests/suite.h"

static char folder[] = "/tmp/ktail-kernel-lock.XXXXXX";
static char path[64];

static void test_one_at_a_time(void)
{
	const char *text;
	struct stat found;
	int fd;
	int other;

	CU_ASSERT_EQUAL(kt_kernel_lock_take(&fd, path, 4711, "/tmp/long-path-of-the-first"),
			KT_OK);
	CU_ASSERT_TRUE(fd >= 0);
	CU_ASSERT_EQUAL(fstat(fd, &found), 0);
	CU_ASSERT_EQUAL(found.st_mode & 0777, 0600);
	CU_ASSERT_EQUAL(kt_kernel_lock_take(&other, path, 4712, "/tmp/second"), KT_E_IO);
	CU_ASSERT_EQUAL(other, -1);
	text = kt_error_message();
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "process 4711, into /tmp/long-path-of-the-first"));
	CU_ASSERT_PTR_NULL(strchr(text, '\n'));
	close(fd);
	CU_ASSERT_EQUAL(kt_kernel_lock_take(&fd, path, 4713, "/tmp/3"), KT_OK);
	CU_ASSERT_EQUAL(kt_kernel_lock_take(&other, path, 4714, "/tmp/4"), KT_E_IO);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), "process 4713, into /tmp/3 ("));
	close(fd);
}

/* A process that the supervisor forked still runs when the supervisor is killed. */
static void test_inherited(void)
{
	int fd;
	int other;
	pid_t child;

	CU_ASSERT_EQUAL(kt_kernel_lock_take(&fd, path, 1, "/tmp/x"), KT_OK);
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	close(fd);
	CU_ASSERT_EQUAL(kt_kernel_lock_take(&other, path, 2, "/tmp/y"), KT_E_IO);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	CU_ASSERT_EQUAL(kt_kernel_lock_take(&other, path, 2, "/tmp/y"), KT_OK);
	close(other);
}

static void test_link_and_no_folder(void)
{
	char link[80];
	int fd;

	snprintf(link, sizeof(link), "%s/link", folder);
	CU_ASSERT_EQUAL(symlink(path, link), 0);
	CU_ASSERT_EQUAL(kt_kernel_lock_take(&fd, link, 1, "/tmp/x"), KT_E_IO);
	CU_ASSERT_EQUAL(unlink(link), 0);
	CU_ASSERT_EQUAL(kt_kernel_lock_take(&fd, "/no/such/folder/lock", 1, "/tmp/x"),
			KT_E_IO);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), "/no/such/folder/lock"));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"one at a time, which names itself", test_one_at_a_time},
		{"held as long as a child holds it", test_inherited},
		{"a link, and no folder", test_link_and_no_folder},
		CU_TEST_INFO_NULL,
	};
	int status = 1;

	if (mkdtemp(folder)) {
		snprintf(path, sizeof(path), "%s/lock", folder);
		status = kt_run_suite("kernel-lock", tests);
		unlink(path);
		rmdir(folder);
	}
	return status;
}
