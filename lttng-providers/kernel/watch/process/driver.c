// SPDX-License-Identifier: GPL-2.0
#include "watch/process/driver.h"

#include <linux/fs.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "watch/base/symbols.h"

static const struct module *modules[DW_HOOKS]; /* only compared; NULL: none */

/* Under its own lock: it is asked for while those of hooks are held elsewhere. */
static char driver[64];
static DEFINE_SPINLOCK(lock);

DEFINE_STATIC_CALL_NULL(dw_module_at, struct module *(unsigned long address));

void dw_driver_init(void)
{
	DW_FIND(dw_module_at, "__module_address");
}

void dw_driver_hooked(unsigned int slot, unsigned long address)
{
	const struct module *module = NULL; /* the kernel itself */

	if (static_call_query(dw_module_at)) {
		preempt_disable();
		module = static_call(dw_module_at)(address);
		spin_lock(&lock);
		strscpy(driver, module && module->version ? module->version : "",
			sizeof(driver));
		spin_unlock(&lock);
		preempt_enable();
	}
	WRITE_ONCE(modules[slot], module);
}

void dw_driver_unhooked(unsigned int slot)
{
	WRITE_ONCE(modules[slot], NULL);
}

const char *dw_driver_version(char *version, size_t n)
{
	spin_lock(&lock);
	strscpy(version, driver, n);
	spin_unlock(&lock);
	return version;
}

bool dw_driver_owns(const struct file_operations *operations)
{
	struct module *owner;

	if (get_kernel_nofault(owner, &operations->owner)) {
		return false;
	}
	for (unsigned int i = 0; owner && i < DW_HOOKS; i++) {
		if (READ_ONCE(modules[i]) == owner) {
			return true;
		}
	}
	return false;
}
