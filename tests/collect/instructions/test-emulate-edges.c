/* SPDX-License-Identifier: MIT */
/* Cases in which emulation must stop or must refuse the instruction without any effect. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "collect/preload/instructions/emulate.h"
#include "collect/preload/instructions/guard.h"
#include "collect/preload/instructions/registers.h"
#include "tests/suite.h"

#define PAGE    4096u
#define WATCHED 0x7e0000000000u /* the program's address of its memory */
#define SIZE    (2 * PAGE)

#define MAGIC 0x46505853u

static unsigned char *memory; /* another mapping of the watched memory */
static unsigned char *code;   /* one page; nothing is mapped after it */

/* An XSAVE frame as the kernel writes it, with space for every component. */
static unsigned char frame[8192] __attribute__((aligned(64)));

static void *translate(uintptr_t address, size_t size, bool write, bool *known,
		       void *closed)
{
	(void)write;
	if (address + size <= WATCHED || address >= WATCHED + SIZE) {
		return NULL;
	}
	*known = !closed && address >= WATCHED && address + size <= WATCHED + SIZE;
	return *known ? memory + (address - WATCHED) : NULL;
}

static ucontext_t context_at(const unsigned char *ip)
{
	ucontext_t context;

	memset(&context, 0, sizeof(context));
	for (unsigned i = 0; i < 16; i++) {
		kt_register_write(&context, i, 0x0101010101010101u * i);
	}
	kt_register_write(&context, KT_RAX, WATCHED);
	context.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)ip;
	context.uc_mcontext.gregs[REG_EFL] = 0x202;
	return context;
}

static void put_word(size_t at, uint64_t value)
{
	memcpy(frame + at, &value, sizeof(value));
}

static uint64_t get_word(size_t at)
{
	uint64_t value;

	memcpy(&value, frame + at, sizeof(value));
	return value;
}

/*
 * Bits of `features` are the components that the frame contains; bits of `used` are those
 * that are not in their initial state.
 */
static void make_frame(ucontext_t *context, uint64_t features, uint64_t used)
{
	memset(frame, 0xee, sizeof(frame));
	put_word(464, MAGIC);
	put_word(472, features);
	put_word(480, sizeof(frame));
	put_word(512, used);
	put_word(520, 0);
	context->uc_mcontext.fpregs = (fpregset_t)(void *)frame;
}

/* Copies the bytes to the end of the code page and emulates them. */
static bool run(const char *bytes, size_t n, ucontext_t *context, struct kt_emulated *done)
{
	memcpy(code + PAGE - n, bytes, n);
	context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)(code + PAGE - n);
	return kt_emulate(context, translate, NULL, done);
}

#define RUN(text, context, done) run(text, sizeof(text) - 1, context, done)

static void code_may_end_where_its_page_ends(void)
{
	ucontext_t context = context_at(code);
	struct kt_emulated done;

	CU_ASSERT_TRUE(RUN("\x89\x08", &context, &done)); /* mov %ecx,(%rax) */
	CU_ASSERT_EQUAL((uintptr_t)context.uc_mcontext.gregs[REG_RIP],
			(uintptr_t)code + PAGE);
	CU_ASSERT_EQUAL(done.n, 1);
	CU_ASSERT_EQUAL(done.accesses[0].value, 0x01010101);
	context = context_at(code);
	CU_ASSERT_FALSE(RUN("\xc7\x00\x01", &context, &done)); /* ends on a closed page */
}

static void notices_that_code_has_changed(void)
{
	ucontext_t context = context_at(code);
	struct kt_emulated done;

	CU_ASSERT_TRUE(RUN("\x89\x08", &context, &done)); /* mov %ecx,(%rax) */
	context = context_at(code);
	CU_ASSERT_TRUE(RUN("\x89\x10", &context, &done));
	CU_ASSERT_EQUAL(done.accesses[0].value, 0x02020202);
}

