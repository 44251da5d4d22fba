// SPDX-License-Identifier: GPL-2.0
#include "watch/hook.h"

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "watch/symbols.h"

static char *hook_symbol = "nvidia_mmap";
module_param(hook_symbol, charp, 0444);
MODULE_PARM_DESC(hook_symbol, "the driver's mmap functions, up to four: NAME[,NAME...] "
			      "(default nvidia_mmap)");

static char *hook = "ftrace";
module_param(hook, charp, 0444);
MODULE_PARM_DESC(hook, "how they are hooked: ftrace (default) or kretprobe");

static const struct dw_hook_kind *const kinds[] = {&dw_hook_ftrace, &dw_hook_kretprobe};
static const struct dw_hook_kind *kind;

static struct dw_hook hooks[DW_HOOKS];
static unsigned int n_hooks;
static char symbols[256];  /* what hooks[].symbol points into */
static DEFINE_MUTEX(lock); /* of hooks[] */

/* Of the driver; under its own lock: it is asked for while `lock` is held elsewhere. */
static char driver[64];
static DEFINE_SPINLOCK(driver_lock);

/* --- the driver's version --- */

DEFINE_STATIC_CALL_NULL(dw_module_at, struct module *(unsigned long address));

/* That of a hooked function, and its version. NULL: the kernel itself. */
static const struct module *note_module(unsigned long address)
{
	const struct module *module = NULL;

	if (static_call_query(dw_module_at)) {
		preempt_disable();
		module = static_call(dw_module_at)(address);
		spin_lock(&driver_lock);
		strscpy(driver, module && module->version ? module->version : "",
			sizeof(driver));
		spin_unlock(&driver_lock);
		preempt_enable();
	}
	return module;
}

const char *dw_hook_driver(char *version, size_t n)
{
	spin_lock(&driver_lock);
	strscpy(version, driver, n);
	spin_unlock(&driver_lock);
	return version;
}

bool dw_hook_owns(const struct file_operations *operations)
{
	struct module *owner;

	if (get_kernel_nofault(owner, &operations->owner)) {
		return false;
	}
	for (unsigned int i = 0; owner && i < n_hooks; i++) {
		if (READ_ONCE(hooks[i].module) == owner) {
			return true;
		}
	}
	return false;
}

/* --- symbols that come and go --- */

static unsigned int hooked;
module_param(hooked, uint, 0444);
MODULE_PARM_DESC(hooked,
		 "functions of drivers that are hooked now; without any no mapping is "
		 "seen, and no doorbell");

static void attach(struct dw_hook *one)
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
		pr_err("hook %s by %s: error %d\n", one->symbol, kind->name, error);
		return;
	}
	WRITE_ONCE(one->module, note_module(address));
	hooked++;
	pr_info("hook %s by %s\n", one->symbol, kind->name);
}

static void detach(struct dw_hook *one)
{
	if (one->address) {
		kind->detach(one);
		hooked--;
		one->address = 0;
		WRITE_ONCE(one->module, NULL);
	}
}

static void module_comes(void)
{
	mutex_lock(&lock);
	for (unsigned int i = 0; i < n_hooks; i++) {
		attach(&hooks[i]);
	}
	mutex_unlock(&lock);
}

static void module_goes(const struct module *module)
{
	mutex_lock(&lock);
	for (unsigned int i = 0; i < n_hooks; i++) {
		if (hooks[i].address && within_module(hooks[i].address, module)) {
			detach(&hooks[i]);
		}
	}
	mutex_unlock(&lock);
}

/* COMING is before the module's own init: no call of its mmap goes by. */
static int module_changes(struct notifier_block *block, unsigned long state, void *data)
{
	if (data == THIS_MODULE) {
		return NOTIFY_DONE;
	}
	if (state == MODULE_STATE_COMING) {
		module_comes();
	} else if (state == MODULE_STATE_GOING) {
		module_goes(data);
	}
	return NOTIFY_DONE;
}

static struct notifier_block modules = {.notifier_call = module_changes};

/* --- init and exit --- */

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
		hooks[n_hooks] = (struct dw_hook){.symbol = symbol, .slot = n_hooks};
		n_hooks++;
	}
	return 0;
}

static void say_missing(void)
{
	for (unsigned int i = 0; i < n_hooks; i++) {
		if (!dw_symbol(hooks[i].symbol)) {
			pr_info("%s is not there: waiting for its module\n",
				hooks[i].symbol);
		}
	}
}

int dw_hook_init(void)
{
	int error = parse();

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i]->name, hook) == 0) {
			kind = kinds[i];
		}
	}
	if (!error && !kind) {
		pr_err("parameter hook: '%s' is neither kretprobe nor ftrace\n", hook);
		error = -EINVAL;
	}
	DW_FIND(dw_module_at, "__module_address");
	if (!error) {
		error = register_module_notifier(&modules);
	}
	if (!error) {
		module_comes();
		say_missing();
	}
	return error;
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
