/* SPDX-License-Identifier: MIT */
/*
 * Tests programs whose reader crashes, loops or is killed: their exit statuses and
 * messages, and that no file is left.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/cleanup.h"
#include "base/guard.h"
#include "tests/suite.h"

/* A program that reads a trace, and how it ended. */
struct run {
	char file[64]; /* the program or its reader must remove it */
	int said[2];   /* a pipe: standard error of the program and its reader */
	int begun[2];  /* a pipe: the reader writes its pid when it begins to read */
	pid_t program;
	pid_t reader;
	int status;
	char text[4096];
};

static unsigned seconds_before; /* an alarm set before the program starts; 0: none */

/* What the reader does. */
typedef void act_fn(void);

/* Runs the program, which exits with 5 if the reader returns from `act`. */
static void be_program(const struct run *run, act_fn *act)
{
	struct rlimit none = {0};
	pid_t self;

	setrlimit(RLIMIT_CORE, &none);
	dup2(run->said[1], STDERR_FILENO);
	kt_cleanup_install();
	kt_guard_install();
	if (kt_cleanup_add(run->file)) {
		_exit(99);
	}
	alarm(seconds_before);
	kt_guard_begin("some/trace");
	kt_guard_limit(0);
	kt_guard_note("some/trace/stream", 7);
	self = getpid();
	if (write(run->begun[1], &self, sizeof(self)) != sizeof(self)) {
		_exit(99);
	}
	act();
	kt_guard_end();
	unlink(run->file);
	kt_cleanup_forget(run->file);
	_exit(5);
}

static void start(struct run *run, act_fn *act)
{
	int fd;

	memset(run, 0, sizeof(*run));
	snprintf(run->file, sizeof(run->file), "/tmp/test-guard.XXXXXX");
	fd = mkstemp(run->file);
	CU_ASSERT_FATAL(fd >= 0 && pipe(run->said) == 0 && pipe(run->begun) == 0);
	close(fd);
	run->program = fork();
	CU_ASSERT_FATAL(run->program >= 0);
	if (run->program == 0) {
		close(run->said[0]);
		be_program(run, act);
	}
	close(run->said[1]);
	close(run->begun[1]);
	CU_ASSERT_EQUAL_FATAL(read(run->begun[0], &run->reader, sizeof(run->reader)),
			      sizeof(run->reader));
	close(run->begun[0]);
}

/* Reads until both processes have ended: only then is the pipe closed. */
static void finish(struct run *run)
{
	size_t n = 0;
	ssize_t got;

	while ((got = read(run->said[0], run->text + n, sizeof(run->text) - 1 - n)) > 0) {
		n += (size_t)got;
	}
	close(run->said[0]);
	CU_ASSERT_EQUAL(waitpid(run->program, &run->status, 0), run->program);
	CU_ASSERT_NOT_EQUAL(run->reader, run->program);
	CU_ASSERT_TRUE(access(run->file, F_OK) != 0 && errno == ENOENT);
	unlink(run->file);
}

static void run_it(struct run *run, act_fn *act)
{
	start(run, act);
	finish(run);
}

static bool has(const struct run *run, const char *text)
{
	return strstr(run->text, text) != NULL;
}

/* --- crashes --- */

static volatile int wanted;

static void die(void)
{
	/* Removes the handler of a sanitizer, which is not under test. */
	signal(wanted, SIG_DFL);
	raise(wanted);
}

static void test_crashes(void)
{
	static const int signals[] = {SIGSEGV, SIGABRT, SIGTRAP, SIGBUS,
				      SIGFPE,  SIGILL,  SIGSYS,  SIGKILL};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct run run;

		wanted = signals[i];
		run_it(&run, die);
		CU_ASSERT_TRUE(WIFEXITED(run.status));
		CU_ASSERT_EQUAL(WEXITSTATUS(run.status), 3);
		CU_ASSERT_TRUE(has(&run, "ktail: read some/trace: some/trace/stream: at or "
					 "after packet 7: "));
	}
}

static volatile sig_atomic_t go_on = 1;

static void loop(void)
{
	while (go_on) {
	}
}

static void test_loop(void)
{
	struct run run;

	run_it(&run, loop);
	CU_ASSERT_TRUE(WIFEXITED(run.status));
	CU_ASSERT_EQUAL(WEXITSTATUS(run.status), 3);
	CU_ASSERT_TRUE(has(&run, "some/trace/stream: at or after packet 7: "));
	CU_ASSERT_TRUE(
		has(&run,
		    " s of processor time, far more than a trace of its size should need"));
}

static void wait_for_ever(void)
{
	for (;;) {
		pause();
	}
}