static void refuses_what_it_does_not_know(void)
{
	static const struct {
		const char *text;
		const char *bytes;
		size_t n;
	} refused[] = {
#define CASE(text, bytes) {text, bytes, sizeof(bytes) - 1}
		CASE("push (%rax)", "\xff\x30"),
		CASE("pop (%rax)", "\x8f\x00"),
		CASE("call *(%rax)", "\xff\x10"),
		CASE("jmp *(%rax)", "\xff\x20"),
		CASE("mov %ds,(%rax)", "\x8c\x18"),
		CASE("shl (%rax)", "\xd1\x20"),
		CASE("bts %ecx,(%rax)", "\x0f\xab\x08"),
		CASE("cmpxchg16b (%rax)", "\x48\x0f\xc7\x08"),
		CASE("cmpsb", "\xa6"),
		CASE("repne stosb", "\xf2\xaa"),
		CASE("addr32 stosb", "\x67\xaa"),
		CASE("movs %gs:(%rsi),(%rdi)", "\x65\xa4"),
		CASE("movq (%rax),%mm0", "\x0f\x6f\x00"),
		CASE("fldl (%rax)", "\xdd\x00"),
		CASE("addps (%rax),%xmm0", "\x0f\x58\x00"),
		CASE("vmovups %zmm0,(%rax){%k1}", "\x62\xf1\x7c\x49\x11\x00"),
		CASE("vmovups (%rax),%zmm0{%k1}{z}", "\x62\xf1\x7c\xc9\x10\x00"),
		CASE("vmovups (%rax),%zmm0, no frame", "\x62\xf1\x7c\x48\x10\x00"),
		CASE("lea (%rax),%ecx", "\x8d\x08"),
		CASE("nop", "\x90"),
		CASE("ud2", "\x0f\x0b"),
		CASE("nothing", "\x06"),
#undef CASE
	};
	unsigned char was[SIZE];
	struct kt_emulated done;

	memcpy(was, memory, SIZE);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		ucontext_t context = context_at(code);
		ucontext_t before;

		kt_register_write(&context, KT_RDI, WATCHED);
		kt_register_write(&context, KT_RSI, WATCHED);
		before = context;
		if (run(refused[i].bytes, refused[i].n, &context, &done)) {
			CU_FAIL("emulated");
			printf("%s\n", refused[i].text);
		}
		before.uc_mcontext.gregs[REG_RIP] = context.uc_mcontext.gregs[REG_RIP];
		CU_ASSERT_EQUAL(memcmp(&context, &before, sizeof(context)), 0);
		CU_ASSERT_EQUAL(done.n, 0);
	}
	CU_ASSERT_EQUAL(memcmp(was, memory, SIZE), 0);
}

static void refuses_memory_that_it_cannot_reach(void)
{
	ucontext_t context = context_at(code);
	struct kt_emulated done;

	kt_register_write(&context, KT_RAX, WATCHED - 2); /* partly watched */
	CU_ASSERT_FALSE(RUN("\x89\x08", &context, &done));
	kt_register_write(&context, KT_RAX, 0x1000); /* the operand is unwatched */
	CU_ASSERT_FALSE(RUN("\x89\x08", &context, &done));
	kt_register_write(&context, KT_RAX, WATCHED);
	memcpy(code + 8, "\x89\x08", 2);
	context.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)(code + 8);
	CU_ASSERT_FALSE(kt_emulate(&context, translate, &done /* closed */, &done));
	CU_ASSERT_EQUAL((uintptr_t)context.uc_mcontext.gregs[REG_RIP], (uintptr_t)code + 8);
}

/* --- strings --- */

static void a_bad_ordinary_operand_ends_a_string(void)
{
	unsigned char *edge = code + PAGE - 100; /* readable up to the end of the page */
	ucontext_t context = context_at(code);
	struct kt_emulated done;

	kt_register_write(&context, KT_RCX, 50);
	kt_register_write(&context, KT_RSI, 0x1000);
	kt_register_write(&context, KT_RDI, WATCHED);
	CU_ASSERT_FALSE(RUN("\xf3\xa5", &context, &done)); /* rep movsd */
	CU_ASSERT_EQUAL(kt_register_read(&context, KT_RCX), 50);
	kt_register_write(&context, KT_RSI, (uintptr_t)edge);
	CU_ASSERT_TRUE(RUN("\xf3\xa5", &context, &done));
	CU_ASSERT_EQUAL(kt_register_read(&context, KT_RCX), 25);
	CU_ASSERT_EQUAL(kt_register_read(&context, KT_RDI), WATCHED + 100);
	CU_ASSERT_EQUAL(kt_register_read(&context, KT_RSI), (uintptr_t)code + PAGE);
	CU_ASSERT_EQUAL((uintptr_t)context.uc_mcontext.gregs[REG_RIP],
			(uintptr_t)code + PAGE - 2);
	CU_ASSERT_EQUAL(memcmp(memory, edge, 100), 0);
	kt_register_write(&context, KT_RCX, 0); /* nothing can have faulted */
	CU_ASSERT_FALSE(RUN("\xf3\xa5", &context, &done));
}

