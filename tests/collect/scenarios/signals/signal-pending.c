/* SPDX-License-Identifier: MIT */
/*
 * The program sends itself signals that the recorder also uses, while they are blocked,
 * pending, waited for or handled.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

static const int numbers[] = {SIGSEGV, SIGBUS, SIGTRAP};
static volatile sig_atomic_t handled;
static siginfo_t last;
static sigjmp_buf back;

static void note(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	last = *info;
	handled++;
}

static void jump_blocked(int number)
{
	(void)number;
	raise(SIGTRAP); /* stays pending, because this handler's mask blocks it */
	printf("in the handler: %d\n", (int)handled);
	siglongjmp(back, 1);
}

static int is_pending(int number)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, number);
}

static void say(const char *what)
{
	printf("%s: handled %d, signo %d code %d self %d value %d\n", what, (int)handled,
	       last.si_signo, last.si_code, last.si_pid == getpid(),
	       last.si_value.sival_int);
}

static void in_turn(int number)
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
	sigset_t one;
	sigset_t old;

	handled = 0;
	sigaction(number, &action, NULL);
	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(SIG_BLOCK, &one, &old);
	printf("%d was blocked %d\n", number, sigismember(&old, number));
	sigqueue(getpid(), number, (union sigval){.sival_int = 55});
	kill(getpid(), number); /* not queued: a standard signal is pending only once */
	printf("pending %d handled %d\n", is_pending(number), (int)handled);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	say("unblocked");
	kill(getpid(), number);
	say("killed");
	raise(number);
	say("raised");
}

static void waits(int number)
{
	struct timespec none = {0, 0};
	siginfo_t info;
	sigset_t one;
	int got = 0;

	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(SIG_BLOCK, &one, NULL);
	raise(number);
	sigwait(&one, &got);
	printf("waited for %d\n", got);
	sigqueue(getpid(), number, (union sigval){.sival_int = 66});
	got = sigwaitinfo(&one, &info);
	printf("got %d: %d %d %d\n", got, info.si_signo, info.si_code,
	       info.si_value.sival_int);
	got = sigtimedwait(&one, &info, &none);
	printf("nothing %d %d, pending %d\n", got, errno == EAGAIN, is_pending(number));
	sigprocmask(SIG_UNBLOCK, &one, NULL);
}

static void *wait_in_thread(void *argument)
{
	sigset_t one;
	int got = 0;

	sigemptyset(&one);
	sigaddset(&one, *(int *)argument);
	sigwait(&one, &got);
	return (void *)(uintptr_t)got;
}

/* All threads block the signal, one thread waits for it, and it is sent to the process. */
static void waits_in_thread(int number)
{
	pthread_t thread;
	sigset_t one;
	void *got = NULL;

	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(SIG_BLOCK, &one, NULL);
	pthread_create(&thread, NULL, wait_in_thread, &number);
	kill(getpid(), number);
	pthread_join(thread, &got);
	printf("thread got %d\n", (int)(uintptr_t)got);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
}

/* Covers calls that replace the mask while they wait. */
static void swaps(int number)
{
	struct timespec none = {0, 0};
	sigset_t one;
	sigset_t empty;

	sigemptyset(&empty);
	sigemptyset(&one);
	sigaddset(&one, number);
	handled = 0;
	sigprocmask(SIG_BLOCK, &one, NULL);
	raise(number);
	ppoll(NULL, 0, &none, &one);
	printf("still %d\n", (int)handled);
	errno = 0;
	ppoll(NULL, 0, NULL, &empty);
	printf("ppoll %d %d\n", (int)handled, errno == EINTR);
	raise(number);
	errno = 0;
	sigsuspend(&empty);
	printf("sigsuspend %d %d\n", (int)handled, errno == EINTR);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
}

/* siglongjmp() restores a mask that unblocks the pending signal. */
static void jumps(void)
{
	struct sigaction action = {.sa_handler = jump_blocked};

	sigaddset(&action.sa_mask, SIGTRAP);
	sigaction(SIGUSR1, &action, NULL);
	handled = 0;
	if (sigsetjmp(back, 1) == 0) {
		raise(SIGUSR1);
	}
	printf("after the jump: %d\n", (int)handled);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void old_names(int number)
{
	printf("held %d", sighold(number));
	printf(" %d", sigset(number, SIG_HOLD) == SIG_HOLD);
	raise(number);
	printf(" %d", is_pending(number));
	printf(" %d\n", sigrelse(number));
	say("released");
	printf("mask %x", (unsigned)sigblock(1 << (number - 1) | 1 << (SIGUSR1 - 1)));
	printf(" %x\n", (unsigned)sigsetmask(0));
}
#pragma GCC diagnostic pop

int main(void)
{
	for (unsigned i = 0; i < 3; i++) {
		in_turn(numbers[i]);
		waits(numbers[i]);
		waits_in_thread(numbers[i]);
		swaps(numbers[i]);
		old_names(numbers[i]);
	}
	jumps();
	signal(SIGTRAP, SIG_IGN);
	raise(SIGTRAP);
	run_submit();
	fflush(stdout);
	signal(SIGBUS, SIG_DFL);
	raise(SIGBUS);
	return 0;
}
