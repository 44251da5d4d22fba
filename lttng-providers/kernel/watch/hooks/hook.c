// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks the mmap functions of drivers, so that dw_mmap_returned() is called after each call
 * of such a function. The functions are given by symbols, which appear and disappear with
 * the driver's module.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/version.h>
#include <linux/wait.h>

#include "watch/base/counters.h"
#include "watch/base/symbols.h"
#include "watch/hooks/hooks.h"
#include "watch/mapping/follow.h"
#include "watch/process/filter.h"

static char *hook_symbol = "nvidia_mmap";
module_param(hook_symbol, charp, 0444);
MODULE_PARM_DESC(hook_symbol, "mmap functions of drivers, up to four: NAME[,NAME...] "
			      "(default nvidia_mmap)");

static char *hook = "ftrace";
module_param(hook, charp, 0444);
MODULE_PARM_DESC(hook, "how mmap functions are hooked: ftrace (default) or kretprobe");

static struct hook {
	const char *symbol;
	unsigned long address;   /* address of the function; 0: not hooked */
	struct kretprobe *probe; /* Owned by this, while attached */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
	struct ftrace_ops ops;
	/* Number of calls that ftrace has redirected and that have not returned */
	atomic_t under_way;
#endif
} hooks[DW_HOOKS];
static unsigned int n_hooks;
static char symbols[256];  /* storage of hooks[].symbol */
static DEFINE_MUTEX(lock); /* protects hooks[] */

/* --- ftrace --- */

/*
 * ftrace redirects calls of the hooked function to a replacement, which calls the hooked
 * function. This costs no trap and sets no limit to concurrent calls. It needs a kernel
 * that has dynamic ftrace with registers; and no other user of ftrace, such as a live
 * patch, may redirect the same function.
 */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

typedef int mmap_function(struct file *file, struct vm_area_struct *vma);

static DECLARE_WAIT_QUEUE_HEAD(returned);

/*
 * redirect() lets a call proceed to the hooked function if the return address is in this
 * module. around() must therefore not make this call as a tail call, and is not inlined.
 */
static noinline int around(struct hook *one, struct file *file, struct vm_area_struct *vma)
{
	int error;

	atomic_inc(&one->under_way);
	error = ((mmap_function *)one->address)(file, vma);
	dw_mmap_returned(file, vma, error);
	if (atomic_dec_and_test(&one->under_way)) {
		wake_up_all(&returned);
	}
	return error;
}

/*
 * ftrace cannot pass a hook to the replacement, so each slot of hooks[] has a replacement
 * of its own.
 */
#define REPLACEMENT(n)                                                                     \
	static int replacement_##n(struct file *file, struct vm_area_struct *vma)          \
	{                                                                                  \
		return around(&hooks[n], file, vma);                                       \
	}
REPLACEMENT(0)
REPLACEMENT(1)
REPLACEMENT(2)
REPLACEMENT(3)
static mmap_function *const replacements[DW_HOOKS] = {
	replacement_0,
	replacement_1,
	replacement_2,
	replacement_3,
};

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define OPS_FLAGS                                                                          \
	(FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_RECURSION)
static void notrace redirect(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
#else
#define OPS_FLAGS (FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY)
static void notrace redirect(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct pt_regs *regs)
{
#endif
	struct hook *one = container_of(ops, struct hook, ops);

	if (!within_module(parent_ip, THIS_MODULE)) {
		instruction_pointer_set(regs, (unsigned long)replacements[one - hooks]);
	}
}

static int attach_ftrace(struct hook *one)
{
	int error;

	memset(&one->ops, 0, sizeof(one->ops));
	one->ops.func = redirect;
	one->ops.flags = OPS_FLAGS;
	error = ftrace_set_filter_ip(&one->ops, one->address, 0, 0);
	if (!error) {
		error = register_ftrace_function(&one->ops);
		if (error) {
			ftrace_set_filter_ip(&one->ops, one->address, 1, 0);
		}
	}
	return error;
}

/*
 * After unregistering, no more calls are redirected. The first synchronize_rcu_tasks()
 * waits for tasks that were redirected but have not incremented under_way yet. When all
 * redirected calls have returned, the second one waits for the last instructions of the
 * replacements.
 */
static void detach_ftrace(struct hook *one)
{
	unregister_ftrace_function(&one->ops);
	ftrace_set_filter_ip(&one->ops, one->address, 1, 0);
	synchronize_rcu_tasks();
	wait_event(returned, atomic_read(&one->under_way) == 0);
	synchronize_rcu_tasks();
}

#else

static int attach_ftrace(struct hook *one)
{
	return -EOPNOTSUPP;
}

static void detach_ftrace(struct hook *one)
{
}

#endif

/* --- kretprobe: works on any function, costs a trap for each call --- */

/*
 * Largest number of concurrent calls that are observed. A process has at most one call at a
 * time, because mmap_lock is held during the call.
 */
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

	dw_mmap_returned(call->file, call->vma, (int)regs_return_value(regs));
	return 0;
}

