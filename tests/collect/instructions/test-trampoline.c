/* SPDX-License-Identifier: MIT */
/*
 * Code that was replaced by a jump to its copy behaves like the original. Random
 * instructions follow a store, and the code is entered at each of them; all registers,
 * flags and memory are compared.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "collect/preload/instructions/trampoline.h"
#include "tests/collect/instructions/caller.h"
#include "tests/collect/instructions/trap-bytes.h"
#include "tests/suite.h"

#define PAGE   4096u
#define ROUNDS 4000
#define N(a)   (sizeof(a) / sizeof((a)[0]))

/* One page of the program's code, and two of its data. */
static uint8_t *code;
static uint8_t *data;

/*
 * The stand-in for kt_patch_entry() continues at test_next, and stores the number it
 * receives in test_number.
 */
uintptr_t test_next;
uint64_t test_number;

void test_entry(void);
__asm__(".text\n"
	".globl test_entry\n"
	"test_entry:\n"
	"	pushfq\n"
	"	pushq %rax\n"
	"	movq 16(%rsp), %rax\n"
	"	movq %rax, test_number(%rip)\n"
	"	popq %rax\n"
	"	popfq\n"
	"	jmpq *test_next(%rip)\n");

static struct kt_trampoline trampoline;

static const struct kt_trampoline_links *links(uint32_t number)
{
	static struct kt_trampoline_links now;

	now = (struct kt_trampoline_links){.number = number,
					   .handler = (uintptr_t)test_entry};
	return &now;
}

static unsigned trapped;

static void on_trap(int signal, siginfo_t *info, void *argument)
{
	greg_t *ip = &((ucontext_t *)argument)->uc_mcontext.gregs[REG_RIP];

	(void)info;
	for (unsigned i = 0; i < trampoline.n_inner; i++) {
		if ((uint8_t *)*ip - (signal == SIGTRAP) ==
		    code + trampoline.inner[i].offset) {
			*ip = (greg_t)trampoline.inner[i].copy;
			trapped++;
			return;
		}
	}
	_Exit(3);
}

static void set_up(void)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};

	if (!code) {
		code = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		data = code + PAGE;
		kt_trampoline_init();
		sigaction(SIGTRAP, &action, NULL);
		sigaction(SIGSEGV, &action, NULL); /* raised by privileged instructions */
	}
}

/* --- random code --- */

struct piece {
	const char *bytes;
	uint8_t length;
	enum { PLAIN, OPERAND, TARGET8, TARGET32 } tail; /* operand or branch distance */
};

/* %rdi and %rsi point into the data, and no instruction changes them. */
static const struct piece stores[] = {
	{"\x89\x07", 2, PLAIN},
	{"\x88\x27", 2, PLAIN},
	{"\x66\x89\x07", 3, PLAIN},
	{"\x48\x89\x07", 3, PLAIN},
	{"\x44\x89\x47\x10", 4, PLAIN},
	{"\xc6\x07\x12", 3, PLAIN},
	{"\x66\xc7\x07\x34\x12", 5, PLAIN},
	{"\xc7\x07\x78\x56\x34\x12", 6, PLAIN},
	{"\x89\x87\x80\x00\x00\x00", 6, PLAIN},
	{"\x89\x05\x00\x00\x00\x00", 6, OPERAND},
};

static const struct piece others[] = {
	{"\x90", 1, PLAIN},
	{"\xf9", 1, PLAIN},
	{"\x99", 1, PLAIN},
	{"\x48\xff\xc0", 3, PLAIN},
	{"\xff\xc9", 2, PLAIN},
	{"\x01\xd8", 2, PLAIN},
	{"\x31\xd2", 2, PLAIN},
	{"\x48\x8b\x1e", 3, PLAIN},
	{"\x48\x03\x47\x08", 4, PLAIN},
	{"\x0f\x94\xc3", 3, PLAIN},
	{"\x0f\x44\xd8", 3, PLAIN},
	{"\xf3\x0f\x6f\x06", 4, PLAIN},
	{"\x48\x89\x44\x24\x80", 5, PLAIN}, /* the red zone's last bytes */
	{"\x48\x03\x5c\x24\x80", 5, PLAIN},
	{"\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", 10, PLAIN},
	{"\x8b\x05\x00\x00\x00\x00", 6, OPERAND},
	{"\x48\x8d\x15\x00\x00\x00\x00", 7, OPERAND},
	{"\x0f\x58\x0d\x00\x00\x00\x00", 7, OPERAND},
	{"\x74\x00", 2, TARGET8},
	{"\x72\x00", 2, TARGET8},
	{"\xeb\x00", 2, TARGET8},
	{"\x0f\x85\x00\x00\x00\x00", 6, TARGET32},
	{"\xe9\x00\x00\x00\x00", 5, TARGET32},
};

