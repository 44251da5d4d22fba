/* SPDX-License-Identifier: MIT */
/* Measures and moves the kernel's signal frames, and copies unmapped memory. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/process/signal-frame.h"
#include "tests/suite.h"

#define STACK_BYTES 65536

static struct {
	bool same_address;
	bool aligned;
	bool moved;
	bool same_info;
	bool same_registers;
	bool same_vectors;
	size_t vector_size;
} seen;

static void handle(int number, siginfo_t *info, void *context)
{
	static _Alignas(64) unsigned char stack[STACK_BYTES];
	struct kt_signal_frame *frame = kt_frame_of(context);
	struct kt_signal_frame *to;
	const ucontext_t *from = context;
	ucontext_t *copy;
	uintptr_t sp = (uintptr_t)from->uc_mcontext.gregs[REG_RSP];

	(void)number;
	seen.vector_size = kt_frame_vector_size(context);
	seen.same_address = kt_frame_address(sp - 128, seen.vector_size) == frame &&
			    &frame->info == info;
	to = kt_frame_address((uintptr_t)stack + STACK_BYTES, seen.vector_size);
	seen.moved = kt_frame_move(to, frame, seen.vector_size);
	copy = kt_frame_context(to);
	seen.aligned = ((uintptr_t)to + 8) % 16 == 0 &&
		       (uintptr_t)copy->uc_mcontext.fpregs % 64 == 0 &&
		       (unsigned char *)copy->uc_mcontext.fpregs + seen.vector_size <=
			       stack + STACK_BYTES;
	seen.same_info = memcmp(&to->info, info, sizeof(*info)) == 0;
	seen.same_registers = memcmp(copy->uc_mcontext.gregs, from->uc_mcontext.gregs,
				     sizeof(gregset_t)) == 0;
	seen.same_vectors = memcmp(copy->uc_mcontext.fpregs, from->uc_mcontext.fpregs,
				   seen.vector_size) == 0;
}

static void moves_a_frame(void)
{
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	CU_ASSERT_TRUE(seen.vector_size >= 512);
	CU_ASSERT_TRUE(seen.same_address);
	CU_ASSERT_TRUE(seen.moved);
	CU_ASSERT_TRUE(seen.aligned);
	CU_ASSERT_TRUE(seen.same_info);
	CU_ASSERT_TRUE(seen.same_registers);
	CU_ASSERT_TRUE(seen.same_vectors);
}

static void fixup(int number, siginfo_t *info, void *context)
{
	(void)info;
	if (!kt_frame_fixup(context)) {
		signal(number, SIG_DFL);
	}
}

static void survives_a_copy(void)
{
	struct sigaction action = {.sa_sigaction = fixup, .sa_flags = SA_SIGINFO};
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	char text[] = "sixteen letters.";

	sigaction(SIGSEGV, &action, NULL);
	mprotect(pages + 4096, 4096, PROT_NONE);
	CU_ASSERT_TRUE(kt_guarded_copy(pages + 4080, text, 16));
	CU_ASSERT_EQUAL(memcmp(pages + 4080, text, 16), 0);
	CU_ASSERT_FALSE(kt_guarded_copy(pages + 4081, text, 16));
	CU_ASSERT_FALSE(kt_guarded_copy(text, pages + 4096, 16));
	CU_ASSERT_EQUAL(text[0], 's');
	CU_ASSERT_TRUE(kt_guarded_copy(NULL, NULL, 0));
	signal(SIGSEGV, SIG_DFL);
	munmap(pages, 8192);
}

static void reports_no_space(void)
{
	struct kt_signal_frame frame;
	struct sigaction action = {.sa_sigaction = fixup, .sa_flags = SA_SIGINFO};
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	memset(&frame, 0, sizeof(frame));
	sigaction(SIGSEGV, &action, NULL);
	mprotect(pages, 4096, PROT_NONE);
	CU_ASSERT_TRUE(
		kt_frame_move(kt_frame_address((uintptr_t)pages + 8192, 0), &frame, 0));
	CU_ASSERT_FALSE(
		kt_frame_move(kt_frame_address((uintptr_t)pages + 4200, 0), &frame, 0));
	signal(SIGSEGV, SIG_DFL);
	munmap(pages, 8192);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"moves a frame", moves_a_frame},
		{"survives a copy", survives_a_copy},
		{"reports a lack of space", reports_no_space},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("signal-frame", tests);
}
