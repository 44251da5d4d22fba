/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/collect/instructions/machine.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/preload/instructions/registers.h"

/*
 * Memory that the generated loads and stores access; the assembler text below repeats its
 * address.
 */
#define VECTORS   0x10010000u
#define CODE_SIZE 0x3000u

struct machine_log machine_log;

/*
 * Code that loads or stores all vector registers, in the three sizes that processors have.
 */
#define COPIES(name, load, store, reg, numbers)                                            \
	__asm__(".pushsection .rodata\n"                                                   \
		"machine_load_" name ": .irp n," numbers "\n" load                         \
		" 0x10010000+64*\\n, %" reg "\\n\n.endr\nmachine_load_" name "_end:\n"     \
		"machine_store_" name ": .irp n," numbers "\n" store " %" reg              \
		"\\n, 0x10010000+64*\\n\n.endr\nmachine_store_" name "_end:\n"             \
		".popsection\n");

#define FIRST  "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define SECOND "16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
COPIES("sse", "movups", "movups", "xmm", FIRST)
COPIES("avx", "vmovups", "vmovups", "ymm", FIRST)
COPIES("avx512", "vmovups", "vmovups", "zmm", FIRST "," SECOND)

#define DECLARE(name)                                                                      \
	extern const unsigned char machine_load_##name[], machine_load_##name##_end[];     \
	extern const unsigned char machine_store_##name[], machine_store_##name##_end[]
DECLARE(sse);
DECLARE(avx);
DECLARE(avx512);

#define KIND(name, bytes, count)                                                           \
	{                                                                                  \
		machine_load_##name, machine_load_##name##_end, machine_store_##name,      \
			machine_store_##name##_end, bytes, count                           \
	}

static const struct kind {
	const unsigned char *load;
	const unsigned char *load_end;
	const unsigned char *store;
	const unsigned char *store_end;
	unsigned size;
	unsigned count;
} kinds[] = {KIND(sse, 16, 16), KIND(avx, 32, 16), KIND(avx512, 64, 32)};

static const struct kind *kind = &kinds[0];
static unsigned char *alias;
static gregset_t home; /* context in which the test continues after a run */
static const struct machine *entered;
static struct machine *left;
static uintptr_t entry;
static volatile enum machine_end end_of_run;
static volatile bool emulating;

unsigned machine_vector_size(void)
{
	return kind->size;
}

unsigned machine_vector_count(void)
{
	return kind->count;
}

uintptr_t machine_ip(size_t length)
{
	return MACHINE_CODE + MACHINE_PAGE + 8 - length;
}

uint64_t machine_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1du;
}

static void *translate(uintptr_t address, size_t size, bool write, bool *known,
		       void *context)
{
	(void)write;
	(void)context;
	if (address + size <= MACHINE_WATCHED || address >= MACHINE_UNTIL) {
		return NULL;
	}
	*known = address >= MACHINE_WATCHED && address + size <= MACHINE_UNTIL;
	return *known ? alias + (address - MACHINE_MEMORY) : NULL;
}

static void go_home(ucontext_t *context, enum machine_end how)
{
	end_of_run = how;
	memcpy(context->uc_mcontext.gregs, home, sizeof(home));
}

static void on_enter(int signal, siginfo_t *info, void *argument)
{
	ucontext_t *context = argument;

	(void)signal;
	(void)info;
	memcpy(home, context->uc_mcontext.gregs, sizeof(home));
	for (unsigned i = 0; i < 16; i++) {
		kt_register_write(context, i, entered->general[i]);
	}
	context->uc_mcontext.gregs[REG_EFL] = (greg_t)entered->flags;
	context->uc_mcontext.gregs[REG_RIP] = (greg_t)entry;
}

static void on_leave(int signal, siginfo_t *info, void *argument)
{
	ucontext_t *context = argument;

	(void)signal;
	(void)info;
	for (unsigned i = 0; i < 16; i++) {
		left->general[i] = kt_register_read(context, i);
	}
	left->flags = (uint64_t)context->uc_mcontext.gregs[REG_EFL];
	left->ip = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
	go_home(context, MACHINE_DONE);
}

static void on_fault(int signal, siginfo_t *info, void *argument)
{
	ucontext_t *context = argument;

	(void)info;
	if (signal == SIGILL) {
		go_home(context, MACHINE_ILLEGAL);
		return;
	}
	if (!emulating) {
		go_home(context, MACHINE_FAULTED);
		return;
	}
	if (!kt_emulate(context, translate, NULL, &machine_log.last)) {
		go_home(context, MACHINE_REFUSED);
		return;
	}
	machine_log.calls++;
	for (unsigned i = 0; i < machine_log.last.n; i++) {
		machine_log.bytes += machine_log.last.accesses[i].size;
	}
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_sigaction = handler,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigaction(signal, &action, NULL);
}

