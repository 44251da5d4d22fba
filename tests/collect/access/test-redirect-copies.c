/* SPDX-License-Identifier: MIT */
/*
 * Calls of memcpy(3), memmove(3) and memset(3) are redirected from the place where they
 * were called: through a procedure linkage table or a slot, with each form of code that
 * compilers and linkers write. Redirected calls copy what the original copies, and note
 * each copy from or to watched memory once.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "collect/preload/access/note-copy.h"
#include "collect/preload/access/patch.h"
#include "collect/preload/access/redirect-copies.h"
#include "collect/preload/mappings/spans.h"
#include "tests/suite.h"

#define PAGE 4096u

static uint8_t *memory;   /* watched: the program's mapping, which is closed */
static uint8_t *alias;    /* the recorder's mapping of the same memory */
static uint8_t *ordinary; /* unwatched memory */
static uint8_t *code;     /* the library's code, and in the next page its slot */
static uintptr_t *slot;
static uintptr_t own_code; /* address that counts as the recorder's code */

static struct {
	unsigned n;
	uintptr_t address;
	size_t size;
	bool write;
} noted;

/* --- the recorder's part --- */

bool kt_patch_is_own_code(uintptr_t address)
{
	return own_code && address == own_code;
}

void *kt_copy_note(uintptr_t address, size_t size, bool write, uintptr_t ip)
{
	CU_ASSERT(ip - (uintptr_t)code < PAGE);
	noted.n++;
	noted.address = address;
	noted.size = size;
	noted.write = write;
	return alias + (address - (uintptr_t)memory);
}

static void set_up(void)
{
	int fd;

	if (memory) {
		return;
	}
	fd = memfd_create("memory", MFD_CLOEXEC);
	CU_ASSERT_EQUAL_FATAL(ftruncate(fd, PAGE), 0);
	alias = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memory = mmap(NULL, PAGE, PROT_NONE, MAP_SHARED, fd, 0);
	close(fd);
	ordinary = malloc(PAGE);
	code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	CU_ASSERT_FATAL(memory != MAP_FAILED && alias != MAP_FAILED && code != MAP_FAILED &&
			ordinary);
	slot = (uintptr_t *)(code + PAGE);
	kt_spans_begin();
	kt_spans_add((uintptr_t)memory, PAGE);
	kt_spans_end();
	kt_copies_init();
}

/* --- the library's part --- */

/* A call at the beginning of the code and, if it is not indirect, its entry of the table.
 */
struct form {
	uint8_t call[6];
	uint8_t n_call;
	uint8_t before[5]; /* before the jump in the entry */
	uint8_t n_before;
};

static const struct form forms[] = {
	{{0xff, 0x15}, 6, {0}, 0},
	{{0xe8}, 5, {0}, 0},
	{{0xe8}, 5, {0xf3, 0x0f, 0x1e, 0xfa}, 4},
	{{0xe8}, 5, {0xf3, 0x0f, 0x1e, 0xfa, 0xf2}, 5},
};

#define AT_CALL  64 /* after sub $8,%rsp; the stack is aligned at the call */
#define AT_ENTRY 256

static void put_displacement(size_t end, size_t to)
{
	int32_t displacement = (int32_t)to - (int32_t)end;

	memcpy(code + end - 4, &displacement, 4);
}

/* Writes a function that makes the call; returns the address after the call. */
static uintptr_t put_function(const struct form *form, uintptr_t function)
{
	static const uint8_t reserve[] = {0x48, 0x83, 0xec, 0x08};
	static const uint8_t leave[] = {0x48, 0x83, 0xc4, 0x08, 0xc3};
	static const uint8_t jump[] = {0xff, 0x25};
	size_t after = AT_CALL + form->n_call;
	size_t entry_end = AT_ENTRY + form->n_before + 6u;

	mprotect(code, 2 * PAGE, PROT_READ | PROT_WRITE);
	memset(code, 0xcc, PAGE);
	memcpy(code + AT_CALL - sizeof(reserve), reserve, sizeof(reserve));
	memcpy(code + AT_CALL, form->call, form->n_call);
	memcpy(code + after, leave, sizeof(leave));
	memcpy(code + AT_ENTRY, form->before, form->n_before);
	memcpy(code + AT_ENTRY + form->n_before, jump, sizeof(jump));
	put_displacement(entry_end, PAGE);
	put_displacement(after, form->n_call == 6 ? PAGE : AT_ENTRY);
	*slot = function;
	mprotect(code, PAGE, PROT_READ | PROT_EXEC);
	return (uintptr_t)code + after;
}

