/* SPDX-License-Identifier: MIT */
/*
 * Debug exceptions without a cause in DR6, as a virtual machine may show those of a
 * watchpoint. An icebp makes one: the last byte of a store to the doorbell is one, so that
 * the thread stands behind that store; or it stands alone, and is the program's own. The
 * last kind, behind a system call, is sent as a signal.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define DOORBELL 0x90

extern const char own_trap[];
static volatile sig_atomic_t own;

static void on_trap(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	own += info->si_addr == own_trap;
}

/* A token whose highest byte is an icebp. First the store is made, or there is none. */
static void stand_behind(volatile char *bell, int stores)
{
	__asm__ volatile("	testl %1, %1\n"
			 "	jz 1f + 5\n"
			 "1:	movl $0xf1010007, (%0)\n"
			 :
			 : "r"(bell + DOORBELL), "r"(stores)
			 : "memory", "cc");
}

__attribute__((noipa)) static void trap(void)
{
	__asm__ volatile("	.byte 0xf1\n"
			 "own_trap:\n");
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	siginfo_t sent = {.si_signo = SIGTRAP, .si_code = TRAP_BRKPT};
	volatile char *bell;

	set_up();
	sigaction(SIGTRAP, &action, NULL);
	alloc(DEVICE, BELL, 0xc661, NULL, 0);
	bell = map(BELL, 16 * PAGE, PROT_WRITE);
	trap();
	stand_behind(bell, 1);
	stand_behind(bell, 0); /* a doorbell, as far as anybody sees */
	trap();
	syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGTRAP, &sent); /* another */
	printf("%d traps of its own\n", (int)own);
	release(CLIENT);
	return 0;
}
