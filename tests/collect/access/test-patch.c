/* SPDX-License-Identifier: MIT */
/*
 * A patched store has exactly the effects of the original, whichever thread executes it
 * while the patch is inserted and removed. The test acts as the recorder: it maps memory
 * twice, and the program knows only one of the mappings.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/preload/access/access.h"
#include "collect/preload/access/give-up.h"
#include "collect/preload/access/patch.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/instructions/emulate.h"
#include "collect/preload/instructions/patch-sites.h"
#include "collect/preload/mappings/continuing.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/mappings/spans.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/signals/handler-stack.h"
#include "collect/preload/signals/signal-defer.h"
#include "tests/collect/instructions/caller.h"
#include "tests/suite.h"

#define PAGE    4096u
#define SITES   60
#define THREADS 4
#define ROUNDS  20

/* For forked processes, whose failures CUnit cannot collect. */
#define CHECK(condition)                                                                   \
	do {                                                                               \
		if (!(condition)) {                                                        \
			printf("line %d: %s\n", __LINE__, #condition);                     \
			fflush(stdout);                                                    \
			_exit(1);                                                          \
		}                                                                          \
	} while (0)

static uint8_t *code;     /* the program's code */
static uint8_t *memory;   /* the program's mapping */
static uint8_t *alias;    /* the recorder's mapping of the same memory */
static uint8_t *ordinary; /* unwatched memory */
static _Atomic unsigned n_stores;
static _Atomic unsigned strange; /* stores handled on a stack other than the recorder's */
static unsigned stepped;
static bool in_loop; /* the accesses are part of a loop */

/* --- the recorder's part --- */

bool kt_mapping_may_touch(uintptr_t start, size_t length)
{
	return start + length > (uintptr_t)memory && start < (uintptr_t)memory + PAGE;
}

static void *to_alias(uintptr_t address, size_t size, bool write, bool *known,
		      void *context)
{
	(void)write;
	(void)known;
	(void)context;
	return kt_mapping_may_touch(address, size) ? alias + (address - (uintptr_t)memory)
						   : NULL;
}

void kt_give_up_judge(void)
{
}

/* Overwrites vector registers, as LTTng and libc do. */
static void use_vectors(void)
{
	static _Thread_local unsigned char from[4096];
	static _Thread_local unsigned char to[4096];

	memset(from, 0x77, sizeof(from));
	memcpy(to, from, sizeof(to));
	__asm__ volatile("" : : "r"(to) : "memory");
	if (caller_vector_size() == 64) {
		__asm__ volatile("kxnorq %k1, %k1, %k1; vpternlogd $255, %zmm20, %zmm20, "
				 "%zmm20; vmovaps %zmm20, %zmm3");
	} else if (caller_vector_size() == 32) {
		__asm__ volatile("vpcmpeqd %xmm3, %xmm3, %xmm3; "
				 "vinsertf128 $1, %xmm3, %ymm3, %ymm3");
	}
}

/* Makes the access as the recorder does, through the alias. */
bool kt_access_patched(const struct kt_instruction *instruction, ucontext_t *context,
		       struct kt_saved_vectors *vectors, enum kt_patched *what)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct kt_emulated done;
	uintptr_t top =
		kt_handler_stack_top + KT_HANDLER_STACK_GAP + KT_HANDLER_STACK_OF_PATCHES;

	if (kt_handler_stack_top && top - here > KT_HANDLER_STACK_OF_PATCHES) {
		atomic_fetch_add(&strange, 1);
	}
	use_vectors();
	if (!kt_emulate_decoded(instruction, context, vectors, to_alias, NULL, &done)) {
		return false;
	}
	*what = in_loop ? KT_PATCHED_LOOP : KT_PATCHED_WANTED;
	atomic_fetch_add(&n_stores, 1);
	return true;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	if (signal == SIGTRAP && info->si_code == TRAP_TRACE) {
		stepped++;
	} else if (!kt_patch_trap(info, context)) {
		if (signal == SIGSEGV) {
			_Exit(4);
		}
		((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 0xdead;
	}
}

static void *two_pages(int fd)
{
	return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void set_up(void)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	int fd;

	if (memory) {
		return;
	}
	fd = memfd_create("memory", MFD_CLOEXEC);
	CHECK(ftruncate(fd, PAGE) == 0);
	memory = two_pages(fd);
	alias = two_pages(fd);
	close(fd);
	kt_spans_begin();
	kt_spans_add((uintptr_t)memory, PAGE);
	kt_spans_end();
	ordinary = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	kt_instruction_init();
	kt_patch_init();
	kt_handler_stack_make();
	atomic_store(&kt_signals_unwrapped, 0);
	sigaction(SIGTRAP, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
}

/* --- the program's functions --- */

/* mov %eax,(%rdi); add $1,%rbx; mov %rbx,-0x80(%rsp); mov -0x80(%rsp),%r8; adc; ret */
static const uint8_t function[] = {0x89, 0x07, 0x48, 0x83, 0xc3, 0x01, 0x48,
				   0x89, 0x5c, 0x24, 0x80, 0x4c, 0x8b, 0x44,
				   0x24, 0x80, 0x49, 0x83, 0xd0, 0x00, 0xc3};

#define FUNCTION_BYTES 64 /* distance between the starts of two functions */

static void put_functions(const uint8_t *bytes, size_t n)
{
	mprotect(code, 2 * PAGE, PROT_READ | PROT_WRITE);
	memset(code, 0x90, 2 * PAGE);
	for (unsigned i = 0; i < SITES; i++) {
		memcpy(code + (size_t)i * FUNCTION_BYTES + 60, bytes,
		       n); /* the store's jump crosses the end of a cache line */
	}
	mprotect(code, 2 * PAGE, PROT_READ | PROT_EXEC);
}

static uintptr_t site_at(unsigned i)
{
	return (uintptr_t)code + (size_t)i * FUNCTION_BYTES + 60;
}

static void put_in(unsigned i)
{
	bool locked = kt_lock();

	kt_patch_consider(site_at(i), KT_PATCH_FOR_SUBMISSIONS);
	kt_unlock(locked);
}

static bool is_in(unsigned i)
{
	return *(const uint8_t *)site_at(i) == 0xe9;
}

static void take_out(unsigned i)
{
	bool locked = kt_lock();

	for (uint32_t number = 0; number < SITES; number++) {
		const struct kt_patch *patch = kt_patch_get(number);

		if (patch && patch->site == site_at(i)) {
			kt_patch_pause(number);
		}
	}
	kt_unlock(locked);
}

/* Patches are permanent, so each test has its own process. */
static void apart(void (*run)(void))
{
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		run();
		_exit(0);
	}
	waitpid(child, &status, 0);
	CU_ASSERT_EQUAL(status, 0);
}

/* --- registers --- */

/*
 * Says whether accesses to the memory continue a run, as they do after another access, and
 * are not reported.
 */
static void let_continue(bool continues)
{
	const struct kt_span all = {(uintptr_t)memory,
				    (uintptr_t)memory + (continues ? PAGE : 0)};
	const struct kt_continuing now = {
		.reads = all, .writes = all, .to_alias = (uintptr_t)(alias - memory)};
	bool locked = kt_lock();

	kt_continuing_set(&now);
	kt_unlock(locked);
}

#define OPERAND 32 /* bytes */

/* Runs the code at `site` with random memory; returns how often the recorder was called. */
static unsigned run(uintptr_t site, const struct caller_state *before,
		    struct caller_state *after, uint8_t *target, uint8_t content[OPERAND])
{
	unsigned so_far = atomic_load(&n_stores);

	memset(memory, 0, PAGE);
	memset(ordinary, 0, PAGE);
	memcpy(target, content, OPERAND);
	caller_run(site, before, after);
	memcpy(content, target, OPERAND);
	return atomic_load(&n_stores) - so_far;
}

static uint64_t take_continued(void)
{
	uint64_t n = atomic_exchange(&kt_counters->patched_accesses, 0);

	for (unsigned i = 0; i < SITES; i++) {
		n += kt_patch_take_continued(&kt_patch_sites[i]);
	}
	return n;
}

/*
 * Runs the patched code, in which `accesses` accesses are patched, and the same code
 * elsewhere, in random states.
 */
static void compare_with_original(unsigned accesses)
{
	static struct caller_state before;
	static struct caller_state there;
	static struct caller_state patched;

	for (unsigned i = 0; i < 3000; i++) {
		uint8_t *target = (i % 8 ? memory : ordinary) + (size_t)OPERAND * (i % 16);
		bool continues = i % 4 == 1;
		uint64_t content[OPERAND / 8] = {0};
		uint64_t contents[OPERAND / 8];
		uint64_t fast;
		unsigned slow;

		for (unsigned k = 0; k < OPERAND / 8; k++) {
			content[k] = i % 3 ? caller_random() : 0;
		}
		memcpy(contents, content, sizeof(contents));
		caller_randomize(&before);
		before.general[7] = (uintptr_t)target;
		CHECK(run(site_at(1), &before, &there, target, (uint8_t *)content) == 0);
		let_continue(continues);
		take_continued();
		slow = run(site_at(0), &before, &patched, target, (uint8_t *)contents);
		fast = take_continued();
		CHECK(slow == (i % 8 && !continues ? accesses : 0));
		CHECK(fast == (i % 8 && continues ? accesses : 0));
		CHECK(caller_same(&there, &patched));
		CHECK(memcmp(content, contents, sizeof(content)) == 0);
	}
	CHECK(is_in(0) && atomic_load(&strange) == 0);
	CHECK(!kt_signals_blocked);
}

static void compare_functions(const uint8_t *bytes, size_t n, uint32_t unwrapped)
{
	set_up();
	put_functions(bytes, n);
	atomic_store(&kt_signals_unwrapped, unwrapped);
	put_in(0);
	CHECK(is_in(0) && !is_in(1));
	compare_with_original(1);
}

static void compare_registers(uint32_t unwrapped)
{
	compare_functions(function, sizeof(function), unwrapped);
}

static void compare_open(void)
{
	compare_registers(0);
}

static void compare_blocked(void)
{
	compare_registers(2);
}

static void without_stack(void)
{
	set_up();
	kt_handler_stack_free();
	compare_registers(0);
}

static void test_registers(void)
{
	apart(compare_open);
	apart(compare_blocked);
	apart(without_stack);
}

/* --- other instructions --- */

/* Each with its length; all use the operand at %rdi. */
static const struct access {
	uint8_t n;
	uint8_t bytes[8];
} accesses[] = {
	{3, {0x48, 0x8b, 0x07}},             /* mov (%rdi),%rax */
	{4, {0x0f, 0xb6, 0x57, 0x01}},       /* movzbl 1(%rdi),%edx */
	{5, {0x48, 0x0f, 0xbe, 0x4f, 0x02}}, /* movsbq 2(%rdi),%rcx */
	{2, {0x8a, 0x27}},                   /* mov (%rdi),%ah */
	{3, {0x48, 0x39, 0x07}},             /* cmp %rax,(%rdi) */
	{3, {0x83, 0x3f, 0x00}},             /* cmpl $0,(%rdi) */
	{3, {0x48, 0x03, 0x1f}},             /* add (%rdi),%rbx */
	{3, {0x83, 0x0f, 0x10}},             /* orl $0x10,(%rdi) */
	{3, {0x48, 0x87, 0x07}},             /* xchg %rax,(%rdi) */
	{5, {0xf0, 0x48, 0x0f, 0xc1, 0x0f}}, /* lock xadd %rcx,(%rdi) */
	{5, {0xf0, 0x48, 0x0f, 0xb1, 0x0f}}, /* lock cmpxchg %rcx,(%rdi) */
	{6, {0xc7, 0x07, 1, 2, 3, 4}},       /* movl $0x4030201,(%rdi) */
	{3, {0x0f, 0x11, 0x1f}},             /* movups %xmm3,(%rdi) */
	{4, {0x44, 0x0f, 0x2b, 0x3f}},       /* movntps %xmm15,(%rdi) */
	{3, {0x0f, 0x10, 0x17}},             /* movups (%rdi),%xmm2 */
	{4, {0x66, 0x0f, 0x6f, 0x37}},       /* movdqa (%rdi),%xmm6 */
	{4, {0xc5, 0xf8, 0x10, 0x0f}},       /* vmovups (%rdi),%xmm1 */
	{4, {0xc5, 0xfe, 0x7f, 0x27}},       /* vmovdqu %ymm4,(%rdi) */
	{4, {0xc5, 0x7e, 0x6f, 0x0f}},       /* vmovdqu (%rdi),%ymm9 */
};

static const struct access *compared;

static void compare_access(void)
{
	/* adc $0,%r8; mov %rbx,-0x80(%rsp); ret: uses the flags and the red zone */
	static const uint8_t after[] = {0x49, 0x83, 0xd0, 0x00, 0x48,
					0x89, 0x5c, 0x24, 0x80, 0xc3};
	uint8_t bytes[sizeof(compared->bytes) + sizeof(after)];

	memcpy(bytes, compared->bytes, compared->n);
	memcpy(bytes + compared->n, after, sizeof(after));
	compare_functions(bytes, compared->n + sizeof(after), 0);
}

static void test_loads_and_changes(void)
{
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
		compared = &accesses[i];
		apart(compare_access);
	}
}

/* --- instructions within another one's jump --- */

static void compare_moved(void)
{
	/*
	 * mov %eax,(%rdi); mov %ebx,4(%rdi); add 8(%rdi),%ecx; adc $0,%r8; ret: the second
	 * instruction is moved to the trampoline of the first.
	 */
	static const uint8_t bytes[] = {0x89, 0x07, 0x89, 0x5f, 0x04, 0x03, 0x4f,
					0x08, 0x49, 0x83, 0xd0, 0x00, 0xc3};
	const struct kt_inner *moved = &kt_patch_sites[0].trampoline.inner[0];
	bool locked;

	set_up();
	put_functions(bytes, sizeof(bytes));
	put_in(0);
	CHECK(is_in(0) && kt_patch_sites[0].trampoline.n_inner == 1);
	CHECK(kt_patch_original(moved->access) == site_at(0) + 2);
	compare_with_original(1);
	for (unsigned i = 0; i < 2; i++) {
		locked = kt_lock();
		kt_patch_consider(moved->access, KT_PATCH_FOR_ACCESSES);
		kt_unlock(locked);
	}
	CHECK(atomic_load(&kt_counters->access_patches) == 1);
	compare_with_original(2);
	locked = kt_lock();
	kt_patch_pause(1);
	kt_unlock(locked);
	compare_with_original(1);
}

/*
 * The second store is patched first. The jump of the first covers the jump of the second,
 * which is removed; the second, moved, can be patched again.
 */
static void patch_close(void)
{
	static const uint8_t bytes[] = {0x89, 0x07, 0x89, 0x5f, 0x04,
					0x90, 0x90, 0x90, 0xc3};
	bool locked;

	set_up();
	put_functions(bytes, sizeof(bytes));
	locked = kt_lock();
	kt_patch_consider(site_at(0) + 2, KT_PATCH_FOR_ACCESSES);
	kt_unlock(locked);
	CHECK(!is_in(0) && *(const uint8_t *)(site_at(0) + 2) == 0xe9);
	locked = kt_lock();
	kt_patch_consider(site_at(0), KT_PATCH_FOR_ACCESSES);
	kt_unlock(locked);
	CHECK(atomic_load(&kt_counters->access_patches) == 2);
	CHECK(atomic_load(&kt_counters->access_patches_refused) == 0);
	compare_with_original(1);
	locked = kt_lock();
	kt_patch_consider(kt_patch_sites[1].trampoline.inner[0].access,
			  KT_PATCH_FOR_ACCESSES);
	kt_unlock(locked);
	compare_with_original(2);
}

static void test_moved(void)
{
	apart(compare_moved);
	apart(patch_close);
}

/* --- loops --- */

static void consider(uintptr_t ip)
{
	bool locked = kt_lock();

	kt_patch_consider(ip, KT_PATCH_FOR_ACCESSES);
	kt_unlock(locked);
}

static void call_with(unsigned i, void *target)
{
	((void (*)(void *, int, int, int, int, int))site_at(i))(target, 0, 0, 0, 0, 0);
}

static void call(unsigned i)
{
	call_with(i, memory);
}

/* Both a store and the one that is moved to its trampoline lose and regain their patches.
 */
static void patch_loops(void)
{
	static const uint8_t bytes[] = {0x89, 0x07, 0x89, 0x5f, 0x04,
					0x90, 0x90, 0x90, 0xc3};
	const struct kt_inner *moved = &kt_patch_sites[0].trampoline.inner[0];

	set_up();
	put_functions(bytes, sizeof(bytes));
	for (unsigned round = 0; round < 2; round++) {
		consider(site_at(0));
		consider(moved->access);
		let_continue(true);
		for (unsigned i = 0; i < 10000; i++) {
			call(0);
		}
		CHECK(is_in(0) && *(const uint8_t *)moved->copy == 0xe9);
		CHECK(take_continued() == 2 * 10000);
		let_continue(false);
		in_loop = true;
		call(0);
		in_loop = false;
		CHECK(!is_in(0) && *(const uint8_t *)moved->copy == 0x0f);
	}
}

static void test_loops(void)
{
	apart(patch_loops);
}

/*
 * A patch stays while one access in KT_PATCH_STRAYS is to watched memory, and is paused
 * after many others.
 */
static void stray(void)
{
	static const uint8_t bytes[] = {0x89, 0x07, 0x90, 0x90, 0x90, 0x90, 0xc3};
	const unsigned most = KT_PATCH_STRAYS * (KT_PATCH_STRAYS + 1);

	set_up();
	put_functions(bytes, sizeof(bytes));
	consider(site_at(0));
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 2 * most; i++) {
			call_with(0, i % KT_PATCH_STRAYS ? ordinary : memory);
		}
		CHECK(is_in(0));
		for (unsigned i = 0; i < 4 * most && is_in(0); i++) {
			call_with(0, ordinary);
		}
		CHECK(!is_in(0));
		consider(site_at(0));
		CHECK(is_in(0));
	}
}

