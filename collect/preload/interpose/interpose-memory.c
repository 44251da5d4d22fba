/* SPDX-License-Identifier: MIT */
/* mmap and munmap: tracks which addresses are device memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/access/access.h"
#include "collect/preload/emit/emit.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/interpose/interpose-memory.h"
#include "collect/preload/mappings/devices.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/mappings/runs.h"
#include "collect/preload/overhead/visits.h"
#include "collect/preload/process/faults.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/process/next.h"
#include "collect/preload/process/tracer.h"
#include "collect/preload/submissions/channels.h"
#include "collect/preload/submissions/doorbell.h"
#include "collect/preload/submissions/ring-stores.h"
#include "decode/classes.h"

/* --- unmapping --- */

void kt_before_unmap(uintptr_t start, size_t length)
{
	/*
	 * Ends the run before the call, because right after the call the pages may be used
	 * for something else.
	 */
	kt_access_end_run();
	kt_channel_forget_mapping(start, length);
	kt_doorbell_disarm(start, length);
}

void kt_emit_unmaps(uintptr_t start, size_t length)
{
	struct kt_event_unmap event = {.mapping = 0};
	uintptr_t from = start;
	struct kt_mapping *m;

	while ((m = kt_mapping_touching(start, length, from)) != NULL) {
		uintptr_t end = m->start + m->length;
		uintptr_t lo = m->start > start ? m->start : start;
		uintptr_t hi = end < start + length ? end : start + length;

		from = end;
		if (m->pinned) {
			continue; /* memory stays registered until its object is freed */
		}
		if (event.mapping == m->ordinal && event.address + event.length == lo) {
			event.length += hi - lo; /* a piece split off by mprotect */
			continue;
		}
		if (event.mapping) {
			kt_emit_unmap(&event);
		}
		event = (struct kt_event_unmap){
			.space = kt_mapping_space(m),
			.mapping = m->ordinal,
			.address = lo,
			.length = hi - lo,
			.client = m->memory.client,
			.object = m->memory.object,
		};
	}
	if (event.mapping) {
		kt_emit_unmap(&event);
	}
}

static void forget_range(uintptr_t start, size_t length)
{
	kt_emit_unmaps(start, length);
	kt_mapping_cut(start, length);
}

static void watch_again(struct kt_mapping *m, void *unused)
{
	(void)unused;
	kt_access_watch(m);
}

void kt_still_mapped(uintptr_t start, size_t length)
{
	kt_mapping_each_in(start, length, watch_again, NULL);
}

/* --- mapping --- */

void kt_emit_mapped(const struct kt_mapping *mapping, const char *device, int error)
{
	struct kt_event_map event = {
		.device = device,
		.space = kt_mapping_space(mapping),
		.mapping = mapping->ordinal,
		.error = error,
		.address = mapping->start,
		.length = mapping->length,
		.client = mapping->memory.client,
		.object = mapping->memory.object,
		.class_ = mapping->memory.class_,
	};

	kt_access_end_run();
	kt_emit_map(&event);
}

