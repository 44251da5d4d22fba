// SPDX-License-Identifier: GPL-2.0
#include "watch/access/run.h"

#include <linux/delay.h>
#include <linux/jhash.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include "watch/base/counters.h"
#include "watch/base/deferred.h"
#include "watch/state/doorbells.h"
#include "watch/state/process.h"

#define WINDOWS    16
#define SILENT     24
#define GROWTH_MAX (1ul << 16) /* most pages that one fault opens: 256 MiB */
#define TURN_NS    2000000     /* time that a thread has to touch its page */

/* Addresses of pages that are open, or were recently. */
struct window {
	unsigned long start;
	unsigned long end;
};

/*
 * Open pages of a process, for the open run and for other reasons. Each fault of a run
 * opens more pages than the fault before, so a long run costs few faults.
 */
struct dw_run {
	struct dw_access_space space;
	struct mutex lock;
	struct dw_access *access; /* Weak; NULL: no run is open */
	bool written;
	u64 first;          /* sequence number of the run's first event */
	unsigned long grow; /* pages that the next fault opens */
	unsigned int n;
	struct window windows[WINDOWS];
	/*
	 * Open pages that do not belong to the run: opened for the kernel, for a doorbell
	 * (which is not reported as an access), or for an instruction that needs several
	 * pages at once. If all elements are in use, the oldest page is closed; no
	 * instruction needs as many pages as there are elements.
	 */
	struct {
		struct dw_access *access; /* Weak */
		struct window window;
	} silent[SILENT];
	unsigned int n_silent;
	/* The latest fault for which a page was opened */
	struct {
		struct dw_access *access; /* Weak; NULL: none */
		const struct task_struct *task;
		unsigned long address;
		u32 registers; /* hash of the task's registers */
		u64 since;     /* time of the fault, ns */
	} turn;
	/* The last two faults came from the same instruction, or system call */
	bool is_same;
};

/* --- open pages --- */

static void close_window(struct dw_access *access, const struct window *window)
{
	dw_access_pages_close(access, window->start, window->end - window->start);
}

static void close_silent(struct dw_run *run)
{
	for (unsigned int i = 0; i < run->n_silent; i++) {
		close_window(run->silent[i].access, &run->silent[i].window);
	}
	run->n_silent = 0;
}

static void remove_silent(struct dw_run *run, unsigned int i)
{
	run->n_silent--;
	memmove(run->silent + i, run->silent + i + 1,
		(run->n_silent - i) * sizeof(run->silent[0]));
}

static bool is_silent(const struct dw_run *run, const struct dw_access *access,
		      const struct window *window)
{
	for (unsigned int i = 0; i < run->n_silent; i++) {
		if (run->silent[i].access == access &&
		    run->silent[i].window.start == window->start &&
		    run->silent[i].window.end == window->end) {
			return true;
		}
	}
	return false;
}

static void add_silent(struct dw_run *run, struct dw_access *access,
		       const struct window *window)
{
	if (is_silent(run, access, window)) {
		return;
	}
	if (run->n_silent == SILENT) {
		close_window(run->silent[0].access, &run->silent[0].window);
		remove_silent(run, 0);
	}
	run->silent[run->n_silent].access = access;
	run->silent[run->n_silent].window = *window;
	run->n_silent++;
}

static void close_run(struct dw_run *run)
{
	for (unsigned int i = 0; run->access && i < run->n; i++) {
		close_window(run->access, &run->windows[i]);
	}
	run->access = NULL;
	run->n = 0;
}

/*
 * Ends the run before another one begins. While the same instruction or system call is
 * under way, the run's pages stay open. If they were closed, an instruction that reads one
 * mapping and writes another, or a system call that reads across two pages, would fault
 * forever, because opening one page closes the other.
 */
static void leave_run(struct dw_run *run)
{
	if (!run->is_same) {
		close_silent(run);
		close_run(run);
		return;
	}
	for (unsigned int i = 0; run->access && i < run->n; i++) {
		add_silent(run, run->access, &run->windows[i]);
	}
	run->access = NULL;
	run->n = 0;
}

