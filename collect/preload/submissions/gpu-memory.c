/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/submissions/gpu-memory.h"

#include <string.h>
#include <sys/mman.h>

#include "collect/preload/instructions/guard.h"
#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/mappings/pages.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/memory.h"

static const char no_mapping[] = "no CPU mapping of that address";
static const char not_memory[] = "mapped as neither fb nor sys";
static const char closed[] = "the program has closed that memory";
static const char unmapped[] = "the memory is unmapped";

/* --- address lookup --- */

/* Memory that can be read in one piece. */
struct extent {
	uintptr_t address; /* in our address space; 0: none */
	uint64_t bytes;
	bool user;                  /* user memory: perhaps unmapped, or closed by us */
	bool on_bus;                /* device memory */
	struct kt_mapping *mapping; /* Weak: for watched user memory; NULL: none */
	const char *why;            /* if `address` is 0: why no memory is found */
};

static struct extent nowhere(const char *why)
{
	return (struct extent){.why = why};
}

/* Finds the extent of a device mapping from `offset` on. */
static struct extent in_mapping(const struct kt_mapping *m, uint64_t offset)
{
	const char *space = kt_mapping_space(m);
	struct extent extent = {.bytes = m->length - offset};

	if (strcmp(space, "fb") != 0 && strcmp(space, "sys") != 0) {
		return nowhere(not_memory);
	}
	if (!m->alias && (m->protection == PROT_NONE || m->watch == KT_WATCH_ALL)) {
		return nowhere(closed);
	}
	extent.address = (m->alias ? (uintptr_t)m->alias : m->start) + offset;
	extent.on_bus = strcmp(space, "sys") != 0;
	return extent;
}

/*
 * Finds an extent of at most `bytes` bytes of user memory from `address` on. The extent
 * ends where watched memory begins or ends.
 */
static struct extent in_user_memory(uintptr_t address, uint64_t bytes)
{
	struct kt_mapping *m = kt_mapping_touching(address, bytes, address);
	struct extent extent = {.address = address, .bytes = bytes, .user = true};

	if (m && m->start > address) {
		extent.bytes = m->start - address;
	} else if (m && m->pinned) {
		uint64_t left = m->start + m->length - address;

		extent.mapping = m;
		extent.bytes = left < bytes ? left : bytes;
	} else if (m) {
		return in_mapping(m, address - m->start); /* has become a device mapping */
	}
	return extent;
}

static struct extent resolve(uint64_t address)
{
	const struct kt_mapping *m = kt_mapping_find(address);
	const struct kt_gpu_item *item;
	const struct kt_gpu_item *pinned;
	struct extent extent;
	uint64_t offset;
	uint64_t left;

	if (m && !m->pinned) {
		return in_mapping(m, address - m->start);
	}
	item = kt_gpu_find(address);
	if (!item) {
		return nowhere(no_mapping);
	}
	left = item->gpu.length - (address - item->gpu.address);
	if (item->pinned) {
		return in_user_memory(address, left);
	}
	/*
	 * An ioctl has mapped a memory object at this address: finds the object's CPU
	 * mapping or registered memory.
	 */
	offset = item->gpu.offset + (address - item->gpu.address);
	m = kt_mapping_of_object(item->gpu.client, item->gpu.object, offset);
	pinned = m ? NULL : kt_gpu_find_pinned(&item->gpu);
	extent = nowhere(no_mapping);
	if (m) {
		extent = in_mapping(m, offset - m->memory.offset);
	} else if (pinned && offset < pinned->gpu.length) {
		uint64_t rest = pinned->gpu.length - offset;

		extent = in_user_memory(pinned->gpu.address + offset,
					rest < left ? rest : left);
	}
	extent.bytes = extent.bytes < left ? extent.bytes : left;
	return extent;
}

uint64_t kt_gpu_reach(uint64_t address, uint64_t bytes, const char **why)
{
	uint64_t reached = 0;

	while (reached < bytes) {
		struct extent extent = resolve(address + reached);

		/* Fewer than 4 bytes are not a dword. */
		if (!extent.address || extent.bytes < 4) {
			*why = extent.address ? no_mapping : extent.why;
			return reached;
		}
		reached += extent.bytes < bytes - reached ? extent.bytes : bytes - reached;
	}
	return bytes;
}

/* --- copying --- */

/*
 * Copies memory of a device mapping, 16 bytes at a time, because each load from device
 * memory crosses the bus, whatever its width.
 */
static bool copy_device(char *to, const char *from, size_t bytes, bool on_bus)
{
	struct kt_guard_values values = {0};
	size_t done = bytes & ~(size_t)15;
	bool good = kt_guard_copy_many(to, from, bytes / 16);

	/* Counts loads of 16 bytes, then at most one of 8 and one of 4 bytes. */
	kt_count_many(&kt_counters->bus_reads,
		      on_bus ? bytes / 16 + bytes / 8 % 2 + bytes / 4 % 2 : 0);
	for (unsigned width = 8; good && width >= 4; width /= 2) {
		if (bytes - done >= width) {
			good = kt_guard_do(KT_LOAD, width, (void *)(uintptr_t)(from + done),
					   &values);
			memcpy(to + done, &values.value, width);
			done += width;
		}
	}
	return good;
}

size_t kt_gpu_read(void *to, uint64_t address, size_t bytes, const char **why)
{
	size_t done = 0;

	while (done < bytes) {
		struct extent extent = resolve(address + done);
		size_t part = extent.bytes < bytes - done
				      ? (size_t)extent.bytes & ~(size_t)3
				      : bytes - done;
		char *to_here;
		bool opens;
		size_t copied;

		if (!extent.address || part == 0) {
			*why = extent.address ? no_mapping : extent.why;
			return done;
		}
		to_here = (char *)to + done;
		/*
		 * Opens a window, because the kernel cannot read pages that the recorder
		 * has closed; the read is not reported as an access of the program. Pages
		 * held for another thread's system call are open already, and a window
		 * would take away that call's write permission.
		 */
		opens = extent.mapping && !extent.mapping->held;
		if (opens) {
			kt_pages_open_window(
				extent.mapping, extent.address,
				part + (extent.address - kt_page_of(extent.address)),
				false);
		}
		if (extent.user) {
			copied = kt_memory_read(to_here, extent.address, part);
		} else if (copy_device(to_here, (const char *)extent.address, part,
				       extent.on_bus)) {
			copied = part;
		} else {
			copied = 0;
		}
		if (opens) {
			kt_pages_close_windows();
		}
		done += copied & ~(size_t)3;
		if (copied != part) {
			*why = unmapped;
			return done;
		}
	}
	return done;
}
