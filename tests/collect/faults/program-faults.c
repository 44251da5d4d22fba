/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into ktail record. KTAIL_PROGRAM_FAULT="NAME K" makes the Kth call of that
 * function fail; only calls of the program itself count, not those of its libraries. Each
 * call appends a line "NAME K" to the file named by KTAIL_PROGRAM_FAULT_LOG. Processes that
 * ktail record forks for itself count as well, but the recorded command does not.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden"), used))

struct call {
	void *real; /* NULL: not looked up yet */
	const char *name;
	int64_t result; /* returned by a failed call */
};

extern struct call __start_kt_call_table[] __attribute__((visibility("hidden")));

/* clang-format off */
#define CALL(name, failed)                                                                   \
	__asm__(".text\n"                                                                    \
		".globl " #name "\n"                                                         \
		".type " #name ", @function\n"                                               \
		#name ":\n"                                                                  \
		"	leaq 3f(%rip), %r11\n"                                               \
		"	jmp kt_call_slow\n"                                                  \
		".size " #name ", . - " #name "\n"                                           \
		".section .rodata\n"                                                         \
		"2:	.string \"" #name "\"\n"                                             \
		".section kt_call_table, \"aw\"\n"                                           \
		".balign 8\n"                                                                \
		"3:	.quad 0, 2b, " #failed "\n"                                          \
		".text\n");
#include "program-calls.inc"
#undef CALL
/* clang-format on */

/* Saves the arguments while kt_call_inspect() decides whether the call fails. */
__asm__(".text\n"
	"kt_call_slow:\n"
	"	push %rdi\n	push %rsi\n	push %rdx\n	push %rcx\n"
	"	push %r8\n	push %r9\n	push %rax\n	push %r10\n	push %r11\n"
	"	sub $128, %rsp\n"
	"	movups %xmm0, (%rsp)\n	movups %xmm1, 16(%rsp)\n"
	"	movups %xmm2, 32(%rsp)\n	movups %xmm3, 48(%rsp)\n"
	"	movups %xmm4, 64(%rsp)\n	movups %xmm5, 80(%rsp)\n"
	"	movups %xmm6, 96(%rsp)\n	movups %xmm7, 112(%rsp)\n"
	"	mov %r11, %rdi\n"
	"	mov 200(%rsp), %rsi\n"
	"	call kt_call_inspect\n"
	"	movups (%rsp), %xmm0\n	movups 16(%rsp), %xmm1\n"
	"	movups 32(%rsp), %xmm2\n	movups 48(%rsp), %xmm3\n"
	"	movups 64(%rsp), %xmm4\n	movups 80(%rsp), %xmm5\n"
	"	movups 96(%rsp), %xmm6\n	movups 112(%rsp), %xmm7\n"
	"	add $128, %rsp\n"
	"	test %al, %al\n"
	"	pop %r11\n	pop %r10\n	pop %rax\n	pop %r9\n	pop %r8\n"
	"	pop %rcx\n	pop %rdx\n	pop %rsi\n	pop %rdi\n"
	"	jnz 1f\n"
	"	jmp *(%r11)\n"
	"1:	mov 16(%r11), %rax\n"
	"	ret\n");

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static uintptr_t program_lo;
static uintptr_t program_hi;
static unsigned wanted;
static char wanted_name[64];
static char log_path[4096];
static _Atomic unsigned *calls; /* calls of each function, shared by all processes */

static void *find_real(const char *name)
{
	if (strcmp(name, "malloc") == 0) {
		return (void *)__libc_malloc;
	}
	if (strcmp(name, "calloc") == 0) {
		return (void *)__libc_calloc;
	}
	return strcmp(name, "realloc") == 0 ? (void *)__libc_realloc
					    : dlsym(RTLD_NEXT, name);
}

static void write_log(const char *name, unsigned number)
{
	char line[128];
	int n = snprintf(line, sizeof(line), "%s %u\n", name, number);
	int (*real_open)(const char *, int, ...) =
		(int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	int fd = real_open(log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0) {
		n = (int)write(fd, line, (size_t)n);
		close(fd);
	}
}

HIDDEN bool kt_call_inspect(struct call *call, uintptr_t caller);

bool kt_call_inspect(struct call *call, uintptr_t caller)
{
	unsigned number;

	if (!call->real) {
		call->real = find_real(call->name);
	}
	if (!calls || caller < program_lo || caller >= program_hi) {
		return false;
	}
	number = atomic_fetch_add(&calls[call - __start_kt_call_table], 1) + 1;
	if (log_path[0]) {
		write_log(call->name, number);
	}
	if (number != wanted || strcmp(call->name, wanted_name) != 0) {
		return false;
	}
	errno = ENOMEM;
	return true;
}

static void find_program(void)
{
	const ElfW(Phdr) *headers = (const void *)getauxval(AT_PHDR);
	size_t n = getauxval(AT_PHNUM);

	for (size_t i = 0; i < n; i++) {
		uintptr_t base = (uintptr_t)headers - headers[0].p_vaddr;

		if (headers[i].p_type == PT_LOAD && (headers[i].p_flags & PF_X)) {
			program_lo = base + headers[i].p_vaddr;
			program_hi = program_lo + headers[i].p_memsz;
		}
	}
}

__attribute__((constructor)) static void start(void)
{
	const char *number = getenv("KTAIL_PROGRAM_FAULT");
	const char *log = getenv("KTAIL_PROGRAM_FAULT_LOG");

	find_program();
	if (number && sscanf(number, "%63s %u", wanted_name, &wanted) != 2) {
		wanted = 0;
	}
	snprintf(log_path, sizeof(log_path), "%s", log ? log : "");
	if (strcmp(program_invocation_short_name, "ktail-record") == 0) {
		/*
		 * Makes a direct system call, because this library's own mmap is a stub
		 * that uses the counter.
		 */
		calls = (void *)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	}
}