#define OTHER_WAY 0x40 /* target of the jumps, as an offset from the site */

static size_t put_piece(size_t at, const struct piece *piece)
{
	size_t end = at + piece->length;
	int32_t distance;

	memcpy(code + at, piece->bytes, piece->length);
	switch (piece->tail) {
	case PLAIN: break;
	case OPERAND:
		distance = (int32_t)(data + 16 * (caller_random() % 64) - (code + end));
		memcpy(code + end - 4, &distance, 4);
		break;
	case TARGET8: code[end - 1] = (uint8_t)(OTHER_WAY - end); break;
	case TARGET32:
		distance = (int32_t)(OTHER_WAY - end);
		memcpy(code + end - 4, &distance, 4);
		break;
	}
	return end;
}

/*
 * Writes a store, some instructions and a return. Returns the number of instructions before
 * the return, and their offsets.
 */
static unsigned put_function(size_t starts[8])
{
	size_t at = put_piece(0, &stores[caller_random() % N(stores)]);
	unsigned n = 1;

	memset(code, 0x90, PAGE);
	starts[0] = 0;
	at = put_piece(0, &stores[caller_random() % N(stores)]);
	while (n < 6) {
		starts[n++] = at;
		at = put_piece(at, &others[caller_random() % N(others)]);
	}
	code[at] = 0xc3;
	memcpy(code + OTHER_WAY, "\x49\xff\xc7\xc3", 4); /* inc %r15; ret */
	return n;
}

/* --- comparison with the original --- */

static void random_state(struct caller_state *state)
{
	caller_randomize(state);
	state->general[6] = (uintptr_t)data + 16 * (caller_random() % 64);
	state->general[7] = (uintptr_t)data + 16 * (caller_random() % 64);
	for (size_t i = 0; i < 2 * PAGE; i++) {
		data[i] = (uint8_t)caller_random();
	}
}

static bool runs_alike(size_t start, uint8_t *bytes, const uint8_t *patched)
{
	static struct caller_state before;
	static struct caller_state there;
	static struct caller_state moved;
	static uint8_t first[2 * PAGE];
	static uint8_t expected[2 * PAGE];

	random_state(&before);
	memcpy(first, data, sizeof(first));
	memcpy(code, bytes, KT_SITE_BYTES);
	caller_run((uintptr_t)code + start, &before, &there);
	memcpy(expected, data, sizeof(expected));
	memcpy(data, first, sizeof(first));
	memcpy(code, patched, KT_JUMP_BYTES);
	caller_run((uintptr_t)code + start, &before, &moved);
	return caller_same(&there, &moved) && memcmp(expected, data, sizeof(expected)) == 0;
}

static void say(const uint8_t *bytes)
{
	for (unsigned i = 0; i < KT_SITE_BYTES; i++) {
		printf("%02x ", bytes[i]);
	}
	printf("\n");
}

static void test_moved_code_does_the_same(void)
{
	unsigned layouts[32] = {0};
	unsigned refused = 0;

	set_up();
	trapped = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint8_t bytes[KT_SITE_BYTES];
		size_t starts[8];
		unsigned n = put_function(starts);
		const char *why;

		memcpy(bytes, code, sizeof(bytes));
		why = kt_trampoline_make(&trampoline, (uintptr_t)code, code, sizeof(bytes),
					 links(77 + round));
		if (why) {
			refused++;
			continue;
		}
		layouts[trampoline.starts]++;
		test_next = trampoline.again;
		for (unsigned i = 0; i < n && starts[i] < KT_JUMP_BYTES; i++) {
			CU_ASSERT_FATAL((trampoline.starts & 1u << starts[i]) != 0);
			CU_ASSERT_FATAL(i == 0 || is_trap_byte(trampoline.jump[starts[i]]));
			if (!runs_alike(starts[i], bytes, trampoline.jump)) {
				say(bytes);
				CU_FAIL_FATAL("it does something else");
			}
		}
		CU_ASSERT(test_number == 77 + round);
		memcpy(code, bytes, sizeof(bytes));
		kt_trampoline_free(&trampoline);
	}
	printf("%u refused, %u traps ", refused, trapped);
	CU_ASSERT(refused < ROUNDS / 2 && trapped > 100);
	/* Each byte except the first must have begun an instruction in some layout. */
	for (unsigned layout = 0; layout < 8; layout++) {
		CU_ASSERT(layouts[layout << 2 | 1] > 0);
	}
}