static void a_string_stops_at_the_end_of_the_mapping(void)
{
	ucontext_t context = context_at(code);
	struct kt_emulated done;

	context.uc_mcontext.gregs[REG_EFL] |= 0x400;
	kt_register_write(&context, KT_RCX, PAGE);
	kt_register_write(&context, KT_RDI, WATCHED + 4 * 700);
	CU_ASSERT_TRUE(RUN("\xf3\xab", &context, &done)); /* rep stosd, downwards */
	CU_ASSERT_EQUAL(kt_register_read(&context, KT_RCX), PAGE - 701);
	CU_ASSERT_EQUAL(kt_register_read(&context, KT_RDI), WATCHED - 4);
	CU_ASSERT_EQUAL(done.n, 1);
	CU_ASSERT_EQUAL(done.accesses[0].address, WATCHED);
	CU_ASSERT_EQUAL(done.accesses[0].size, 4 * 701);
	CU_ASSERT_FALSE(RUN("\xf3\xab", &context, &done)); /* the rest is unwatched */
}

/* Exchanges the two pages' addresses, as if the second belonged to another mapping. */
static void *translate_apart(uintptr_t address, size_t size, bool write, bool *known,
			     void *context)
{
	unsigned char *there = translate(address, size, write, known, context);

	return there ? memory + ((size_t)(there - memory) ^ PAGE) : NULL;
}

static void a_string_stops_where_another_mapping_begins(void)
{
	ucontext_t context = context_at(code);
	struct kt_emulated done;

	kt_register_write(&context, KT_RCX, 200);
	kt_register_write(&context, KT_RDI, WATCHED + PAGE - 100);
	memcpy(code + 8, "\xf3\xaa", 2); /* rep stosb */
	context.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)(code + 8);
	CU_ASSERT_TRUE(kt_emulate(&context, translate_apart, NULL, &done));
	CU_ASSERT_EQUAL(kt_register_read(&context, KT_RCX), 100);
	CU_ASSERT_EQUAL(done.accesses[0].size, 100);
	CU_ASSERT_TRUE(kt_emulate(&context, translate_apart, NULL, &done));
	CU_ASSERT_EQUAL(kt_register_read(&context, KT_RCX), 0);
	CU_ASSERT_EQUAL(done.accesses[0].address, WATCHED + PAGE);
	CU_ASSERT_EQUAL((uintptr_t)context.uc_mcontext.gregs[REG_RIP],
			(uintptr_t)code + 10);
}

/* --- the frame --- */

static void components_in_their_initial_state_are_zero(void)
{
	static const unsigned char zeroes[64];
	static const unsigned char ones[16] = {1, 1, 1, 1, 1, 1, 1, 1,
					       1, 1, 1, 1, 1, 1, 1, 1};
	ucontext_t context = context_at(code);
	unsigned char value[64];

	if (!__builtin_cpu_supports("avx")) {
		printf("skipped, no AVX here ");
		return;
	}
	make_frame(&context, 7, 3); /* x87, SSE and AVX are enabled, AVX is unused */
	CU_ASSERT_TRUE(kt_vector_read(&context, 3, 32, value));
	CU_ASSERT_EQUAL(value[0], 0xee);
	CU_ASSERT_EQUAL(memcmp(value + 16, zeroes, 16), 0);
	memset(value, 0x11, sizeof(value));
	CU_ASSERT_TRUE(kt_vector_write(&context, 3, 32, value, true));
	CU_ASSERT_EQUAL(get_word(512), 7);
	CU_ASSERT_TRUE(kt_vector_read(&context, 3, 32, value));
	CU_ASSERT_EQUAL(value[31], 0x11);
	CU_ASSERT_TRUE(kt_vector_read(&context, 4, 32, value));
	CU_ASSERT_EQUAL(memcmp(value + 16, zeroes, 16), 0);
	CU_ASSERT_FALSE(kt_vector_present(&context, 3, 64));
	CU_ASSERT_FALSE(kt_vector_present(&context, 16, 16));
	/* A load of 16 bytes must not mark an unused upper half as used. */
	make_frame(&context, 7, 0);
	CU_ASSERT_TRUE(kt_vector_write(&context, 3, 16, ones, true));
	CU_ASSERT_EQUAL(get_word(512), 2);
	CU_ASSERT_TRUE(kt_vector_read(&context, 2, 16, value));
	CU_ASSERT_EQUAL(memcmp(value, zeroes, 16), 0);
	CU_ASSERT_TRUE(kt_vector_read(&context, 3, 16, value));
	CU_ASSERT_EQUAL(memcmp(value, ones, 16), 0);
}

