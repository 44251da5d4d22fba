/* SPDX-License-Identifier: MIT */
/*
 * Random system calls: fuzz SECONDS SEED. Four workers (two as root) run programs that make
 * calls and stores whose kind and arguments follow from the seed. Several threads and
 * processes at once map, move, split, access and unmap mappings of devices, and make ioctls
 * with arguments that no ordinary program would use. All processes must end when they are
 * killed, and no thread may get a SIGTRAP. Prints lines "CALL COUNT".
 *
 * fuzz tour: makes each call a few times, one after the other.
 */
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/user.h>

#include "requests.h"

#define CALLS_OF_PROGRAM 400
#define CALLS_OF_CHILD   40
#define ALIVE_MAX        24 /* limit of threads and children, of all programs */
#define STACK            65536

struct shared *shared;
__thread uint64_t chance;
__thread sigjmp_buf *recovery;
int files[FILES];

static void make_calls(unsigned n);

/* --- signals --- */

static void on_fault(int signal)
{
	sigjmp_buf *back = recovery;

	if (back) {
		recovery = NULL;
		siglongjmp(*back, signal);
	}
	_exit(0);
}

/* Another process of the fuzzer traces this one, or did until it exited. */
static bool is_traced;

static void on_trap(int signal)
{
	if (is_traced) {
		return;
	}
	wrong("process %d got signal %d", getpid(), signal);
	_exit(1);
}

static void on_nothing(int signal)
{
	(void)signal;
}

static void handle(int signal, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER};

	sigaction(signal, &action, NULL);
}

/* --- threads, children, other programs --- */

/*
 * Counts one more thread or child, if the limit allows it. run_programs() resets the count,
 * because killed threads and children do not decrement it.
 */
static bool may_be_more(void)
{
	if (__atomic_add_fetch(&shared->alive, 1, __ATOMIC_RELAXED) <= ALIVE_MAX) {
		return true;
	}
	__atomic_sub_fetch(&shared->alive, 1, __ATOMIC_RELAXED);
	return false;
}

static void is_less(void)
{
	__atomic_sub_fetch(&shared->alive, 1, __ATOMIC_RELAXED);
}

static void await(pid_t child)
{
	int status;

	if (child > 0) {
		waitpid(child, &status, __WALL);
	}
}

/* Forks a child, and waits for it in half of the calls; run_programs() reaps the others. */
static void fork_child(void)
{
	uint64_t seed = any();
	pid_t child;

	if (!may_be_more()) {
		return;
	}
	child = fork();
	if (child == 0) {
		begin_chance(seed);
		make_calls(below(CALLS_OF_CHILD));
		is_less();
		_exit(0);
	}
	if (child < 0) {
		is_less();
	} else if (once_in(4)) {
		usleep(below(2000));
		kill(child, SIGKILL);
		is_less();
	}
	if (once_in(2)) {
		await(child);
	}
}

/* The child stores in the parent's memory, but has registers of its own. */
static void vfork_child(void)
{
	char *word = any_word();
	pid_t child = vfork();

	if (child == 0) {
		(void)TOUCH(*(volatile uint32_t *)word = 8);
		_exit(0);
	}
	await(child);
}

static void *run_thread(void *seed)
{
	begin_chance((uint64_t)(uintptr_t)seed);
	make_calls(below(CALLS_OF_CHILD));
	is_less();
	return NULL;
}

static void begin_thread(void)
{
	pthread_attr_t how;
	pthread_t thread;

	if (!may_be_more()) {
		return;
	}
	pthread_attr_init(&how);
	pthread_attr_setstacksize(&how, STACK);
	pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &how, run_thread, (void *)(uintptr_t)any()) != 0) {
		is_less();
	}
	pthread_attr_destroy(&how);
}

/* Runs in a process that shares its parent's memory without being a thread of it. */
static int run_sharer(void *word)
{
	for (int i = 0; i < 3; i++) {
		*(volatile uint32_t *)word = 8;
		syscall(SYS_ioctl, files[0], BARE_WORD, word);
	}
	syscall(SYS_exit, 0);
	return 0;
}

static void share_memory(void)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	pid_t child;

	if (stack == MAP_FAILED) {
		return;
	}
	child = clone(run_sharer, stack + STACK - 64, CLONE_VM | CLONE_VFORK | SIGCHLD,
		      any_word());
	await(child);
	munmap(stack, STACK);
}

