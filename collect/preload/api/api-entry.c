/* SPDX-License-Identifier: MIT */
#include "collect/preload/api/api-entry.h"

#include <assert.h>
#include <stddef.h>

static_assert(offsetof(struct kt_api_frame, arguments) == 128 &&
		      offsetof(struct kt_api_frame, rax) == 176 &&
		      offsetof(struct kt_api_frame, r10) == 184 &&
		      offsetof(struct kt_api_frame, rdx) == 192 &&
		      offsetof(struct kt_api_frame, words) == 200 &&
		      offsetof(struct kt_api_frame, stack) == 208,
	      "see kt_api_wrap_entry");
static_assert(sizeof(struct kt_api_frame) <= 288, "see kt_api_wrap_entry");

/* clang-format off */
/*
 * The frame is at rbx and aligned to 16 bytes, whatever the caller's stack pointer is. The
 * caller's stack arguments are copied below the frame, to an address with the same offset
 * within 64 bytes, which keeps any alignment that the caller gave them. The upper halves of
 * vector registers are not saved: they hold no arguments of the API, and by the ABI a
 * callee may change them.
 */
__asm__(".text\n"
	".globl kt_api_wrap_entry\n"
	".hidden kt_api_wrap_entry\n"
	".type kt_api_wrap_entry, @function\n"
	"kt_api_wrap_entry:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbp, -16\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register rbp\n"
	"	pushq %rbx\n"
	"	.cfi_offset rbx, -24\n"
	"	subq $296, %rsp\n"
	"	andq $-16, %rsp\n"
	"	movq %rsp, %rbx\n"
	".irp n,0,1,2,3,4,5,6,7\n"
	"	movups %xmm\\n, 16*\\n(%rbx)\n"
	".endr\n"
	"	movq %rdi, 128(%rbx)\n"
	"	movq %rsi, 136(%rbx)\n"
	"	movq %rdx, 144(%rbx)\n"
	"	movq %rcx, 152(%rbx)\n"
	"	movq %r8, 160(%rbx)\n"
	"	movq %r9, 168(%rbx)\n"
	"	movq %rax, 176(%rbx)\n"
	"	movq %r10, 184(%rbx)\n"
	"	leaq 16(%rbp), %rax\n"
	"	movq %rax, 208(%rbx)\n"
	"	movq %rbx, %rdi\n"
	"	movq %r11, %rsi\n"
	"	call kt_api_wrap_begin\n"
	"	movq %rax, %r11\n"
	/*
	 * Reserves space for the stack arguments, at the caller's offset from a multiple of
	 * 64 bytes.
	 */
	"	movq 200(%rbx), %rcx\n"
	"	leaq 16(%rbp), %rsi\n"
	"	leaq 64(,%rcx,8), %rax\n"
	"	subq %rax, %rsp\n"
	"	andq $-64, %rsp\n"
	"	movq %rsi, %rax\n"
	"	andl $63, %eax\n"
	"	addq %rax, %rsp\n"
	"	xorl %eax, %eax\n"
	"1:	cmpq %rcx, %rax\n"
	"	jae 2f\n"
	"	movq (%rsi,%rax,8), %rdx\n"
	"	movq %rdx, (%rsp,%rax,8)\n"
	"	incq %rax\n"
	"	jmp 1b\n"
	"2:\n"
	".irp n,0,1,2,3,4,5,6,7\n"
	"	movups 16*\\n(%rbx), %xmm\\n\n"
	".endr\n"
	"	movq 128(%rbx), %rdi\n"
	"	movq 136(%rbx), %rsi\n"
	"	movq 144(%rbx), %rdx\n"
	"	movq 152(%rbx), %rcx\n"
	"	movq 160(%rbx), %r8\n"
	"	movq 168(%rbx), %r9\n"
	"	movq 176(%rbx), %rax\n"
	"	movq 184(%rbx), %r10\n"
	"	call *%r11\n"
	"	movq %rbx, %rsp\n"
	"	movq %rax, 176(%rbx)\n"
	"	movq %rdx, 192(%rbx)\n"
	"	movups %xmm0, (%rbx)\n"
	"	movups %xmm1, 16(%rbx)\n"
	"	movq %rbx, %rdi\n"
	"	call kt_api_wrap_end\n"
	"	movups (%rbx), %xmm0\n"
	"	movups 16(%rbx), %xmm1\n"
	"	movq 176(%rbx), %rax\n"
	"	movq 192(%rbx), %rdx\n"
	"	movq -8(%rbp), %rbx\n"
	"	.cfi_restore rbx\n"
	"	leave\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size kt_api_wrap_entry, . - kt_api_wrap_entry\n");
/* clang-format on */
