/* SPDX-License-Identifier: MIT */
/*
 * Compares the evaluation of random system call filters with the kernel's, and checks which
 * filters refuse the recorder's calls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/preload/signals/filter-program.h"
#include "tests/suite.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))
#define FILTERS     2000
#define LENGTH      24
#define ASKED       SYS_getppid

static uint64_t state = 88172645463325252u;

static uint32_t any(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16) % n;
}

/*
 * Returns the offset of the call's number, the architecture or a half of an argument, but
 * not of the caller's address.
 */
static uint32_t any_field(void)
{
	uint32_t field = any(14);

	return 4 * (field < 2 ? field : field + 2);
}

static uint32_t any_value(void)
{
	static const uint32_t values[] = {0,  1,          2,          31,
					  32, 0x7fffffff, 0x80000000, UINT32_MAX};

	return any(2) ? values[any(N_OF(values))] : any(8);
}

static struct sock_filter any_instruction(uint32_t left)
{
	static const uint16_t codes[] = {
		BPF_LD | BPF_W | BPF_LEN,  BPF_LDX | BPF_W | BPF_LEN,
		BPF_LD | BPF_IMM,          BPF_LDX | BPF_IMM,
		BPF_MISC | BPF_TAX,        BPF_MISC | BPF_TXA,
		BPF_ALU | BPF_ADD | BPF_K, BPF_ALU | BPF_ADD | BPF_X,
		BPF_ALU | BPF_SUB | BPF_K, BPF_ALU | BPF_SUB | BPF_X,
		BPF_ALU | BPF_MUL | BPF_K, BPF_ALU | BPF_MUL | BPF_X,
		BPF_ALU | BPF_DIV | BPF_X, BPF_ALU | BPF_AND | BPF_K,
		BPF_ALU | BPF_AND | BPF_X, BPF_ALU | BPF_OR | BPF_K,
		BPF_ALU | BPF_OR | BPF_X,  BPF_ALU | BPF_XOR | BPF_K,
		BPF_ALU | BPF_XOR | BPF_X, BPF_ALU | BPF_NEG,
	};
	static const uint16_t tests[] = {BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET};
	struct sock_filter i = {0};

	switch (any(6)) {
	case 0:
	case 1: i.code = BPF_LD | BPF_W | BPF_ABS, i.k = any_field(); break;
	case 2:
		i.code = any(2) ? BPF_ST : BPF_STX;
		i.k = any(2);
		break;
	case 3:
		i.code = (uint16_t)(any(2) ? BPF_LD | BPF_MEM : BPF_LDX | BPF_MEM);
		i.k = any(2);
		break;
	case 4:
		if (left > 1) {
			i.code = (uint16_t)(BPF_JMP | tests[any(N_OF(tests))] |
					    (any(2) ? BPF_X : BPF_K));
			i.jt = (uint8_t)any(left);
			i.jf = (uint8_t)any(left);
			i.k = any_value();
			break;
		}
		/* fall through */
	default:
		i.code = codes[any(N_OF(codes))];
		i.k = any_value();
		break;
	}
	return i;
}

/*
 * Returns a filter that applies to a single call, because the process that tries the filter
 * also makes other calls.
 */
static struct sock_fprog any_filter(struct sock_filter *filter)
{
	uint32_t n = 6;

	filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
	filter[1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ASKED, 1, 0);
	filter[2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	filter[3] = (struct sock_filter)BPF_STMT(BPF_LDX | BPF_IMM, 3);
	/* The kernel refuses loads of uninitialized scratch memory. */
	filter[4] = (struct sock_filter)BPF_STMT(BPF_ST, 0);
	filter[5] = (struct sock_filter)BPF_STMT(BPF_STX, 1);
	for (; n < LENGTH - 3; n++) {
		filter[n] = any_instruction(LENGTH - 3 - n);
	}
	filter[n] =
		(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 1 + any(8), 0, 1);
	filter[n + 1] =
		(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 7);
	filter[n + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return (struct sock_fprog){LENGTH, filter};
}

/*
 * Runs in a child. Returns 0 if the kernel's action is that of kt_filter_action(), 1 if it
 * differs, 2 if the kernel refuses the filter. Does not return if the filter kills.
 */
static int compare(const struct sock_fprog *program, const uint64_t a[6])
{
	uint32_t action = kt_filter_action(program, ASKED, a);
	long result;

	errno = 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program) != 0) {
		return 2;
	}
	if (action == SECCOMP_RET_KILL_THREAD) {
		syscall(ASKED, a[0], a[1], a[2], a[3], a[4], a[5]);
		return 1; /* the call should have killed the thread */
	}
	result = syscall(ASKED, a[0], a[1], a[2], a[3], a[4], a[5]);
	return (result == -1 && errno == 7) != (action == SECCOMP_RET_ERRNO);
}

