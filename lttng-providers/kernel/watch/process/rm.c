// SPDX-License-Identifier: GPL-2.0
#include "watch/process/rm.h"

#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

#include "decode/classes.h"
#include "decode/ioctls.h"
#include "decode/layouts.h"
#include "decode/rm/object-table.h"
#include "decode/rm/rm-calls.h"
#include "watch/access/run.h"
#include "watch/base/counters.h"
#include "watch/process/filter.h"
#include "watch/state/process.h"

/*
 * Largest number of objects that are followed per process; an object takes about 100 bytes.
 */
#define OBJECTS_MAX 65536
#define TIES_MAX    4096
#define TIE_BITS    8

struct dw_rm {
	struct kt_object_table objects;
	struct list_head ties; /* struct tie, oldest first */
	unsigned int n_ties;
};

/* --- what the next mmap of a file maps --- */

/*
 * An object that the next mmap of a file maps, as a call has announced. No reference to the
 * file is held, because the driver must see the file closed as soon as the program closes
 * it. The file is identified by the address of its struct; the record is dropped when
 * another file is opened at that address.
 */
struct tie {
	struct hlist_node by_file;
	struct list_head of_process;
	struct dw_rm *rm;
	const struct file *file;
	struct dw_pending_map map;
};

static DEFINE_HASHTABLE(ties, TIE_BITS);
static DEFINE_SPINLOCK(ties_lock); /* protects the table and dw_rm.ties of all processes */

static struct tie *find_tie(const struct file *file)
{
	struct tie *tie;

	hash_for_each_possible(ties, tie, by_file, (unsigned long)file) {
		if (tie->file == file) {
			break;
		}
	}
	return tie;
}

static void remove_tie(struct tie *tie)
{
	hash_del(&tie->by_file);
	list_del(&tie->of_process);
	tie->rm->n_ties--;
	kfree(tie);
}

void dw_rm_file_is_new(const struct file *file)
{
	struct tie *tie;

	spin_lock(&ties_lock);
	tie = find_tie(file);
	if (tie) {
		remove_tie(tie);
	}
	spin_unlock(&ties_lock);
}

void dw_rm_pending(struct dw_process *process, struct file *file,
		   struct dw_pending_map *out)
{
	char buffer[12];
	struct tie *tie;
	bool is_uvm;

	memset(out, 0, sizeof(*out));
	spin_lock(&ties_lock);
	tie = find_tie(file);
	if (tie) {
		*out = tie->map;
	}
	spin_unlock(&ties_lock);
	/*
	 * A rename may change the name meanwhile; only the first characters of the name
	 * matter.
	 */
	rcu_read_lock();
	is_uvm = kt_ioctl_family((const char *)READ_ONCE(
			 file->f_path.dentry->d_name.name)) == KT_IOCTL_UVM;
	rcu_read_unlock();
	strscpy(out->space, is_uvm ? "uvm" : kt_class_space(out->class_, buffer),
		sizeof(out->space));
}

/* --- objects --- */

static bool reserve(void **items, size_t *capacity, size_t need, size_t size)
{
	size_t wanted = max(*capacity, (size_t)16);
	void *bigger;

	if (need <= *capacity) {
		return true;
	}
	while (wanted < need) {
		wanted *= 2;
	}
	bigger = wanted > OBJECTS_MAX ? NULL
				      : kvmalloc_array(wanted, size, GFP_KERNEL_ACCOUNT);
	if (!bigger) {
		dw_count(unknown);
		return false;
	}
	if (*items) {
		memcpy(bigger, *items, *capacity * size);
	}
	kvfree(*items);
	*items = bigger;
	*capacity = wanted;
	return true;
}

static void release(void *items, size_t capacity, size_t size)
{
	kvfree(items);
}

/*
 * Returns the RM state of a process, which is created if needed, or NULL if memory is
 * short. The process's lock is held.
 */