/* The store was already made in another way, so only the code after it executes. */
static void test_store_not_repeated(void)
{
	static struct caller_state before;
	static struct caller_state after;
	uint32_t was;

	set_up();
	memset(code, 0x90, PAGE);
	memcpy(code, "\x89\x07\x48\xff\xc0\xc3", 6); /* store; inc %rax; ret */
	CU_ASSERT_FATAL(kt_trampoline_make(&trampoline, (uintptr_t)code, code,
					   KT_SITE_BYTES, links(5)) == NULL);
	memcpy(code, trampoline.jump, KT_JUMP_BYTES);
	test_next = trampoline.after_access;
	random_state(&before);
	memcpy(&was, (void *)(uintptr_t)before.general[7], sizeof(was));
	caller_run((uintptr_t)code, &before, &after);
	CU_ASSERT(after.general[0] == before.general[0] + 1);
	CU_ASSERT(memcmp(&was, (void *)(uintptr_t)before.general[7], sizeof(was)) == 0);
	kt_trampoline_free(&trampoline);
}

/* --- refused code --- */

static const char *why_not(const char *bytes, size_t n)
{
	const char *why;

	set_up();
	memset(code, 0x90, PAGE);
	memcpy(code, bytes, n);
	why = kt_trampoline_make(&trampoline, (uintptr_t)code, code, KT_SITE_BYTES,
				 links(1));
	kt_trampoline_free(&trampoline);
	return why;
}

static void test_refused(void)
{
	CU_ASSERT_PTR_NULL(why_not("\x89\x07\x90", 3));
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x07\xe8\0\0\0\0", 7)); /* call */
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x07\xff\xd0", 4));     /* call *%rax */
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x07\x0f\x05", 4));     /* syscall */
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x07\xcc", 3));         /* int3 */
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x07\xe2\xfc", 4));     /* loop */
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x07\xe3\xfc", 4));     /* jrcxz */
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x07\x66\x74\x10", 5)); /* vendor-dependent */
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x07\xc7\xf8\0\0\0\0", 8)); /* xbegin */
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x07\x06", 3));             /* invalid */
	/* jknzd, an instruction of Knights Corner only */
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x07\xc5\x54\x85\x35\x54\xff\xfd\x28", 10));
	/* After a function's end only padding counts as instructions. */
	CU_ASSERT_PTR_NULL(why_not("\x89\x07\xc3\x66\x90", 5));
	CU_ASSERT_PTR_NULL(why_not("\x89\x07\xc3\x0f\x1f\x44\x00\x00", 8));
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x07\xc3\x31\xc0", 5));
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x07\xeb\x10\x31\xc0", 6));
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x07\x0f\x0b\x31\xc0", 6));
}

/*
 * In libcuda 580, the function that begins a ring entry follows another function's return,
 * and no unwind table covers its address.
 */
static void test_after_a_return_unknown(void)
{
	static const uint8_t libcuda[] = {0x89, 0x77, 0x04, 0xc3, 0x89, 0x37, 0xc7,
					  0x47, 0x04, 0x03, 0,    0,    0,    0xc3};
	uint8_t *aligned;

	CU_ASSERT_PTR_NULL(why_not((const char *)libcuda, sizeof(libcuda)));
	/*
	 * Data after the return is refused: zeros, an invalid opcode, too few bytes, bytes
	 * that begin like data.
	 */
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x77\x04\xc3\0\0\0\0\xc3", 9));
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x77\x04\xc3\x06\x37\xc3", 7));
	CU_ASSERT_PTR_NOT_NULL(why_not("\x89\x77\x04\xc3\xc3", 5));
	memset(code, 0x90, PAGE);
	aligned = code + 12;
	memcpy(aligned, libcuda, sizeof(libcuda));
	CU_ASSERT_PTR_NOT_NULL(kt_trampoline_make(&trampoline, (uintptr_t)aligned, aligned,
						  sizeof(libcuda), links(1)));
}

