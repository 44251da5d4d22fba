// SPDX-License-Identifier: GPL-2.0
#include "watch/process/filter.h"

#include <linux/bitmap.h>
#include <linux/cdev.h>
#include <linux/cgroup.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/fs.h>
#include <linux/string.h>
#include <linux/spinlock.h>
#include <linux/preempt.h>
#include <linux/threads.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "watch/base/symbols.h"

#define MAJORS     4096 /* number of majors that a dev_t can have */
#define LIST_MAX   4096 /* largest number of characters of a parameter */
#define BEGIN_NAME "nvidia"

/* The filter: a change replaces one of the following pointers. */
/* A bitmap of majors; NULL: devices are selected by name and by driver */
static unsigned long __rcu *wanted_majors;
/* A bitmap of tgids; NULL: processes are not selected by pid */
static unsigned long __rcu *wanted_pids;
/* Holds a reference; NULL: processes are not selected by cgroup */
static struct cgroup __rcu *wanted_cgroup;
static char *cgroup_text; /* Owned: the parameter as it was written */
static char *pids_text;
static DEFINE_MUTEX(lock); /* serialises changes of the filter */
/* The module is being unloaded: changes of parameters are refused. */
static bool has_ended;

/* --- lists of numbers --- */

static int set_numbers(const char *text, unsigned long *bitmap, unsigned int n)
{
	char *copy = kstrndup(text, LIST_MAX, GFP_KERNEL);
	char *rest = copy;
	char *word;
	int code = copy ? 0 : -ENOMEM;

	while (!code && (word = strsep(&rest, ", \n")) != NULL) {
		unsigned int number;

		if (!*word) {
			continue;
		}
		code = kstrtouint(word, 0, &number);
		if (!code && number >= n) {
			code = -ERANGE;
		}
		if (!code) {
			set_bit(number, bitmap);
		}
	}
	kfree(copy);
	return code;
}

static bool is_empty(const char *text)
{
	return !*skip_spaces(text);
}

/* --- the driver whose mmap is hooked --- */

/* Weak: modules of the hooked functions, by slot; only compared; NULL: none */
static const struct module *modules[DW_HOOKS];

/*
 * Version of the driver that was hooked last. Its lock is a spinlock, because the version
 * is written with preemption off.
 */
static char driver[64];
static DEFINE_SPINLOCK(driver_lock);

DEFINE_STATIC_CALL_NULL(dw_module_at, struct module *(unsigned long address));

void dw_driver_init(void)
{
	DW_FIND(dw_module_at, "__module_address");
}

