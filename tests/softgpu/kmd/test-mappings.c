/* SPDX-License-Identifier: MIT */
/*
 * Tests mappings that are unmapped in part, moved, mapped twice, inherited, or outlive
 * their object. The KMD and a kernel module behave alike, except where a test depends on
 * `kernel`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/softgpu/kmd/play.h"
#include "tests/suite.h"

#define PAGE   4096u
#define PAGES  8u
#define BYTES  (PAGES * PAGE)
#define LARGE  (UINT64_C(32) << 20)
#define ROUNDS 20 /* together they map more than a small machine allows */

static struct play p;
static bool kernel; /* the device files belong to a kernel module, not to the KMD */

/* Allocates system memory. Returns a descriptor whose mmap maps it. */
static int fresh(uint32_t *handle, uint64_t bytes)
{
	struct kt_abi_memory_params m = {
		.owner = p.client, .attr = KT_ABI_ATTR_PCI, .size = bytes};
	int fd = -1;

	*handle = p.next_handle++;
	CU_ASSERT_FATAL(
		play_alloc(&p, p.device, *handle, KT_ABI_CLASS_MEMORY_SYSTEM, &m, 0) == 0);
	CU_ASSERT_FATAL(
		play_map(&p, KT_ABI_FILE_CONTROL, p.device, *handle, 0, bytes, &fd) == 0);
	return fd;
}

static uint8_t *map(int fd, uint64_t bytes)
{
	uint8_t *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CU_ASSERT_FATAL(at != MAP_FAILED);
	return at;
}

static void cut(void)
{
	uint32_t handle;
	int fd = fresh(&handle, BYTES);
	uint8_t *at = map(fd, BYTES);
	uint8_t *again = map(fd, BYTES);

	close(fd);
	for (unsigned i = 0; i < PAGES; i++) {
		at[i * PAGE] = (uint8_t)(i + 1);
	}
	CU_ASSERT_EQUAL(munmap(at + 2 * PAGE, 3 * PAGE), 0);
	for (unsigned i = 0; i < PAGES; i++) {
		CU_ASSERT_EQUAL(again[i * PAGE], i + 1); /* the other mapping is intact */
		if (i < 2 || i >= 5) {
			CU_ASSERT_EQUAL(at[i * PAGE], i + 1);
		}
	}
	CU_ASSERT_EQUAL(munmap(at, 2 * PAGE), 0);
	CU_ASSERT_EQUAL(munmap(again, BYTES), 0);
	CU_ASSERT_EQUAL(at[7 * PAGE], 8);
	CU_ASSERT_EQUAL(munmap(at + 5 * PAGE, 3 * PAGE), 0);
	CU_ASSERT_EQUAL(play_free(&p, handle), 0);
}

static void moved(void)
{
	uint32_t handle;
	int fd = fresh(&handle, BYTES);
	uint8_t *at = map(fd, BYTES);
	uint8_t *to;

	close(fd);
	at[5 * PAGE] = 77;
	to = mremap(at, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
		    (uint8_t *)mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				    0));
	CU_ASSERT_FATAL(to != MAP_FAILED);
	CU_ASSERT_EQUAL(to[5 * PAGE], 77);
	CU_ASSERT_EQUAL(to[6 * PAGE], 0);
	to = mremap(to, BYTES, 4 * PAGE, 0); /* shrinks the mapping */
	CU_ASSERT_FATAL(to != MAP_FAILED);
	if (kernel) {
		CU_ASSERT(mremap(to, 4 * PAGE, BYTES, MREMAP_MAYMOVE) == MAP_FAILED);
	}
	CU_ASSERT_EQUAL(munmap(to, 4 * PAGE), 0);
	CU_ASSERT_EQUAL(play_free(&p, handle), 0);
}

