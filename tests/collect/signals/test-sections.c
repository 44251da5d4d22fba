/* SPDX-License-Identifier: MIT */
/*
 * Signals that reach a thread within the recorder: in a critical section they wait for its
 * end, also if a file or process has sent them; of a visit whose end a handler of the
 * program skips, nothing remains. Also signals that the program uses although they are
 * carriers.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/preload/handlers/signals.h"
#include "collect/preload/overhead/visits.h"
#include "collect/preload/process/process.h"
#include "collect/preload/signals/signal-actions.h"
#include "collect/preload/signals/signal-carry.h"
#include "collect/preload/signals/signal-defer.h"
#include "tests/suite.h"

#define CHECK(condition)                                                                   \
	do {                                                                               \
		if (!(condition)) {                                                        \
			_exit(__LINE__ % 200 + 1);                                         \
		}                                                                          \
	} while (0)
#define CARRIER_OF_BUS 53

static volatile sig_atomic_t handled;
static siginfo_t last_info;
static int *volatile nowhere = (int *)4096; /* unmapped */
static sigjmp_buf out;

static void count(int signal)
{
	(void)signal;
	handled++;
}

static void keep_info(int signal, siginfo_t *info, void *context)
{
	(void)context;
	count(signal);
	last_info = *info;
}

static void jump_out(int signal)
{
	count(signal);
	siglongjmp(out, 1);
}

static long by_number(int signal, const struct kt_action *action, struct kt_action *old)
{
	return syscall(SYS_rt_sigaction, signal, action, old, sizeof(action->mask));
}

static void handle(int signal, void (*handler)(int), unsigned long flags)
{
	const struct kt_action action = {.handler = (uintptr_t)handler, .flags = flags};
	struct kt_action kernels;
	struct kt_action now = action;

	/* The kernel needs libc's code that returns from handlers. */
	by_number(SIGSEGV, NULL, &kernels);
	now.flags |= KT_SA_RESTORER;
	now.restorer = kernels.restorer;
	CHECK(kt_signals_action(signal, &now, NULL, by_number) == 0);
}

static void handle_info(int signal)
{
	handle(signal, (void (*)(int))(uintptr_t)keep_info, SA_SIGINFO);
}

/* Each test has a process of its own, with the recorder's handlers. */
static void apart(void (*run)(void))
{
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		kt_process_begin();
		kt_signals_install();
		run();
		_exit(0);
	}
	waitpid(child, &status, 0);
	CU_ASSERT_EQUAL(status, 0);
}

/* --- critical sections --- */

/* Makes a file send the signal to the process. */
static void send_from_file(int signal)
{
	int ends[2];

	CHECK(pipe(ends) == 0);
	fcntl(ends[0], F_SETOWN, getpid());
	fcntl(ends[0], F_SETSIG, signal);
	fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
	CHECK(write(ends[1], "a", 1) == 1);
	close(ends[0]);
	close(ends[1]);
}

static void waits(void)
{
	static const int numbers[] = {SIGSEGV, SIGBUS,  SIGTRAP,   SIGILL, SIGFPE,
				      SIGSYS,  SIGUSR1, SIGSTKFLT, 51,     CARRIER_OF_BUS};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		for (int way = 0; way < 4; way++) {
			bool with_info = way & 1;

			handled = 0;
			if (with_info) {
				handle_info(numbers[i]);
			} else {
				handle(numbers[i], count, 0);
			}
			kt_signals_enter();
			if (way < 2) {
				send_from_file(numbers[i]);
			} else {
				kill(getpid(), numbers[i]);
			}
			CHECK(handled == 0);
			kt_signals_leave();
			CHECK(handled == 1);
			CHECK(!with_info || last_info.si_signo == numbers[i]);
		}
	}
}

static void files_wait(void)
{
	apart(waits);
}

/* The kernel says that memory has failed, which no instruction has accessed. */
static void memory_fails(void)
{
	siginfo_t info = {.si_signo = SIGBUS, .si_code = BUS_MCEERR_AO};

	handle_info(SIGBUS);
	kt_signals_enter();
	syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), SIGBUS, &info);
	CHECK(handled == 0);
	kt_signals_leave();
	CHECK(handled == 1 && last_info.si_code == BUS_MCEERR_AO);
}

static void failed_memory(void)
{
	apart(memory_fails);
}

/* The program ignores a carrier that a file sends. */
static void ignores(void)
{
	handle(CARRIER_OF_BUS, SIG_IGN, 0);
	send_from_file(CARRIER_OF_BUS);
}

static void ignored_carrier(void)
{
	apart(ignores);
}