/*
 * A branch often leads to the instruction after a store that is shorter than the jump. Its
 * patch is removed; the next one keeps that instruction, which then cannot be patched.
 */
static void enter(void)
{
	/* mov %eax,0x10(%rdi,%riz); and $-16,%rax; ret: the store has four bytes */
	static const uint8_t bytes[] = {0x89, 0x44, 0x27, 0x10, 0x48,
					0x83, 0xe0, 0xf0, 0xc3};
	uintptr_t next;

	set_up();
	put_functions(bytes, sizeof(bytes));
	next = site_at(0) + 4;
	consider(site_at(0));
	CHECK(is_in(0) && *(const uint8_t *)next != 0x48);
	for (unsigned i = 0; i < 1000 && is_in(0); i++) {
		CHECK(((uintptr_t(*)(void))next)() % 16 == 0);
	}
	CHECK(!is_in(0) && *(const uint8_t *)next == 0x48);
	consider(site_at(0));
	CHECK(is_in(0) && *(const uint8_t *)next == 0x48);
	atomic_store(&kt_counters->patch_traps, 0);
	CHECK(((uintptr_t(*)(void))next)() % 16 == 0);
	CHECK(atomic_load(&kt_counters->patch_traps) == 0);
	consider(next);
	CHECK(*(const uint8_t *)next == 0x48);
	compare_with_original(1);
	take_out(0);
	CHECK(memcmp((const void *)site_at(0), bytes, sizeof(bytes)) == 0);
}

