// SPDX-License-Identifier: GPL-2.0
#include "watch/watchpoint.h"

#include <linux/hashtable.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "watch/access.h"
#include "watch/counters.h"
#include "watch/door.h"
#include "watch/emit.h"
#include "watch/mapping.h"
#include "watch/shadow.h"
#include "watch/snapshot.h"
#include "watch/store-decode.h"
#include "watch/x86-instruction.h"

#define BYTES_BEFORE 64
#define PER_TASK     8 /* more than there are debug registers */

struct watchpoint {
	struct kref references; /* of the door's list, and of work under way */
	struct list_head of_door;
	struct hlist_node of_task; /* in the table */
	struct task_struct *task;  /* a reference */
	struct dw_door *door;
	struct perf_event *event;
	struct dw_deferred closing; /* of the shadow's page; under way: CLOSES is set */
	unsigned long flags;
	struct rcu_head rcu;
};
#define CLOSES 0
#define LEAVES 1 /* and the real page comes back */

/* By task. In process context, with preemption off in tracepoints. */
static DEFINE_HASHTABLE(table, 8);
static DEFINE_SPINLOCK(lock);

/* --- the value that was stored --- */

static void get_registers(struct pt_regs *regs, struct dw_store_registers *out)
{
#ifdef CONFIG_X86_64
	*out = (struct dw_store_registers){
		.general = {regs->ax, regs->cx, regs->dx, regs->bx, regs->sp, regs->bp,
			    regs->si, regs->di, regs->r8, regs->r9, regs->r10, regs->r11,
			    regs->r12, regs->r13, regs->r14, regs->r15},
		.ip = regs->ip,
		.flags = regs->flags,
		.bits = user_64bit_mode(regs) ? 64 : 32,
	};
#else
#error "x86-64 only"
#endif
}

/* Bytes of the program's code; those of the page of `at` alone if the one beside is away.
 */
static size_t read_before(u8 *code, unsigned long ip)
{
	size_t in_page = ((ip - 1) & ~PAGE_MASK) + 1;

	if (!copy_from_user_nofault(code, (void __user *)(ip - BYTES_BEFORE),
				    BYTES_BEFORE)) {
		return BYTES_BEFORE;
	}
	if (in_page < BYTES_BEFORE &&
	    !copy_from_user_nofault(code, (void __user *)(ip - in_page), in_page)) {
		return in_page;
	}
	return 0;
}

/* The same behind it. */
static size_t read_at(u8 *code, unsigned long ip)
{
	size_t in_page = min_t(size_t, DW_STORE_BYTES, PAGE_SIZE - (ip & ~PAGE_MASK));

	if (!copy_from_user_nofault(code, (void __user *)ip, DW_STORE_BYTES)) {
		return DW_STORE_BYTES;
	}
	return copy_from_user_nofault(code, (void __user *)ip, in_page) ? 0 : in_page;
}

static bool decode(struct pt_regs *regs, unsigned long at, u32 *value)
{
	struct dw_store_registers registers;
	enum dw_store_kind kind;
	u8 code[BYTES_BEFORE];
	size_t n = read_before(code, regs->ip);

	get_registers(regs, &registers);
	kind = n ? dw_store_decode(code, n, &registers, at, value) : DW_STORE_UNKNOWN;
	if (kind == DW_STORE_UNKNOWN) {
		n = read_at(code, regs->ip);
		kind = n ? dw_store_decode_repeated(code, n, &registers, at, value)
			 : DW_STORE_UNKNOWN;
	}
	return kind == DW_STORE_VALUE;
}

static bool is_movs(const struct dw_instruction *instruction)
{
	return instruction->encoding == DW_LEGACY && instruction->map == 0 &&
	       (instruction->opcode & 0xfe) == 0xa4;
}

bool dw_watchpoint_can_tell(const struct dw_door *door, struct pt_regs *regs)
{
	struct dw_store_registers registers;
	struct dw_instruction instruction;
	enum dw_store_kind kind;
	u8 code[DW_STORE_BYTES];
	size_t n = read_at(code, regs->ip);
	bool certain;
	u32 value;

	get_registers(regs, &registers);
	if (!n || !dw_instruction_decode(&instruction, code, n, registers.bits) ||
	    instruction.repeats || is_movs(&instruction)) {
		return false;
	}
	registers.ip += instruction.length;
	kind = dw_store_decode_one(code, instruction.length, &registers, door->at, &value,
				   &certain);
	/* The latter: it is one to another word of the page, or will be by its registers.
	 */
	return kind == DW_STORE_VALUE || (kind == DW_STORE_UNKNOWN && !certain);
}

