/* SPDX-License-Identifier: MIT */
/*
 * The code for an access that continues a run makes the access in the second mapping, and
 * leaves registers and flags as the instruction does. If the access does not continue a
 * run, the code changes nothing. Instructions of each encoding, with each kind of operand,
 * run in random states.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "collect/preload/emit/lock.h"
#include "collect/preload/instructions/continue-code.h"
#include "tests/collect/instructions/caller.h"
#include "tests/suite.h"

#define PAGE   4096u
#define ROUNDS 200
#define N(a)   (sizeof(a) / sizeof((a)[0]))

static uint8_t *code;
static uint8_t *memory; /* the program's mapping */
static uint8_t *alias;  /* the recorder's mapping of the same memory */
static uint8_t *closed; /* memory that cannot be accessed */
static struct kt_continue_site site;
static struct kt_continue_code way;

enum { NO_REGISTER = 16 };

struct piece {
	const char *bytes;
	uint8_t length;
	uint8_t base;
	uint8_t index; /* scaled by 4 */
	uint8_t width;
	uint8_t vector; /* bytes of vector registers that the processor must have */
};

static const struct piece pieces[] = {
	{"\x89\x07", 2, 7, NO_REGISTER, 4, 0},              /* mov %eax,(%rdi) */
	{"\x88\x27", 2, 7, NO_REGISTER, 1, 0},              /* mov %ah,(%rdi) */
	{"\x66\x89\x0f", 3, 7, NO_REGISTER, 2, 0},          /* mov %cx,(%rdi) */
	{"\x48\x89\x08", 3, 0, NO_REGISTER, 8, 0},          /* mov %rcx,(%rax) */
	{"\x48\x89\x09", 3, 1, NO_REGISTER, 8, 0},          /* mov %rcx,(%rcx) */
	{"\x48\x89\x12", 3, 2, NO_REGISTER, 8, 0},          /* mov %rdx,(%rdx) */
	{"\x45\x89\x44\x24\x10", 5, 12, NO_REGISTER, 4, 0}, /* mov %r8d,16(%r12) */
	{"\x45\x89\x6d\xf0", 4, 13, NO_REGISTER, 4, 0},     /* mov %r13d,-16(%r13) */
	{"\x42\x89\x74\xb8\x08", 5, 0, 15, 4, 0},           /* mov %esi,8(%rax,%r15,4) */
	{"\x4f\x89\x3c\x9e", 4, 14, 11, 8, 0},              /* mov %r15,(%r14,%r11,4) */
	{"\xc7\x86\x00\x01\x00\x00\x78\x56\x34\x12", 10, 6, 16, 4, 0}, /* movl, 256(%rsi) */
	{"\x66\xc7\x01\x34\x12", 5, 1, NO_REGISTER, 2, 0},             /* movw $,(%rcx) */
	{"\xc6\x45\x00\x12", 4, 5, NO_REGISTER, 1, 0},                 /* movb $,0(%rbp) */
	{"\x0f\xc3\x1f", 3, 7, NO_REGISTER, 4, 0},        /* movnti %ebx,(%rdi) */
	{"\x8b\x09", 2, 1, NO_REGISTER, 4, 0},            /* mov (%rcx),%ecx */
	{"\x48\x8b\x00", 3, 0, NO_REGISTER, 8, 0},        /* mov (%rax),%rax */
	{"\x8a\x2f", 2, 7, NO_REGISTER, 1, 0},            /* mov (%rdi),%ch */
	{"\x0f\xb6\x16", 3, 6, NO_REGISTER, 1, 0},        /* movzbl (%rsi),%edx */
	{"\x4c\x0f\xbf\x0b", 4, 3, NO_REGISTER, 2, 0},    /* movswq (%rbx),%r9 */
	{"\x48\x63\x0c\x8a", 4, 2, 1, 4, 0},              /* movslq (%rdx,%rcx,4),%rcx */
	{"\x41\x0f\x2b\x1a", 4, 10, NO_REGISTER, 16, 16}, /* movntps %xmm3,(%r10) */
	{"\x0f\x2b\x50\xd0", 4, 0, NO_REGISTER, 16, 16},  /* movntps %xmm2,-48(%rax) */
	{"\xf3\x44\x0f\x6f\x3c\x86", 6, 6, 0, 16, 16},    /* movdqu (%rsi,%rax,4),%xmm15 */
	{"\xc5\xf8\x10\x0f", 4, 7, NO_REGISTER, 16, 32},  /* vmovups (%rdi),%xmm1 */
	{"\xc5\xfe\x7f\x61\x20", 5, 1, NO_REGISTER, 32, 32}, /* vmovdqu %ymm4,32(%rcx) */
	{"\xc4\x41\x7e\x6f\x0c\xbc", 6, 12, 7, 32, 32}, /* vmovdqu (%r12,%rdi,4),%ymm9 */
	{"\x62\xd1\x7e\x28\x7f\x49\x01", 7, 9, NO_REGISTER, 32,
	 64}, /* vmovdqu32 %ymm1,32(%r9) */
};