static void test_entered(void)
{
	apart(enter);
}

static void test_strays(void)
{
	apart(stray);
}

/* mov (%rdi),%rsp, and movss (%rdi),%xmm0: neither can be made for the program. */
static void refuse(void)
{
	static const uint8_t stack[] = {0x48, 0x8b, 0x27, 0x90, 0x90, 0x90, 0xc3};
	static const uint8_t vector[] = {0xf3, 0x0f, 0x10, 0x07, 0x90, 0x90, 0xc3};

	set_up();
	put_functions(stack, sizeof(stack));
	put_in(0);
	CHECK(!is_in(0) && strstr(kt_counters->refused_why, "stack pointer"));
	put_functions(vector, sizeof(vector));
	put_in(1);
	CHECK(!is_in(1) && atomic_load(&kt_counters->patches_refused) == 2);
}

static void test_refused(void)
{
	apart(refuse);
}

/* --- single-stepping --- */

__attribute__((unused)) static void step_through(void)
{
	static struct caller_state before;
	static struct caller_state after;

	set_up();
	put_functions(function, sizeof(function));
	put_in(0);
	caller_randomize(&before);
	before.flags |= 0x100;
	before.general[7] = (uintptr_t)memory;
	caller_run(site_at(0), &before, &after);
	CHECK(after.flags & 0x100 && atomic_load(&n_stores) == 1);
	CHECK(stepped > 10 && stepped < 200);
}