/*
 * With each shorter length the code is refused, and the unmapped bytes after it are not
 * read.
 */
static void test_cut_off(void)
{
	set_up();
	memset(code, 0x90, PAGE);
	memcpy(code + PAGE - 5, "\x89\x07\x48\xff\xc0", 5);
	CU_ASSERT_FATAL(mprotect(data, PAGE, PROT_NONE) == 0);
	for (size_t n = 0; n <= 5; n++) {
		const uint8_t *site = code + PAGE - 5;
		const char *why =
			kt_trampoline_make(&trampoline, (uintptr_t)site, site, n, links(1));

		CU_ASSERT((why == NULL) == (n == 5));
		kt_trampoline_free(&trampoline);
	}
	mprotect(data, PAGE, PROT_READ | PROT_WRITE);
}

/*
 * The trampoline is within the jump's reach, in user memory, and below the program if space
 * is free there.
 */
static void test_addresses(void)
{
	set_up();
	CU_ASSERT_FATAL(why_not("\x48\x89\x07\x90\x90", 5) == NULL);
	memset(code, 0x90, PAGE);
	memcpy(code, "\xc7\x07\x78\x56\x34\x12", 6);
	CU_ASSERT_FATAL(kt_trampoline_make(&trampoline, (uintptr_t)code, code,
					   KT_SITE_BYTES, links(1)) == NULL);
	CU_ASSERT(trampoline.entry < (uintptr_t)code);
	CU_ASSERT(trampoline.n_inner == 0 && trampoline.replaced == 6);
	kt_trampoline_free(&trampoline);
	/*
	 * The site is so low that the trampoline must lie above it. The last byte of the
	 * jump must trap, and must not make its distance negative.
	 */
	CU_ASSERT_FATAL(
		kt_trampoline_make(&trampoline, 0x400000,
				   (const uint8_t *)"\x89\x07\x89\xd8\x90\x90\x90\x90", 8,
				   links(1)) == NULL);
	CU_ASSERT(trampoline.entry > 0x400000 && trampoline.jump[4] == trampoline.jump[2]);
	CU_ASSERT(is_trap_byte(trampoline.jump[4]) && trampoline.jump[4] < 0x80);
	kt_trampoline_free(&trampoline);
	CU_ASSERT(trampoline.bytes == 0);
}

/*
 * The unwind table says that the code after the first return belongs to the same function.
 */
extern const uint8_t two_ways[];
__asm__(".text\n"
	"two_ways:\n"
	"	.cfi_startproc\n"
	"	movl %esi, 4(%rdi)\n"
	"	ret\n"
	"	movl %esi, (%rdi)\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"another:\n"
	"	.cfi_startproc\n"
	"	movl %esi, (%rdi)\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.byte 0xc3, 0xc3, 0xc3\n");

static void test_after_a_return(void)
{
	set_up();
	CU_ASSERT_FATAL(kt_trampoline_make(&trampoline, (uintptr_t)two_ways, two_ways, 7,
					   links(1)) == NULL);
	CU_ASSERT(trampoline.starts == 0x19 && trampoline.replaced == 6);
	CU_ASSERT(is_trap_byte(trampoline.jump[3]) && is_trap_byte(trampoline.jump[4]));
	kt_trampoline_free(&trampoline);
	/* The unwind table says that another function begins after the second return. */
	CU_ASSERT_FATAL(kt_trampoline_make(&trampoline, (uintptr_t)two_ways + 4,
					   two_ways + 4, 7, links(1)) == NULL);
	CU_ASSERT(trampoline.starts == 0xd && trampoline.replaced == 5);
	kt_trampoline_free(&trampoline);
	/* The code after that function is in no unwind table. */
	CU_ASSERT_PTR_NOT_NULL(kt_trampoline_make(&trampoline, (uintptr_t)two_ways + 7,
						  two_ways + 7, 6, links(1)));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"moved code does the same", test_moved_code_does_the_same},
		{"a store is not repeated", test_store_not_repeated},
		{"refused code", test_refused},
		{"after a return", test_after_a_return},
		{"after a return, in code without unwind table",
		 test_after_a_return_unknown},
		{"truncated code", test_cut_off},
		{"places", test_addresses},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("trampoline", tests);
}
