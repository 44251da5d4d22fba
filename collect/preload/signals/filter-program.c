/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/signals/filter-program.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "collect/preload/process/signal-frame.h"

/*
 * --- running the filter as the kernel does (bpf_check_classic() and
 * seccomp_check_filter()) ---
 */

struct machine {
	uint32_t a;
	uint32_t x;
	uint32_t memory[BPF_MEMWORDS];
};

static uint32_t alu(uint16_t code, uint32_t a, uint32_t b)
{
	switch (BPF_OP(code)) {
	case BPF_ADD: return a + b;
	case BPF_SUB: return a - b;
	case BPF_MUL: return a * b;
	case BPF_DIV: return b ? a / b : 0;
	case BPF_OR: return a | b;
	case BPF_AND: return a & b;
	case BPF_XOR: return a ^ b;
	case BPF_LSH: return a << (b & 31);
	case BPF_RSH: return a >> (b & 31);
	case BPF_NEG: return -a;
	default: return 0;
	}
}

static bool jumps(uint16_t code, uint32_t a, uint32_t b)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ: return a == b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	case BPF_JSET: return a & b;
	default: return false;
	}
}

static uint32_t load(const struct machine *m, const struct sock_filter *i,
		     const struct seccomp_data *data)
{
	uint32_t word = 0;

	switch (BPF_MODE(i->code)) {
	case BPF_ABS:
		if (i->k <= sizeof(*data) - sizeof(word)) {
			memcpy(&word, (const char *)data + i->k, sizeof(word));
		}
		return word;
	case BPF_MEM: return m->memory[i->k % BPF_MEMWORDS];
	case BPF_LEN: return sizeof(*data);
	default: return i->k; /* BPF_IMM */
	}
}

uint32_t kt_filter_action(const struct sock_fprog *program, long number,
			  const uint64_t arguments[6])
{
	struct seccomp_data data = {
		.nr = (int)number,
		.arch = AUDIT_ARCH_X86_64,
		.instruction_pointer = (uintptr_t)kt_filter_action,
	};
	struct machine m = {.a = 0};
	struct sock_filter i;
	uint32_t b;

	memcpy(data.args, arguments, sizeof(data.args));
	for (uint32_t at = 0; at < program->len; at++) { /* jumps lead forward only */
		if (!kt_guarded_copy(&i, program->filter + at, sizeof(i))) {
			break;
		}
		if (i.code == (BPF_ALU | BPF_DIV | BPF_X) && m.x == 0) {
			return SECCOMP_RET_KILL_THREAD;
		}
		b = BPF_SRC(i.code) == BPF_X ? m.x : i.k;
		switch (BPF_CLASS(i.code)) {
		case BPF_RET:
			return (BPF_RVAL(i.code) == BPF_A ? m.a : i.k) &
			       SECCOMP_RET_ACTION_FULL;
		case BPF_JMP:
			if (BPF_OP(i.code) == BPF_JA) {
				at += i.k < program->len ? i.k
							 : program->len; /* no overflow */
			} else {
				at += jumps(i.code, m.a, b) ? i.jt : i.jf;
			}
			break;
		case BPF_LD: m.a = load(&m, &i, &data); break;
		case BPF_LDX: m.x = load(&m, &i, &data); break;
		case BPF_ST: m.memory[i.k % BPF_MEMWORDS] = m.a; break;
		case BPF_STX: m.memory[i.k % BPF_MEMWORDS] = m.x; break;
		case BPF_ALU: m.a = alu(i.code, m.a, b); break;
		case BPF_MISC:
			if (BPF_MISCOP(i.code) == BPF_TAX) {
				m.x = m.a;
			} else {
				m.a = m.x;
			}
			break;
		default: break;
		}
	}
	return SECCOMP_RET_ALLOW; /* the kernel refuses a filter without a return */
}

/* --- system calls during and at the end of a recording --- */

#define CLOSED  PROT_NONE
#define OPENED  (PROT_READ | PROT_WRITE)
#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)

/* Whether the recorder and LTTng can continue if the call fails. */
#define MAY_FAIL  true
#define MUST_WORK false

