/* SPDX-License-Identifier: MIT */
/*
 * Debug exceptions without a cause in DR6, which a virtual machine may report for
 * watchpoints. The program sends itself signals of the form that the kernel gives to
 * such exceptions. It sends them in three ways: by a system call that is encoded in the
 * last two bytes of a store to the doorbell, so that the thread stops after that store;
 * by another system call; and so that the thread stops at an icebp.
 *
 * An icebp of the program causes such an exception, too. Most machines report it after
 * the instruction, some virtual ones at it. A signal sent without an address does not
 * have the kernel's form.
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
extern char after_store[];
extern char after_call[];
extern char icebp[];
static volatile sig_atomic_t own;

/* Steps over an icebp if the thread stopped at it. */
static void on_trap(int number, siginfo_t *info, void *context)
{
	greg_t *ip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	bool at_icebp = *(const unsigned char *)*ip == 0xf1;

	(void)number;
	own += at_icebp || info->si_addr == own_trap || !info->si_addr;
	*ip += at_icebp;
}

/*
 * Stores a token that ends with the system call's bytes, 0f 05, and executes these bytes;
 * or only executes them.
 */
__attribute__((noipa)) static void stand_after(volatile char *doorbell, int stores)
{
	siginfo_t sent = {
		.si_signo = SIGTRAP, .si_code = TRAP_BRKPT, .si_addr = after_store};
	long result = SYS_rt_tgsigqueueinfo;
	long process = getpid();
	long thread = gettid();
	register siginfo_t *what __asm__("r10") = &sent;

	__asm__ volatile("	testl %1, %1\n"
			 "	jz after_store - 2\n"
			 "	movl $0x050f0007, (%2)\n"
			 "after_store:\n"
			 : "+a"(result)
			 : "r"(stores), "r"(doorbell + DOORBELL), "D"(process), "S"(thread),
			   "d"((long)SIGTRAP), "r"(what)
			 : "rcx", "r11", "memory", "cc");
}

__attribute__((noipa)) static void stand_at_icebp(void)
{
	siginfo_t sent = {.si_signo = SIGTRAP, .si_code = TRAP_BRKPT, .si_addr = icebp};
	long result = SYS_rt_tgsigqueueinfo;
	long process = getpid();
	long thread = gettid();
	register siginfo_t *what __asm__("r10") = &sent;

	__asm__ volatile("	syscall\n"
			 "icebp:\n"
			 "	.byte 0xf1\n"
			 : "+a"(result)
			 : "D"(process), "S"(thread), "d"((long)SIGTRAP), "r"(what)
			 : "rcx", "r11", "memory");
}

/*
 * Sends the signal with the address at which the thread will stop, or without an
 * address.
 */
__attribute__((noipa)) static void send_trap(bool is_plausible)
{
	siginfo_t sent = {.si_signo = SIGTRAP, .si_code = TRAP_BRKPT};
	long result = SYS_rt_tgsigqueueinfo;
	long process = getpid();
	long thread = gettid();
	register siginfo_t *what __asm__("r10") = &sent;

	sent.si_addr = is_plausible ? after_call : NULL;
	__asm__ volatile("	syscall\n"
			 "after_call:\n"
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
	volatile char *doorbell;

	set_up();
	sigaction(SIGTRAP, &action, NULL);
	alloc(DEVICE, USERMODE, 0xc661, NULL, 0);
	doorbell = map(USERMODE, 16 * PAGE, PROT_WRITE);
	trap();
	stand_after(doorbell, 1);
	stand_after(doorbell, 0); /* for the recorder this is a doorbell */
	trap();
	stand_at_icebp();
	send_trap(true); /* another doorbell: the recorder has no other explanation */
	send_trap(false);
	printf("%d traps of its own\n", (int)own);
	release(CLIENT);
	return 0;
}
