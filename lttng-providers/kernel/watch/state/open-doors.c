// SPDX-License-Identifier: GPL-2.0
#include "watch/state/open-doors.h"

#include <linux/hash.h>

/*
 * Open doors, by mm: what one program makes of them does not hold up others. In process
 * context, with preemption off in tracepoints.
 */
#define DOORS_BITS 10
static struct list_head doors[1 << DOORS_BITS]; /* the oldest first */
static DEFINE_SPINLOCK(lock);

/* With those of some others. */
static struct list_head *doors_of(const struct mm_struct *mm)
{
	return &doors[hash_ptr(mm, DOORS_BITS)];
}

void dw_doors_init(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(doors); i++) {
		INIT_LIST_HEAD(&doors[i]);
	}
}

void dw_door_open(struct dw_door *door)
{
	spin_lock(&lock);
	list_add_tail(&door->of_mm, doors_of(door->mapping->mm));
	spin_unlock(&lock);
}

void dw_door_end(struct dw_door *door)
{
	spin_lock(&lock);
	list_del_init(&door->of_mm);
	spin_unlock(&lock);
}

size_t dw_doors_of_current(struct dw_door **out, size_t room, size_t skip)
{
	struct dw_door *door;
	size_t n = 0;

	spin_lock(&lock);
	list_for_each_entry(door, doors_of(current->mm), of_mm) {
		if (n == room) {
			break;
		}
		if (door->mapping->mm != current->mm) {
			continue;
		}
		if (skip) {
			skip--;
		} else if (kref_get_unless_zero(&door->mapping->references)) {
			out[n++] = door;
		}
	}
	spin_unlock(&lock);
	return n;
}

bool dw_doors_any_real(const struct mm_struct *mm)
{
	const struct dw_door *door;
	bool found = false;

	spin_lock(&lock);
	list_for_each_entry(door, doors_of(mm), of_mm) {
		if (door->mapping->mm == mm && test_bit(DW_DOOR_REAL, &door->state)) {
			found = true;
			break;
		}
	}
	spin_unlock(&lock);
	return found;
}
