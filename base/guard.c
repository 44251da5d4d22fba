/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/guard.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/cleanup.h"

/*
 * Limits of memory (bytes) and of processor time (seconds). They grow with the size of the
 * trace, and are far above what traces need: see docs/internals/words.md. With a
 * sanitizer, memory is not limited, since the memory of the sanitizer itself would count,
 * and the time limit is longer, since the program is slower.
 */
#ifdef KTAIL_SANITIZED
#define LIMITS_MEMORY 0
#define SLOWER        4
#else
#define LIMITS_MEMORY 1
#define SLOWER        1
#endif
#define MEMORY_LEAST   ((uint64_t)384 << 20)
#define MEMORY_FACTOR  32
#define SECONDS_LEAST  5
#define BYTES_A_SECOND ((uint64_t)500 << 10)

/* State that the child shares with its parent. */
struct notes {
	unsigned reading;     /* number of open traces */
	char trace[PATH_MAX]; /* path of the trace that was opened last */
	char file[PATH_MAX];  /* the file being read; "": none yet */
	uint64_t packet;      /* index in `file` of the packet being read */
	unsigned seconds;     /* limit of processor time; 0: no limit */
	uint64_t bytes;       /* limit of memory; 0: no limit */
};

static struct notes *notes; /* shared with the child; NULL: guard off or not installed */
static bool guarded;        /* true in the child */
static struct rlimit memory_before;
static struct rlimit time_before;

void kt_guard_install(void)
{
	const char *wish = getenv("KTAIL_GUARD");

	if (wish && strcmp(wish, "off") == 0) {
		return;
	}
	notes = mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	notes = notes == MAP_FAILED ? NULL : notes;
}

/* --- the parent --- */

static void print_end(int number)
{
	/* The crash may have overwritten both paths, so end them with NUL. */
	notes->trace[PATH_MAX - 1] = notes->file[PATH_MAX - 1] = '\0';
	fprintf(stderr, "ktail: read %s: ", notes->trace);
	if (notes->file[0]) {
		fprintf(stderr, "%s: at or after packet %" PRIu64 ": ", notes->file,
			notes->packet);
	}
	if (number == SIGXCPU) {
		fprintf(stderr,
			"the trace is damaged: reading it takes more than %u s of "
			"processor time, far more than a trace of its size should need (on "
			"a very slow machine KTAIL_GUARD=off lifts the limit)\n",
			notes->seconds);
		return;
	}
	if (number == SIGKILL) {
		fputs("the reading process was killed, by a user or because memory ran "
		      "out\n",
		      stderr);
		return;
	}
	fprintf(stderr,
		"the trace is damaged: the reading process was terminated by signal %d "
		"(%s)",
		number, strsignal(number));
	if (notes->bytes) {
		fprintf(stderr, "; its limit was %" PRIu64 " MB of memory",
			notes->bytes >> 20);
	}
	fputs("\n", stderr);
}

/* Returns whether the signal is a failure of the reader rather than a request to end. */
static bool is_crash(int number)
{
	switch (number) {
	case SIGSEGV:
	case SIGABRT:
	case SIGTRAP:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGSYS:
	case SIGKILL: return true;
	case SIGXCPU: return notes->seconds > 0;
	default: return false;
	}
}

/* Ends this process the way the child ended. */
static void end_as(int status)
{
	int number = WTERMSIG(status);
	struct rlimit none = {0};
	sigset_t all;

	if (WIFEXITED(status)) {
		_exit(WEXITSTATUS(status));
	}
	kt_cleanup_remove();
	if (notes->reading > 0 && is_crash(number)) {
		print_end(number);
		_exit(kt_exit_status(KT_E_MALFORMED));
	}
	/* Do not dump core: the child has done so, if cores are enabled. */
	setrlimit(RLIMIT_CORE, &none);
	signal(number, SIG_DFL);
	sigfillset(&all);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	_exit(128 + number);
}

static void pass_on(pid_t child, const siginfo_t *info)
{
	int number = info->si_signo;

	/*
	 * Do not forward signals of the terminal's keys, because the kernel sends them to
	 * the child too.
	 */
	if (info->si_code <= 0 ||
	    (number != SIGINT && number != SIGQUIT && number != SIGTSTP)) {
		kill(child, number);
	}
	if (number == SIGTSTP) {
		raise(SIGSTOP);
		kill(child, SIGCONT);
	}
}

/*
 * Fills in the signals that the parent waits for: all except faults of the parent itself
 * (SIGSEGV to SIGSYS in the list) and signals that the parent does not forward (SIGTTIN to
 * SIGCONT).
 */
