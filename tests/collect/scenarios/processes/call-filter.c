/* SPDX-License-Identifier: MIT */
/*
 * Each child installs a system call filter and ends in its own way. It must end as it does
 * without the recorder, even if the filter forbids calls that the recorder would make.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

extern char **environ;

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

enum way { BY_PRCTL, BY_SYSCALL, FOR_ALL_THREADS };

static void install(struct sock_filter *filter, size_t n, enum way way)
{
	struct sock_fprog program = {(unsigned short)n, filter};
	long failed;

	fflush(stdout);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	failed = way == BY_PRCTL
			 ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)
			 : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				   way == FOR_ALL_THREADS ? SECCOMP_FILTER_FLAG_TSYNC : 0,
				   &program);
	if (failed) {
		_exit(99);
	}
}

/* Allows only write and the two exit calls. */
static void allow_few(uint32_t action, enum way way)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	install(filter, N_OF(filter), way);
}

/* Applies `action` to a single call. */
static void refuse(uint32_t number, uint32_t action)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	install(filter, N_OF(filter), BY_SYSCALL);
}

static void say_filtered(void)
{
	write(1, "filtered\n", 9);
}

/* --- ways to end --- */

static void end_now(void)
{
	say_filtered();
	_exit(6);
}

static void end_by_number(void)
{
	say_filtered();
	syscall(SYS_exit_group, 7);
}

static void end_by_exit(void)
{
	say_filtered();
	exit(8);
}

static int *volatile nowhere;

static void end_by_fault(void)
{
	say_filtered();
	*nowhere = 1;
}

static void end_by_call(void)
{
	say_filtered();
	syscall(SYS_getppid);
	_exit(9);
}

static volatile char *doorbell;

/* Ends while memory is watched. */
static void end_with_memory(void)
{
	ring(doorbell, 5);
	end_now();
}

/* --- the children --- */

static void child_of(const char *name, uint32_t action, enum way way, void (*end)(void))
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		signal(SIGTRAP, SIG_IGN);
		if (end == end_with_memory) {
			set_up();
			alloc(DEVICE, USERMODE, 0xc661, NULL, 0);
			doorbell = map(USERMODE, 65536, 3);
		}
		allow_few(action, way);
		end();
		_exit(98);
	}
	waitpid(child, &status, 0);
	/* The mask removes the flag for a core file. */
	printf("%s: %x\n", name, (unsigned)status & ~0x80u);
}

static void *end_thread(void *unused)
{
	say_filtered();
	return unused;
}

/*
 * Runs a child that continues after its filter has refused a call that only the recorder or
 * LTTng makes.
 */
static void go_on(uint32_t number)
{
	static char name[] = "again";
	static char *const arguments[] = {name, name, NULL};
	int status = 0;
	pthread_t thread;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		run_submit();
		refuse(number, SECCOMP_RET_KILL_PROCESS);
		run_submit();
		pthread_create(&thread, NULL, end_thread, NULL);
		pthread_join(thread, NULL);
		fflush(stdout);
		if (fork() == 0) {
			printf("child's\n");
			exit(0);
		}
		wait(NULL);
		printf("system %d\n", system("true"));
		fflush(stdout);
		execve("/proc/self/exe", arguments, environ);
		_exit(97);
	}
	waitpid(child, &status, 0);
	printf("went on: %x\n", (unsigned)status & ~0x80u);
}

static void in_turn(const char *name, uint32_t action)
{
	printf("%s\n", name);
	child_of("_exit", action, BY_PRCTL, end_now);
	child_of("_exit", action, BY_SYSCALL, end_now);
	child_of("_exit, all threads", action, FOR_ALL_THREADS, end_now);
	child_of("exit_group", action, BY_SYSCALL, end_by_number);
	child_of("exit", action, BY_SYSCALL, end_by_exit);
	child_of("exit, all threads", action, FOR_ALL_THREADS, end_by_exit);
	child_of("fault", action, BY_SYSCALL, end_by_fault);
	child_of("call", action, BY_SYSCALL, end_by_call);
	child_of("memory", action, BY_SYSCALL, end_with_memory);
}

int main(int argc, char **argv)
{
	static const struct rlimit no_core = {0, 0};

	(void)argv;
	if (argc > 1) {
		printf("another program\n");
		return 10;
	}
	setrlimit(RLIMIT_CORE, &no_core);
	in_turn("kill", SECCOMP_RET_KILL_PROCESS);
	in_turn("trap", SECCOMP_RET_TRAP);
	in_turn("refuse", SECCOMP_RET_ERRNO | 1);
	go_on(SYS_membarrier); /* used by LTTng */
	go_on(SYS_process_vm_readv);
	/*
	 * Neither LTTng nor the recorder uses this call, so the program is recorded to its
	 * end.
	 */
	go_on(SYS_swapoff);
	run_submit();
	return 0;
}
