/* SPDX-License-Identifier: MIT */
/*
 * Interposes libc's syscall(2) in a preloaded library (x86-64). A call that the handler does
 * not take jumps to the next library's syscall() with the caller's stack, because some calls
 * return on another stack (clone) or twice (vfork).
 */
#ifndef KTAIL_SYSCALL_ENTRY_H
#define KTAIL_SYSCALL_ENTRY_H

/* The number and the arguments that the program passed to syscall(). */
struct kt_system_call {
	long number; /* a handler that takes the call sets this to the result of syscall() */
	long a, b, c, d, e, f;
};

/*
 * Defines `syscall`. `handler` is a hidden function bool (struct kt_system_call *) that
 * returns true if it took the call. `next` is a hidden variable that must hold the address
 * of the next library's syscall() whenever `handler` returns false.
 */
/* clang-format off */
#define KT_SYSCALL_ENTRY(handler, next) \
	__asm__(".text\n" \
	".globl syscall\n" \
	".type syscall, @function\n" \
	"syscall:\n" \
	".cfi_startproc\n" \
	"	endbr64\n" \
	"	pushq 8(%rsp)\n" \
	".cfi_adjust_cfa_offset 8\n" \
	"	pushq %r9\n" \
	".cfi_adjust_cfa_offset 8\n" \
	"	pushq %r8\n" \
	".cfi_adjust_cfa_offset 8\n" \
	"	pushq %rcx\n" \
	".cfi_adjust_cfa_offset 8\n" \
	"	pushq %rdx\n" \
	".cfi_adjust_cfa_offset 8\n" \
	"	pushq %rsi\n" \
	".cfi_adjust_cfa_offset 8\n" \
	"	pushq %rdi\n" \
	".cfi_adjust_cfa_offset 8\n" \
	"	movq %rsp, %rdi\n" \
	"	call " #handler "\n" \
	"	testb %al, %al\n" \
	"	popq %rdi\n" \
	".cfi_adjust_cfa_offset -8\n" \
	"	popq %rsi\n" \
	".cfi_adjust_cfa_offset -8\n" \
	"	popq %rdx\n" \
	".cfi_adjust_cfa_offset -8\n" \
	"	popq %rcx\n" \
	".cfi_adjust_cfa_offset -8\n" \
	"	popq %r8\n" \
	".cfi_adjust_cfa_offset -8\n" \
	"	popq %r9\n" \
	".cfi_adjust_cfa_offset -8\n" \
	"	leaq 8(%rsp), %rsp\n" \
	".cfi_adjust_cfa_offset -8\n" \
	"	jnz 1f\n" \
	"	jmp *" #next "(%rip)\n" \
	"1:	movq %rdi, %rax\n" \
	"	ret\n" \
	".cfi_endproc\n" \
	".size syscall, .-syscall\n")
/* clang-format on */

#endif
