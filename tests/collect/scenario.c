/* SPDX-License-Identifier: MIT */
/*
 * Plays a user-mode driver in front of tests/collect/fake-driver.c. Usage: scenario NAME
 * Each scenario prints what it computed, so that runs with and without the recorder can be
 * compared; test-record.sh knows the letters that each must give.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/fake-driver.h"

#define PAGE 4096

#define CLIENT  0xc1d00001u
#define DEVICE  0x5c000001u
#define BELL    0x5c000010u
#define FB      0x5c000020u
#define SYS     0x5c000030u
#define CHANNEL 0x5c000040u
#define PIN     0x5c000050u

static int control_fd;

static int call(int nr, void *argument, size_t size)
{
	return ioctl(control_fd, _IOC(_IOC_READ | _IOC_WRITE, 'F', nr, size), argument);
}

static void alloc(uint32_t parent, uint32_t object, uint32_t class_, void *params,
		  uint32_t size)
{
	struct fake_alloc a = {.root = CLIENT,
			       .parent = parent,
			       .object = object,
			       .class_ = class_,
			       .params = (uintptr_t)params,
			       .params_size = size};

	call(0x2b, &a, sizeof(a));
}

static void release(uint32_t object)
{
	struct fake_free f = {.root = CLIENT, .parent = DEVICE, .object = object};

	call(0x29, &f, sizeof(f));
}

static void *map(uint32_t memory, size_t length, int protection)
{
	struct fake_map m = {
		.client = CLIENT, .device = DEVICE, .memory = memory, .length = length};
	void *address;

	m.fd = open("/dev/nvidiactl", O_RDWR);
	call(0x4e, &m, sizeof(m));
	address = mmap(NULL, length, protection, MAP_SHARED, m.fd, 0);
	close(m.fd);
	return address;
}

static void set_up(void)
{
	control_fd = open("/dev/nvidiactl", O_RDWR);
	alloc(0, CLIENT, 0x41, NULL, 0);
	alloc(CLIENT, DEVICE, 0x80, NULL, 0);
}

/* The doorbell store as libcuda makes it: an address computed, a register stored. */
__attribute__((noinline)) static void ring(volatile char *bell, uint32_t token)
{
	__asm__ volatile("addq $0x90, %0\n\tmovl %1, (%0)"
			 : "+r"(bell)
			 : "r"(token)
			 : "memory");
}

/* A channel, `n` submissions, completion by polling. Prints what came back. */
static void submit(unsigned n)
{
	unsigned char params[368] = {0};
	volatile uint32_t *fb;
	volatile uint32_t *sys;
	volatile char *bell;
	uint32_t token = 0;
	struct fake_control control = {.client = CLIENT,
				       .object = CHANNEL,
				       .cmd = 0xc36f0108,
				       .params = (uintptr_t)&token,
				       .params_size = 4};
	uint32_t sum = 0;

	alloc(DEVICE, BELL, 0xc661, NULL, 0);
	bell = map(BELL, 16 * PAGE, PROT_WRITE);
	alloc(DEVICE, FB, 0x40, NULL, 0);
	fb = map(FB, 4 * PAGE, PROT_READ | PROT_WRITE);
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	sys = map(SYS, 4 * PAGE, PROT_READ | PROT_WRITE);
	*(uint32_t *)(params + 32) = FB;
	*(uint64_t *)(params + 64) = PAGE;
	alloc(DEVICE, CHANNEL, 0xc86f, params, 0);
	call(0x2a, &control, sizeof(control));
	for (unsigned i = 0; i < n; i++) {
		for (unsigned word = 0; word < 3 * PAGE / 4; word += 64) {
			sys[word] = i; /* the pushbuffer, over three pages: one run */
		}
		fb[0] = i;                     /* the ring */
		fb[(PAGE + 0x8c) / 4] = i + 1; /* GP_PUT: the same run */
		ring(bell, token);
		sum += sys[3 * PAGE / 4] + sys[0]; /* the poll */
	}
	printf("%u submissions, sum %u, token 0x%x\n", n, sum, token);
	munmap((void *)(uintptr_t)sys, 4 * PAGE);
	release(CHANNEL);
	munmap((void *)(uintptr_t)fb, 4 * PAGE);
	munmap((void *)(uintptr_t)bell, 16 * PAGE);
}

static void run_submit(void)
{
	set_up();
	submit(3);
	release(CLIENT);
	close(control_fd);
}

/* Registered memory, an unknown class, a failed call, a failed mmap, a nested request. */
static void run_odd(void)
{
	static char buffer[2 * PAGE];
	struct fake_register pin = {.root = CLIENT,
				    .parent = DEVICE,
				    .object = PIN,
				    .class_ = 0x71,
				    .address = (uintptr_t)buffer,
				    .limit = sizeof(buffer) - 1};
	struct fake_control bad = {
		.client = CLIENT, .object = DEVICE, .cmd = FAKE_BAD_COMMAND};
	struct fake_control inner = {.client = CLIENT, .object = DEVICE, .cmd = 0x20800a01};
	struct fake_xfer xfer = {
		.command = 0x2a, .size = sizeof(inner), .pointer = (uintptr_t)&inner};
	int uvm;
	int fd;
	void *odd;
	void *failed;

	set_up();
	uvm = open("/dev/nvidia-uvm", O_RDWR);
	printf("uvm %d\n", ioctl(uvm, 0x30000001, NULL));
	fd = call(0x2a, &bad, sizeof(bad));
	printf("bad %d %d\n", fd, errno == EINVAL);
	printf("xfer %d\n", call(0xd3, &xfer, sizeof(xfer)));
	fd = open("/dev/nvidia9", O_RDWR);
	printf("open %d %d\n", fd, errno == ENODEV);
	pin.fd = -1;
	call(0x27, &pin, sizeof(pin));
	alloc(DEVICE, SYS, 0xb1, NULL, 0);
	odd = map(SYS, PAGE, PROT_READ | PROT_WRITE);
	fd = dup(control_fd);
	failed = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | 0x80000000, fd, 1);
	printf("mmap failed %d\n", failed == MAP_FAILED);
	strcpy(odd, "hello");
	printf("odd %s\n", (char *)odd);
	munmap(odd, PAGE);
	release(DEVICE);
	close(fd);
	close(uvm);
	close(control_fd);
}

