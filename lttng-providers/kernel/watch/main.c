// SPDX-License-Identifier: GPL-2.0
/* doorbell_watch: traces what user space and a GPU's kernel driver exchange. */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "watch/access/pages.h"
#include "watch/base/counters.h"
#include "watch/base/deferred.h"
#include "watch/base/symbols.h"
#include "watch/doorbell/shadow.h"
#include "watch/doorbell/watch.h"
#include "watch/doorbell/watchpoint.h"
#include "watch/hooks/hooks.h"
#include "watch/mapping/follow.h"
#include "watch/process/births.h"
#include "watch/process/filter.h"
#include "watch/state/doorbells.h"

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The ktail authors");
MODULE_DESCRIPTION("Traces doorbells, ioctls and mappings of a GPU's kernel driver");
MODULE_VERSION(KT_VERSION);

/* --- counters --- */

atomic64_t dw_counters[DW_COUNT_N];

static int show_counter(char *buffer, const struct kernel_param *parameter)
{
	return sysfs_emit(buffer, "%lld\n",
			  (long long)atomic64_read((atomic64_t *)parameter->arg));
}

static const struct kernel_param_ops counter_ops = {.get = show_counter};

#define COUNTER(name, text)                                                                \
	module_param_cb(name, &counter_ops, &dw_counters[DW_COUNT_##name], 0400);          \
	MODULE_PARM_DESC(name, "(read only) " text);
DW_COUNTERS(COUNTER)
#undef COUNTER

/* --- load and unload --- */

static void nothing(void)
{
}

/*
 * Parts are initialised in this order and stopped in the reverse order. The first two parts
 * own memory that their parameters allocate, possibly before module_init, so their exit
 * functions must run even if a later part fails.
 */
static const struct {
	const char *name;
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	{"filter", dw_filter_init, dw_filter_exit},
	{"irq", dw_irq_init, dw_irq_exit},
	{"symbols", dw_symbols_init, nothing},
	{"deferred work", dw_deferred_init, dw_deferred_exit},
	{"doorbells", dw_doorbell_init, nothing},
	{"shadow", dw_shadow_init, dw_shadow_exit},
	{"watchpoints", dw_watchpoint_init, dw_watchpoint_exit},
	{"watch", dw_watch_init, dw_watch_exit},
	{"accesses", dw_access_pages_init, nothing},
	{"processes", dw_process_init, dw_process_exit},
	{"mappings", dw_vm_ops_init, dw_vm_ops_exit},
	{"mmap", dw_mmap_init, nothing},
	{"ioctl", dw_ioctl_init, dw_ioctl_exit},
	{"pin", dw_pin_init, dw_pin_exit},
	{"hooks", dw_hook_init, dw_hook_exit},
};

static void end(size_t n)
{
	while (n--) {
		parts[n].exit();
	}
	/*
	 * Waits, because tasks may still be in the last instructions of a function of this
	 * module.
	 */
	synchronize_rcu_tasks();
	rcu_barrier();
}

static int __init doorbell_watch_init(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		int error = parts[i].init();

		if (error) {
			pr_err("cannot initialise %s: error %d\n", parts[i].name, error);
			end(i);
			return error;
		}
	}
	return 0;
}

static void __exit doorbell_watch_exit(void)
{
	end(ARRAY_SIZE(parts));
}

module_init(doorbell_watch_init);
module_exit(doorbell_watch_exit);