static struct dw_rm *rm_of(struct dw_process *process)
{
	if (!process->rm) {
		process->rm = kzalloc(sizeof(*process->rm), GFP_KERNEL_ACCOUNT);
	}
	if (process->rm && !process->rm->objects.reserve) {
		process->rm->objects.reserve = reserve;
		process->rm->objects.release = release;
		process->rm->objects.seed = get_random_u64();
		INIT_LIST_HEAD(&process->rm->ties);
	}
	return process->rm;
}

void dw_rm_fork(struct dw_process *child, struct dw_process *parent)
{
	struct dw_rm *rm;

	mutex_lock(&child->lock);
	mutex_lock_nested(&parent->lock, SINGLE_DEPTH_NESTING);
	rm = parent->rm ? rm_of(child) : NULL;
	if (rm) {
		kt_object_table_copy(&rm->objects, &parent->rm->objects);
	}
	mutex_unlock(&parent->lock);
	mutex_unlock(&child->lock);
}

void dw_rm_free(struct dw_process *process)
{
	struct dw_rm *rm = process->rm;
	struct tie *tie;
	struct tie *next;

	if (!rm) {
		return;
	}
	spin_lock(&ties_lock);
	list_for_each_entry_safe(tie, next, &rm->ties, of_process) {
		remove_tie(tie);
	}
	spin_unlock(&ties_lock);
	kt_object_table_clear(&rm->objects);
	kfree(rm);
	process->rm = NULL;
}

/* --- ioctls that have returned --- */

/* release of the driver (kt_release_parse()); 0: not known */
static u32 driver_release;

static bool read_user(void *buffer, uint64_t address, size_t length)
{
	return address == (unsigned long)address &&
	       copy_from_user(buffer, (const void __user *)(unsigned long)address,
			      length) == 0;
}

/*
 * A call that has returned, decoded. No user memory is read after decoding, so the answer
 * can be used while locks are held.
 */
struct answer {
	struct dw_process *process;
	struct kt_rm_call call;
	struct kt_object object; /* object that the call has allocated */
	bool pinned;             /* `object` is registered memory */
	/*
	 * Sequence number of the last emitted event that is a letter; this event ends a run
	 * that began before it
	 */
	u64 last;
	u8 copy[KT_RM_STRUCT_MAX];
};

static void emit_object(struct answer *answer, const char *action,
			const struct kt_object *object)
{
	struct kt_event_object event = kt_rm_object_event(action, object);

	DW_EMIT(answer->process, object, &event);
}

static void emit_freed(const struct kt_object *object, void *context)
{
	struct answer *answer = context;

	if (object->mapping) {
		struct kt_event_unmap event = kt_rm_unpin_event(object);

		answer->last = DW_EMIT(answer->process, unmap, &event);
	}
	emit_object(answer, "free", object);
	cond_resched();
}

/*
 * Records that the object of the call will be mapped by the next mmap of the file
 * descriptor that the call names.
 */
static void tie_descriptor(struct answer *answer, struct dw_rm *rm,
			   const struct kt_event_ioctl *event)
{
	const struct dw_pending_map map = {
		.client = event->client,
		.object = event->object,
		.class_ = event->class_,
		.offset = kt_rm_call_get(&answer->call, KT_ROLE_OFFSET),
	};
	struct file *file = fget((unsigned int)kt_rm_call_get(&answer->call, KT_ROLE_FD));
	struct tie *fresh;
	struct tie *old;

	if (!file) {
		return;
	}
	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	if (!fresh) {
		fput(file);
		return;
	}
	fresh->rm = rm;
	fresh->file = file;
	fresh->map = map;
	spin_lock(&ties_lock);
	old = find_tie(file);
	if (!old && rm->n_ties >= TIES_MAX) {
		old = list_first_entry(&rm->ties, struct tie, of_process);
	}
	if (old) {
		remove_tie(old);
	}
	hash_add(ties, &fresh->by_file, (unsigned long)file);
	list_add_tail(&fresh->of_process, &rm->ties);
	rm->n_ties++;
	spin_unlock(&ties_lock);
	fput(file);
}