static void beyond(void)
{
	uint32_t handle;
	int fd = fresh(&handle, BYTES);

	errno = 0;
	CU_ASSERT(mmap(NULL, BYTES + PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
	CU_ASSERT_EQUAL(errno, EINVAL);
	errno = 0;
	CU_ASSERT(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, PAGE) == MAP_FAILED);
	CU_ASSERT_EQUAL(errno, EINVAL);
	close(fd);
	fd = open(KT_ABI_FILE_GPU, O_RDWR); /* no request precedes the mmap */
	CU_ASSERT(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
	close(fd);
	CU_ASSERT_EQUAL(play_free(&p, handle), 0);
}

/* The object is freed while it is mapped; the mapped memory remains. */
static void freed_before(void)
{
	uint32_t handle;
	uint32_t other;
	int fd = fresh(&handle, BYTES);
	uint8_t *at = map(fd, BYTES);
	uint8_t *next;

	memset(at, 1, BYTES);
	CU_ASSERT_EQUAL(play_free(&p, handle), 0);
	memset(at, 2, BYTES);
	close(fd);
	fd = fresh(&other, BYTES);
	next = map(fd, BYTES);
	close(fd);
	if (kernel) {
		CU_ASSERT_EQUAL(at[0], 2);
		CU_ASSERT_EQUAL(next[0], 0); /* mapped pages are not reused */
	}
	CU_ASSERT_EQUAL(munmap(at, BYTES), 0);
	CU_ASSERT_EQUAL(munmap(next, BYTES), 0);
	CU_ASSERT_EQUAL(play_free(&p, other), 0);
}

static void memory_comes_back(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t handle;
		int fd = fresh(&handle, LARGE);
		uint8_t *at = map(fd, LARGE);

		close(fd);
		for (uint64_t page = 0; page < LARGE; page += PAGE) {
			at[page] = 1;
		}
		CU_ASSERT_EQUAL(munmap(at, LARGE), 0);
		CU_ASSERT_EQUAL(play_free(&p, handle), 0);
	}
}

/* --- processes --- */

static int wait_for(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

/*
 * A grandchild writes to an inherited mapping after the child has exited and the object was
 * freed.
 */
static void inherited(void)
{
	uint32_t handle;
	int fd = fresh(&handle, BYTES);
	uint8_t *at = map(fd, BYTES);
	int done[2];
	char byte = 0;

	CU_ASSERT_FATAL(pipe(done) == 0);
	if (fork() == 0) {
		if (fork() == 0) {
			usleep(50000);
			munmap(at + PAGE, PAGE);
			at[2 * PAGE] = 9;
			byte = !kernel || at[0] == 5; /* the KMD clears freed memory */
			_exit(write(done[1], &byte, 1) != 1);
		}
		at[0] = 5;
		_exit(0);
	}
	wait(NULL);
	CU_ASSERT_EQUAL(at[0], 5);
	CU_ASSERT_EQUAL(play_free(&p, handle), 0);
	CU_ASSERT(read(done[0], &byte, 1) == 1 && byte == 1);
	if (kernel) {
		CU_ASSERT_EQUAL(at[2 * PAGE], 9);
	}
	CU_ASSERT_EQUAL(munmap(at, BYTES), 0);
	close(fd);
	close(done[0]);
	close(done[1]);
}

/* The process that owns the files has ended. Its child's mapping must keep its pages. */
static void outlives_the_parent(void)
{
	int done[2];
	char byte = 0;

	CU_ASSERT_FATAL(pipe(done) == 0);
	if (fork() == 0) {
		struct play own;
		struct play_memory memory;

		if (!play_open(&own) ||
		    !play_memory_create(&own, &memory, KT_ABI_CLASS_MEMORY_SYSTEM, BYTES,
					true)) {
			_exit(1);
		}
		memory.cpu[PAGE] = 3;
		if (fork() == 0) {
			close_range(3, (unsigned)done[1] - 1, 0);
			usleep(100000);
			memory.cpu[0]++;
			byte = (char)memory.cpu[PAGE];
			_exit(write(done[1], &byte, 1) != 1);
		}
		_exit(0);
	}
	CU_ASSERT_EQUAL(wait_for(-1), 0);
	CU_ASSERT(read(done[0], &byte, 1) == 1 && byte == 3);
	close(done[0]);
	close(done[1]);
}

/* Kills processes at different moments of their work. */
static void killed(void)
{
	for (unsigned i = 0; i < 12; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			for (;;) {
				(void)play_whole_way();
			}
		}
		usleep(20000 * i + 3000);
		kill(pid, SIGKILL);
		CU_ASSERT_EQUAL(wait_for(pid), SIGKILL);
	}
}

/* --- registered user memory --- */

static void registered(void)
{
	uint32_t handle = p.next_handle++;
	uint8_t *user = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CU_ASSERT_FATAL(user != MAP_FAILED);
	CU_ASSERT_EQUAL(play_register(&p, handle, user, BYTES), 0);
	CU_ASSERT_EQUAL(munmap(user, BYTES), 0); /* may be unmapped first */
	CU_ASSERT_EQUAL(play_free(&p, handle), 0);
	handle = p.next_handle++;
	CU_ASSERT_EQUAL(play_register(&p, handle, user, BYTES), KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_register(&p, handle, (void *)0x8000000000000000u, PAGE),
			KT_ABI_INVALID_ADDRESS);
	CU_ASSERT(play_register(&p, handle, NULL, 0xfffffffffffff000u) != 0);
	if (kernel) {
		user = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CU_ASSERT_EQUAL(play_register(&p, handle, user, BYTES),
				KT_ABI_INVALID_ADDRESS); /* the device would write to it */
		CU_ASSERT_EQUAL(munmap(user, BYTES), 0);
	}
}

/*
 * The mapping's pages have no struct page, so other processes can access them only as a
 * debugger does.
 */
static void by_others(void)
{
	uint32_t handle;
	int fd = fresh(&handle, BYTES);
	uint8_t *at = map(fd, BYTES);
	uint8_t byte = 0;
	struct iovec here = {&byte, 1};
	struct iovec there = {at + 3 * PAGE, 1};
	int mem = open("/proc/self/mem", O_RDWR);

	close(fd);
	at[3 * PAGE] = 42;
	CU_ASSERT(pread(mem, &byte, 1, (off_t)(uintptr_t)(at + 3 * PAGE)) == 1);
	CU_ASSERT_EQUAL(byte, 42);
	byte = 43;
	CU_ASSERT(pwrite(mem, &byte, 1, (off_t)(uintptr_t)(at + 3 * PAGE)) == 1);
	CU_ASSERT_EQUAL(at[3 * PAGE], 43);
	if (kernel) {
		CU_ASSERT(process_vm_readv(getpid(), &here, 1, &there, 1, 0) == -1);
	}
	close(mem);
	CU_ASSERT_EQUAL(munmap(at, BYTES), 0);
	CU_ASSERT_EQUAL(play_free(&p, handle), 0);
}

static void unified(void)
{
	uint8_t *at = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_SHARED, p.uvm, 0);

	CU_ASSERT_FATAL(at != MAP_FAILED);
	CU_ASSERT_EQUAL(at[LARGE - 1], 0);
	at[LARGE / 2] = 4;
	if (fork() == 0) {
		at[PAGE] = (uint8_t)(at[LARGE / 2] + 1);
		_exit(0);
	}
	CU_ASSERT_EQUAL(wait_for(-1), 0);
	CU_ASSERT_EQUAL(at[PAGE], 5);
	CU_ASSERT_EQUAL(munmap(at, LARGE / 2), 0);
	CU_ASSERT_EQUAL(at[LARGE / 2], 4);
	CU_ASSERT_EQUAL(munmap(at + LARGE / 2, LARGE / 2), 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"cut in pieces, and mapped twice", cut},
		{"moved", moved},
		{"beyond what it is of", beyond},
		{"freed before it is unmapped", freed_before},
		{"memory comes back", memory_comes_back},
		{"inherited", inherited},
		{"outlives the parent", outlives_the_parent},
		{"killed", killed},
		{"registered memory", registered},
		{"reached by others", by_others},
		{"unified memory", unified},
		CU_TEST_INFO_NULL,
	};
	struct stat status;
	int failed;

	if (!play_open(&p)) {
		return 1;
	}
	kernel = fstat(p.control, &status) == 0 && S_ISCHR(status.st_mode);
	failed = kt_run_suite("mappings", tests);
	play_close(&p);
	return failed;
}