static const struct {
	bool may_fail;
	long number;
	uint64_t arguments[6]; /* values that a filter may test; pointers are 0 */
} ours[] = {
	/* Calls by the lock, by handlers, and for each event. */
	{MUST_WORK, SYS_rt_sigprocmask, {SIG_SETMASK, 0, 0, 8}},
	{MUST_WORK, SYS_rt_sigreturn, {0}},
	{MUST_WORK, SYS_rt_sigaction, {SIGSEGV, 0, 0, 8}},
	{MUST_WORK, SYS_getpid, {0}},
	{MUST_WORK, SYS_gettid, {0}},
	{MUST_WORK, SYS_futex, {0, FUTEX_WAIT_PRIVATE}},
	{MUST_WORK, SYS_futex, {0, FUTEX_WAKE_PRIVATE, 1}},
	{MUST_WORK, SYS_poll, {0}},
	{MUST_WORK, SYS_write, {1026, 0, 1}},
	{MUST_WORK, SYS_rt_sigpending, {0, 8}},
	{MUST_WORK, SYS_rt_sigtimedwait, {0, 0, 0, 8}},
	{MUST_WORK, SYS_membarrier, {8}},
	{MAY_FAIL, SYS_sigaltstack, {0}},
	{MAY_FAIL, SYS_clock_gettime, {1}},
	{MAY_FAIL, SYS_getcpu, {0}},
	{MAY_FAIL, SYS_fsync, {UINT64_MAX}},
	{MAY_FAIL, SYS_nanosleep, {0}},
	{MAY_FAIL, SYS_rt_sigqueueinfo, {0}},
	{MUST_WORK, SYS_rt_tgsigqueueinfo, {0}},
	{MAY_FAIL, SYS_tgkill, {0}},
	/* Calls for watched memory. */
	{MUST_WORK, SYS_mprotect, {0, 4096, CLOSED}},
	{MUST_WORK, SYS_mprotect, {0, 4096, OPENED}},
	{MUST_WORK, SYS_mmap, {0, 4096, OPENED, PRIVATE, UINT64_MAX}},
	{MUST_WORK, SYS_munmap, {0, 4096}},
	{MAY_FAIL, SYS_mremap, {0, 0, 4096, MREMAP_MAYMOVE}},
	{MAY_FAIL, SYS_madvise, {0, 4096, MADV_DONTNEED}},
	{MAY_FAIL, SYS_process_vm_readv, {0}},
	{MAY_FAIL, SYS_process_vm_writev, {0}},
	{MAY_FAIL, SYS_perf_event_open, {0}},
	/* Calls for files of /proc, libraries, and LTTng's descriptors. */
	{MUST_WORK, SYS_read, {1026, 0, 4096}},
	{MUST_WORK, SYS_close, {1026}},
	{MAY_FAIL, SYS_open, {0, O_RDONLY | O_CLOEXEC}},
	{MAY_FAIL, SYS_openat, {(uint64_t)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC}},
	{MAY_FAIL, SYS_readlink, {0}},
	{MAY_FAIL, SYS_newfstatat, {(uint64_t)AT_FDCWD}},
	{MAY_FAIL, SYS_getdents64, {1026}},
	{MAY_FAIL, SYS_lseek, {1026}},
	{MAY_FAIL, SYS_fcntl, {1026, F_DUPFD_CLOEXEC, 1024}},
	{MAY_FAIL, SYS_prctl, {PR_GET_NO_NEW_PRIVS}},
	{MAY_FAIL, SYS_getrlimit, {7}},
	/* A forked child joins the recording (collect/preload/emit/join.c). */
	{MAY_FAIL, SYS_socket, {AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC}},
	{MAY_FAIL, SYS_setsockopt, {1026, SOL_SOCKET, SO_RCVTIMEO}},
	{MAY_FAIL, SYS_getsockopt, {1026, SOL_SOCKET, SO_PEERCRED}},
	{MAY_FAIL, SYS_connect, {1026}},
	{MAY_FAIL, SYS_sendto, {1026}},
	{MAY_FAIL, SYS_recvmsg, {1026}},
};

bool kt_filter_is_against_us(const struct sock_fprog *program)
{
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		uint32_t action =
			kt_filter_action(program, ours[i].number, ours[i].arguments);

		switch (action) {
		case SECCOMP_RET_KILL_PROCESS:
		case SECCOMP_RET_KILL_THREAD:
		case SECCOMP_RET_TRAP: return true;
		case SECCOMP_RET_ERRNO:
			if (!ours[i].may_fail) {
				return true;
			}
			break;
		default: break; /* allowed, or another process decides */
		}
	}
	return false;
}
