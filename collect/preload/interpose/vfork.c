/* SPDX-License-Identifier: MIT */
/*
 * vfork(2), whose child is to know that it is not the process that the recorder's tables
 * describe (collect/preload/process/process.h). Child and parent return on the same stack,
 * so the function is written in assembly and keeps everything in registers: each of the two
 * has its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>

#include "collect/preload/process/interpose.h"
#include "collect/preload/process/process.h"

__attribute__((used)) long kt_vfork_failed(long error);

long kt_vfork_failed(long error)
{
	errno = (int)-error;
	return -1;
}

/*
 * The former value of kt_process_vforks is in %esi, and the return address in %rdi, because
 * the child overwrites the stack. A processor's shadow stack is shared too and must keep
 * the parent's return address, so the child leaves by a jump then, as in libc.
 */
__asm__(".text\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_register %rip, %rdi\n"
	"	movq kt_process_vforks@gottpoff(%rip), %rdx\n"
	"	movl %fs:(%rdx), %esi\n"
	"	leal 1(%rsi), %eax\n"
	"	movl %eax, %fs:(%rdx)\n"
	"	movl $58, %eax\n" /* vfork */
	"	syscall\n"
	"	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_offset %rip, -8\n"
	"	testq %rax, %rax\n"
	"	jz 2f\n"
	"	movl %esi, %fs:(%rdx)\n"
	"	js 1f\n"
	"	ret\n"
	"1:	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	movq %rax, %rdi\n"
	"	call kt_vfork_failed\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"2:	xorl %esi, %esi\n"
	"	rdsspq %rsi\n"
	"	testq %rsi, %rsi\n"
	"	jnz 3f\n"
	"	ret\n"
	"3:	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_register %rip, %rdi\n"
	"	jmpq *%rdi\n"
	"	.cfi_endproc\n"
	".size vfork, . - vfork\n");

KT_SECOND_NAME(__vfork, vfork);