/* The kernel sends SIGALRM to the parent alone, which must pass it on to the reader. */
static void test_alarm(void)
{
	struct run run;

	seconds_before = 1;
	run_it(&run, wait_for_ever);
	seconds_before = 0;
	CU_ASSERT_TRUE(WIFSIGNALED(run.status));
	CU_ASSERT_EQUAL(WTERMSIG(run.status), SIGALRM);
}

#ifndef KTAIL_SANITIZED
/* Allocates memory until none is left. */
static void eat(void)
{
	size_t size = (size_t)1 << 20;
	int code = KT_OK;

	while (!code) {
		char *more = malloc(size);

		if (!more) {
			code = kt_error(KT_E_MEMORY, "read some/trace: out of memory");
		} else {
			memset(more, 1, size);
		}
	}
	code = kt_guard_judge(code);
	fprintf(stderr, "%s\n", kt_error_message());
	_exit(kt_exit_status(code));
}

static void test_memory(void)
{
	struct run run;

	start(&run, eat);
	/* A reader that runs out of memory does not remove the file. */
	unlink(run.file);
	finish(&run);
	CU_ASSERT_TRUE(WIFEXITED(run.status));
	CU_ASSERT_EQUAL(WEXITSTATUS(run.status), 3);
	CU_ASSERT_TRUE(
		has(&run, "MB of memory, far more than a trace of its size should need"));
}
#endif

/* --- ends of other kinds --- */

static void come_back(void)
{
}

static void test_good_end(void)
{
	struct run run;

	run_it(&run, come_back);
	CU_ASSERT_TRUE(WIFEXITED(run.status));
	CU_ASSERT_EQUAL(WEXITSTATUS(run.status), 5);
	CU_ASSERT_EQUAL(run.text[0], '\0');
}

static void sleep_on(void)
{
	for (;;) {
		pause();
	}
}

/*
 * A signal to the program ends its reader, and then ends the program as if there were no
 * reader.
 */
static void test_signals(void)
{
	static const int signals[] = {SIGTERM, SIGINT,  SIGHUP,  SIGQUIT,
				      SIGPIPE, SIGUSR1, SIGALRM, SIGXCPU};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct run run;

		start(&run, sleep_on);
		kill(run.program, signals[i]);
		finish(&run);
		if (signals[i] == SIGXCPU) {
			/* SIGXCPU is the reader's own time limit: see test_loop(). */
			CU_ASSERT_TRUE(WIFEXITED(run.status));
			continue;
		}
		CU_ASSERT_TRUE(WIFSIGNALED(run.status));
		CU_ASSERT_EQUAL(WTERMSIG(run.status), signals[i]);
		CU_ASSERT_EQUAL(run.text[0], '\0');
	}
}

/* If the program is killed, its reader ends by itself and removes the files. */
static void test_killed_program(void)
{
	struct run run;

	start(&run, sleep_on);
	kill(run.program, SIGKILL);
	finish(&run);
	CU_ASSERT_TRUE(WIFSIGNALED(run.status));
	CU_ASSERT_EQUAL(WTERMSIG(run.status), SIGKILL);
}

/* The program is stopped by SIGTSTP, as from a shell, and continued. */
static void test_stop(void)
{
	struct run run;
	int status;

	start(&run, sleep_on);
	kill(run.program, SIGTSTP);
	CU_ASSERT_EQUAL(waitpid(run.program, &status, WUNTRACED), run.program);
	CU_ASSERT_TRUE(WIFSTOPPED(status));
	kill(run.program, SIGCONT);
	kill(run.program, SIGTERM);
	finish(&run);
	CU_ASSERT_TRUE(WIFSIGNALED(run.status));
	CU_ASSERT_EQUAL(WTERMSIG(run.status), SIGTERM);
}

/*
 * A crash while no trace is read is a fault of the program, and the signal of the crash
 * ends the program.
 */
static void die_later(void)
{
	kt_guard_end();
	die();
}

static void test_crash_of_ours(void)
{
	struct run run;

	wanted = SIGSEGV;
	run_it(&run, die_later);
	CU_ASSERT_TRUE(WIFSIGNALED(run.status));
	CU_ASSERT_EQUAL(WTERMSIG(run.status), SIGSEGV);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"a crash of the reader is exit status 3", test_crashes},
		{"so is a loop", test_loop},
#ifndef KTAIL_SANITIZED
		{"and want of memory", test_memory},
#endif
		{"other exit statuses are the reader's", test_good_end},
		{"signals are passed on", test_signals},
		{"an alarm is passed on", test_alarm},
		{"a killed program leaves nothing", test_killed_program},
		{"stopped and continued", test_stop},
		{"a crash of our own", test_crash_of_ours},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("guard", tests);
}
