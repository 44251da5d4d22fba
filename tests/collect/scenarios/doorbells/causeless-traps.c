/* SPDX-License-Identifier: MIT */
/*
 * Debug exceptions without a cause in DR6, which a virtual machine may report for
 * watchpoints. The program sends itself signals like those that the kernel sends for such
 * exceptions. Three instructions send them: a system call encoded in the last two bytes of
 * a store to the doorbell, so that the thread stops after the store; another system call;
 * and a third one, after which the thread stops at an icebp.
 *
 * An icebp of the program causes such an exception, too. Most machines report it after the
 * instruction, some virtual machines at the instruction. A signal sent without an address
 * differs from the kernel's.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

extern const char own_trap[];
extern char after_store[];
extern char after_call[];
extern char icebp[];
static volatile sig_atomic_t own;

/* Skips an icebp at which the thread stopped. */
static void on_trap(int number, siginfo_t *info, void *context)
{
	greg_t *ip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	bool at_icebp = *(const unsigned char *)*ip == 0xf1;

	(void)number;
	own += at_icebp || info->si_addr == own_trap || !info->si_addr;
	*ip += at_icebp;
}

/*
 * Executes the system call encoded in the last bytes, 0f 05, of a store to the doorbell.
 * The store itself is executed first only if `stores` is set. Its instruction has ten
 * bytes, so a patch, which replaces the first five, leaves the last ones as they are.
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
			 "	movl $0x050f0007, 0x90(%2)\n"
			 "after_store:\n"
			 : "+a"(result)
			 : "r"(stores), "r"(doorbell), "D"(process), "S"(thread),
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
 * Sends the signal, with the address at which the thread will stop if `is_plausible`,
 * otherwise without an address.
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
	stand_after(doorbell, 0); /* the recorder must take this for a doorbell */
	trap();
	stand_at_icebp();
	send_trap(true); /* the recorder can explain this only by a doorbell */
	send_trap(false);
	printf("%d traps of its own\n", (int)own);
	release(CLIENT);
	return 0;
}