/*
 * Adds a range to the windows: extends a window that it touches, or the last window if all
 * are in use.
 */
static void add_window(struct dw_run *run, unsigned long start, unsigned long end)
{
	for (unsigned int i = 0; i < run->n; i++) {
		struct window *window = &run->windows[i];

		if ((start <= window->end && end >= window->start) || i == WINDOWS - 1) {
			window->start = min(window->start, start);
			window->end = max(window->end, end);
			return;
		}
	}
	run->windows[run->n++] = (struct window){start, end};
}

/* --- runs and mappings --- */

struct dw_run *dw_run_of(struct dw_process *process, struct mm_struct *mm)
{
	struct dw_run *run = process->run;

	if (run) {
		return run->space.mm == mm ? run : NULL;
	}
	run = kzalloc(sizeof(*run), GFP_KERNEL_ACCOUNT);
	if (run && dw_access_space_begin(&run->space, mm)) {
		kfree(run);
		run = NULL;
	}
	if (run) {
		mutex_init(&run->lock);
		smp_store_release(&process->run, run);
	}
	return run;
}

void dw_run_free(struct dw_process *process)
{
	if (process->run) {
		dw_access_space_end(&process->run->space);
		kfree(process->run);
		process->run = NULL;
	}
}

int dw_run_take(struct dw_run *run, struct dw_access *access, struct vm_area_struct *vma)
{
	int code = dw_access_pages_take(access, vma, vma->vm_start,
					vma->vm_end - vma->vm_start);

	if (!code) {
		dw_access_pages_add(&run->space, access);
	}
	return code;
}

void dw_run_forget(struct dw_run *run, struct dw_access *access)
{
	mutex_lock(&run->lock);
	run->access = run->access == access ? NULL : run->access;
	run->n = run->access ? run->n : 0;
	for (unsigned int i = run->n_silent; i-- > 0;) {
		if (run->silent[i].access == access) {
			remove_silent(run, i);
		}
	}
	run->turn.access = run->turn.access == access ? NULL : run->turn.access;
	mutex_unlock(&run->lock);
	dw_access_pages_remove(&run->space, access);
}

/* --- faults --- */

/* The access that has faulted. */
struct access {
	struct dw_mapping *mapping;
	struct vm_area_struct *vma;
	unsigned long address;
	bool write;
	bool user; /* made by an instruction of the program, not by the kernel */
};

static struct access access_of(struct dw_mapping *mapping, const struct vm_fault *fault)
{
	return (struct access){
		.mapping = mapping,
		.vma = fault->vma,
		.address = fault->real_address,
		.write = fault->flags & FAULT_FLAG_WRITE,
		.user = fault->flags & FAULT_FLAG_USER,
	};
}

/* Returns whether the access is reported as a doorbell instead of as an access. */
static bool is_doorbell(const struct access *access)
{
	const struct dw_doorbell *doorbell = access->mapping->doorbell;

	return doorbell && access->user && access->write &&
	       test_bit(DW_DOORBELL_READY, &doorbell->state) &&
	       access->address < doorbell->at + 4 && access->address + 4 > doorbell->at;
}

static u64 report(const struct access *access)
{
	struct kt_event_access event = {
		.op = access->write ? "W" : "R",
		.space = access->mapping->memory.space,
		.mapping = access->mapping->ordinal,
		.offset = access->address - access->mapping->base,
		.ip = task_pt_regs(current)->ip,
	};

	return DW_EMIT(access->mapping->process, access, &event);
}

/*
 * Returns the block of `pages` pages (a power of two) around the access, as far as it lies
 * in the VMA. Blocks begin at the mapping's start and follow one another.
 */
static struct window window_at(const struct access *access, unsigned long pages)
{
	unsigned long size = pages << PAGE_SHIFT;
	unsigned long base = access->mapping->base;
	unsigned long start = base + ((access->address - base) & ~(size - 1));