static void test_trap_flag(void)
{
#ifndef __SANITIZE_THREAD__ /* this sanitizer blocks signals */
	apart(step_through);
#endif
}

/* --- the alternate stack --- */

static void ring_in_handler(int signal)
{
	(void)signal;
	((void (*)(void *, int, int, int, int, int))site_at(0))(memory, 0, 0, 0, 0, 0);
}

static void on_alternate_stack(void)
{
	static unsigned char stack[65536];
	struct sigaction action = {.sa_handler = ring_in_handler, .sa_flags = SA_ONSTACK};
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};

	set_up();
	put_functions(function, sizeof(function));
	put_in(0);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1); /* the handler runs on the recorder's alternate stack */
	CHECK(atomic_load(&n_stores) == 0);
	CHECK(kt_signals_altstack(&alternate, NULL) == 0);
	raise(SIGUSR1);
	CHECK(atomic_load(&n_stores) == 0);
	action.sa_flags = 0;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	CHECK(atomic_load(&n_stores) == 1);
}

/* The program sets its alternate stack before the recorder starts. */
static void on_stack_of_before(void)
{
	static unsigned char stack[65536];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = ring_in_handler, .sa_flags = SA_ONSTACK};

	CHECK(sigaltstack(&alternate, NULL) == 0);
	set_up();
	put_functions(function, sizeof(function));
	put_in(0);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	CHECK(is_in(0) && atomic_load(&n_stores) == 0);
}

