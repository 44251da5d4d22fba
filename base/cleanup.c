/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/cleanup.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ktail/status.h>

/*
 * Bytes of address space for paths. They cost little, since the kernel allocates memory
 * only for pages that are written.
 */
#define REGION_SIZE ((size_t)16 << 20)
#define STACK_SIZE  ((size_t)64 << 10)
#define ENTRY_ALIGN 8

/*
 * Signals without a cleanup handler: they cannot be handled or do not end a program. SIGXFSZ
 * is ignored so that write() fails instead.
 */
static const int others[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN,  SIGTTOU,
			     SIGCHLD, SIGCONT, SIGURG,  SIGWINCH, SIGXFSZ};

/* An entry for a path, reusable once the path is forgotten. */
struct entry {
	uint32_t size; /* bytes of path[] */
	_Atomic uint32_t used;
	char path[];
};

/*
 * Shared with forked children, so that the parent can remove what a killed child has left.
 */
struct region {
	_Atomic size_t end; /* bytes of bytes[] that entries occupy */
	char bytes[];
};

static struct region *region; /* NULL: no handlers were installed */
static pid_t owner;
static pid_t child;

static struct entry *first_entry(void)
{
	return region && region->end > 0 ? (void *)region->bytes : NULL;
}

static struct entry *next_entry(struct entry *e)
{
	char *next = e->path + e->size;

	return next < region->bytes + region->end ? (void *)next : NULL;
}

/* Async-signal-safe, because entries change only while signals are blocked. */
void kt_cleanup_remove(void)
{
	for (struct entry *e = first_entry(); e; e = next_entry(e)) {
		if (e->used && unlink(e->path) == 0) {
			e->used = 0;
		}
	}
	/*
	 * Remove folders last, because they become empty only when their files are
	 * removed.
	 */
	for (struct entry *e = first_entry(); e; e = next_entry(e)) {
		if (e->used) {
			rmdir(e->path);
			e->used = 0;
		}
	}
}

static void remove_all(int number)
{
	int saved = errno;

	if (getpid() == owner) {
		if (child > 0) {
			kill(child, SIGTERM);
		}
		kt_cleanup_remove();
	}
	/*
	 * SA_RESETHAND has restored the default action, so the raised signal ends the
	 * program once this handler returns and the signal is unblocked.
	 */
	raise(number);
	errno = saved;
}

static void fill(sigset_t *set)
{
	sigfillset(set);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		sigdelset(set, others[i]);
	}
}

void kt_cleanup_install(void)
{
	struct sigaction action = {.sa_handler = remove_all,
				   .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)};
	stack_t stack = {.ss_size = STACK_SIZE};
	stack_t stack_before;

	owner = getpid();
	region = mmap(NULL, REGION_SIZE, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	region = region == MAP_FAILED ? NULL : region;
	/* On an alternate stack the handler can run even after a stack overflow. */
	stack.ss_sp = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack.ss_sp != MAP_FAILED &&
	    (sigaltstack(NULL, &stack_before) != 0 ||
	     !(stack_before.ss_flags & SS_DISABLE) || sigaltstack(&stack, NULL) != 0)) {
		munmap(stack.ss_sp, STACK_SIZE);
	}
	fill(&action.sa_mask);
	for (int number = 1; number <= SIGRTMAX; number++) {
		struct sigaction before;

		if (sigismember(&action.sa_mask, number) == 1 &&
		    sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL) {
			sigaction(number, &action, NULL);
		}
	}
	signal(SIGXFSZ, SIG_IGN);
}

void kt_cleanup_take_over(void)
{
	owner = getpid();
}

void kt_cleanup_hold(sigset_t *before)
{
	sigset_t set;

	fill(&set);
	pthread_sigmask(SIG_BLOCK, &set, before);
}

void kt_cleanup_release(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Returns a free entry, or NULL if there is no space for another. */
static struct entry *find_slot(size_t length)
{
	size_t size = (length + ENTRY_ALIGN - 1) / ENTRY_ALIGN * ENTRY_ALIGN;
	size_t whole = sizeof(struct entry) + size;
	struct entry *e;

	for (e = first_entry(); e; e = next_entry(e)) {
		if (!e->used && e->size >= length) {
			return e;
		}
	}
	if (whole > REGION_SIZE - sizeof(*region) - region->end) {
		return NULL;
	}
	e = (void *)(region->bytes + region->end);
	e->size = (uint32_t)size;
	e->used = 0;
	region->end += whole;
	return e;
}

int kt_cleanup_add(const char *path)
{
	size_t length = strlen(path) + 1;
	struct entry *e;
	sigset_t before;

	if (!region) {
		return KT_OK;
	}
	kt_cleanup_hold(&before);
	e = find_slot(length);
	if (e) {
		memcpy(e->path, path, length);
		e->used = 1;
	}
	kt_cleanup_release(&before);
	return e ? KT_OK
		 : kt_error(KT_E_MEMORY, "register %s for removal: out of memory", path);
}

void kt_cleanup_forget(const char *path)
{
	sigset_t before;

	kt_cleanup_hold(&before);
	for (struct entry *e = first_entry(); e; e = next_entry(e)) {
		if (e->used && strcmp(e->path, path) == 0) {
			e->used = 0;
			break;
		}
	}
	kt_cleanup_release(&before);
}

void kt_cleanup_set_child(pid_t pid)
{
	child = pid;
}
