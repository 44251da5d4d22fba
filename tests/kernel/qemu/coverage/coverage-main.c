// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the executions of each basic block of doorbell_watch, if that was compiled with
 * DW_COVERAGE. While doorbell_watch is loaded, /sys/kernel/debug/dw_coverage has a line
 * "COUNT FUNCTION+OFFSET/SIZE" for each executed block, in order of address. Loading it
 * again does not reset the counts.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/version.h>

#define BYTES (1ul << 19) /* limit of the bytes of code that are counted */
#define GRAIN 4           /* a call takes 5 bytes, so no two blocks share a counter */

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The ktail authors");
MODULE_DESCRIPTION(
	"Counts how often doorbell_watch's basic blocks run, for the test bench");

static u32 counts[BYTES / GRAIN]; /* not atomic, so increments may be lost */
static unsigned long base;        /* start of the module's code */
static struct dentry *file;

/* Compiler-generated code calls this at the beginning of each basic block. Any context. */
void __sanitizer_cov_trace_pc(void);
notrace void __sanitizer_cov_trace_pc(void)
{
	unsigned long at = (unsigned long)__builtin_return_address(0) - READ_ONCE(base);

	if (at < BYTES) {
		counts[at / GRAIN]++;
	}
}
EXPORT_SYMBOL_GPL(__sanitizer_cov_trace_pc);

static int module_changes(struct notifier_block *block, unsigned long state, void *data)
{
	const struct module *module = data;

	if (strcmp(module->name, "doorbell_watch") == 0 && state == MODULE_STATE_COMING) {
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
		WRITE_ONCE(base, (unsigned long)module->mem[MOD_TEXT].base);
#else
		WRITE_ONCE(base, (unsigned long)module->core_layout.base);
#endif
	}
	return NOTIFY_DONE;
}

/* Highest priority, to run before the module's other notifiers and its own code. */
static struct notifier_block modules = {.notifier_call = module_changes,
					.priority = INT_MAX};

static int coverage_show(struct seq_file *to, void *unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		if (counts[i]) {
			seq_printf(to, "%u %pS\n", counts[i], (void *)(base + i * GRAIN));
		}
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(coverage);

static int __init coverage_init(void)
{
	int error = register_module_notifier(&modules);

	if (!error) {
		file = debugfs_create_file("dw_coverage", 0400, NULL, NULL, &coverage_fops);
	}
	return error;
}

static void __exit coverage_exit(void)
{
	debugfs_remove(file);
	unregister_module_notifier(&modules);
}

module_init(coverage_init);
module_exit(coverage_exit);