/* --- the handler --- */

static void report(const struct dw_door *door, struct pt_regs *regs, bool is_shadow,
		   bool known, u32 value)
{
	struct dw_mapping *mapping = door->mapping;
	struct kt_event_doorbell event = {
		.by = is_shadow ? "shadow" : "watchpoint",
		.space = "reg",
		.mapping = mapping->ordinal,
		.offset = door->at - mapping->base,
		.ip = regs->ip,
		.known = known,
		.value = value,
	};
	struct doorbell_watch_bell bell = {
		.physical = ((u64)door->pfn << PAGE_SHIFT) + dw_door_offset(),
		.at = door->at,
		.value = value,
		.known = known,
		.user = user_mode(regs),
	};

	atomic64_inc(&mapping->process->doorbells);
	DW_EMIT(mapping->process, doorbell, &event);
	dw_snapshot_rang(&bell);
}

static void put(struct watchpoint *watchpoint);

static void close_page(struct dw_deferred *work)
{
	struct watchpoint *watchpoint = container_of(work, struct watchpoint, closing);
	struct dw_mapping *mapping = watchpoint->door->mapping;

	clear_bit(CLOSES, &watchpoint->flags);
	if (current->mm == mapping->mm) {
		if (test_and_clear_bit(LEAVES, &watchpoint->flags)) {
			dw_watch_leave_shadow(watchpoint->door);
		}
		dw_shadow_close(watchpoint->door);
	}
	dw_mapping_put(mapping);
	put(watchpoint);
}

/* The page of memory is closed before the thread goes on. */
static void close_page_soon(struct watchpoint *watchpoint)
{
	if (test_and_set_bit(CLOSES, &watchpoint->flags)) {
		return;
	}
	kref_get(&watchpoint->references);
	dw_mapping_get(watchpoint->door->mapping);
	if (dw_defer(current, &watchpoint->closing, close_page)) {
		/* Not the last references: those of the door's list are there. */
		clear_bit(CLOSES, &watchpoint->flags);
		dw_mapping_put(watchpoint->door->mapping);
		put(watchpoint);
	}
}

/* Events have the order in which the device gets the values. */
static void forward(struct dw_door *door, struct pt_regs *regs, bool known, u32 value)
{
	unsigned long flags = dw_shadow_lock(door);
	bool is_there = known || dw_shadow_word(door, &value);

	if (!known && is_there) {
		dw_count(forwarded_from_memory);
	}
	report(door, regs, true, known, value);
	if (is_there) {
		dw_shadow_forward(door, value);
	}
	dw_shadow_unlock(door, flags);
}

/*
 * Right behind the store, in its thread, with interrupts off: as an exception of user
 * space, or, if the kernel has stored, like an NMI.
 */
static void rang(struct perf_event *event, struct perf_sample_data *data,
		 struct pt_regs *regs)
{
	struct watchpoint *watchpoint = event->overflow_handler_context;
	struct dw_door *door = watchpoint->door;
	bool is_shadow;
	bool known;
	u32 value = 0;

	if (test_bit(DW_DOOR_GONE, &door->state) || current->mm != door->mapping->mm) {
		return;
	}
	is_shadow = test_bit(DW_DOOR_SHADOW, &door->state);
	known = user_mode(regs) && decode(regs, door->at, &value);
	dw_count(doorbells);
	if (!user_mode(regs)) {
		dw_count(kernel_mode);
	}
	if (!known) {
		dw_count(undecoded);
	}
	if (is_shadow) {
		forward(door, regs, known, value);
	} else {
		report(door, regs, false, known, value);
	}
	if (user_mode(regs)) {
		dw_access_end_run_soon(door->mapping->process);
		if (is_shadow && !known) {
			set_bit(LEAVES, &watchpoint->flags);
		}
		if (is_shadow) {
			close_page_soon(watchpoint);
		}
	}
}

/* --- setting and clearing --- */