void dw_driver_hooked(unsigned int slot, unsigned long address)
{
	const struct module *module = NULL; /* NULL: the kernel itself */

	if (static_call_query(dw_module_at)) {
		preempt_disable();
		module = static_call(dw_module_at)(address);
		spin_lock(&driver_lock);
		strscpy(driver, module && module->version ? module->version : "",
			sizeof(driver));
		spin_unlock(&driver_lock);
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
	spin_lock(&driver_lock);
	strscpy(version, driver, n);
	spin_unlock(&driver_lock);
	return version;
}

/*
 * Returns whether the operations of a device belong to a module whose mmap is hooked. Reads
 * the operations without faulting, because the module may be unloaded meanwhile. Any
 * context.
 */
static bool is_hooked_driver(const struct file_operations *operations)
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

/* --- devices --- */

static int set_majors(const char *text, const struct kernel_param *unused)
{
	unsigned long *fresh = NULL;
	unsigned long *old;
	int code = 0;

	if (!is_empty(text)) {
		fresh = bitmap_zalloc(MAJORS, GFP_KERNEL);
		code = fresh ? set_numbers(text, fresh, MAJORS) : -ENOMEM;
		if (code) {
			bitmap_free(fresh);
			return code;
		}
	}
	mutex_lock(&lock);
	old = has_ended ? fresh
			: rcu_replace_pointer(wanted_majors, fresh, lockdep_is_held(&lock));
	code = has_ended ? -ENODEV : 0;
	mutex_unlock(&lock);
	synchronize_rcu();
	bitmap_free(old);
	return code;
}

static int get_majors(char *buffer, const struct kernel_param *unused)
{
	const unsigned long *majors;
	int n = 0;

	rcu_read_lock();
	majors = rcu_dereference(wanted_majors);
	if (majors) {
		n = scnprintf(buffer, PAGE_SIZE - 1, "%*pbl", MAJORS, majors);
	}
	rcu_read_unlock();
	return n + scnprintf(buffer + n, PAGE_SIZE - n, "\n");
}

static const struct kernel_param_ops majors_ops = {.set = set_majors, .get = get_majors};
module_param_cb(majors, &majors_ops, NULL, 0644);
MODULE_PARM_DESC(majors, "major numbers of the devices to trace, separated by commas "
			 "(default: those of the driver whose mmap is hooked, and "
			 "devices whose file name begins with " BEGIN_NAME ")");

bool dw_filter_file(const struct file *file)
{
	const struct file_operations *operations;
	const struct inode *inode = file_inode(file);
	const struct cdev *device;
	const unsigned long *majors;
	const char *name;
	bool is_wanted;

	if (!S_ISCHR(inode->i_mode)) {
		return false;
	}
	rcu_read_lock();
	majors = rcu_dereference(wanted_majors);
	if (majors) {
		is_wanted = test_bit(MAJOR(inode->i_rdev), majors);
	} else {
		/*
		 * RCU delays the freeing of the name; reading it while it changes is
		 * harmless.
		 */
		name = (const char *)READ_ONCE(file->f_path.dentry->d_name.name);
		is_wanted = strncmp(name, BEGIN_NAME, sizeof(BEGIN_NAME) - 1) == 0 ||
			    is_hooked_driver(file->f_op);
	}
	if (!majors && !is_wanted) {
		/*
		 * A file that is being opened does not have the driver's operations yet, so
		 * the operations of the device are read. The driver may be unloaded
		 * meanwhile, because nothing holds a reference to it yet, so the read must
		 * tolerate a fault.
		 */
		device = READ_ONCE(inode->i_cdev);
		is_wanted = device && !get_kernel_nofault(operations, &device->ops) &&
			    is_hooked_driver(operations);
	}
	rcu_read_unlock();
	return is_wanted;
}

/* --- processes and their descendants --- */

/*
 * Selects a child if its parent is selected. Otherwise clears the child's pid in the
 * bitmap, because an earlier process with that pid may have been selected. Exits of
 * processes therefore need not be followed.
 */
static void on_fork(void *unused, struct task_struct *parent, struct task_struct *child)
{
	unsigned long *pids;

	if (child->tgid == parent->tgid) {
		return;
	}
	rcu_read_lock();
	pids = rcu_dereference(wanted_pids);
	if (pids && test_bit(parent->tgid, pids)) {
		set_bit(child->tgid, pids);
	} else if (pids) {
		clear_bit(child->tgid, pids);
	}
	rcu_read_unlock();
}

/* Adds existing descendants of the selected processes. Returns whether it has added any. */
static bool add_some_descendants(unsigned long *pids)
{
	struct task_struct *task;
	bool is_new = false;

	rcu_read_lock();
	for_each_process(task) {
		struct task_struct *ancestor = task;

		if (test_bit(task->tgid, pids)) {
			continue;
		}
		while (ancestor && ancestor->pid && !test_bit(ancestor->tgid, pids)) {
			ancestor = rcu_dereference(ancestor->real_parent);
		}
		if (ancestor && ancestor->pid) {
			set_bit(task->tgid, pids);
			is_new = true;
		}
	}
	rcu_read_unlock();
	return is_new;
}

/*
 * Adds all descendants. Meanwhile on_fork() uses the bitmap, too: it adds new children, but
 * clears a child whose parent is not in the bitmap yet. The search is therefore repeated
 * until it finds no new descendant; the limit of 8 rounds ends it even if forks go on.
 */
static void add_descendants(unsigned long *pids)
{
	for (int i = 0; i < 8 && add_some_descendants(pids); i++) {
		synchronize_rcu();
	}
}

/*
 * The tracepoint probe on_fork(), which is registered when `pids` is set. If `pids` is set
 * before the module is initialised, dw_filter_init() registers the probe.
 */
static struct dw_listener forks = {.name = "sched_process_fork", .probe = on_fork};
static bool is_initialised;

static int set_pids(const char *text, const struct kernel_param *unused)
{
	unsigned long *fresh = NULL;
	unsigned long *old;
	char *copy = kstrndup(text, LIST_MAX, GFP_KERNEL);
	int code = copy ? 0 : -ENOMEM;

	if (!code && !is_empty(text)) {
		fresh = vzalloc(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(*fresh));
		code = fresh ? set_numbers(text, fresh, PID_MAX_LIMIT) : -ENOMEM;
	}
	mutex_lock(&lock);
	if (!code && has_ended) {
		code = -ENODEV;
	}
	if (!code && fresh && is_initialised) {
		code = dw_listen(&forks, 1);
	}
	if (code) {
		vfree(fresh);
	} else {
		old = rcu_replace_pointer(wanted_pids, fresh, lockdep_is_held(&lock));
		if (fresh) {
			add_descendants(fresh);
		}
		swap(pids_text, copy);
		synchronize_rcu(); /* waits for readers of the old bitmap */
		vfree(old);
	}
	kfree(copy);
	mutex_unlock(&lock);
	return code;
}

/* Prints a parameter as it was written; parameter->arg is a char ** to its text. */
static int get_text(char *buffer, const struct kernel_param *parameter)
{
	char **text = parameter->arg;
	int n;

	mutex_lock(&lock);
	n = scnprintf(buffer, PAGE_SIZE, "%s\n", *text ? strim(*text) : "");
	mutex_unlock(&lock);
	return n;
}

static const struct kernel_param_ops pids_ops = {.set = set_pids, .get = get_text};
module_param_cb(pids, &pids_ops, &pids_text, 0600);
MODULE_PARM_DESC(pids,
		 "pids of processes to trace with all their descendants, separated by "
		 "commas (default, without cgroup: all processes)");

/* --- cgroups --- */

static int set_cgroup(const char *text, const struct kernel_param *unused)
{
	struct cgroup *fresh = NULL;
	char *path = kstrndup(text, LIST_MAX, GFP_KERNEL);
	int code = 0;

	if (!path) {
		return -ENOMEM;
	}
	if (!is_empty(text)) {
		fresh = cgroup_get_from_path(strim(path));
		if (IS_ERR(fresh)) {
			kfree(path);
			return PTR_ERR(fresh);
		}
	}
	mutex_lock(&lock);
	if (has_ended) {
		code = -ENODEV;
	} else {
		fresh = rcu_replace_pointer(wanted_cgroup, fresh, lockdep_is_held(&lock));
		swap(cgroup_text, path);
	}
	mutex_unlock(&lock);
	synchronize_rcu();
	if (fresh) {
		cgroup_put(fresh);
	}
	kfree(path);
	return code;
}

static const struct kernel_param_ops cgroup_ops = {.set = set_cgroup, .get = get_text};
module_param_cb(cgroup, &cgroup_ops, &cgroup_text, 0600);
MODULE_PARM_DESC(cgroup,
		 "trace the processes of this cgroup and of its descendants (version "
		 "2; path below the mount point)");

/* --- initialisation and queries --- */

bool dw_filter_task(struct task_struct *task)
{
	const unsigned long *pids;
	struct cgroup *cgroup;
	bool is_wanted;

	rcu_read_lock();
	pids = rcu_dereference(wanted_pids);
	cgroup = rcu_dereference(wanted_cgroup);
	is_wanted = (!pids && !cgroup) || (pids && test_bit(task->tgid, pids)) ||
		    (cgroup && task_under_cgroup_hierarchy(task, cgroup));
	rcu_read_unlock();
	return is_wanted;
}

int dw_filter_init(void)
{
	int code;

	mutex_lock(&lock);
	code = rcu_access_pointer(wanted_pids) ? dw_listen(&forks, 1) : 0;
	if (!code && rcu_access_pointer(wanted_pids)) {
		add_descendants(rcu_dereference_protected(wanted_pids, true));
	}
	is_initialised = !code;
	mutex_unlock(&lock);
	if (code) {
		dw_filter_exit();
	}
	return code;
}

void dw_filter_exit(void)
{
	unsigned long *pids;
	unsigned long *majors;
	struct cgroup *cgroup;

	mutex_lock(&lock);
	has_ended = true;
	dw_unlisten(&forks, 1);
	pids = rcu_replace_pointer(wanted_pids, NULL, lockdep_is_held(&lock));
	majors = rcu_replace_pointer(wanted_majors, NULL, lockdep_is_held(&lock));
	cgroup = rcu_replace_pointer(wanted_cgroup, NULL, lockdep_is_held(&lock));
	kfree(cgroup_text);
	kfree(pids_text);
	cgroup_text = pids_text = NULL;
	mutex_unlock(&lock);
	synchronize_rcu();
	vfree(pids);
	bitmap_free(majors);
	if (cgroup) {
		cgroup_put(cgroup);
	}
}