/* Traces a child, sets its debug registers, and single-steps it. */
static void trace_child(void)
{
	uint64_t seed = any();
	pid_t child;

	if (!may_be_more()) {
		return;
	}
	child = fork();
	if (child == 0) {
		is_traced = true;
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		begin_chance(seed);
		make_calls(below(CALLS_OF_CHILD));
		_exit(0);
	}
	for (int i = 0, status;
	     i < 60 && waitpid(child, &status, __WALL) == child && WIFSTOPPED(status);
	     i++) {
		int signal = WSTOPSIG(status);
		bool pokes = once_in(8);

		for (unsigned at = 0; pokes && at < 2; at++) {
			ptrace(PTRACE_POKEUSER, child,
			       offsetof(struct user, u_debugreg[at]), (long)any_word());
		}
		if (pokes) {
			ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[7]),
			       0xd0001l);
		}
		ptrace(PTRACE_PEEKDATA, child, any_word(), 0);
		ptrace(PTRACE_POKEDATA, child, any_word(), 8l);
		signal = signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;
		ptrace(once_in(3) ? PTRACE_SINGLESTEP : PTRACE_CONT, child, 0, signal);
	}
	if (child > 0) {
		kill(child, SIGKILL);
		await(child);
	}
	is_less();
}

static void send_signal(void)
{
	switch (below(4)) {
	case 0: kill(0, SIGUSR1); break;
	case 1: kill(getpid(), SIGUSR1); break;
	case 2: kill(-1, SIGUSR1); break;
	default: ualarm(1 + below(3000), 0); break;
	}
}

/* Executes this program again, while other threads run and files stay open. */
static void become_another(void)
{
	char seed[24];

	if (once_in(3)) {
		snprintf(seed, sizeof(seed), "%llu", (unsigned long long)any());
		execl("/proc/self/exe", "fuzz", is_traced ? "traced" : "again", seed, NULL);
	}
}

static void end_here(void)
{
	if (once_in(4)) {
		once_in(2) ? _exit(0) : syscall(SYS_exit, 0);
	}
}

/* --- calls --- */

static const struct {
	const char *name;
	void (*make)(void);
	unsigned weight;
} calls[CALL_N] = {
#define CALL(name, weight) [CALL_##name] = {#name, name, weight},
	CALLS(CALL)
#undef CALL
};

static size_t any_call(void)
{
	unsigned sum = 0;
	unsigned at;
	size_t i;

	for (i = 0; i < CALL_N; i++) {
		sum += calls[i].weight;
	}
	at = below(sum);
	for (i = 0; at >= calls[i].weight; i++) {
		at -= calls[i].weight;
	}
	return i;
}

static void make_calls(unsigned n)
{
	while (n--) {
		size_t i = any_call();

		count(&shared->calls[i]);
		calls[i].make();
	}
}

/* --- programs --- */

static void begin_program(uint64_t seed)
{
	begin_chance(seed);
	handle(SIGSEGV, on_fault);
	handle(SIGBUS, on_fault);
	handle(SIGTRAP, on_trap);
	handle(SIGUSR1, on_nothing);
	handle(SIGALRM, on_nothing);
	prctl(PR_SET_DUMPABLE, 1);
	for (size_t i = 0; i < FILES; i++) {
		files[i] = -1;
	}
	for (size_t i = 0; i < FILES / 2; i++) {
		open_device();
	}
	files[0] = open("/dev/gpusim", O_RDWR | O_CLOEXEC);
}

static void run_program(uint64_t seed)
{
	begin_program(seed);
	count(&shared->programs);
	make_calls(CALLS_OF_PROGRAM / 4 + below(CALLS_OF_PROGRAM));
	_exit(0);
}

/* Waits for the program up to 2 s, kills it, and reaps its orphans. */
static void end_program(pid_t program)
{
	int status;

	for (int i = 0; i < 2000 && waitpid(program, &status, WNOHANG) == 0; i++) {
		usleep(1000);
	}
	kill(program, SIGKILL);
	waitpid(program, &status, 0);
	while (waitpid(-1, &status, WNOHANG | __WALL) > 0) {
	}
}

/*
 * Runs one program after the other. Each has its own session, so that its signals reach
 * only its own processes.
 */