static void mapped(void *address, size_t length, int protection, int flags, int fd,
		   off_t offset, int error)
{
	struct kt_device *device = kt_device_get(fd);
	struct kt_mapping mapping = {
		.start = address == MAP_FAILED ? 0 : (uintptr_t)address,
		.base = address == MAP_FAILED ? 0 : (uintptr_t)address,
		.length = kt_whole_pages(length),
		.protection = protection,
	};
	bool doorbells = kt_doorbell_mode != KT_DOORBELL_OFF;
	bool rings = doorbells && kt_rings_mode != KT_RINGS_BUS;
	void *alias;
	const struct kt_class *class;
	const char *space;
	struct kt_mapping *added;

	if (!device) {
		return;
	}
	class = kt_class_find(device->pending.class_);
	space = kt_class_space(device->pending.class_, mapping.space_buffer);
	mapping.memory = device->pending;
	mapping.doorbell = class ? class->doorbell : 0;
	if (device->family == KT_IOCTL_UVM) {
		mapping.static_space = "uvm";
	} else if (space < mapping.space_buffer ||
		   space >= mapping.space_buffer + sizeof(mapping.space_buffer)) {
		mapping.static_space = space;
	} else {
		memmove(mapping.space_buffer, space, strlen(space) + 1);
	}
	if (address == MAP_FAILED) {
		kt_emit_mapped(&mapping, device->name, error);
		return;
	}
	/*
	 * Removes any earlier mapping that is still listed at this address: it was unmapped
	 * past the recorder, by a system call instruction in the program.
	 */
	kt_access_end_run();
	kt_doorbell_disarm(mapping.start, mapping.length);
	kt_mapping_cut(mapping.start, mapping.length);
	/*
	 * Creates a second mapping of the same memory, through which accesses are made and
	 * USERD is read while the pages are closed. Excludes unified memory, because its
	 * driver maps a range only once, and private mappings, because no other mapping
	 * shows their contents.
	 */
	if ((kt_access_mode != KT_ACCESS_OFF || (doorbells && mapping.doorbell) || rings) &&
	    !(flags & MAP_PRIVATE) && strcmp(kt_mapping_space(&mapping), "uvm") != 0 &&
	    !kt_fault_now("alias")) {
		alias = kt_next()->mmap(NULL, mapping.length, protection, MAP_SHARED, fd,
					offset);
		mapping.alias = alias == MAP_FAILED ? NULL : alias;
	}
	added = kt_mapping_add(&mapping);
	if (!added) {
		return;
	}
	kt_emit_mapped(added, device->name, 0);
	kt_access_watch(added);
}

KT_INTERPOSE void *mmap(void *address, size_t length, int protection, int flags, int fd,
			off_t offset)
{
	bool is_device = !(flags & MAP_ANONYMOUS) && kt_device_is_open(fd);
	bool replaces = (flags & MAP_FIXED) &&
			kt_mapping_may_touch((uintptr_t)address, kt_whole_pages(length));
	bool locked;
	void *result;
	int error;

	if (!is_device && !replaces) {
		return kt_next()->mmap(address, length, protection, flags, fd, offset);
	}
	kt_visit_begin(KT_VISIT_CALL);
	locked = kt_lock();
	if (replaces) {
		kt_before_unmap((uintptr_t)address, kt_whole_pages(length));
	}
	kt_visit_end();
	result = kt_next()->mmap(address, length, protection, flags, fd, offset);
	error = errno;
	kt_visit_begin(KT_VISIT_CALL);
	if (replaces && result != MAP_FAILED) {
		forget_range((uintptr_t)address, kt_whole_pages(length));
	} else if (replaces) {
		kt_still_mapped((uintptr_t)address, kt_whole_pages(length));
	}
	if (is_device) {
		mapped(result, length, protection, flags, fd, offset, error);
	}
	kt_access_watch_rings();
	kt_unlock(locked);
	kt_visit_end();
	errno = error;
	return result;
}

KT_INTERPOSE int munmap(void *address, size_t length)
{
	uintptr_t start = (uintptr_t)address;
	bool locked;
	int result;
	int error;

	if (kt_tracer_is_stopped(__builtin_return_address(0))) {
		return 0;
	}
	length = kt_whole_pages(length);
	if (start % KT_PAGE || length == 0 || !kt_mapping_may_touch(start, length)) {
		return kt_next()->munmap(address, length);
	}
	kt_visit_begin(KT_VISIT_CALL);
	locked = kt_lock();
	if (kt_mapping_touching(start, length, start)) {
		kt_before_unmap(start, length);
	}
	kt_visit_end();
	result = kt_next()->munmap(address, length);
	error = errno;
	kt_visit_begin(KT_VISIT_CALL);
	if (!kt_mapping_touching(start, length, start)) {
		/* The range touches no mapping of a device. */
	} else if (result == 0) {
		forget_range(start, length);
	} else {
		kt_still_mapped(start, length);
	}
	kt_access_watch_rings();
	kt_unlock(locked);
	kt_visit_end();
	errno = error;
	return result;
}

KT_SECOND_NAME(mmap64, mmap);
