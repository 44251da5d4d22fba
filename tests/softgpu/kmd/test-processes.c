/* SPDX-License-Identifier: MIT */
/*
 * Tests duplicated and inherited descriptors, and processes that fork, exec or run
 * concurrently.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/softgpu/kmd/play.h"
#include "tests/suite.h"

static const char *program;

/* Returns the exit status of a child that runs `work`; 200: a signal ended it. */
static int child(int (*work)(void))
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		_exit(work());
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 200;
}

static void doubled(void)
{
	struct kt_abi_sys_params sys = {0};
	int fd = open(KT_ABI_FILE_CONTROL, O_RDWR);
	int other = dup(fd);
	int high = fcntl(fd, F_DUPFD_CLOEXEC, 100);

	CU_ASSERT_EQUAL(close(fd), 0);
	CU_ASSERT_EQUAL(play_rm(other, KT_ABI_NR_SYS_PARAMS, &sys, sizeof(sys)), 0);
	CU_ASSERT_EQUAL(play_rm(high, KT_ABI_NR_SYS_PARAMS, &sys, sizeof(sys)), 0);
	errno = 0;
	CU_ASSERT_EQUAL(play_rm(fd, KT_ABI_NR_SYS_PARAMS, &sys, sizeof(sys)), -1);
	CU_ASSERT_EQUAL(errno, EBADF);
	close(other);
	close(high);
}

/* --- fork --- */

static struct play parent;

static int uses_inherited(void)
{
	struct kt_abi_sys_params sys = {0};
	char *none;

	if (play_rm(parent.control, KT_ABI_NR_SYS_PARAMS, &sys, sizeof(sys)) != -1 ||
	    errno != ENODEV) {
		return 1;
	}
	none = mmap(NULL, 4096, PROT_READ, MAP_SHARED, parent.uvm, 0);
	if (none != MAP_FAILED || errno != ENODEV) {
		return 2;
	}
	if (!play_whole_way()) { /* uses the child's own device */
		return 3;
	}
	/* The parent's file must still be refused, although the child has a device now. */
	return play_rm(parent.control, KT_ABI_NR_SYS_PARAMS, &sys, sizeof(sys)) == -1 &&
			       errno == ENODEV
		       ? 0
		       : 4;
}

static int forks_again(void)
{
	return play_whole_way() && child(uses_inherited) == 0 && play_whole_way() ? 0 : 1;
}

static void forked(void)
{
	uint32_t value = 0;

	CU_ASSERT_FATAL(play_open(&parent));
	CU_ASSERT_EQUAL(child(uses_inherited), 0);
	CU_ASSERT_EQUAL(child(forks_again), 0);
	CU_ASSERT_EQUAL(
		play_control(&parent, parent.device, KT_ABI_GET_NUM_SUBDEVICES, &value, 4),
		0);
	play_close(&parent);
}

/* Forks by system call, so that libc's fork handlers do not run. */
static void forked_by_number(void)
{
	int status = -1;
	pid_t pid;

	CU_ASSERT_FATAL(play_open(&parent));
	pid = (pid_t)syscall(SYS_fork);
	if (pid == 0) {
		struct kt_abi_sys_params sys = {0};
		int fd = open(KT_ABI_FILE_CONTROL, O_RDWR);

		_exit(fd >= 0 &&
				      play_rm(fd, KT_ABI_NR_SYS_PARAMS, &sys,
					      sizeof(sys)) == 0 &&
				      play_rm(parent.control, KT_ABI_NR_SYS_PARAMS, &sys,
					      sizeof(sys)) == -1
			      ? 0
			      : 1);
	}
	waitpid(pid, &status, 0);
	CU_ASSERT_EQUAL(status, 0);
	play_close(&parent);
}

/* Makes requests until *stop is set; meanwhile another thread forks. */
static void *requests(void *stop)
{
	while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) {
		uint32_t h = (uint32_t)(uintptr_t)pthread_self() | 1;
		struct kt_abi_memory_params m = {.size = 4096};

		if (play_alloc(&parent, parent.device, h, KT_ABI_CLASS_MEMORY_LOCAL, &m,
			       0) != 0 ||
		    play_free(&parent, h) != 0) {
			return stop;
		}
	}
	return NULL;
}

static int opens(void)
{
	struct kt_abi_sys_params sys = {0};
	int fd = open(KT_ABI_FILE_CONTROL, O_RDWR);

	return fd >= 0 && play_rm(fd, KT_ABI_NR_SYS_PARAMS, &sys, sizeof(sys)) == 0 ? 0 : 1;
}

static void forked_with_threads(void)
{
	pthread_t threads[3];
	int stop = 0;
	void *failed;

	CU_ASSERT_FATAL(play_open(&parent));
	for (int i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(pthread_create(&threads[i], NULL, requests, &stop), 0);
	}
	for (int i = 0; i < 30; i++) {
		CU_ASSERT_EQUAL(child(opens), 0);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], &failed);
		CU_ASSERT(failed == NULL);
	}
	play_close(&parent);
}