static void fill(sigset_t *set)
{
	static const int own[] = {SIGSEGV, SIGBUS,  SIGFPE,   SIGILL, SIGTRAP, SIGSYS,
				  SIGTTIN, SIGTTOU, SIGWINCH, SIGURG, SIGCONT};

	sigfillset(set);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		sigdelset(set, own[i]);
	}
}

static void wait_for(pid_t child, const sigset_t *set)
{
	for (;;) {
		siginfo_t info;
		int status;

		if (waitpid(child, &status, WNOHANG) == child) {
			end_as(status);
		}
		if (sigwaitinfo(set, &info) > 0 && info.si_signo != SIGCHLD) {
			pass_on(child, &info);
		}
	}
}

/* --- the child --- */

/*
 * Forks. Returns in the child, while the parent waits and never returns; if fork() fails,
 * returns in this process.
 */
static void go_on_in_child(void)
{
	struct sigaction standard = {.sa_handler = SIG_DFL};
	struct sigaction chld;
	pid_t parent = getpid();
	sigset_t before;
	sigset_t set;
	pid_t child;

	fill(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	sigaction(SIGCHLD, &standard, &chld);
	child = fork();
	if (child > 0) {
		wait_for(child, &set);
	}
	if (child == 0) {
		kt_cleanup_take_over();
		guarded = true;
		/*
		 * If the parent is killed, SIGTERM makes this child clean up and end. If
		 * the parent ended before prctl(), the child raises SIGTERM itself.
		 */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent) {
			raise(SIGTERM);
		}
	}
	sigaction(SIGCHLD, &chld, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void kt_guard_begin(const char *trace)
{
	if (!notes) {
		return;
	}
	if (!guarded) {
		go_on_in_child();
	}
	snprintf(notes->trace, sizeof(notes->trace), "%s", trace);
	notes->file[0] = '\0';
	notes->reading++;
}

void kt_guard_note(const char *file, uint64_t packet)
{
	if (guarded) {
		notes->packet = packet;
		if (strcmp(notes->file, file) != 0) {
			snprintf(notes->file, sizeof(notes->file), "%s", file);
		}
	}
}

/* --- limits --- */

/* Returns the size in bytes of data and stack, about what RLIMIT_DATA counts. */
static uint64_t memory_now(void)
{
	unsigned long long pages = 0;
	FILE *in = fopen("/proc/self/statm", "re");

	/* The columns are: size resident shared text lib data+stack dt (pages). */
	if (!in || fscanf(in, "%*u %*u %*u %*u %*u %llu", &pages) != 1) {
		pages = 0;
	}
	if (in) {
		fclose(in);
	}
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/*
 * Sets a resource limit to `to`, unless the limit that applied before the first open trace
 * (*before) is as low or lower. Returns whether the limit was set.
 */
static bool lower(int resource, struct rlimit *before, uint64_t to)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) != 0) {
		return false;
	}
	if (notes->reading == 1) {
		*before = limit;
	}
	if (before->rlim_cur != RLIM_INFINITY && before->rlim_cur <= to) {
		return false;
	}
	limit.rlim_cur = to;
	return setrlimit(resource, &limit) == 0;
}

void kt_guard_limit(uint64_t bytes)
{
	uint64_t memory = MEMORY_LEAST + MEMORY_FACTOR * bytes;
	uint64_t seconds = SLOWER * (SECONDS_LEAST + bytes / BYTES_A_SECOND);
	struct rusage used;
	uint64_t now;

	if (!guarded) {
		return;
	}
	getrusage(RUSAGE_SELF, &used);
	now = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1;
	notes->seconds =
		lower(RLIMIT_CPU, &time_before, now + seconds) ? (unsigned)seconds : 0;
	notes->bytes =
		LIMITS_MEMORY && lower(RLIMIT_DATA, &memory_before, memory_now() + memory)
			? memory
			: 0;
}

int kt_guard_judge(int code)
{
	if (code != KT_E_MEMORY || !guarded || !notes->bytes) {
		return code;
	}
	return kt_error(
		KT_E_MALFORMED,
		"read %s%s%s: the trace is damaged: reading it takes more than %" PRIu64
		" MB of memory, far more than a trace of its size should need",
		notes->trace, notes->file[0] ? ": at or after " : "", notes->file,
		notes->bytes >> 20);
}

void kt_guard_end(void)
{
	if (guarded && --notes->reading == 0) {
		if (notes->seconds) {
			setrlimit(RLIMIT_CPU, &time_before);
		}
		if (notes->bytes) {
			setrlimit(RLIMIT_DATA, &memory_before);
		}
		notes->seconds = 0;
		notes->bytes = 0;
		notes->file[0] = '\0';
	}
}