static void test_alternate_stack(void)
{
	apart(on_alternate_stack);
	apart(on_stack_of_before);
}

/* --- branches into the middle of a patch --- */

static void branch_into(void)
{
	static struct caller_state before;
	static struct caller_state there;
	static struct caller_state patched;

	set_up();
	put_functions(function, sizeof(function));
	put_in(0);
	for (unsigned i = 0; i < 100; i++) {
		caller_randomize(&before);
		caller_run(site_at(1) + 2, &before, &there);
		CHECK(is_in(0) == (i < 65));
		caller_run(site_at(0) + 2, &before, &patched);
		CHECK(caller_same(&there, &patched));
	}
	CHECK(memcmp((void *)site_at(0), function, sizeof(function)) == 0);
	CHECK(atomic_load(&n_stores) == 0);
}

static void test_branch_into(void)
{
	apart(branch_into);
}

/* --- unloaded libraries --- */

static uint64_t run_at(uintptr_t at)
{
	static struct caller_state before;
	static struct caller_state after;

	caller_randomize(&before);
	before.general[7] = (uintptr_t)memory;
	caller_run(at, &before, &after);
	return after.general[0];
}

static void reload(void)
{
	static const uint8_t other[] = {0x90, 0x90, 0xcc, 0x89, 0x07,
					0x90, 0x90, 0x90, 0xc3};
	uintptr_t address_before;

	set_up();
	put_functions(function, sizeof(function));
	put_in(0);
	put_in(1);
	take_out(1);
	address_before = kt_patch_get(0)->after_access;
	/* The same code, loaded again, gets the same trampoline. */
	put_functions(function, sizeof(function));
	CHECK(!is_in(0));
	run_at(site_at(0));
	CHECK(atomic_load(&n_stores) == 0);
	put_in(0);
	CHECK(is_in(0) && kt_patch_get(0)->after_access == address_before);
	run_at(site_at(0));
	CHECK(atomic_load(&n_stores) == 1);
	/* Other code is loaded, with an int3 of its own where the patch had one. */
	put_functions(other, sizeof(other));
	CHECK(run_at(site_at(0)) == 0xdead && run_at(site_at(1)) == 0xdead);
	CHECK(atomic_load(&n_stores) == 1);
	put_in(0); /* the site holds a nop, not a store */
	CHECK(!is_in(0));
	kt_lock();
	kt_patch_finish();
	kt_unlock(true);
	CHECK(memcmp((void *)site_at(0), other, sizeof(other)) == 0);
}