	return (struct window){
		.start = max(start, access->vma->vm_start),
		.end = min(start + size, access->vma->vm_end),
	};
}

/* Adds the access to the open run, or begins a run. */
static void follow_run(struct dw_run *run, const struct access *access)
{
	if (run->access != access->mapping->access) {
		leave_run(run);
		run->access = access->mapping->access;
		run->written = access->write;
		run->grow = 1;
		run->first = report(access);
	} else if (access->write && !run->written) {
		run->written = true;
		report(access);
	}
}

static int open_for_run(struct dw_run *run, const struct access *access)
{
	bool was_written = run->access == access->mapping->access && run->written;
	struct window window;
	int code = 0;

	follow_run(run, access);
	/* The first write opens the run's readable pages for writing, too. */
	for (unsigned int i = 0; run->written && !was_written && !code && i < run->n; i++) {
		struct window part = {
			.start = max(run->windows[i].start, access->vma->vm_start),
			.end = min(run->windows[i].end, access->vma->vm_end),
		};

		if (part.start < part.end) {
			code = dw_access_pages_open(run->access, access->vma, part.start,
						    part.end - part.start, true);
		}
	}
	window = window_at(access, run->grow);
	run->grow = min(2 * run->grow, GROWTH_MAX);
	add_window(run, window.start, window.end);
	if (code) {
		return code;
	}
	return dw_access_pages_open(run->access, access->vma, window.start,
				    window.end - window.start, run->written);
}

/*
 * Opens a page that does not belong to the run: for a doorbell, or for the kernel in a
 * system call of the program. The page is closed after the doorbell or the call.
 */
static int open_silently(struct dw_run *run, const struct access *access)
{
	struct window window = window_at(access, 1);

	if (!run->is_same && !is_silent(run, access->mapping->access, &window)) {
		close_silent(run);
	}
	add_silent(run, access->mapping->access, &window);
	return dw_access_pages_open(access->mapping->access, access->vma, window.start,
				    window.end - window.start, access->write);
}

/*
 * Uses the program's registers to recognise faults of the same instruction or system call:
 * the registers do not change until the instruction or call is done.
 */
static void note_turn(struct dw_run *run, const struct access *access)
{
	const struct pt_regs *now = task_pt_regs(current);
	const unsigned long others[] = {now->ip, now->sp};
	u32 registers = jhash(now, offsetof(struct pt_regs, orig_ax),
			      jhash(others, sizeof(others), 0));

	run->is_same = run->turn.task == current && run->turn.registers == registers;
	run->turn.registers = registers;
	run->turn.access = access->mapping->access;
	run->turn.task = current;
	run->turn.address = access->address;
	run->turn.since = ktime_get_ns();
}

/*
 * Threads that touch two mappings alternately close each other's pages. A thread whose page
 * was just opened gets up to TURN_NS to touch the page, because the threads might fault
 * forever if their pages were closed at once.
 */
int dw_run_open(struct dw_run *run, struct dw_mapping *mapping, struct vm_fault *fault)
{
	struct access access = access_of(mapping, fault);
	struct window window = window_at(&access, 1);
	int code;

	mutex_lock(&run->lock);
	while (run->turn.access && run->turn.access != mapping->access &&
	       run->turn.task != current && ktime_get_ns() - run->turn.since < TURN_NS &&
	       !dw_access_page_is_used(run->turn.access, run->turn.address)) {
		mutex_unlock(&run->lock);
		usleep_range(10, 20);
		mutex_lock(&run->lock);
	}
	note_turn(run, &access);
	if (is_doorbell(&access)) {
		leave_run(run); /* the doorbell's letter ends the run */
		code = open_silently(run, &access);
	} else if (access.user) {
		code = open_for_run(run, &access);
	} else if (run->access == mapping->access && (run->written || !access.write)) {
		add_window(run, window.start, window.end);
		code = dw_access_pages_open(run->access, access.vma, window.start,
					    window.end - window.start, run->written);
	} else {
		dw_run_end_soon(mapping->process);
		code = open_silently(run, &access);
	}
	mutex_unlock(&run->lock);
	return code;
}

