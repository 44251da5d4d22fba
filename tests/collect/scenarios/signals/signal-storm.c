/* SPDX-License-Identifier: MIT */
/*
 * Signals arrive as fast as they can be sent while the program uses the device: each is
 * delivered exactly once, in order, with its data and the right mask and stack, whatever
 * the handler does: it uses the device too, jumps out, installs handlers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define QUEUED  5000
#define SENT    300
#define STEPS   5000 /* of each part with accesses: a busy machine delivers signals late */
#define JUMPS   1000
#define CHANGES 1000
#define QUEUE   (SIGRTMIN + 1)
#define ALSO    (SIGRTMIN + 2)

static volatile uint32_t *fb;
static volatile uint32_t *sys;
static pthread_t self;
static _Atomic unsigned received;
static _Atomic unsigned wrong;
static _Atomic bool over;
static volatile uint32_t turn;
static volatile unsigned steps; /* in this part */

static void expect(bool holds)
{
	if (!holds) {
		atomic_fetch_add(&wrong, 1);
	}
}

/* Two accesses, each of which begins a run; sometimes a call. Lets other threads run. */
static void step(bool calls)
{
	uint32_t n = ++turn;

	sched_yield();
	if (++steps > STEPS) {
		return;
	}
	fb[n % (PAGE / 4)] = n;
	expect(sys[n % (PAGE / 4)] == 0);
	if (calls && n % 16 == 0) {
		release(SYS + 100);
	}
}

static bool blocks(int number)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, number) == 1;
}

/* The mask of the program: all that these tests may have left blocked. */
static bool is_open(void)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigisemptyset(&now);
}

static void install(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

	sigaddset(&action.sa_mask, ALSO);
	expect(sigaction(number, &action, NULL) == 0);
}

static void report(const char *what, bool enough)
{
	printf("%s: enough %d, wrong %u, mask %s\n", what, enough, atomic_load(&wrong),
	       is_open() ? "open" : "not open");
	fflush(stdout);
	steps = 0;
}

/* --- queued signals are counted --- */

static void take_queued(int number, siginfo_t *info, void *context)
{
	unsigned n = atomic_load(&received);
	int saved = errno;

	(void)context;
	expect(info->si_signo == number && info->si_code == SI_QUEUE &&
	       info->si_pid == getpid() && info->si_uid == getuid());
	expect((unsigned)info->si_value.sival_int == n);
	if (n % 8 == 0) {
		expect(blocks(number) && blocks(ALSO) && !blocks(SIGUSR1));
	}
	if (n % 4 == 0) {
		step(false);
		expect(info->si_value.sival_int == (int)n);
	}
	atomic_store(&received, n + 1);
	errno = saved;
}

static void *queue(void *number)
{
	for (int i = 0; i < QUEUED; i++) {
		union sigval value = {.sival_int = i};

		while (pthread_sigqueue(self, *(int *)number, value) == EAGAIN) {
			sched_yield();
		}
		while (i > (int)atomic_load(&received) + 8) {
			sched_yield();
		}
	}
	return NULL;
}

static void test_queued(int flags)
{
	int number = QUEUE;
	pthread_t sender;

	atomic_store(&received, 0);
	install(number, take_queued, flags);
	pthread_create(&sender, NULL, queue, &number);
	while (atomic_load(&received) < QUEUED) {
		step(true);
	}
	pthread_join(sender, NULL);
	report(flags & SA_ONSTACK ? "queued, alternate stack" : "queued",
	       atomic_load(&received) == QUEUED);
}

/* --- a timer whose handler jumps out --- */

static sigjmp_buf back;
static volatile sig_atomic_t jumps;

static void jump(int number)
{
	expect(blocks(number));
	if (++jumps % 2) {
		step(false);
	}
	siglongjmp(back, 1);
}