static bool redirect_from(uintptr_t after)
{
	ucontext_t context = {.uc_flags = 0};

	context.uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)&after;
	return kt_copies_redirect(&context);
}

static uintptr_t function_of(const char *name)
{
	return (uintptr_t)dlsym(RTLD_DEFAULT, name);
}

static void *call(void *to, uintptr_t from, size_t n)
{
	void *(*function)(void *, uintptr_t, size_t);
	uintptr_t address = (uintptr_t)code + AT_CALL - 4;

	memcpy(&function, &address, sizeof(function));
	noted.n = 0;
	return function(to, from, n);
}

static void fill_random(uint8_t *bytes)
{
	for (size_t i = 0; i < PAGE; i++) {
		bytes[i] = (uint8_t)rand();
	}
}

/* --- tests --- */

static void check_copies(void)
{
	fill_random(ordinary);
	CU_ASSERT_PTR_EQUAL(call(memory + 8, (uintptr_t)ordinary, 100), memory + 8);
	CU_ASSERT_EQUAL(memcmp(alias + 8, ordinary, 100), 0);
	CU_ASSERT(noted.n == 1 && noted.write && noted.size == 100);
	CU_ASSERT_EQUAL(noted.address, (uintptr_t)memory + 8);
	fill_random(alias);
	CU_ASSERT_PTR_EQUAL(call(ordinary, (uintptr_t)memory + 1, 999), ordinary);
	CU_ASSERT_EQUAL(memcmp(alias + 1, ordinary, 999), 0);
	CU_ASSERT(noted.n == 1 && !noted.write && noted.size == 999);
	/* Between ordinary memory, also overlapping, and of no bytes. */
	CU_ASSERT_PTR_EQUAL(call(ordinary + 3, (uintptr_t)ordinary, 500), ordinary + 3);
	CU_ASSERT_EQUAL(memcmp(alias + 1, ordinary + 3, 500), 0);
	CU_ASSERT_EQUAL(noted.n, 0);
	CU_ASSERT_PTR_EQUAL(call(ordinary, (uintptr_t)memory, 0), ordinary);
}

static void check_fills(void)
{
	memset(alias, 1, PAGE);
	CU_ASSERT_PTR_EQUAL(call(memory + 100, 7, 50), memory + 100);
	CU_ASSERT(noted.n == 1 && noted.write && noted.size == 50);
	CU_ASSERT(alias[99] == 1 && alias[100] == 7 && alias[149] == 7 && alias[150] == 1);
	CU_ASSERT_PTR_EQUAL(call(ordinary, 9, PAGE), ordinary);
	CU_ASSERT(noted.n == 0 && ordinary[0] == 9 && ordinary[PAGE - 1] == 9);
}

static void test_forms(void)
{
	set_up();
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		for (int closed = 0; closed < 2; closed++) {
			const uintptr_t functions[] = {
				function_of("memcpy"), function_of("memmove"),
				(uintptr_t)dlvsym(RTLD_DEFAULT, "memcpy", "GLIBC_2.2.5"),
				function_of("memset")};

			for (size_t k = 0; k < 4; k++) {
				uintptr_t f = functions[k];
				uintptr_t after = put_function(&forms[i], f);

				if (closed) { /* as after relocation */
					mprotect(slot, PAGE, PROT_READ);
				}
				CU_ASSERT(redirect_from(after) && *slot != f);
				CU_ASSERT_FALSE(redirect_from(after));
				if (k < 3) {
					check_copies();
				} else {
					check_fills();
				}
			}
		}
	}
}

/* Other functions, other code and the recorder's own calls are left alone. */
static void test_left_alone(void)
{
	static const struct form other = {{0xe8}, 5, {0x90}, 1};
	uintptr_t f = function_of("memcpy");
	uintptr_t after;

	set_up();
	after = put_function(&forms[1], function_of("strlen"));
	CU_ASSERT_FALSE(redirect_from(after));
	CU_ASSERT_EQUAL(*slot, function_of("strlen"));
	after = put_function(&other, f);
	CU_ASSERT_FALSE(redirect_from(after));
	after = put_function(&forms[1], f);
	CU_ASSERT_FALSE(redirect_from(after + 1));
	CU_ASSERT_FALSE(redirect_from(8));
	CU_ASSERT_FALSE(redirect_from((uintptr_t)memory + 64));
	own_code = after;
	CU_ASSERT_FALSE(redirect_from(after));
	own_code = 0;
	CU_ASSERT_EQUAL(*slot, f);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"forms", test_forms},
		{"left alone", test_left_alone},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("redirected copies", tests);
}
