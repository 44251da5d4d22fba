// SPDX-License-Identifier: GPL-2.0
#include "watch/hooks/hooks.h"

#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "watch/base/counters.h"
#include "watch/base/symbols.h"
#include "watch/base/trace.h"

#define LINES_MAX 16

/*
 * Constant once published, except for `next`: to change the lines, set_lines() publishes a
 * new struct.
 */
struct lines {
	int n;
	unsigned int line[LINES_MAX];
	atomic64_t next[LINES_MAX]; /* number of the line's next event */
};

static struct lines __rcu *lines; /* NULL: none */
static bool is_initialised;
/* The module is being unloaded: changes of the parameter `irq` are refused. */
static bool has_ended;
static DEFINE_MUTEX(lock); /* serialises changes of `lines` */

/* Called when a handler of an interrupt line has returned. Hard interrupt context. */
static void on_handled(void *unused, int line, struct irqaction *action, int result)
{
	struct kt_event_irq event = {
		.line = line,
		.cpu = smp_processor_id(),
		.handled = result != IRQ_NONE,
	};
	struct kt_event_head head = {.pid = 0};
	struct lines *all;

	rcu_read_lock();
	all = rcu_dereference(lines);
	for (int i = 0; all && i < all->n; i++) {
		if (all->line[i] == line) {
			head.seq = atomic64_fetch_inc(&all->next[i]);
			dw_count(events);
			trace_gpu_stack_irq(&head, &event);
		}
	}
	rcu_read_unlock();
}

static struct dw_listener handled = {.name = "irq_handler_exit", .probe = on_handled};

static int set_lines(const char *text, const struct kernel_param *unused)
{
	struct lines *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL);
	char *copy = kstrdup(text, GFP_KERNEL);
	char *rest = copy;
	int code = fresh && copy ? 0 : -ENOMEM;
	char *word;

	while (!code && (word = strsep(&rest, ", \n")) != NULL) {
		if (!*word) {
			continue;
		}
		if (fresh->n == LINES_MAX) {
			code = -E2BIG;
			break;
		}
		code = kstrtouint(word, 0, &fresh->line[fresh->n]);
		fresh->n++;
	}
	kfree(copy);
	mutex_lock(&lock);
	if (!code && has_ended) {
		code = -ENODEV;
	}
	if (!code && fresh->n && is_initialised) {
		code = dw_listen(&handled, 1);
	}
	if (!code) {
		fresh = rcu_replace_pointer(lines, fresh, lockdep_is_held(&lock));
	}
	mutex_unlock(&lock);
	synchronize_rcu();
	kfree(fresh);
	return code;
}

static int get_lines(char *buffer, const struct kernel_param *unused)
{
	const struct lines *all;
	int n = 0;

	rcu_read_lock();
	all = rcu_dereference(lines);
	for (int i = 0; all && i < all->n; i++) {
		n += scnprintf(buffer + n, PAGE_SIZE - n, "%s%u", i ? "," : "",
			       all->line[i]);
	}
	rcu_read_unlock();
	return n + scnprintf(buffer + n, PAGE_SIZE - n, "\n");
}

static const struct kernel_param_ops lines_ops = {.set = set_lines, .get = get_lines};
module_param_cb(irq, &lines_ops, NULL, 0644);
MODULE_PARM_DESC(irq,
		 "interrupt lines to report, as in /proc/interrupts, separated by commas");

int dw_irq_init(void)
{
	int code = 0;

	mutex_lock(&lock);
	if (rcu_access_pointer(lines)) {
		code = dw_listen(&handled, 1);
	}
	is_initialised = !code;
	mutex_unlock(&lock);
	if (code) {
		dw_irq_exit();
	}
	return code;
}

void dw_irq_exit(void)
{
	struct lines *last;

	mutex_lock(&lock);
	has_ended = true;
	dw_unlisten(&handled, 1);
	last = rcu_replace_pointer(lines, NULL, lockdep_is_held(&lock));
	mutex_unlock(&lock);
	synchronize_rcu();
	kfree(last);
}
