/* SPDX-License-Identifier: MIT */
/* The fuzzer's calls that create, change and access mappings. */
#ifndef FUZZ_MEMORY_H
#define FUZZ_MEMORY_H

#include <linux/futex.h>
#include <sys/uio.h>

#include "stores.h"

extern int files[FILES]; /* this process's descriptors; -1: none */

/*
 * Excludes the last doorbell page, which is reserved for witness.c: that program counts the
 * stores to it.
 */
#define OWN_PAGES (BARE_PAGES - 1)

static int any_file(void)
{
	return files[below(FILES)];
}

static int any_protection(void)
{
	static const int protections[] = {PROT_READ | PROT_WRITE,
					  PROT_READ | PROT_WRITE,
					  PROT_READ | PROT_WRITE,
					  PROT_READ,
					  PROT_WRITE,
					  PROT_NONE,
					  PROT_READ | PROT_WRITE | PROT_EXEC};

	return protections[below(sizeof(protections) / sizeof(protections[0]))];
}

static void map_file(unsigned first, unsigned end)
{
	struct range range = any_range();
	unsigned pages = (unsigned)(range.length / PAGE);
	unsigned at = first + below(end - first);
	int how = once_in(20) ? MAP_PRIVATE : MAP_SHARED;

	if (at + pages > end && !once_in(10)) {
		range.length = PAGE;
	}
	if (at + range.length / PAGE > OWN_PAGES && at < BARE_PAGES) {
		range.length = PAGE;
	}
	mmap(range.at, range.length, any_protection(), how | MAP_FIXED, any_file(),
	     (off_t)at * PAGE);
}

static void map_doorbells(void)
{
	map_file(0, OWN_PAGES);
}

static void map_rings(void)
{
	map_file(BARE_PAGES, BARE_PAGES + BARE_CHANNELS);
}

/* Maps pages at offsets that the driver may refuse. */
static void map_others(void)
{
	struct range range = any_range();

	mmap(range.at, range.length << below(12), any_protection(),
	     MAP_SHARED | MAP_FIXED_NOREPLACE, any_file(),
	     (off_t)(any() & (once_in(2) ? 0x1f000 : 0x7ffffffffffff000)) |
		     (off_t)BARE_PAGES * PAGE);
}

static void map_ordinary(void)
{
	struct range range = any_range();

	mmap(range.at, range.length, any_protection(),
	     (once_in(3) ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void unmap(void)
{
	struct range range = any_range();

	munmap(range.at, once_in(30) ? ARENA_PAGES * PAGE : range.length);
}

static void protect(void)
{
	struct range range = any_range();

	mprotect(range.at, range.length, any_protection());
}

/* Moves a range within the arena. */
static void move(void)
{
	struct range from = any_range();
	struct range to = any_range();
	size_t length = once_in(4) ? to.length : from.length;
	int how = MREMAP_MAYMOVE | MREMAP_FIXED;

	if (once_in(6)) {
		how |= 4; /* MREMAP_DONTUNMAP */
	} else if (once_in(6)) {
		how = 0;
	}
	if (to.at + length <= page_at(ARENA_PAGES)) {
		(void)!mremap(from.at, from.length, length, how, to.at);
	}
}

static void advise(void)
{
	static const int advices[] = {MADV_DONTNEED,
				      MADV_DONTFORK,
				      MADV_DOFORK,
				      MADV_REMOVE,
				      MADV_COLD,
				      MADV_PAGEOUT,
				      MADV_FREE,
				      MADV_MERGEABLE,
				      MADV_HUGEPAGE,
				      MADV_WILLNEED,
				      22 /* POPULATE_READ */,
				      23 /* POPULATE_WRITE */,
				      MADV_WIPEONFORK};
	struct range range = any_range();

	madvise(range.at, range.length,
		advices[below(sizeof(advices) / sizeof(advices[0]))]);
}

static void lock_memory(void)
{
	struct range range = any_range();
	unsigned char in_core[16];

	switch (below(4)) {
	case 0: mlock(range.at, range.length); break;
	case 1: munlock(range.at, range.length); break;
	case 2: mincore(range.at, range.length, in_core); break;
	default: msync(range.at, range.length, MS_SYNC); break;
	}
}

/* --- accesses --- */

static char *any_word(void)
{
	char *page = any_range().at;

	return page + (once_in(4) ? 8 + 4 * below(PAGE / 4 - 8) : BARE_DOORBELL);
}

static void store(void)
{
	char *at = any_word();
	uint32_t value = BARE_TOKEN(any() & 0xffff, below(8));
	unsigned kind = below(STORES_KINDS);

	(void)TOUCH(store_by(kind, at, value));
}

static void load(void)
{
	const volatile char *at = any_word();

	(void)TOUCH((void)*(const volatile uint32_t *)at);
}

static void wait_on_word(void)
{
	struct timespec moment = {.tv_nsec = 1000};

	syscall(SYS_futex, any_word(), once_in(2) ? FUTEX_WAIT : FUTEX_WAKE_OP, below(3),
		&moment, any_word(), any());
}

/* Makes system calls that read and write the arena. */
static void use_buffers(void)
{
	struct range range = any_range();
	char *at = any_pointer(range.at);
	int ends[2];

	if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) {
		return;
	}
	(void)!write(ends[1], at, 1 + below(64));
	(void)!read(ends[0], any_pointer(range.at), 1 + below(64));
	(void)!write(ends[1], "0123456789abcdef", 16);
	(void)!read(ends[0], range.at + BARE_DOORBELL - 4, 16);
	close(ends[0]);
	close(ends[1]);
}

/*
 * Accesses the arena of this process or of its parent by other system calls, as a debugger
 * does.
 */
static void reach_over(void)
{
	char buffer[32] = {0};
	struct iovec mine = {.iov_base = buffer, .iov_len = 1 + below(32)};
	struct iovec theirs = {.iov_base = any_word() - 8, .iov_len = mine.iov_len};
	pid_t whom = once_in(2) ? getpid() : getppid();
	char path[32];
	int memory;

	if (once_in(2)) {
		process_vm_readv(whom, &mine, 1, &theirs, 1, 0);
		process_vm_writev(getpid(), &mine, 1, &theirs, 1, 0);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%s/mem", "self");
	memory = open(path, O_RDWR | O_CLOEXEC);
	if (memory >= 0) {
		(void)!pread(memory, buffer, mine.iov_len,
			     (off_t)(uintptr_t)theirs.iov_base);
		(void)!pwrite(memory, buffer, mine.iov_len,
			      (off_t)(uintptr_t)theirs.iov_base);
		close(memory);
	}
}

#endif
