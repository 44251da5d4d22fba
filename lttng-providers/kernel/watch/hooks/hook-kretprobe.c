// SPDX-License-Identifier: GPL-2.0
/* Around a driver's mmap by a kretprobe: works on any function, costs a trap each. */
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "watch/base/counters.h"
#include "watch/hooks/hook.h"
#include "watch/mapping/made.h"

/* Calls under way at once: a process has one at most, for mmap_lock is held. */
#define UNDER_WAY 256

struct call {
	struct file *file;
	struct vm_area_struct *vma;
};

static int mmap_entered(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct call *call = (struct call *)instance->data;

	call->file = (struct file *)regs_get_kernel_argument(regs, 0);
	call->vma = (struct vm_area_struct *)regs_get_kernel_argument(regs, 1);
	return 0;
}

static int mmap_returned(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct call *call = (struct call *)instance->data;

	dw_mapping_made(call->file, call->vma, (int)regs_return_value(regs));
	return 0;
}

static int attach(struct dw_hook *hook)
{
	struct kretprobe *probe = kzalloc(sizeof(*probe), GFP_KERNEL);
	int error;

	if (!probe) {
		return -ENOMEM;
	}
	probe->kp.addr = (kprobe_opcode_t *)hook->address;
	probe->entry_handler = mmap_entered;
	probe->handler = mmap_returned;
	probe->data_size = sizeof(struct call);
	probe->maxactive = UNDER_WAY;
	error = register_kretprobe(probe);
	if (error) {
		kfree(probe);
		return error;
	}
	hook->of_kind = probe;
	return 0;
}

/* Calls that are under way return past us: unregistering has waited for the handlers. */
static void detach(struct dw_hook *hook)
{
	struct kretprobe *probe = hook->of_kind;

	unregister_kretprobe(probe);
	atomic64_add(probe->nmissed, &dw_counters[DW_COUNT_missed]);
	kfree(probe);
	hook->of_kind = NULL;
}

const struct dw_hook_kind dw_hook_kretprobe = {
	.name = "kretprobe",
	.attach = attach,
	.detach = detach,
};
