// SPDX-License-Identifier: GPL-2.0
#include "watch/access/access.h"

#include <linux/module.h>

#include "watch/access/run.h"
#include "watch/base/counters.h"

bool dw_access_on;

static int set_access(const char *text, const struct kernel_param *unused)
{
	if (sysfs_streq(text, "coalesced")) {
		dw_access_on = true;
	} else if (sysfs_streq(text, "off")) {
		dw_access_on = false;
	} else {
		return -EINVAL;
	}
	return 0;
}

static int get_access(char *buffer, const struct kernel_param *unused)
{
	return scnprintf(buffer, PAGE_SIZE, "%s\n", dw_access_on ? "coalesced" : "off");
}

static const struct kernel_param_ops access_ops = {.set = set_access, .get = get_access};
module_param_cb(access, &access_ops, NULL, 0644);
MODULE_PARM_DESC(access, "coalesced: report runs of reads and writes of device mappings "
			 "that are made from now on; off (default)");

int dw_access_init(void)
{
	return dw_access_pages_init();
}

/* Some pages may have been closed by the time that another one says it cannot be. */
static int give_up(struct dw_mapping *mapping, struct vm_area_struct *vma, int code)
{
	dw_access_restore(mapping, vma);
	dw_count(untraced);
	return code;
}

/* Pages of the unified-memory driver come and go as it moves them. */
int dw_access_begin(struct dw_mapping *mapping, struct vm_area_struct *vma)
{
	struct dw_run *run;
	int code;

	if (!dw_access_on || strcmp(mapping->memory.space, "uvm") == 0) {
		return mapping->access ? give_up(mapping, vma, -EOPNOTSUPP) : -EOPNOTSUPP;
	}
	if (!dw_access_can_close(mapping, vma)) {
		return give_up(mapping, vma, -EOPNOTSUPP);
	}
	run = dw_run_of(mapping->process, mapping->mm);
	mapping->access = mapping->access ?: dw_access_pages_new(mapping, false);
	if (!run || !mapping->access) {
		return give_up(mapping, vma, -ENOMEM);
	}
	code = dw_run_take(run, mapping->access, vma);
	return code ? give_up(mapping, vma, code) : 0;
}

void dw_access_copy(struct dw_mapping *to, const struct dw_mapping *from, u64 offset)
{
	if (!from->access || to->access) {
		return;
	}
	to->access = dw_access_pages_new(to, true);
	if (to->access) {
		dw_access_pages_copy(to->access, from->access, offset >> PAGE_SHIFT);
	}
}

void dw_access_restore(struct dw_mapping *mapping, struct vm_area_struct *vma)
{
	if (mapping->access) {
		dw_access_pages_restore(mapping->access, vma);
	}
}

void dw_access_end(struct dw_mapping *mapping)
{
	struct dw_access *access = mapping->access;
	struct dw_run *run = mapping->process ? mapping->process->run : NULL;

	if (!access) {
		return;
	}
	if (run) {
		dw_run_forget(run, access);
	}
	mapping->access = NULL;
	dw_access_pages_free(access);
}