static void destroy(struct kref *references)
{
	struct watchpoint *watchpoint =
		container_of(references, struct watchpoint, references);

	put_task_struct(watchpoint->task);
	kfree_rcu(watchpoint, rcu);
}

static void put(struct watchpoint *watchpoint)
{
	kref_put(&watchpoint->references, destroy);
}

bool dw_watchpoint_is_set(const struct dw_door *door, const struct task_struct *task)
{
	const struct watchpoint *watchpoint;
	bool found = false;

	spin_lock(&lock);
	hash_for_each_possible(table, watchpoint, of_task, (unsigned long)task) {
		found = found || (watchpoint->task == task && watchpoint->door == door);
	}
	spin_unlock(&lock);
	return found;
}

/*
 * In mode shadow the kernel's stores are watched, too: one that gets past the closed page
 * must reach the device.
 */
static struct perf_event *make_event(struct watchpoint *watchpoint)
{
	struct perf_event_attr attr;

	hw_breakpoint_init(&attr);
	attr.bp_addr = watchpoint->door->at;
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	attr.bp_type = HW_BREAKPOINT_W;
	attr.exclude_kernel = dw_mode != DW_MODE_SHADOW;
	return register_user_hw_breakpoint(&attr, rang, watchpoint, watchpoint->task);
}

int dw_watchpoint_set(struct dw_door *door, struct task_struct *task)
{
	struct watchpoint *watchpoint;
	struct perf_event *event;

	if (dw_watchpoint_is_set(door, task)) {
		return 0;
	}
	watchpoint = kzalloc(sizeof(*watchpoint), GFP_KERNEL_ACCOUNT);
	if (!watchpoint) {
		return -ENOMEM;
	}
	kref_init(&watchpoint->references);
	watchpoint->door = door;
	watchpoint->task = get_task_struct(task);
	event = make_event(watchpoint);
	if (IS_ERR(event)) {
		put(watchpoint);
		return PTR_ERR(event);
	}
	watchpoint->event = event;
	list_add(&watchpoint->of_door, &door->watchpoints);
	spin_lock(&lock);
	hash_add(table, &watchpoint->of_task, (unsigned long)task);
	spin_unlock(&lock);
	return 0;
}

/* Unregistering waits for a handler that runs, by interrupting its CPU. */
static void clear(struct watchpoint *watchpoint)
{
	list_del_init(&watchpoint->of_door);
	spin_lock(&lock);
	hash_del(&watchpoint->of_task);
	spin_unlock(&lock);
	unregister_hw_breakpoint(watchpoint->event);
	put(watchpoint);
}

void dw_watchpoint_clear(struct dw_door *door)
{
	struct watchpoint *watchpoint;
	struct watchpoint *next;

	list_for_each_entry_safe(watchpoint, next, &door->watchpoints, of_door) {
		clear(watchpoint);
	}
}

bool dw_watchpoint_has_current(void)
{
	const struct watchpoint *watchpoint;
	bool found = false;

	spin_lock(&lock);
	hash_for_each_possible(table, watchpoint, of_task, (unsigned long)current) {
		found = found || watchpoint->task == current;
	}
	spin_unlock(&lock);
	return found;
}

/* Those of the current task, each with a reference to it and to its mapping. */
static size_t collect(struct watchpoint **out, size_t room)
{
	struct watchpoint *watchpoint;
	size_t n = 0;

	spin_lock(&lock);
	hash_for_each_possible(table, watchpoint, of_task, (unsigned long)current) {
		/* A mapping without references goes, and takes its watchpoints along. */
		if (watchpoint->task == current && n < room &&
		    kref_get_unless_zero(&watchpoint->door->mapping->references)) {
			kref_get(&watchpoint->references);
			out[n++] = watchpoint;
		}
	}
	spin_unlock(&lock);
	return n;
}

void dw_watchpoint_clear_current(void)
{
	struct watchpoint *found[PER_TASK];
	size_t n = collect(found, PER_TASK);

	for (size_t i = 0; i < n; i++) {
		struct dw_door *door = found[i]->door;

		mutex_lock(&door->lock);
		if (!list_empty(&found[i]->of_door)) {
			clear(found[i]);
		}
		mutex_unlock(&door->lock);
		dw_mapping_put(door->mapping);
		put(found[i]);
	}
}
