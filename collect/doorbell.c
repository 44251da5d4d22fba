/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/doorbell.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "collect/access.h"
#include "collect/channels.h"
#include "collect/counters.h"
#include "collect/emit.h"
#include "collect/faults.h"
#include "collect/kernel.h"
#include "collect/lock.h"
#include "collect/real.h"
#include "collect/store-value.h"

#define TRAP_PERF_CODE 6 /* TRAP_PERF of newer headers */
#define MAX_BELLS      4 /* debug registers of a thread */
#define MAX_FDS        1024

bool kt_doorbell_enabled;
uint64_t kt_doorbell_count;
uint64_t kt_doorbell_idle;

static struct bell {
	uintptr_t address; /* 0: unused */
	int fds[MAX_FDS];  /* a watchpoint for each thread that existed */
	size_t n_fds;
} bells[MAX_BELLS];

static int open_watchpoint(uintptr_t address, pid_t tid)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_BREAKPOINT;
	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = address;
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	attr.sample_period = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	attr.inherit = 1;
	attr.inherit_thread = 1;
	attr.sig_data = address;
	return (int)KT_KERNEL_TRY(SYS_perf_event_open, &attr, tid, -1, -1,
				  PERF_FLAG_FD_CLOEXEC);
}

static struct bell *find_bell(uintptr_t address)
{
	for (int i = 0; i < MAX_BELLS; i++) {
		if (bells[i].address == address) {
			return &bells[i];
		}
	}
	return NULL;
}

/* A number that programs which close all their descriptors are less likely to meet. */
static int move_up(int fd)
{
	int high = fd >= 0 && !kt_fault_now("move the watchpoint's descriptor")
			   ? kt_real()->fcntl(fd, F_DUPFD_CLOEXEC, 700)
			   : -1;

	if (high < 0) {
		return fd;
	}
	kt_real()->close(fd);
	return high;
}

/* One of the entries that getdents64(2) gives for /proc/self/task. */
struct thread_entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

/* Without readdir(3), which allocates: see collect/memory.h. */
static void arm_threads(struct bell *bell, uintptr_t address, int folder)
{
	_Alignas(struct thread_entry) char buffer[4096];
	long n;

	while ((n = KT_KERNEL_TRY(SYS_getdents64, folder, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < n;) {
			const struct thread_entry *entry = (const void *)(buffer + at);
			pid_t tid = (pid_t)atoi(entry->name);
			int fd = -1;

			if (tid > 0 && bell->n_fds < MAX_FDS) {
				fd = move_up(open_watchpoint(address, tid));
				if (fd < 0 && fd != -ESRCH) {
					kt_count(&kt_counters->watchpoint_refused);
				}
			}
			if (fd >= 0) {
				bell->fds[bell->n_fds++] = fd;
			}
			at += entry->length;
		}
	}
	if (n < 0) {
		kt_count(&kt_counters->watchpoint_refused); /* threads that stay unseen */
	}
}

void kt_doorbell_arm(const struct kt_mapping *mapping)
{
	uintptr_t address = mapping->start + mapping->doorbell;
	struct bell *bell = find_bell(0);
	int folder;

	if (!kt_doorbell_enabled || !mapping->doorbell ||
	    mapping->doorbell + 4 > mapping->length || find_bell(address)) {
		return;
	}
	folder = bell && !kt_fault_now("open /proc/self/task")
			 ? kt_real()->open("/proc/self/task",
					   O_RDONLY | O_DIRECTORY | O_CLOEXEC)
			 : -1;
	if (folder >= 0) {
		bell->n_fds = 0;
		arm_threads(bell, address, folder);
		kt_real()->close(folder);
	}
	if (folder >= 0 && bell->n_fds) {
		bell->address = address;
	} else {
		kt_count(&kt_counters->watchpoint_refused);
	}
}

static void release(struct bell *bell)
{
	for (size_t i = 0; i < bell->n_fds; i++) {
		kt_real()->close(bell->fds[i]);
	}
	bell->n_fds = 0;
	bell->address = 0;
}

void kt_doorbell_disarm(uintptr_t start, size_t length)
{
	for (int i = 0; i < MAX_BELLS; i++) {
		if (bells[i].address >= start && bells[i].address < start + length) {
			release(&bells[i]);
		}
	}
}

void kt_doorbell_after_fork(void)
{
	for (int i = 0; i < MAX_BELLS; i++) {
		release(&bells[i]);
	}
	kt_doorbell_count = 0;
	kt_doorbell_idle = 0;
}

bool kt_doorbell_is_at(const struct kt_mapping *mapping, uintptr_t address)
{
	return kt_doorbell_enabled && mapping->doorbell &&
	       address == mapping->start + mapping->doorbell;
}

/* Reports one doorbell. It is a letter: the run of accesses that was open ends. */
static void report(const char *by, uintptr_t address, uintptr_t ip, bool known,
		   uint32_t value)
{
	const struct kt_mapping *m = kt_mapping_find(address);
	struct kt_ring ring = kt_channel_rung(known, value);
	struct kt_event_doorbell event = {
		.by = by,
		.space = m ? kt_mapping_space(m) : "reg",
		.mapping = m ? m->ordinal : 0,
		.offset = m ? address - m->base : 0,
		.ip = ip,
		.known = known,
		.value = known ? value : 0,
		.moved = ring.moved,
		.channel = ring.channel,
		.gp_put = ring.gp_put,
	};

	kt_emit_doorbell(&event);
	kt_access_end_run();
	kt_doorbell_count++;
	kt_count(&kt_counters->doorbells);
	if (ring.moved == 0) {
		kt_doorbell_idle++;
		kt_count(&kt_counters->idle_doorbells);
	}
	if (!known) {
		kt_count(&kt_counters->unknown_values);
	}
}

void kt_doorbell_fault(uintptr_t address, const ucontext_t *context)
{
	uint32_t value = 0;
	bool known = kt_store_value_at(context, address, &value);

	if (!find_bell(address)) {
		report("protect", address, (uintptr_t)context->uc_mcontext.gregs[REG_RIP],
		       known, value);
	}
}

bool kt_doorbell_trap(const siginfo_t *info, const ucontext_t *context)
{
	uintptr_t address = (uintptr_t)info->si_addr;
	uint32_t value = 0;
	bool locked;
	bool known;

	if (info->si_code != TRAP_PERF_CODE || address == 0) {
		return false;
	}
	locked = kt_lock();
	if (!find_bell(address)) {
		kt_unlock(locked);
		return false;
	}
	if (locked) {
		known = kt_store_value_before(context, address, &value);
		report("watchpoint", address,
		       (uintptr_t)context->uc_mcontext.gregs[REG_RIP], known, value);
		kt_unlock(true);
	} else {
		kt_count(&kt_counters->missed);
	}
	return true;
}
