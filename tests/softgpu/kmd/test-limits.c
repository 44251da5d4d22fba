/* SPDX-License-Identifier: MIT */
/*
 * Tests the KMD in programs that limit resources, close descriptors, or exit while the
 * device works.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/softgpu/kmd/play.h"
#include "tests/suite.h"

/* Returns the exit status of a child that runs `work`; 200: a signal ended it. */
static int child(int (*work)(void))
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		alarm(60);
		_exit(work());
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 200;
}

static bool limit(int what, rlim_t value)
{
	const struct rlimit now = {value, value};

	return setrlimit(what, &now) == 0;
}

/* --- descriptors --- */

static int closes_all(void)
{
	if (!play_whole_way()) {
		return 1;
	}
	closefrom(3);
	return play_whole_way() ? 0 : 2;
}

/* Files that the program opens afterwards get the numbers of the device's descriptors. */
static int takes_all(void)
{
	char name[] = "/tmp/ktail-test-XXXXXX";
	char fill[4096];
	char now[4096];
	int fd = mkstemp(name);

	unlink(name);
	memset(fill, 'x', sizeof(fill));
	if (!play_whole_way() || write(fd, fill, sizeof(fill)) != sizeof(fill)) {
		return 1;
	}
	for (int i = 3; i < 1000; i++) {
		if (i != fd && fcntl(i, F_GETFD) >= 0) {
			dup2(fd, i);
		}
	}
	if (!play_whole_way()) {
		return 2;
	}
	return pread(fd, now, sizeof(now), 0) == sizeof(now) &&
			       memcmp(now, fill, sizeof(now)) == 0 &&
			       lseek(fd, 0, SEEK_END) == sizeof(fill)
		       ? 0
		       : 3;
}

static int has_few(void)
{
	return limit(RLIMIT_NOFILE, 16) && play_whole_way() ? 0 : 1;
}

static int has_none(void)
{
	errno = 0;
	return limit(RLIMIT_NOFILE, 3) && open(KT_ABI_FILE_CONTROL, O_RDWR) == -1 &&
			       errno == EMFILE
		       ? 0
		       : 1;
}

static void descriptors(void)
{
	CU_ASSERT_EQUAL(child(closes_all), 0);
	CU_ASSERT_EQUAL(child(takes_all), 0);
	CU_ASSERT_EQUAL(child(has_few), 0);
	CU_ASSERT_EQUAL(child(has_none), 0);
}

/* --- memory --- */

static int has_no_space(void)
{
	errno = 0;
	return limit(RLIMIT_AS, 1 << 30) && open(KT_ABI_FILE_CONTROL, O_RDWR) == -1 &&
			       errno == ENOMEM
		       ? 0
		       : 1;
}

static int has_small_files(void)
{
	return limit(RLIMIT_FSIZE, 100000) && play_whole_way() ? 0 : 1;
}