static void set_up(void)
{
	int fd;

	if (code) {
		return;
	}
	fd = memfd_create("memory", MFD_CLOEXEC);
	CU_ASSERT_EQUAL_FATAL(ftruncate(fd, PAGE), 0);
	memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	alias = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	closed = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CU_ASSERT_FATAL(closed != MAP_FAILED && memory != MAP_FAILED &&
			alias != MAP_FAILED && code != MAP_FAILED);
	kt_instruction_init();
}

/* Publishes [lo, hi) of the memory, for reads and writes, as of the lock's turn. */
static void publish(uintptr_t lo, uintptr_t hi, uint64_t turn)
{
	for (unsigned i = 0; i < 2; i++) {
		atomic_store(&kt_continue_range.lo[i], lo);
		atomic_store(&kt_continue_range.hi[i], hi);
	}
	atomic_store(&kt_continue_range.to_alias, (uintptr_t)alias - (uintptr_t)memory);
	atomic_store(&kt_continue_range.turn, turn);
}

/*
 * Writes the instruction and a return at the beginning of the code, then the code under
 * test, which continues at a return, or else at the instruction. Returns where the code
 * under test is; 0 if there is none.
 */
static uintptr_t put_code(const char *bytes, size_t n)
{
	static const uint8_t back[] = {0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0, 0xe9};
	uintptr_t at = (uintptr_t)code + 512;
	struct kt_instruction in;
	uintptr_t end;
	int32_t distance;

	memcpy(code, bytes, n);
	code[n] = 0xc3;
	end = kt_continue_code_put(&way, at, code, n, (uintptr_t)code, &site);
	if (end == at) {
		return 0;
	}
	CU_ASSERT_FATAL(end - at <= KT_CONTINUE_BYTES);
	CU_ASSERT_FATAL(kt_instruction_decode(&in, code, n));
	site.check = kt_continue_check_of(&in);
	distance = (int32_t)((uintptr_t)code + n - (way.rest + 5));
	memcpy((void *)(way.rest + 1), &distance, sizeof(distance));
	memcpy((void *)end, back, sizeof(back));
	end += sizeof(back);
	distance = (int32_t)((uintptr_t)code - (end + sizeof(distance)));
	memcpy((void *)end, &distance, sizeof(distance));
	return at;
}

/* Runs both; returns how many accesses continued the run. */
static uint64_t compare(const struct caller_state *before, uintptr_t here, bool close)
{
	static struct caller_state there;
	static struct caller_state then;
	static uint8_t first[PAGE];
	static uint8_t expected[PAGE];

	for (size_t i = 0; i < PAGE; i++) {
		first[i] = (uint8_t)caller_random();
	}
	memcpy(alias, first, PAGE);
	caller_run((uintptr_t)code, before, &there);
	memcpy(expected, alias, PAGE);
	memcpy(alias, first, PAGE);
	atomic_store(&site.continued, 0);
	if (close) {
		mprotect(memory, PAGE, PROT_NONE);
	}
	caller_run(here, before, &then);
	mprotect(memory, PAGE, PROT_READ | PROT_WRITE);
	CU_ASSERT_FATAL(caller_same(&there, &then));
	CU_ASSERT_EQUAL_FATAL(memcmp(expected, alias, PAGE), 0);
	return atomic_load(&site.continued);
}

static void check_piece(const struct piece *p)
{
	static struct caller_state before;
	uintptr_t here = put_code(p->bytes, p->length);
	const uint64_t turn = kt_lock_turn();

	CU_ASSERT_FATAL(here != 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		uintptr_t operand = (uintptr_t)memory + 1024 + 64 * (caller_random() % 16);
		struct kt_instruction in;
		uintptr_t at;

		caller_randomize(&before);
		before.general[p->base] = operand;
		if (p->index != NO_REGISTER) {
			before.general[p->index] = 16 * (caller_random() % 8);
		}
		CU_ASSERT_FATAL(kt_instruction_decode(&in, code, p->length));
		at = operand + (uintptr_t)in.displacement +
		     (p->index != NO_REGISTER ? 4 * before.general[p->index] : 0);
		publish(at - round % 9, at + p->width + round % 5, turn);
		CU_ASSERT_EQUAL(compare(&before, here, true), 1);
		/* Below, above and across both ends of the range; outdated; unwritten. */
		publish(at + 1, at + PAGE, turn);
		CU_ASSERT_EQUAL(compare(&before, here, false), 0);
		publish(at - PAGE, at + p->width - 1, turn);
		CU_ASSERT_EQUAL(compare(&before, here, false), 0);
		publish(at - PAGE, at, turn);
		CU_ASSERT_EQUAL(compare(&before, here, false), 0);
		publish(at, at + p->width, turn + 1);
		CU_ASSERT_EQUAL(compare(&before, here, false), 0);
		publish(at, at + p->width, 0);
		CU_ASSERT_EQUAL(compare(&before, here, false), 0);
		publish(0, 0, turn);
		CU_ASSERT_EQUAL(compare(&before, here, false), 0);
	}
}