static void run_programs(unsigned worker)
{
	static const uid_t users[USERS] = {0, 65534, 1000, 0};
	uid_t user = users[worker];

	if (user && (setgroups(0, NULL) || setresgid(user, user, user) ||
		     setresuid(user, user, user))) {
		fail("become user %u: %s", worker, strerror(errno));
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (uint64_t i = 0;; i++) {
		uint64_t seed = shared->seed * 1000003 + i * USERS + worker;
		pid_t program = fork();

		if (program == 0) {
			setsid();
			run_program(seed);
		}
		end_program(program);
		/* Killed threads and children did not decrement the count. */
		if (i % 8 == 0) {
			__atomic_store_n(&shared->alive, 0, __ATOMIC_RELAXED);
		}
	}
}

/*
 * Runs as the first process of the PID namespace. When this process is killed, the kernel
 * kills all others of the namespace.
 */
static int run_workers(void *nothing)
{
	int status;

	(void)nothing;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	handle(SIGUSR1, on_nothing);
	for (unsigned i = 0; i < USERS; i++) {
		if (fork() == 0) {
			run_programs(i);
		}
	}
	while (wait(&status) > 0 || errno == EINTR) {
	}
	return 0; /* not reached: the workers never end */
}

/* Makes each call in its own process, because some calls end the process. */
static int run_tour(void *nothing)
{
	(void)nothing;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	handle(SIGUSR1, on_nothing);
	for (size_t i = 0; i < CALL_N; i++) {
		pid_t child = fork();

		if (child == 0) {
			setsid();
			begin_program(i);
			map_doorbells();
			for (int times = 0; times < 20; times++) {
				count(&shared->calls[i]);
				make_calls(2);
				calls[i].make();
			}
			_exit(0);
		}
		end_program(child);
	}
	return 0;
}

/* --- beginning and end --- */

static void share(bool is_first)
{
	int memory = is_first ? memfd_create("fuzz", 0) : SHARED_FD;

	if (is_first && (memory < 0 || ftruncate(memory, sizeof(*shared)) != 0 ||
			 dup2(memory, SHARED_FD) < 0 || close(memory) != 0)) {
		fail("share memory: %s", strerror(errno));
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD,
		      0);
	if (shared == MAP_FAILED) {
		fail("share memory: %s", strerror(errno));
	}
}

static void report(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < CALL_N; i++) {
		printf("%s %llu\n", calls[i].name, (unsigned long long)shared->calls[i]);
		sum += shared->calls[i];
	}
	printf("programs %llu\nfaults %llu\nall %llu\n",
	       (unsigned long long)shared->programs, (unsigned long long)shared->faults,
	       (unsigned long long)sum);
}

/* Runs in a PID namespace, so that signals cannot reach processes outside. */
static void run_in_namespace(int (*run)(void *nothing), double time)
{
	static char stack[STACK] __attribute__((aligned(16)));
	double end = seconds() + time;
	pid_t first = clone(run, stack + STACK, CLONE_NEWPID | SIGCHLD, NULL);

	if (first < 0) {
		fail("create a namespace: %s", strerror(errno));
	}
	while (seconds() < end && !shared->failure[0]) {
		if (waitpid(first, NULL, WNOHANG) == first) {
			return;
		}
		usleep(100000);
	}
	kill(first, SIGKILL);
	end = seconds() + PATIENCE;
	while (waitpid(first, NULL, WNOHANG) == 0) {
		if (seconds() > end) {
			fail("a killed process did not end");
		}
		usleep(10000);
	}
}

int main(int argc, char **argv)
{
	const struct rlimit none = {0};

	setrlimit(RLIMIT_CORE, &none);
	is_traced = argc == 3 && strcmp(argv[1], "traced") == 0;
	if (is_traced || (argc == 3 && strcmp(argv[1], "again") == 0)) {
		share(false);
		run_program(strtoull(argv[2], NULL, 10));
	}
	if (argc < 2) {
		fail("usage: fuzz SECONDS SEED, or fuzz tour");
	}
	share(true);
	if (argc == 3) {
		shared->seed = strtoull(argv[2], NULL, 10);
		run_in_namespace(run_workers, atof(argv[1]));
	} else {
		run_in_namespace(run_tour, PATIENCE);
	}
	report();
	if (shared->failure[0]) {
		fail("%s", shared->failure);
	}
	return 0;
}