/*
 * dw_shadow_fault() handles the access and may map the shadow page. The page becomes a
 * window of the run here, so that it is unmapped when the run ends.
 */
void dw_run_note(struct dw_mapping *mapping, struct vm_fault *fault)
{
	struct access access = access_of(mapping, fault);
	struct dw_run *run = smp_load_acquire(&mapping->process->run);

	if (!run || !mapping->access || !access.user || is_doorbell(&access)) {
		return;
	}
	mutex_lock(&run->lock);
	note_turn(run, &access);
	follow_run(run, &access);
	add_window(run, fault->address & PAGE_MASK,
		   (fault->address & PAGE_MASK) + PAGE_SIZE);
	mutex_unlock(&run->lock);
}

/* --- pages that a driver maps --- */

u64 dw_run_revokes(struct dw_run *run)
{
	return dw_access_space_revokes(&run->space);
}

/*
 * Returns the pages to be noted after a driver's fault handler has mapped pages: the whole
 * VMA, or in a large VMA the touched page and the mapped pages next to it, so that a fault
 * does not inspect all pages.
 */
static struct window mapped_at(const struct vm_fault *fault)
{
	struct vm_area_struct *vma = fault->vma;
	struct window window = {.start = vma->vm_start, .end = vma->vm_end};
	unsigned long step;

	if (!dw_doorbell_is_large(vma)) {
		return window;
	}
	window.start = fault->address & PAGE_MASK;
	window.end = window.start + PAGE_SIZE;
	for (step = PAGE_SIZE;
	     window.end < vma->vm_end && dw_access_page_is_mapped(vma, window.end);
	     step *= 2) {
		window.end = min(window.end + step, vma->vm_end);
	}
	for (step = PAGE_SIZE; window.start > vma->vm_start &&
			       dw_access_page_is_mapped(vma, window.start - PAGE_SIZE);
	     step *= 2) {
		window.start = max(window.start - min(step, window.start), vma->vm_start);
	}
	return window;
}

int dw_run_take_mapped(struct dw_run *run, struct dw_mapping *mapping,
		       struct vm_fault *fault, u64 revokes)
{
	struct window window;
	int code;

	mutex_lock(&run->lock);
	close_run(run);
	close_silent(run);
	window = mapped_at(fault);
	code = dw_access_pages_take(mapping->access, fault->vma, window.start,
				    window.end - window.start);
	dw_access_pages_forget_since(&run->space, mapping->access, revokes, window.start,
				     window.end - window.start);
	mutex_unlock(&run->lock);
	return code;
}

/* --- end of a run --- */

static bool is_anything_open(const struct dw_run *run)
{
	return run && (READ_ONCE(run->access) || READ_ONCE(run->n_silent));
}

void dw_run_end_before(struct dw_process *process, u64 letter)
{
	struct dw_run *run = smp_load_acquire(&process->run);

	if (!is_anything_open(run) || current->mm != run->space.mm) {
		return;
	}
	mmap_read_lock(current->mm);
	mutex_lock(&run->lock);
	close_silent(run);
	if (run->access && run->first < letter) {
		close_run(run);
	}
	mutex_unlock(&run->lock);
	mmap_read_unlock(current->mm);
}

void dw_run_end(struct dw_process *process)
{
	dw_run_end_before(process, atomic64_read(&process->sequence));
}

static void end_now(void *process, u64 letter)
{
	if (current->mm) {
		dw_run_end_before(process, letter);
	}
	dw_process_put(process);
}

void dw_run_end_soon(struct dw_process *process)
{
	int error;

	if (!is_anything_open(smp_load_acquire(&process->run))) {
		return;
	}
	dw_process_get(process);
	error = dw_defer_call(current, GFP_ATOMIC | __GFP_NOWARN, end_now, process,
			      atomic64_read(&process->sequence));
	if (error) {
		dw_process_put(process);
	}
	if (error == -ENOMEM) {
		dw_count(lost);
	}
}