static void frames_without_space_are_refused(void)
{
	ucontext_t context = context_at(code);
	unsigned char value[64];
	struct kt_emulated done;

	CU_ASSERT_FALSE(RUN("\x0f\x11\x00", &context, &done)); /* movups %xmm0,(%rax) */
	make_frame(&context, 7, 7);
	CU_ASSERT_TRUE(RUN("\x0f\x11\x00", &context, &done));
	CU_ASSERT_EQUAL(memory[15], 0xee);
	put_word(464, 0); /* only the FXSAVE part is present */
	CU_ASSERT_TRUE(kt_vector_read(&context, 3, 16, value));
	CU_ASSERT_FALSE(kt_vector_read(&context, 3, 32, value));
	make_frame(&context, 7, 7);
	put_word(520, 1ull << 63); /* the compacted format */
	CU_ASSERT_FALSE(kt_vector_read(&context, 3, 32, value));
	make_frame(&context, 7, 7);
	put_word(480, 600); /* truncated */
	CU_ASSERT_FALSE(kt_vector_read(&context, 3, 32, value));
}

/* --- unmapped memory --- */

static volatile unsigned fixed;

static void on_bus_error(int signal, siginfo_t *info, void *context)
{
	(void)info;
	if (!kt_guard_fixup(context)) {
		_exit(128 + signal);
	}
	fixed++;
}

static void survives_a_file_that_is_cut_short(void)
{
	static const struct {
		const char *bytes;
		size_t n;
	} tried[] = {
		{"\x89\x08", 2},     /* mov %ecx,(%rax) */
		{"\x8b\x08", 2},     /* mov (%rax),%ecx */
		{"\xf0\x01\x08", 3}, /* lock add %ecx,(%rax) */
		{"\x0f\x11\x00", 3}, /* movups %xmm0,(%rax) */
		{"\x0f\x10\x00", 3}, /* movups (%rax),%xmm0 */
		{"\xf3\xab", 2},     /* rep stosd */
		{"\xf3\xa4", 2},     /* rep movsb */
		{"\xad", 1},         /* lodsd */
	};
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
	struct sigaction old;
	unsigned char *real = memory;
	int fd = memfd_create("short", 0);
	struct kt_emulated done;

	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	sigaction(SIGBUS, &action, &old);
	for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++) {
		ucontext_t context = context_at(code);
		ucontext_t before;

		make_frame(&context, 7, 7);
		kt_register_write(&context, KT_RDI, WATCHED);
		kt_register_write(&context, KT_RSI, WATCHED + PAGE);
		kt_register_write(&context, KT_RCX, 20);
		before = context;
		CU_ASSERT_FALSE(run(tried[i].bytes, tried[i].n, &context, &done));
		before.uc_mcontext.gregs[REG_RIP] = context.uc_mcontext.gregs[REG_RIP];
		CU_ASSERT_EQUAL(memcmp(&context, &before, sizeof(context)), 0);
		CU_ASSERT_EQUAL(done.n, 0);
		CU_ASSERT_EQUAL(fixed, i + 1);
	}
	sigaction(SIGBUS, &old, NULL);
	munmap(memory, SIZE);
	close(fd);
	memory = real;
}

/* Asserts nothing, because the duration depends on the machine. */
static void reports_its_cost(void)
{
	enum { CALLS = 1000000 };
	ucontext_t context = context_at(code);
	struct kt_emulated done;
	struct timespec from;
	struct timespec to;

	memcpy(code + 64, "\x89\x08", 2); /* mov %ecx,(%rax) */
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (unsigned i = 0; i < CALLS; i++) {
		context.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)(code + 64);
		kt_emulate(&context, translate, NULL, &done);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%.1f ns ", ((double)(to.tv_sec - from.tv_sec) * 1e9 +
			    (double)(to.tv_nsec - from.tv_nsec)) /
				   CALLS);
	CU_ASSERT_EQUAL(done.n, 1);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"code may end where its page ends", code_may_end_where_its_page_ends},
		{"notices that code has changed", notices_that_code_has_changed},
		{"refuses what it does not know", refuses_what_it_does_not_know},
		{"refuses memory that it cannot reach",
		 refuses_memory_that_it_cannot_reach},
		{"a bad ordinary operand ends a string",
		 a_bad_ordinary_operand_ends_a_string},
		{"a string stops at the end of the mapping",
		 a_string_stops_at_the_end_of_the_mapping},
		{"a string stops where another mapping begins",
		 a_string_stops_where_another_mapping_begins},
		{"components in their initial state are zero",
		 components_in_their_initial_state_are_zero},
		{"frames without space are refused", frames_without_space_are_refused},
		{"survives a truncated file", survives_a_file_that_is_cut_short},
		{"reports its cost", reports_its_cost},
		CU_TEST_INFO_NULL,
	};

	code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	munmap(code + PAGE, PAGE);
	memory = calloc(1, SIZE);
	kt_instruction_init();
	return kt_run_suite("emulate-edges", tests);
}