#ifndef __SANITIZE_THREAD__
/*
 * While a signal waits, a carrier arrives that the kernel had begun to deliver before all
 * signals were blocked: it is put back, and waits in the kernel. Not with the thread
 * sanitizer, which keeps such signals back itself until a call into libc.
 */
static void puts_back(void)
{
	static const uint64_t none;

	handle(SIGUSR1, count, 0);
	handle_info(SIGSTKFLT);
	kt_signals_enter();
	raise(SIGUSR1);
	CHECK(kt_deferred.pending && handled == 0);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof(none));
	sigqueue(getpid(), SIGSTKFLT, (union sigval){.sival_int = 77});
	CHECK(handled == 0);
	kt_signals_leave();
	CHECK(handled == 2 && last_info.si_value.sival_int == 77);
}

static void put_back(void)
{
	apart(puts_back);
}
#endif

/* The action that the program sees has the flags that the program gave. */
static void same_flags(void)
{
	struct kt_action seen;

	handle(SIGFPE, count, SA_RESTART);
	CHECK(kt_signals_action(SIGFPE, NULL, &seen, by_number) == 0);
	CHECK(seen.handler == (uintptr_t)count &&
	      seen.flags == (SA_RESTART | KT_SA_RESTORER));
	handle_info(SIGFPE);
	CHECK(kt_signals_action(SIGFPE, NULL, &seen, by_number) == 0);
	CHECK(seen.flags == (SA_SIGINFO | KT_SA_RESTORER));
}

static void flags(void)
{
	apart(same_flags);
}

/* --- carriers --- */

/* Blocking a carrier alone does not block the signal that it carries. */
static void blocks_carrier(void)
{
	uint64_t all_but_ours = ~KT_OUR_MASK;
	uint64_t pending = 0;

	handle(SIGSEGV, jump_out, SA_NODEFER);
	handle(SIGBUS, count, 0);
	CHECK(kt_signals_mask(SIG_SETMASK, &all_but_ours, NULL, sizeof(all_but_ours)) == 0);
	if (sigsetjmp(out, 0) == 0) {
		*nowhere = 1;
	}
	CHECK(handled == 1);
	kill(getpid(), SIGBUS);
	CHECK(handled == 2);
	kill(getpid(), CARRIER_OF_BUS);
	CHECK(handled == 2);
	syscall(SYS_rt_sigpending, &pending, sizeof(pending));
	CHECK(kt_signals_pending(pending) == KT_SIGNAL_BIT(CARRIER_OF_BUS));
}

static void blocked_carrier(void)
{
	apart(blocks_carrier);
}

/* --- visits --- */

static void visits(void)
{
	kt_overhead_percent = 10;
	handle(SIGUSR1, jump_out, SA_NODEFER);
	handle(SIGUSR2, count, 0);
	handle(SIGSEGV, jump_out, SA_NODEFER);
	if (sigsetjmp(out, 0) == 0) {
		kt_visit_begin(KT_VISIT_CALL);
		raise(SIGUSR1);
	}
	CHECK(handled == 1 && kt_visits.depth == 0);
	if (sigsetjmp(out, 0) == 0) {
		kt_visit_begin(KT_VISIT_CALL);
		kt_signals_enter();
		raise(SIGUSR1);
		kt_signals_leave();
	}
	CHECK(handled == 2 && kt_visits.depth == 0);
	if (sigsetjmp(out, 0) == 0) {
		kt_visit_begin(KT_VISIT_CALL);
		*nowhere = 1;
	}
	CHECK(handled == 3 && kt_visits.depth == 0);
	/* The handler returns: its time does not count, and neither does the visit. */
	kt_visit_begin(KT_VISIT_CALL);
	kt_visit_begin(KT_VISIT_CALL);
	kt_overhead_open(&kt_visits.account, kt_visits.left);
	raise(SIGUSR2);
	kt_visit_end();
	kt_visit_end();
	CHECK(handled == 4 && kt_visits.depth == 0 && kt_visits.account.inside == 0);
	kt_visit_begin(KT_VISIT_CALL);
	kt_visit_end();
	CHECK(kt_visits.depth == 0 && kt_visits.account.inside > 0);
}

static void abandoned_visits(void)
{
	apart(visits);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"signals of files and processes wait", files_wait},
		{"failed memory", failed_memory},
		{"an ignored carrier", ignored_carrier},
#ifndef __SANITIZE_THREAD__
		{"a carrier that is put back", put_back},
#endif
		{"flags of wrapped handlers", flags},
		{"a blocked carrier", blocked_carrier},
		{"visits that handlers interrupt", abandoned_visits},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("sections", tests);
}