static int attach_kretprobe(struct hook *one)
{
	struct kretprobe *probe = kzalloc(sizeof(*probe), GFP_KERNEL);
	int error;

	if (!probe) {
		return -ENOMEM;
	}
	probe->kp.addr = (kprobe_opcode_t *)one->address;
	probe->entry_handler = mmap_entered;
	probe->handler = mmap_returned;
	probe->data_size = sizeof(struct call);
	probe->maxactive = UNDER_WAY;
	error = register_kretprobe(probe);
	if (error) {
		kfree(probe);
		return error;
	}
	one->probe = probe;
	return 0;
}

/*
 * Unregistering waits for handlers that are running. Calls of the function that are still
 * under way return later without calling mmap_returned().
 */
static void detach_kretprobe(struct hook *one)
{
	struct kretprobe *probe = one->probe;

	unregister_kretprobe(probe);
	atomic64_add(probe->nmissed, &dw_counters[DW_COUNT_missed]);
	kfree(probe);
	one->probe = NULL;
}

/* Ways of hooking a function. */
static const struct kind {
	const char *name;
	int (*attach)(struct hook *one); /* may sleep */
	/* When detach() returns, no code of the hook runs any more. */
	void (*detach)(struct hook *one);
} kinds[] = {
	{"ftrace", attach_ftrace, detach_ftrace},
	{"kretprobe", attach_kretprobe, detach_kretprobe},
};
static const struct kind *kind;

/* --- symbols that appear and disappear --- */

static unsigned int hooked;
module_param(hooked, uint, 0444);
MODULE_PARM_DESC(hooked,
		 "(read only) mmap functions of drivers that are hooked now; with none, no "
		 "mapping and no doorbell is observed");

static void attach(struct hook *one)
{
	unsigned long address = dw_symbol(one->symbol);
	int error;

	if (!address || one->address) {
		return;
	}
	one->address = address;
	error = kind->attach(one);
	if (error) {
		one->address = 0;
		pr_err("cannot hook %s by %s: error %d\n", one->symbol, kind->name, error);
		return;
	}
	dw_driver_hooked(one - hooks, address);
	hooked++;
	pr_info("hooked %s by %s\n", one->symbol, kind->name);
}

static void detach(struct hook *one)
{
	if (one->address) {
		kind->detach(one);
		hooked--;
		one->address = 0;
		dw_driver_unhooked(one - hooks);
	}
}

static void attach_all(void)
{
	mutex_lock(&lock);
	for (unsigned int i = 0; i < n_hooks; i++) {
		attach(&hooks[i]);
	}
	mutex_unlock(&lock);
}

/* MODULE_STATE_COMING precedes the module's init, so no call of its mmap is missed. */
static int module_changes(struct notifier_block *block, unsigned long state, void *data)
{
	if (data == THIS_MODULE) {
		return NOTIFY_DONE;
	}
	if (state == MODULE_STATE_COMING) {
		attach_all();
	} else if (state == MODULE_STATE_GOING) {
		mutex_lock(&lock);
		for (unsigned int i = 0; i < n_hooks; i++) {
			if (hooks[i].address && within_module(hooks[i].address, data)) {
				detach(&hooks[i]);
			}
		}
		mutex_unlock(&lock);
	}
	return NOTIFY_DONE;
}

static struct notifier_block modules = {.notifier_call = module_changes};

/* --- load and unload --- */

static int parse(void)
{
	char *rest = symbols;
	char *symbol;

	if (strscpy(symbols, hook_symbol, sizeof(symbols)) < 0) {
		pr_err("parameter hook_symbol: too long\n");
		return -EINVAL;
	}
	while ((symbol = strsep(&rest, ",")) != NULL) {
		symbol = strim(symbol);
		if (!*symbol) {
			continue;
		}
		if (n_hooks == DW_HOOKS) {
			pr_err("parameter hook_symbol: more than %d symbols\n", DW_HOOKS);
			return -EINVAL;
		}
		hooks[n_hooks] = (struct hook){.symbol = symbol};
		n_hooks++;
	}
	return 0;
}

int dw_hook_init(void)
{
	int error = parse();

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].name, hook) == 0) {
			kind = &kinds[i];
		}
	}
	if (!error && !kind) {
		pr_err("parameter hook: '%s' is not ftrace or kretprobe\n", hook);
		error = -EINVAL;
	}
	dw_driver_init();
	if (!error) {
		error = register_module_notifier(&modules);
	}
	if (error) {
		return error;
	}
	attach_all();
	for (unsigned int i = 0; i < n_hooks; i++) {
		if (!dw_symbol(hooks[i].symbol)) {
			pr_info("%s does not exist yet: waiting for its module\n",
				hooks[i].symbol);
		}
	}
	return 0;
}

void dw_hook_exit(void)
{
	unregister_module_notifier(&modules);
	mutex_lock(&lock);
	for (unsigned int i = 0; i < n_hooks; i++) {
		detach(&hooks[i]);
	}
	mutex_unlock(&lock);
}