static void *map(uintptr_t address, size_t size, int flags, int fd)
{
	void *memory = mmap((void *)address, size, PROT_READ | PROT_WRITE | PROT_EXEC,
			    flags | (address ? MAP_FIXED_NOREPLACE : 0), fd, 0);

	if (memory == MAP_FAILED) {
		perror("mmap");
		exit(77);
	}
	return memory;
}

void machine_init(void)
{
	static unsigned char stack[1 << 16];
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	int fd = memfd_create("machine", 0);

	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f")) {
		kind = &kinds[2];
	} else if (__builtin_cpu_supports("avx")) {
		kind = &kinds[1];
	}
	printf("vector registers: %u of %u bytes\n", kind->count, kind->size);
	if (fd < 0 || ftruncate(fd, MACHINE_BYTES) != 0) {
		exit(77);
	}
	map(MACHINE_MEMORY, MACHINE_BYTES, MAP_SHARED, fd);
	alias = map(0, MACHINE_BYTES, MAP_SHARED, fd);
	map(MACHINE_CODE, CODE_SIZE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	map(VECTORS, sizeof(((struct machine *)0)->vectors), MAP_PRIVATE | MAP_ANONYMOUS,
	    -1);
	sigaltstack(&alternate, NULL);
	handle(SIGUSR1, on_enter);
	handle(SIGTRAP, on_leave);
	handle(SIGSEGV, on_fault);
	handle(SIGBUS, on_fault);
	handle(SIGILL, on_fault);
	handle(SIGFPE, on_fault);
	kt_instruction_init();
}

/*
 * Writes code that clears the vector registers: vzeroall for 0 to 15, one instruction for
 * each of 16 to 31.
 */
static size_t put_fresh(unsigned char *code)
{
	size_t n = 3;

	if (kind->size == 16) {
		memcpy(code, kind->load, (size_t)(kind->load_end - kind->load));
		return (size_t)(kind->load_end - kind->load);
	}
	memcpy(code, "\xc5\xfc\x77", 3);
	for (unsigned i = 16; kind->count == 32 && i < 32; i++) {
		/* vpxord %zmm<i>,%zmm<i>,%zmm<i> */
		unsigned char bytes[6] = {0x62, i < 24 ? 0xa1 : 0x01, 0x05, 0x40, 0xef,
					  0xc0};

		bytes[2] = (unsigned char)(0x05 | (~i & 15) << 3);
		bytes[5] = (unsigned char)(0xc0 | (i & 7) << 3 | (i & 7));
		memcpy(code + n, bytes, sizeof(bytes));
		n += sizeof(bytes);
	}
	return n;
}

/*
 * Writes code that loads the vector registers, executes the instruction, stores the
 * registers and ends with a breakpoint.
 */
static void put_code(const unsigned char *code, size_t length, bool fresh)
{
	unsigned char *at = (unsigned char *)machine_ip(length);
	unsigned char load[1024];
	size_t n = (size_t)(kind->load_end - kind->load);

	if (fresh) {
		n = put_fresh(load);
	} else {
		memcpy(load, kind->load, n);
	}
	entry = (uintptr_t)at - n;
	memcpy(at - n, load, n);
	memcpy(at, code, length);
	n = (size_t)(kind->store_end - kind->store);
	memcpy(at + length, kind->store, n);
	at[length + n] = 0xcc;
}

enum machine_end machine_run(const unsigned char *code, size_t length,
			     const struct machine *before, struct machine *after,
			     bool emulated, bool fresh)
{
	void *vectors = (void *)(uintptr_t)VECTORS;
	void *watched = (void *)(uintptr_t)MACHINE_WATCHED;

	put_code(code, length, fresh);
	memcpy(alias, before->memory, MACHINE_BYTES);
	memcpy(vectors, before->vectors, sizeof(before->vectors));
	memset(&machine_log, 0, sizeof(machine_log));
	entered = before;
	left = after;
	emulating = emulated;
	if (emulated) {
		mprotect(watched, MACHINE_UNTIL - MACHINE_WATCHED, PROT_NONE);
	}
	raise(SIGUSR1);
	mprotect(watched, MACHINE_UNTIL - MACHINE_WATCHED, PROT_READ | PROT_WRITE);
	memcpy(after->memory, alias, MACHINE_BYTES);
	memcpy(after->vectors, vectors, sizeof(after->vectors));
	return end_of_run;
}