static void test_pieces(void)
{
	bool locked;

	set_up();
	locked = kt_lock(); /* a turn that is not 0 */
	kt_unlock(locked);
	for (size_t i = 0; i < N(pieces); i++) {
		if (pieces[i].vector <= caller_vector_size()) {
			check_piece(&pieces[i]);
		}
	}
}

/* The operand is relative to the instruction, or on the stack, within the red zone. */
static void test_other_operands(void)
{
	static struct caller_state before;
	char relative[] = "\x48\x89\x05\x00\x00\x00\x00";
	int32_t distance;
	uintptr_t here;

	set_up();
	distance = 1024 - (int32_t)sizeof(relative) + 1;
	memcpy(relative + 3, &distance, sizeof(distance));
	caller_randomize(&before);
	here = put_code(relative, sizeof(relative) - 1);
	publish(0, 0, kt_lock_turn());
	CU_ASSERT_EQUAL(compare(&before, here, false), 0);
	atomic_store(&kt_continue_range.lo[1], (uintptr_t)code + 1024);
	atomic_store(&kt_continue_range.hi[1], (uintptr_t)code + 1032);
	atomic_store(&kt_continue_range.to_alias, 8);
	memset(code + 1024, 0, 16);
	caller_run(here, &before, &before);
	CU_ASSERT(code[1024] == 0 && memcmp(code + 1032, before.general, 8) == 0);
	caller_randomize(&before);
	here = put_code("\x48\x89\x44\x24\x80", 5); /* mov %rax,-128(%rsp) */
	publish(0, 0, kt_lock_turn());
	CU_ASSERT_EQUAL(compare(&before, here, false), 0);
	here = put_code("\x48\x8b\x4c\x24\x08", 5); /* mov 8(%rsp),%rcx */
	atomic_store(&kt_continue_range.to_alias, 0);
	atomic_store(&kt_continue_range.hi[0], UINTPTR_MAX);
	CU_ASSERT_EQUAL(compare(&before, here, false), 1);
}

static unsigned faults;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	greg_t *ip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)signal;
	(void)info;
	if ((uintptr_t)*ip != way.access) {
		_Exit(3);
	}
	*ip = (greg_t)way.bail;
	faults++;
}

/* The second mapping has lost its memory: the instruction runs as if nothing was tried. */
static void test_missing_memory(void)
{
	static struct caller_state before;
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	struct sigaction old;
	uintptr_t here;

	set_up();
	sigaction(SIGSEGV, &action, &old);
	for (size_t i = 0; i < N(pieces); i++) {
		const struct piece *p = &pieces[i];

		if (p->vector > caller_vector_size()) {
			continue;
		}
		here = put_code(p->bytes, p->length);
		caller_randomize(&before);
		before.general[p->base] = (uintptr_t)memory + 1024;
		if (p->index != NO_REGISTER) {
			before.general[p->index] = 16;
		}
		publish((uintptr_t)memory, (uintptr_t)memory + PAGE, kt_lock_turn());
		atomic_store(&kt_continue_range.to_alias,
			     (uintptr_t)closed - (uintptr_t)memory);
		faults = 0;
		compare(&before, here, false);
		CU_ASSERT_EQUAL(faults, 1);
	}
	sigaction(SIGSEGV, &old, NULL);
}

/* These are left to kt_patch_continues(). */
static void test_left_alone(void)
{
	static const struct {
		const char *bytes;
		size_t n;
	} others[] = {
		{"\x83\x0f\x10", 3},                         /* orl $16,(%rdi) */
		{"\x48\x87\x07", 3},                         /* xchg %rax,(%rdi) */
		{"\x67\x89\x07", 3},                         /* mov %eax,(%edi) */
		{"\x64\x89\x07", 3},                         /* mov %eax,%fs:(%rdi) */
		{"\xf3\xa4", 2},                             /* rep movsb */
		{"\xa3\x00\x10\x00\x00\x00\x00\x00\x00", 9}, /* mov %eax,0x1000 */
		{"\x66\x0f\xd6\x07", 4},                     /* movq %xmm0,(%rdi) */
		{"\x48\x89\x27", 3},                         /* mov %rsp,(%rdi) */
		{"\x0f\x05", 2},                             /* syscall */
	};

	set_up();
	for (size_t i = 0; i < N(others); i++) {
		CU_ASSERT_EQUAL(put_code(others[i].bytes, others[i].n), 0);
		CU_ASSERT(way.access == 0 && way.bail == 0 && way.rest == 0);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"instructions", test_pieces},
		{"other operands", test_other_operands},
		{"missing memory", test_missing_memory},
		{"instructions left alone", test_left_alone},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("continue code", tests);
}
