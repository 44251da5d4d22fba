/* SPDX-License-Identifier: MIT */
/*
 * Preloaded after the recorder's test variant: interposes every function that the recorder,
 * its provider and LTTng import from libc and that is not on the list of safe functions. A
 * call outside the recorder's signal handlers is forwarded. A call inside such a handler
 * prints the function's name, once for each function. It is forwarded, too, because a
 * process that dies in the middle of an event stops LTTng's whole session.
 *
 * The stubs are in assembler, because they must forward arguments of any type and number,
 * and keep the caller's return address where dlsym(RTLD_NEXT) and vfork expect it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "collect/preload/process/kernel.h"
#include "tests/collect/handlers/probe.h"

_Thread_local int kt_handler_depth;
unsigned long kt_handler_entries;

#define HIDDEN __attribute__((visibility("hidden"), used))

/* clang-format off */
#define TRAP(name)                                                                           \
	__asm__(".text\n"                                                                    \
		".globl " #name "\n"                                                         \
		".type " #name ", @function\n"                                               \
		#name ":\n"                                                                  \
		"	movq kt_handler_depth@gottpoff(%rip), %r11\n"                        \
		"	cmpl $0, %fs:(%r11)\n"                                               \
		"	jne 1f\n"                                                            \
		"	movq 3f(%rip), %r11\n"                                               \
		"	testq %r11, %r11\n"                                                  \
		"	jz 1f\n"                                                             \
		"	jmp *%r11\n"                                                         \
		"1:	leaq 3f(%rip), %r11\n"                                               \
		"	jmp kt_trap_slow\n"                                                  \
		".size " #name ", . - " #name "\n"                                           \
		".section .rodata\n"                                                         \
		"2:	.string \"" #name "\"\n"                                             \
		".section kt_trap_table, \"aw\"\n"                                           \
		".balign 8\n"                                                                \
		"3:	.quad 0, 2b, 0\n"                                                    \
		".text\n");
#include "traps.inc"
#undef TRAP
/* clang-format on */

/*
 * Saves the arguments and calls kt_trap_inspect(); %r11 points to the function's struct
 * trap.
 */
__asm__(".text\n"
	"kt_trap_slow:\n"
	"	push %rdi\n	push %rsi\n	push %rdx\n	push %rcx\n"
	"	push %r8\n	push %r9\n	push %rax\n	push %r10\n	push %r11\n"
	"	sub $128, %rsp\n"
	"	movups %xmm0, (%rsp)\n	movups %xmm1, 16(%rsp)\n"
	"	movups %xmm2, 32(%rsp)\n	movups %xmm3, 48(%rsp)\n"
	"	movups %xmm4, 64(%rsp)\n	movups %xmm5, 80(%rsp)\n"
	"	movups %xmm6, 96(%rsp)\n	movups %xmm7, 112(%rsp)\n"
	"	mov %r11, %rdi\n"
	"	mov 200(%rsp), %rsi\n"
	"	call kt_trap_inspect\n"
	"	movups (%rsp), %xmm0\n	movups 16(%rsp), %xmm1\n"
	"	movups 32(%rsp), %xmm2\n	movups 48(%rsp), %xmm3\n"
	"	movups 64(%rsp), %xmm4\n	movups 80(%rsp), %xmm5\n"
	"	movups 96(%rsp), %xmm6\n	movups 112(%rsp), %xmm7\n"
	"	add $128, %rsp\n"
	"	pop %r11\n	pop %r10\n	pop %rax\n	pop %r9\n	pop %r8\n"
	"	pop %rcx\n	pop %rdx\n	pop %rsi\n	pop %rdi\n"
	"	jmp *(%r11)\n");

struct trap {
	void *real; /* NULL: not looked up yet */
	const char *name;
	uint64_t said;
};

extern struct trap __start_kt_trap_table[] __attribute__((visibility("hidden")));
extern struct trap __stop_kt_trap_table[] __attribute__((visibility("hidden")));

static void say(const char *text)
{
	size_t n = 0;

	while (text[n]) {
		n++;
	}
	KT_KERNEL(SYS_write, 2, text, n);
}

static void report_call(struct trap *trap, const void *caller)
{
	Dl_info info = {0};

	if (__atomic_exchange_n(&trap->said, 1, __ATOMIC_RELAXED)) {
		return;
	}
	say("handler trap: ");
	say(trap->name);
	say(" was called in a signal handler");
	if (dladdr(caller, &info) && info.dli_fname) {
		say(" by ");
		say(info.dli_sname ? info.dli_sname : "a function");
		say(" of ");
		say(info.dli_fname);
	}
	say("\n");
}

static void missing(void)
{
	say("handler trap: a function without a definition was called\n");
	KT_KERNEL(SYS_exit_group, 86);
}

/*
 * These aliases are needed because the allocator is called before symbols can be looked up.
 */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static void *allocator(const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} early[] = {{"malloc", __libc_malloc},
		     {"calloc", __libc_calloc},
		     {"realloc", __libc_realloc},
		     {"free", __libc_free}};

	for (size_t i = 0; i < sizeof(early) / sizeof(early[0]); i++) {
		const char *x = early[i].name;
		const char *y = name;

		while (*x && *x == *y) {
			x++;
			y++;
		}
		if (*x == *y) {
			return early[i].function;
		}
	}
	return NULL;
}

static void resolve_all(void)
{
	void *(*find)(void *, const char *);

	for (struct trap *t = __start_kt_trap_table; t < __stop_kt_trap_table; t++) {
		t->real = t->real ? t->real : allocator(t->name);
	}
	/* dlsym is a stub of this library; naming the version finds libc's. */
	find = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
	for (struct trap *t = __start_kt_trap_table; t < __stop_kt_trap_table; t++) {
		t->real = t->real ? t->real : find(RTLD_NEXT, t->name);
		t->real = t->real ? t->real : (void *)missing;
	}
}

HIDDEN void kt_trap_inspect(struct trap *trap, const void *caller);

/* Called only by the stubs. */
void kt_trap_inspect(struct trap *trap, const void *caller)
{
	int depth = kt_handler_depth;

	kt_handler_depth = 0; /* the calls below are not the recorder's */
	if (!trap->real) {
		resolve_all();
	}
	if (depth) {
		report_call(trap, caller);
	}
	kt_handler_depth = depth;
}

/*
 * Runs while there is only one thread. If there were a second one, the loader could wait
 * for it.
 */
__attribute__((constructor)) static void resolve_early(void)
{
	resolve_all();
}

/* If KTAIL_PROBE_REPORT is set, prints the number of handler entries. */
__attribute__((destructor)) static void report(void)
{
	char text[] = "handler entries: 00000000\n";
	unsigned long n = kt_handler_entries;

	for (size_t i = sizeof(text) - 3; n && text[i] != ' '; i--, n /= 10) {
		text[i] = (char)('0' + n % 10);
	}
	if (getenv("KTAIL_PROBE_REPORT")) {
		say(text);
	}
}