static void test_random(void)
{
	static const struct rlimit no_core = {0, 0};
	struct sock_filter filter[LENGTH];
	int taken = 0;
	int killed = 0;
	int refused = 0;

	for (int n = 0; n < FILTERS; n++) {
		struct sock_fprog program = any_filter(filter);
		uint64_t a[6];
		int status = 0;
		uint32_t action;
		pid_t child;

		for (int i = 0; i < 6; i++) {
			a[i] = any_value() | (uint64_t)any_value() << 32;
		}
		action = kt_filter_action(&program, ASKED, a);
		child = fork();
		if (child == 0) {
			setrlimit(RLIMIT_CORE, &no_core);
			_exit(compare(&program, a));
		}
		waitpid(child, &status, 0);
		if (WIFSIGNALED(status)) {
			CU_ASSERT_EQUAL(action, SECCOMP_RET_KILL_THREAD);
			killed++;
		} else {
			CU_ASSERT_NOT_EQUAL(WEXITSTATUS(status), 1);
		}
		taken += WIFSIGNALED(status) || WEXITSTATUS(status) != 2;
		refused += action == SECCOMP_RET_ERRNO;
	}
	CU_ASSERT_TRUE(taken > FILTERS / 2);
	CU_ASSERT_TRUE(killed > 0);
	CU_ASSERT_TRUE(refused > FILTERS / 10);
}

/* --- filters that refuse the recorder's calls --- */

static bool is_against_us(uint32_t number, uint32_t action, uint32_t otherwise)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, otherwise),
	};
	struct sock_fprog program = {N_OF(filter), filter};

	return kt_filter_is_against_us(&program);
}

static void test_against_us(void)
{
	uint32_t kill = SECCOMP_RET_KILL_PROCESS;
	uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;
	uint32_t allow = SECCOMP_RET_ALLOW;

	CU_ASSERT_TRUE(is_against_us(SYS_write, allow, kill));
	CU_ASSERT_TRUE(is_against_us(SYS_write, allow, SECCOMP_RET_TRAP));
	CU_ASSERT_TRUE(is_against_us(SYS_write, allow, refuse));
	CU_ASSERT_TRUE(is_against_us(SYS_getpid, kill, allow));
	CU_ASSERT_TRUE(is_against_us(SYS_getpid, refuse, allow));
	CU_ASSERT_TRUE(is_against_us(SYS_process_vm_readv, kill, allow));
	/* Many containers refuse these calls. */
	CU_ASSERT_FALSE(is_against_us(SYS_process_vm_readv, refuse, allow));
	CU_ASSERT_FALSE(is_against_us(SYS_perf_event_open, refuse, allow));
	CU_ASSERT_FALSE(is_against_us(SYS_swapoff, kill, allow));
	CU_ASSERT_FALSE(is_against_us(SYS_swapoff, kill, SECCOMP_RET_LOG));
}

/*
 * The kernel refuses this filter, but only after the recorder has evaluated it, so the
 * evaluation must end.
 */
static void test_jump_back(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JA, UINT32_MAX, 0, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {N_OF(filter), filter};

	CU_ASSERT_FALSE(kt_filter_is_against_us(&program));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"random filters, compared with the kernel", test_random},
		{"filters that refuse the recorder", test_against_us},
		{"a filter that jumps back", test_jump_back},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("filter", tests);
}