static void test_jumps(void)
{
	struct itimerval every = {{0, 100}, {0, 100}};
	struct itimerval never = {{0, 0}, {0, 0}};

	signal(SIGALRM, jump);
	if (sigsetjmp(back, 1) == 0) {
		setitimer(ITIMER_REAL, &every, NULL);
	}
	while (jumps < JUMPS) {
		step(false);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	report("jumps", jumps >= JUMPS);
}

/* --- handlers that install handlers --- */

static volatile sig_atomic_t changes;

static void second(int number, siginfo_t *info, void *context);

static void first(int number, siginfo_t *info, void *context)
{
	struct sigaction next = {.sa_sigaction = second, .sa_flags = SA_SIGINFO};
	struct sigaction old;

	(void)context;
	expect(info->si_signo == number);
	expect(sigaction(number, &next, &old) == 0 && old.sa_sigaction == first);
	expect((old.sa_flags & ~0x04000000) == SA_SIGINFO);
	changes++;
}

static void second(int number, siginfo_t *info, void *context)
{
	struct sigaction old;

	(void)context;
	expect(info->si_code == SI_TKILL || info->si_code == SI_USER);
	expect(sigaction(number, NULL, &old) == 0 && old.sa_sigaction == second);
	install(number, first, 0);
	expect(sigaction(number, NULL, &old) == 0 && old.sa_sigaction == first);
	expect(sigismember(&old.sa_mask, ALSO) == 1);
	changes++;
}

static void *send_signals(void *number)
{
	while (!atomic_load(&over)) {
		pthread_kill(self, *(int *)number);
		usleep(20);
	}
	return NULL;
}

static void test_changes(void)
{
	int number = SIGUSR1;
	pthread_t sender;

	install(number, first, 0);
	pthread_create(&sender, NULL, send_signals, &number);
	while (changes < CHANGES) {
		step(true);
	}
	atomic_store(&over, true);
	pthread_join(sender, NULL);
	report("changes", changes >= CHANGES);
}

/* --- each signal once: kinds of signals and of flags --- */

static volatile sig_atomic_t taken;

static void take(int number, siginfo_t *info, void *context)
{
	(void)context;
	expect(info->si_signo == number && info->si_pid == getpid());
	taken++;
}

static void *send_each(void *number)
{
	for (int i = 0; i < SENT; i++) {
		int before = taken;

		pthread_kill(self, *(int *)number);
		while (taken == before) {
			sched_yield();
		}
	}
	atomic_store(&over, true);
	return NULL;
}

static void test_each(int number, int flags, const char *what)
{
	struct sigaction old;
	pthread_t sender;

	taken = 0;
	atomic_store(&over, false);
	install(number, take, flags);
	pthread_create(&sender, NULL, send_each, &number);
	while (!atomic_load(&over)) {
		step(true);
	}
	pthread_join(sender, NULL);
	expect(sigaction(number, NULL, &old) == 0 && old.sa_sigaction == take);
	report(what, taken == SENT);
}

/* A signal arrives while the handler of another uses the device, on the same stack. */
static void test_two(void)
{
	int queued = QUEUE;
	int sent = SIGINT;
	pthread_t senders[2];

	taken = 0;
	atomic_store(&received, 0);
	atomic_store(&over, false);
	install(queued, take_queued, SA_ONSTACK);
	install(sent, take, SA_ONSTACK);
	pthread_create(&senders[0], NULL, queue, &queued);
	pthread_create(&senders[1], NULL, send_each, &sent);
	while (!atomic_load(&over) || atomic_load(&received) < QUEUED) {
		step(true);
	}
	pthread_join(senders[0], NULL);
	pthread_join(senders[1], NULL);
	report("two", taken == SENT && atomic_load(&received) == QUEUED);
}

/* A handler that is reset is there for one signal; the action is the default then. */
static _Atomic unsigned armed;

static void *send_armed(void *number)
{
	for (unsigned i = 1; i <= SENT; i++) {
		while (atomic_load(&armed) < i) {
			sched_yield();
		}
		pthread_kill(self, *(int *)number);
	}
	return NULL;
}

static void test_reset(void)
{
	int number = SIGUSR2;
	struct sigaction old;
	pthread_t sender;

	pthread_create(&sender, NULL, send_armed, &number);
	for (int i = 1; i <= SENT; i++) {
		taken = 0;
		install(number, take, (int)SA_RESETHAND);
		atomic_store(&armed, (unsigned)i);
		while (!taken) {
			step(true);
		}
		expect(taken == 1);
		expect(sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
	}
	pthread_join(sender, NULL);
	report("reset", true);
}

/* --- a handler that the recorder does not know of --- */

static void take_unseen(int number)
{
	(void)number;
	step(false);
	taken++;
}

__asm__(".text\n"
	"own_restorer:\n"
	"	movl $15, %eax\n" /* rt_sigreturn */
	"	syscall\n");
extern const char own_restorer[];

static void test_unseen(void)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		const void *restorer;
		uint64_t mask;
	} action = {take_unseen, 0x04000000, own_restorer, 0};
	long result = SYS_rt_sigaction;
	register long size __asm__("r10") = sizeof(action.mask);
	pthread_t sender;
	int number = SIGUSR2;

	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"((long)number), "S"(&action), "d"(0L), "r"(size)
			 : "rcx", "r11", "memory");
	expect(result == 0);
	munmap((void *)(uintptr_t)fb, PAGE);
	fb = map(FB, PAGE, PROT_READ | PROT_WRITE);
	taken = 0;
	atomic_store(&over, false);
	pthread_create(&sender, NULL, send_each, &number);
	while (!atomic_load(&over)) {
		step(true);
	}
	pthread_join(sender, NULL);
	report("unseen", taken == SENT);
}

int main(void)
{
	static char stack[65536];
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};

	self = pthread_self();
	set_up();
	alloc(DEVICE, FB, 0x40, NULL, 0);
	fb = map(FB, PAGE, PROT_READ | PROT_WRITE);
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	sys = map(SYS, PAGE, PROT_READ | PROT_WRITE);
	test_queued(0);
	sigaltstack(&alternate, NULL);
	test_queued(SA_ONSTACK);
	test_queued(SA_RESTART);
	test_jumps();
	test_changes();
	test_each(SIGTERM, SA_RESTART, "restart");
	test_each(SIGINT, SA_ONSTACK, "alternate stack");
	test_each(SIGFPE, SA_NODEFER, "nodefer");
	test_two();
	test_reset();
	test_unseen();
	return 0;
}