/*
 * Updates the process's objects by what the call has done and emits events of the objects.
 * The process's lock is held.
 */
static void follow(struct answer *answer, struct dw_rm *rm,
		   const struct kt_event_ioctl *event)
{
	struct kt_object *object = &answer->object;

	if (kt_rm_call_creates(answer->call.kind)) {
		if (answer->pinned) {
			struct kt_event_map map;

			/*
			 * Registered memory is mapped already, and no mmap follows: emit
			 * the map event here.
			 */
			object->mapping = atomic_inc_return(&answer->process->mappings);
			map = kt_rm_pin_event(object);
			answer->last = DW_EMIT(answer->process, map, &map);
		}
		kt_object_table_add(&rm->objects, object);
		emit_object(answer, answer->call.kind == KT_STRUCT_DUP ? "dup" : "alloc",
			    object);
	}
	switch (answer->call.kind) {
	case KT_STRUCT_ALLOC_MEMORY:
	case KT_STRUCT_MAP: tie_descriptor(answer, rm, event); break;
	case KT_STRUCT_FREE:
		kt_object_table_each_below(&rm->objects, event->client, event->object, true,
					   emit_freed, answer);
		break;
	default: break;
	}
}

/*
 * Decodes the call and fills the event. The caller holds no lock, because reading user
 * memory may sleep.
 */
static void inspect(struct answer *answer, u64 argument, struct kt_event_ioctl *event)
{
	struct kt_rm_reader reader = {.read = read_user};
	int family = kt_ioctl_family(event->device);
	struct kt_object_table none = {.capacity = 0};
	const struct kt_rm_call *call = &answer->call;
	struct dw_rm *rm;
	char text[32];

	if (!READ_ONCE(driver_release)) {
		WRITE_ONCE(driver_release,
			   kt_release_parse(dw_driver_version(text, sizeof(text))));
	}
	reader.release = READ_ONCE(driver_release);
	if (family < 0) {
		event->nr = _IOC_NR(event->request);
		event->size = _IOC_SIZE(event->request);
		return;
	}
	kt_rm_call_open(&answer->call, &reader, family, event->request, argument,
			answer->copy);
	mutex_lock(&answer->process->lock);
	rm = answer->process->rm;
	kt_rm_call_describe(&answer->call, rm ? &rm->objects : &none, event);
	mutex_unlock(&answer->process->lock);
	if (event->result != 0 || event->status != 0) {
		answer->call.layout = NULL;
	}
	if (call->layout && kt_rm_call_creates(call->kind)) {
		answer->pinned =
			kt_rm_call_object(&answer->call, &reader, event, &answer->object);
	}
	/* A call of this kind returns the driver's release as text. */
	if (call->layout && call->kind == KT_STRUCT_VERSION && !READ_ONCE(driver_release)) {
		memcpy(text,
		       (const char *)call->data + call->layout->fields[KT_ROLE_TEXT].offset,
		       sizeof(text) - 1);
		text[sizeof(text) - 1] = '\0';
		WRITE_ONCE(driver_release, kt_release_parse(text));
	}
}

void dw_rm_returned(struct dw_process *process, u64 argument, struct kt_event_ioctl *event,
		    const struct kt_first_bytes *first)
{
	struct answer *answer = kzalloc(sizeof(*answer), GFP_KERNEL);
	struct dw_rm *rm;

	if (!answer) {
		dw_process_head(process);
		dw_count(lost);
		return;
	}
	answer->process = process;
	inspect(answer, argument, event);
	mutex_lock(&process->lock);
	answer->last = DW_EMIT(process, ioctl, event, first);
	rm = answer->call.layout ? rm_of(process) : NULL;
	if (rm) {
		follow(answer, rm, event);
	}
	mutex_unlock(&process->lock);
	dw_run_end_before(process, answer->last);
	kfree(answer);
}