static void test_reload(void)
{
	apart(reload);
}

/* --- stores that are not patched --- */

static void leave_alone(void)
{
	set_up();
	put_functions(function, sizeof(function));
	mprotect(code, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	put_in(0);
	CHECK(!is_in(0)); /* the program may be writing this code */
	CHECK(atomic_load(&kt_counters->patches_refused) == 1);
	CHECK(strstr(kt_counters->refused_why, "writable") != NULL);
	mprotect(code, 2 * PAGE, PROT_READ | PROT_EXEC);
	kt_lock();
	kt_patch_finish();
	kt_patch_consider(site_at(1), KT_PATCH_FOR_SUBMISSIONS);
	kt_unlock(true);
	CHECK(!is_in(1));
}

static void test_left_alone(void)
{
	apart(leave_alone);
}

/* --- threads --- */

static _Atomic unsigned current;
static _Atomic bool over;
static _Atomic bool wrong;

/*
 * Calls the function at `at` and checks its effects: it increments %rbx and returns the new
 * value in %r8, without a carry. `at` may also be an instruction after the function's
 * first.
 */
static void call_site(uintptr_t at, uint8_t *target, uint32_t value)
{
	uint64_t rbx = value * 3u;
	uint64_t r8 = 0;

	__asm__ volatile("leaq -256(%%rsp), %%rsp\n\tcall *%3\n\tleaq 256(%%rsp), %%rsp\n\t"
			 "movq %%r8, %1"
			 : "+b"(rbx), "=r"(r8)
			 : "D"(target), "r"(at), "a"(value)
			 : "r8", "memory", "cc");
	if (rbx != value * 3u + 1 || r8 != rbx) {
		atomic_store(&wrong, true);
	}
}

static void *call_many(void *argument)
{
	size_t which = (size_t)(uintptr_t)argument;
	uint8_t *target = memory + 8 * which;
	uint32_t i = 0;

	kt_handler_stack_make();
	while (!atomic_load(&over)) {
		uintptr_t at = site_at(atomic_load(&current));
		uint32_t got;

		call_site(at, target, ++i);
		memcpy(&got, target, sizeof(got));
		if (got != i) {
			atomic_store(&wrong, true);
		}
		if (i % 16 == 0) {
			sched_yield(); /* lets other threads take the unfair lock */
		}
		if (i % 1024 == 0) {
			call_site(at + 2, target, i);
		}
	}
	kt_handler_stack_free();
	return NULL;
}

static void call_while_patching(void)
{
	pthread_t threads[THREADS];

	set_up();
	put_functions(function, sizeof(function));
	for (size_t i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, call_many, (void *)(uintptr_t)i);
	}
	for (unsigned i = 0; i < SITES; i++) {
		unsigned so_far = atomic_load(&n_stores);

		atomic_store(&current, i);
		put_in(i);
		CHECK(is_in(i));
		while (atomic_load(&n_stores) < so_far + 20) {
			sched_yield();
		}
		take_out(i);
		CHECK(!is_in(i) || i == SITES);
	}
	atomic_store(&over, true);
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
	CHECK(!atomic_load(&wrong));
	CHECK(!kt_signals_blocked);
}

static void test_threads(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		apart(call_while_patching);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"registers", test_registers},
		{"loads, and loads with stores", test_loads_and_changes},
		{"instructions within the jump of another", test_moved},
		{"loops", test_loops},
		{"strays", test_strays},
		{"branches to the next instruction", test_entered},
		{"what cannot be patched", test_refused},
		{"the trap flag", test_trap_flag},
		{"an alternate stack", test_alternate_stack},
		{"branches into the middle", test_branch_into},
		{"a library that is reloaded", test_reload},
		{"stores that are not patched", test_left_alone},
		{"threads", test_threads},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("patch", tests);
}
