/* SPDX-License-Identifier: MIT */
/*
 * Debug exceptions without a cause in DR6, as a virtual machine may show those of a
 * watchpoint. An icebp makes one: the last byte of a store to the doorbell is one, so that
 * the thread stands behind that store; or it stands alone, and is the program's own. The
 * last kinds, behind a system call, are sent as signals: one as the kernel would, one not.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define DOORBELL 0x90

extern const char own_trap[];
extern char behind_call[];
static volatile sig_atomic_t own;

static void on_trap(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	own += info->si_addr == own_trap || !info->si_addr;
}

/* A token whose highest byte is an icebp. First the store is made, or there is none. */
static void stand_behind(volatile char *bell, int stores)
{
	__asm__ volatile("	testl %1, %1\n"
			 "	jz 1f - 1\n"
			 "	movl $0xf1010007, (%0)\n"
			 "1:\n"
			 :
			 : "r"(bell + DOORBELL), "r"(stores)
			 : "memory", "cc");
}

/* As if it came from where the thread will stand then, or from nowhere. */
__attribute__((noipa)) static void send_trap(bool looks_true)
{
	siginfo_t sent = {.si_signo = SIGTRAP, .si_code = TRAP_BRKPT};
	long result = SYS_rt_tgsigqueueinfo;
	long process = getpid();
	long thread = gettid();
	register siginfo_t *what __asm__("r10") = &sent;

	sent.si_addr = looks_true ? behind_call : NULL;
	__asm__ volatile("	syscall\n"
			 "behind_call:\n"
			 : "+a"(result)
			 : "D"(process), "S"(thread), "d"((long)SIGTRAP), "r"(what)
			 : "rcx", "r11", "memory");
}

__attribute__((noipa)) static void trap(void)
{
	__asm__ volatile("	.byte 0xf1\n"
			 "own_trap:\n");
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	volatile char *bell;

	set_up();
	sigaction(SIGTRAP, &action, NULL);
	alloc(DEVICE, BELL, 0xc661, NULL, 0);
	bell = map(BELL, 16 * PAGE, PROT_WRITE);
	trap();
	stand_behind(bell, 1);
	stand_behind(bell, 0); /* a doorbell, as far as anybody sees */
	trap();
	send_trap(true); /* another: nothing else explains it */
	send_trap(false);
	printf("%d traps of its own\n", (int)own);
	release(CLIENT);
	return 0;
}