static void memory(void)
{
	CU_ASSERT_EQUAL(child(has_small_files), 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	CU_ASSERT_EQUAL(child(has_no_space), 0);
#else
	(void)has_no_space;
#endif
}

/* --- repetition --- */

static unsigned count_descriptors(void)
{
	unsigned n = 0;

	for (int i = 0; i < 1024; i++) {
		n += fcntl(i, F_GETFD) >= 0;
	}
	return n;
}

static int opens_often(void)
{
	unsigned before;

	if (!play_whole_way()) {
		return 1;
	}
	before = count_descriptors();
	for (int i = 0; i < 200; i++) {
		if (!play_whole_way()) {
			return 2;
		}
	}
	return count_descriptors() == before ? 0 : 3;
}

/*
 * Each process of a chain of forks has its own device, and keeps no device of its
 * ancestors.
 */
static int chain(void)
{
	unsigned before = count_descriptors();

	for (int i = 0; i < 20; i++) {
		pid_t pid;
		int status = -1;

		if (!play_whole_way() || count_descriptors() > before + 4) {
			return 1;
		}
		pid = fork();
		if (pid != 0) {
			waitpid(pid, &status, 0);
			return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
		}
	}
	return 0;
}

static void many_times(void)
{
	CU_ASSERT_EQUAL(child(opens_often), 0);
	CU_ASSERT_EQUAL(child(chain), 0);
}

/* --- ends of a process or thread --- */

static struct play p;
static struct play_memory ring, push, data;
static struct play_channel c;

static bool begins(void)
{
	uint32_t group;
	uint32_t share;

	return play_open(&p) && play_group_create(&p, &group, &share) &&
	       play_memory_create(&p, &ring, KT_ABI_CLASS_MEMORY_LOCAL, 65536, true) &&
	       play_memory_create(&p, &push, KT_ABI_CLASS_MEMORY_SYSTEM, 65536, true) &&
	       play_memory_create(&p, &data, KT_ABI_CLASS_MEMORY_SYSTEM, 65536, true) &&
	       play_channel_create(&p, &c, group, share, &ring, &push, 0) &&
	       play_schedule(&p, group);
}

static void submit_one(uint32_t i)
{
	uint32_t words[32];
	size_t n = play_words(words, data.address + 4096, i, data.address, i);

	play_submit(&p, &c, words, n);
}

/* Calls exit(), whose handlers run while the device works. */
static int ends_in_work(void)
{
	if (!begins()) {
		return 1;
	}
	for (uint32_t i = 1; i < PLAY_ENTRIES; i++) {
		submit_one(i);
	}
	exit(0);
}

static void *ends_thread(void *unused)
{
	(void)unused;
	exit(0);
}

static int ends_by_a_thread(void)
{
	pthread_t thread;

	if (!begins() || pthread_create(&thread, NULL, ends_thread, NULL) != 0) {
		return 1;
	}
	for (uint32_t i = 1; i < PLAY_ENTRIES; i++) {
		submit_one(i);
	}
	pthread_exit(NULL);
}

/* Signals of a timer arrive while the device works. */
static volatile sig_atomic_t signals_seen;

static void see(int number)
{
	(void)number;
	signals_seen = signals_seen + 1;
}

static int gets_signals(void)
{
	struct itimerval often = {{0, 500}, {0, 500}};
	struct sigaction action = {.sa_handler = see, .sa_flags = SA_RESTART};
	uint32_t i = 1;

	if (!begins() || sigaction(SIGALRM, &action, NULL) != 0 ||
	    setitimer(ITIMER_REAL, &often, NULL) != 0) {
		return 1;
	}
	for (; i < 2000; i++) {
		c.push_at = 0;
		submit_one(i);
		if (!play_wait(&c, (volatile uint32_t *)data.cpu, i)) {
			return 2;
		}
	}
	return signals_seen > 10 ? 0 : 3;
}

static int changes_user(void)
{
	if (!begins()) {
		return 1;
	}
	if (geteuid() == 0 && (setgid(12345) != 0 || setuid(12345) != 0)) {
		return 2;
	}
	submit_one(1);
	return play_wait(&c, (volatile uint32_t *)data.cpu, 1) ? 0 : 3;
}

static void ends(void)
{
	CU_ASSERT_EQUAL(child(ends_in_work), 0);
	CU_ASSERT_EQUAL(child(ends_by_a_thread), 0);
	CU_ASSERT_EQUAL(child(gets_signals), 0);
	CU_ASSERT_EQUAL(child(changes_user), 0);
}

/* --- the loader --- */

static int pipes[2][2];

static void *begins_beside(void *unused)
{
	char byte;

	(void)unused;
	return read(pipes[0][0], &byte, 1) == 1 && begins() &&
			       write(pipes[1][1], "", 1) == 1
		       ? &p
		       : NULL;
}

/* The device starts its thread while another thread holds the loader's lock. */
static int loads_beside(void)
{
	char text[16];
	pthread_t thread;
	void *library;
	void *done = NULL;
	const int *result;

	if (pipe(pipes[0]) != 0 || pipe(pipes[1]) != 0 ||
	    close(open(KT_ABI_FILE_CONTROL, O_RDWR)) != 0 ||
	    pthread_create(&thread, NULL, begins_beside, NULL) != 0) {
		return 1;
	}
	snprintf(text, sizeof(text), "%d", pipes[0][1]);
	setenv("KT_WAITS_TO", text, 1);
	snprintf(text, sizeof(text), "%d", pipes[1][0]);
	setenv("KT_WAITS_FROM", text, 1);
	library = dlopen(KT_WAITS, RTLD_NOW);
	pthread_join(thread, &done);
	result = library ? dlsym(library, "kt_waits_result") : NULL;
	return done && result && *result == 1 ? 0 : 2;
}

static void loader(void)
{
	CU_ASSERT_EQUAL(child(loads_beside), 0);
}

/* --- mappings --- */

static int maps_oddly(void)
{
	struct play_memory odd;
	volatile uint8_t *cpu;
	int fd = -1;
	int other = -1;

	if (!begins() ||
	    !play_memory_create(&p, &odd, KT_ABI_CLASS_MEMORY_SYSTEM, 16384, false)) {
		return 1;
	}
	/*
	 * Maps an object over a mapping of the program, then unmaps and closes parts of it.
	 */
	cpu = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cpu[16384 + 16384] = 7;
	if (play_map(&p, KT_ABI_FILE_CONTROL, p.device, odd.handle, 0, 16384, &fd) != 0 ||
	    mmap((void *)(uintptr_t)(cpu + 16384), 16384, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, fd, 0) != cpu + 16384 ||
	    cpu[16384 + 16384] != 7) {
		return 2;
	}
	munmap((void *)(uintptr_t)(cpu + 16384), 4096);
	mprotect((void *)(uintptr_t)(cpu + 16384 + 4096), 4096, PROT_NONE);
	cpu[16384 + 8192] = 9;
	/* A second mapping of the object must show the same memory. */
	if (play_map(&p, KT_ABI_FILE_CONTROL, p.device, odd.handle, 8192, 4096, &other) !=
	    0) {
		return 3;
	}
	cpu = mmap(NULL, 4096, PROT_READ, MAP_SHARED, other, 0);
	return cpu != MAP_FAILED && cpu[0] == 9 ? 0 : 4;
}

static void mappings(void)
{
	CU_ASSERT_EQUAL(child(maps_oddly), 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"descriptors that are closed, taken, few", descriptors},
		{"no room for the device", memory},
		{"many times", many_times},
		{"ends, signals and another user", ends},
		{"beside the loader", loader},
		{"odd mappings", mappings},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("limits of a process on the software GPU", tests);
}
