// SPDX-License-Identifier: GPL-2.0

#include <linux/kprobes.h>
#include <linux/rcupdate.h>

#include "watch/base/counters.h"
#include "watch/hooks/hooks.h"
#include "watch/state/process.h"

#define AT_ONCE 64 /* largest number of observed concurrent calls per function */

/* A call of a function in probes[] that has not returned yet. */
struct pinning {
	struct dw_call *call; /* Weak: the task's ioctl, which is under way */
	u64 address;
	u64 pages;
};

/*
 * Begins to follow a call that pins n pages from address `start` on. Returns 0, or 1 if the
 * call is not reported, so that its return is not handled.
 */
static int begin(struct kretprobe_instance *instance, unsigned long start, unsigned long n)
{
	struct pinning *pinning = (struct pinning *)instance->data;
	struct dw_call *call = dw_ioctl_current();

	/* A function in probes[] may call another one: only the outer call is reported. */
	if (!call || call->is_pinning) {
		return 1;
	}
	call->is_pinning = true;
	pinning->call = call;
	pinning->address = start;
	pinning->pages = n;
	return 0;
}

/* The functions in probes[] have the arguments (start, n, ...) or (mm, start, n, ...). */
static int on_pages(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return begin(instance, regs->di, regs->si);
}

static int on_pages_fast(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return begin(instance, regs->di, (int)regs->si);
}

static int on_pages_remote(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return begin(instance, regs->si, regs->dx);
}

static int on_return(struct kretprobe_instance *instance, struct pt_regs *regs, bool is_int)
{
	struct pinning *pinning = (struct pinning *)instance->data;
	long result = regs_return_value(regs);
	struct kt_event_pin event = {
		.address = pinning->address,
		.pages = pinning->pages,
		.result = is_int ? (int)result : result,
	};
	struct dw_process *process;

	pinning->call->is_pinning = false;
	rcu_read_lock();
	process = dw_process_peek(current);
	if (process) {
		DW_EMIT(process, pin, &event);
	}
	rcu_read_unlock();
	return 0;
}

static int on_long(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return on_return(instance, regs, false);
}

static int on_int(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return on_return(instance, regs, true);
}

#define PROBE(name, entry, end)                                                            \
	{                                                                                  \
		.kp.symbol_name = name, .entry_handler = entry, .handler = end,            \
		.data_size = sizeof(struct pinning), .maxactive = AT_ONCE,                 \
	}

static struct kretprobe probes[] = {
	PROBE("pin_user_pages", on_pages, on_long),
	PROBE("pin_user_pages_fast", on_pages_fast, on_int),
	PROBE("pin_user_pages_unlocked", on_pages, on_long),
	PROBE("pin_user_pages_remote", on_pages_remote, on_long),
	PROBE("get_user_pages", on_pages, on_long),
	PROBE("get_user_pages_fast", on_pages_fast, on_int),
	PROBE("get_user_pages_unlocked", on_pages, on_long),
	PROBE("get_user_pages_remote", on_pages_remote, on_long),
};

static bool is_registered[ARRAY_SIZE(probes)];

/* A failure is ignored, because some kernels do not have all functions in probes[]. */
int dw_pin_init(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
		is_registered[i] = register_kretprobe(&probes[i]) == 0;
	}
	return 0;
}

void dw_pin_exit(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
		if (is_registered[i]) {
			unregister_kretprobe(&probes[i]);
		}
	}
}