/* --- exec --- */

static int inherited_fd;

static int executes(void)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", inherited_fd);
	execl(program, program, number, (char *)NULL);
	return 201;
}

/* In the new program the device of the old program no longer exists. */
static int executed(int fd)
{
	struct kt_abi_sys_params sys = {0};

	if (play_rm(fd, KT_ABI_NR_SYS_PARAMS, &sys, sizeof(sys)) != -1 || errno != ENODEV) {
		return 1;
	}
	if (!play_whole_way()) {
		return 2;
	}
	return play_rm(fd, KT_ABI_NR_SYS_PARAMS, &sys, sizeof(sys)) == -1 && errno == ENODEV
		       ? 0
		       : 3;
}

static void exec_of_another(void)
{
	inherited_fd = open(KT_ABI_FILE_CONTROL, O_RDWR);
	CU_ASSERT_EQUAL(child(executes), 0);
	close(inherited_fd);
}

/* --- concurrent processes --- */

static void four_at_once(void)
{
	pid_t pids[4];

	for (int i = 0; i < 4; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			_exit(play_whole_way() && play_whole_way() ? 0 : 1);
		}
	}
	for (int i = 0; i < 4; i++) {
		int status = -1;

		waitpid(pids[i], &status, 0);
		CU_ASSERT_EQUAL(status, 0);
	}
}

/*
 * Returns whether the device file belongs to a kernel module: the KMD's files are memory
 * files.
 */
static bool is_a_kernels(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode);
}

/*
 * Closes all descriptors except the standard ones, as a daemon does, and therefore also the
 * device's.
 */
static int closes_all(void)
{
	struct kt_abi_memory_params m = {.attr = KT_ABI_ATTR_PCI, .size = 4096};
	struct play p;
	char text[] = "nothing but this";
	char back[sizeof(text)];
	char *cpu;
	int files[8];
	bool kernel;
	int fd;

	if (!play_open(&p)) {
		return 1;
	}
	m.owner = p.client;
	kernel = is_a_kernels(p.control);
	close_range(3, ~0u, 0);
	for (int i = 0; i < 8; i++) { /* takes the numbers of the device's descriptors */
		fd = memfd_create("mine", 0);
		files[i] = fcntl(fd, F_DUPFD, 700);
		close(fd);
		if (write(files[i], text, sizeof(text)) != (ssize_t)sizeof(text)) {
			return 2;
		}
	}
	p.control = open(KT_ABI_FILE_CONTROL, O_RDWR);
	if (kernel) { /* the file's release has freed its objects */
		return play_alloc(&p, p.device, 0x77, KT_ABI_CLASS_MEMORY_SYSTEM, &m, 0) ==
				       KT_ABI_INVALID_CLIENT
			       ? 0
			       : 6;
	}
	if (play_alloc(&p, p.device, 0x77, KT_ABI_CLASS_MEMORY_SYSTEM, &m, 0) != 0 ||
	    play_map(&p, KT_ABI_FILE_CONTROL, p.device, 0x77, 0, 4096, &fd) != 0) {
		return 3;
	}
	cpu = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (cpu == MAP_FAILED || cpu[4095] != 0) {
		return 4;
	}
	cpu[0] = 1;
	if (play_free(&p, 0x77) != 0 || cpu[0] != 0) {
		return 4;
	}
	for (int i = 0; i < 8; i++) {
		if (pread(files[i], back, sizeof(back), 0) != (ssize_t)sizeof(back) ||
		    memcmp(back, text, sizeof(text)) != 0) {
			return 5;
		}
	}
	return 0;
}

static void all_closed(void)
{
	CU_ASSERT_EQUAL(child(closes_all), 0);
}

/* The KMD must not affect a program's own file whose name is like that of a KMD's file. */
static void others_are_left_alone(void)
{
	char zero[4096] = {0};
	int fd = memfd_create("nvidia0", 0);
	char *page;

	CU_ASSERT_EQUAL(ftruncate(fd, 4096 + 16384), 0);
	CU_ASSERT_EQUAL(write(fd, zero, sizeof(zero)), 4096);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CU_ASSERT_FATAL(page != MAP_FAILED);
	page[5] = 1;
	CU_ASSERT(pread(fd, zero, 16, 0) == 16 && zero[5] == 1);
	errno = 0;
	CU_ASSERT_EQUAL(ioctl(fd, 0x4242, zero), -1);
	CU_ASSERT_EQUAL(errno, ENOTTY);
	munmap(page, 4096);
	close(fd);
}

int main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		{"files that are not ours", others_are_left_alone},
		{"doubled descriptors", doubled},
		{"fork", forked},
		{"fork by its number", forked_by_number},
		{"fork amid requests of other threads", forked_with_threads},
		{"exec", exec_of_another},
		{"four processes at once", four_at_once},
		{"all descriptors closed", all_closed},
		CU_TEST_INFO_NULL,
	};

	program = argv[0];
	return argc > 1 ? executed(atoi(argv[1])) : kt_run_suite("KMD: processes", tests);
}
