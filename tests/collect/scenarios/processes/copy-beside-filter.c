/* SPDX-License-Identifier: MIT */
/*
 * A thread copies to device memory while another installs a system call filter that ends
 * the recording. The copy's source faults in the middle, and the program's handler lets the
 * copy go on when the filter is there.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define PAGES  4
#define BYTES  ((size_t)PAGES * PAGE)
#define ROUNDS 40 /* the recorder passes the copies on when some have trapped */

static char *memory;
static char *source;
static volatile size_t bytes = BYTES;
static atomic_bool reached;
static atomic_bool filtered;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if ((uintptr_t)info->si_addr - (uintptr_t)source >= BYTES ||
	    atomic_exchange(&reached, true)) {
		write(1, "another fault\n", 14);
		_exit(3);
	}
	while (!atomic_load(&filtered)) {
	}
	mprotect(source, BYTES, PROT_READ | PROT_WRITE);
}

static void *copy(void *unused)
{
	memcpy(memory, source, bytes);
	return unused;
}

/* Kills a process that calls what only the recorder and LTTng call. */
static long install(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
		       &program);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	pthread_t thread;
	int status = 0;

	set_up();
	alloc(DEVICE, FB, 0x40, NULL, 0);
	memory = map(FB, BYTES, PROT_READ | PROT_WRITE);
	source = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		memset(source, (int)i, BYTES);
		memcpy(memory, source, bytes);
		call(0x2a, &status, 0);
	}
	memset(source, 'c', BYTES);
	mprotect(source + BYTES / 2, BYTES / 2, PROT_NONE);
	sigaction(SIGSEGV, &action, NULL);
	pthread_create(&thread, NULL, copy, NULL);
	while (!atomic_load(&reached)) {
	}
	printf("installed %d\n", install() == 0);
	atomic_store(&filtered, true);
	pthread_join(thread, NULL);
	printf("copied %d\n", memcmp(memory, source, BYTES) == 0);
	return 0;
}
