// SPDX-License-Identifier: GPL-2.0
#include "watch/hooks/hook.h"

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include "watch/base/symbols.h"

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
	dw_driver_hooked(one->slot, address);
	hooked++;
	pr_info("hook %s by %s\n", one->symbol, kind->name);
}

static void detach(struct dw_hook *one)
{
	if (one->address) {
		kind->detach(one);
		hooked--;
		one->address = 0;
		dw_driver_unhooked(one->slot);
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

/* COMING is before the module's own init: no call of its mmap goes by. */
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
			pr_info("%s is not there: waiting for its module\n",
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
