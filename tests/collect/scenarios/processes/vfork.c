/* SPDX-License-Identifier: MIT */
/*
 * Children that share the parent's memory, and so the recorder's, use the device and close
 * its descriptor before their exec. None of it is the parent's: the descriptor must stay
 * known until the parent closes it by close_range(), and the parent's word must go on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define STACK 65536

static char stack[STACK] __attribute__((aligned(16)));

static void use(void)
{
	alloc(DEVICE, FB, 0x40, NULL, 0);
	close(control_fd);
}

static int use_and_exec(void *unused)
{
	(void)unused;
	use();
	execl("/bin/true", "true", (char *)NULL);
	_exit(1);
}

static int status_of(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static int by_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		use_and_exec(NULL);
	}
	return status_of(child);
}

static void leave(int number)
{
	_exit(number);
}

static int handler_of(int number)
{
	struct sigaction action;

	sigaction(number, NULL, &action);
	return action.sa_handler == SIG_DFL ? 1 : action.sa_handler == leave ? 2 : 3;
}

/* The child has actions of its own, which are those of its parent at first. */
static int by_vfork_with_actions(void)
{
	pid_t child = vfork();
	int seen;

	if (child == 0) {
		seen = handler_of(SIGSEGV) * 100 + handler_of(SIGUSR1) * 10;
		signal(SIGSEGV, SIG_DFL);
		signal(SIGUSR1, SIG_DFL);
		_exit(seen + (handler_of(SIGSEGV) == 1 && handler_of(SIGUSR1) == 1));
	}
	return status_of(child);
}

/* The child goes on after a child of its own has ended. */
static int by_two_vforks(void)
{
	pid_t child = vfork();

	if (child == 0) {
		if (vfork() == 0) {
			_exit(0);
		}
		use_and_exec(NULL);
	}
	return status_of(child);
}
#pragma GCC diagnostic pop

static int by_clone(void)
{
	return status_of(
		clone(use_and_exec, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
}

/*
 * vfork by the program's own instruction, which the recorder does not see: it learns of the
 * child when the child closes the descriptor or calls exec.
 */
__attribute__((noinline, returns_twice)) pid_t own_vfork(void);
__asm__(".text\n"
	".type own_vfork, @function\n"
	"own_vfork:\n"
	"	popq %rdi\n"
	"	movl $58, %eax\n"
	"	syscall\n"
	"	pushq %rdi\n"
	"	ret\n"
	".size own_vfork, . - own_vfork\n");

static int by_own_instruction(void)
{
	pid_t child = own_vfork();

	if (child == 0) {
		close(control_fd);
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	return status_of(child);
}

int main(void)
{
	int status = 0;

	signal(SIGSEGV, leave);
	signal(SIGUSR1, leave);
	printf("actions: %d", by_vfork_with_actions());
	printf(" %d\n", handler_of(SIGSEGV) * 10 + handler_of(SIGUSR1));
	signal(SIGSEGV, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	set_up();
	fflush(stdout);
	printf("vfork gave %d\n", by_vfork());
	fflush(stdout);
	printf("two gave %d\n", by_two_vforks());
	fflush(stdout);
	printf("own gave %d\n", by_own_instruction());
	fflush(stdout);
	printf("clone gave %d\n", by_clone());
	fflush(stdout);
	printf("vfork gave %d\n", by_vfork());
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	close_range((unsigned)control_fd, (unsigned)control_fd, 0);
	printf("closed %d\n", call(0x2a, &status, 0) == -1 && errno == EBADF);
	return 0;
}