static void *submit_in_thread(void *argument)
{
	submit(*(unsigned *)argument);
	return NULL;
}

static void run_thread(void)
{
	unsigned n = 2;
	pthread_t thread;

	set_up();
	pthread_create(&thread, NULL, submit_in_thread, &n);
	pthread_join(thread, NULL);
	release(CLIENT);
}

static void run_fork(void)
{
	int status = 0;
	pid_t child;

	set_up();
	fflush(stdout);
	child = fork();
	if (child == 0) {
		run_submit();
		fflush(stdout);
		_exit(7);
	}
	waitpid(child, &status, 0);
	printf("child gave %d\n", WEXITSTATUS(status));
	release(CLIENT);
}

static void run_exec(void)
{
	set_up();
	fflush(stdout);
	execl("/no/such/program", "x", (char *)NULL);
	printf("exec failed %d\n", errno == ENOENT);
	release(CLIENT);
	fflush(stdout);
	execlp("scenario", "scenario", "submit", (char *)NULL);
	execl("/proc/self/exe", "scenario", "submit", (char *)NULL);
}

static volatile sig_atomic_t handled;

static void on_segv(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	handled++;
	mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1)), PAGE,
		 PROT_READ | PROT_WRITE);
}

/* A program with a fault handler of its own, and one that blocks what it can. */
static void run_signals(void)
{
	struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
	volatile char *closed =
		mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction old;
	sigset_t all;

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGSEGV, NULL, &old);
	printf("handler kept %d\n", old.sa_sigaction == on_segv);
	closed[5] = 'x';
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	run_submit();
	printf("handled %d, %c\n", (int)handled, closed[5]);
}

/* One load, used on two mappings: each access is a run of its own. */
__attribute__((noinline)) static uint32_t load(const volatile uint32_t *address)
{
	return *address;
}

static void run_pair(void)
{
	volatile uint32_t *one;
	volatile uint32_t *two;
	uint32_t sum = 0;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	one = map(SYS, PAGE, PROT_READ | PROT_WRITE);
	alloc(DEVICE, FB, 0x40, NULL, 0);
	two = map(FB, PAGE, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 3; i++) {
		sum += load(one) + load(two);
	}
	/*
	 * A copy between them is one instruction that needs both, and finds both open: what
	 * it does there byte by byte is not told apart.
	 */
	memcpy((void *)(uintptr_t)one, "0123456789abcdef", 16);
	__asm__ volatile("rep movsb" : : "S"(one), "D"(two), "c"(16) : "memory");
	printf("sum %u, %.16s\n", sum, (const char *)(uintptr_t)two);
	release(CLIENT);
}

/* Ordinary memory is put over a mapping that is just being used. */
static void run_fixed(void)
{
	volatile char *mapped;
	volatile char *over;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	mapped = map(SYS, 4 * PAGE, PROT_READ | PROT_WRITE);
	mapped[PAGE] = 'm';
	over = mmap((void *)(uintptr_t)(mapped + PAGE), PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	over[0] = 'x';
	mapped[2 * PAGE] = 'y';
	printf("%c%c\n", over[0], mapped[2 * PAGE]);
	munmap((void *)(uintptr_t)mapped, 4 * PAGE);
	release(CLIENT);
}

/* A child that closes descriptors before it execs: in vfork's shared memory, and its own.
 */
static void run_vfork(void)
{
	int status = 0;
	pid_t child;

	set_up();
	fflush(stdout);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	child = vfork();
#pragma GCC diagnostic pop
	if (child == 0) {
		close(control_fd);
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(child, &status, 0);
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	printf("true gave %d\n", WEXITSTATUS(status));
	close_range((unsigned)control_fd, (unsigned)control_fd, 0);
	printf("closed %d\n", call(0x2a, &status, 0) == -1 && errno == EBADF);
}

/* The child goes on in a mapping that its parent was just writing. */
static void run_inherit(void)
{
	volatile char *shared;
	int status = 0;
	pid_t child;

	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	shared = map(SYS, PAGE, PROT_READ | PROT_WRITE);
	shared[0] = 'p';
	fflush(stdout);
	child = fork();
	if (child == 0) {
		shared[1] = 'c';
		_exit(0);
	}
	waitpid(child, &status, 0);
	printf("%c%c %d\n", shared[0], shared[1], WEXITSTATUS(status));
	release(CLIENT);
}

/* Dies of a fault of its own. */
static void run_crash(void)
{
	volatile char *volatile nowhere = (volatile char *)(uintptr_t)PAGE;

	set_up();
	*nowhere = 1;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} scenarios[] = {
		{"submit", run_submit}, {"odd", run_odd},        {"thread", run_thread},
		{"fork", run_fork},     {"exec", run_exec},      {"signals", run_signals},
		{"crash", run_crash},   {"pair", run_pair},      {"fixed", run_fixed},
		{"vfork", run_vfork},   {"inherit", run_inherit}};

	for (size_t i = 0; argc == 2 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (strcmp(argv[1], scenarios[i].name) == 0) {
			scenarios[i].run();
			return 0;
		}
	}
	fprintf(stderr, "usage: scenario NAME\n");
	return 2;
}
