/* SPDX-License-Identifier: MIT */
/* GPU address spaces: ranges sorted by address, without overlaps. */
#include "corpus/softgpu/device/engine.h"

#include <errno.h>
#include <string.h>

int kt_gpu_space_create(struct kt_gpu *gpu, struct kt_gpu_space **out)
{
	struct kt_gpu_space *space = kt_store_take(&gpu->store, sizeof(*space));

	if (!space) {
		return -ENOMEM;
	}
	space->gpu = gpu;
	space->references = 1;
	kt_gpu_lock(gpu);
	space->next = gpu->spaces;
	gpu->spaces = space;
	kt_gpu_unlock(gpu);
	*out = space;
	return 0;
}

void kt_gpu_space_put(struct kt_gpu_space *space)
{
	struct kt_gpu *gpu = space->gpu;
	struct kt_gpu_space **link = &gpu->spaces;

	if (--space->references) {
		return;
	}
	while (*link && *link != space) {
		link = &(*link)->next;
	}
	if (*link) {
		*link = space->next;
	}
	kt_store_give(&gpu->store, space->ranges);
	kt_store_give(&gpu->store, space);
}

void kt_gpu_space_release(struct kt_gpu_space *space)
{
	if (space) {
		struct kt_gpu *gpu = space->gpu;

		kt_gpu_lock(gpu);
		kt_gpu_space_put(space);
		kt_gpu_unlock(gpu);
	}
}

void kt_gpu_transfer_space(struct kt_gpu *gpu, struct kt_gpu_space *space)
{
	kt_gpu_lock(gpu);
	if (gpu->transfer_space != space) {
		kt_gpu_window_flush(gpu);
		gpu->window.shown = false;
		if (space) {
			space->references++;
		}
		if (gpu->transfer_space) {
			kt_gpu_space_put(gpu->transfer_space);
		}
		gpu->transfer_space = space;
	}
	kt_gpu_unlock(gpu);
}

static size_t find(const struct kt_gpu_space *space, uint64_t address)
{
	return kt_store_find(space->ranges, space->n, sizeof(*space->ranges), address);
}

static bool reserve(struct kt_gpu_space *space)
{
	return kt_store_reserve(&space->gpu->store, &space->ranges, space->n,
				&space->capacity, sizeof(*space->ranges));
}

/* Requires a free entry: call reserve() first. */
static void insert(struct kt_gpu_space *space, size_t at, const struct kt_gpu_range *range)
{
	memmove(space->ranges + at + 1, space->ranges + at,
		(space->n - at) * sizeof(*space->ranges));
	space->ranges[at] = *range;
	space->n++;
}

static int map(struct kt_gpu_space *space, const struct kt_gpu_range *range)
{
	size_t at = 0;
	int error = 0;

	if (range->bytes == 0 ||
	    (range->address | range->bytes | range->target) % KT_ABI_PAGE != 0 ||
	    range->bytes > KT_GPU_ADDRESS_END ||
	    range->address > KT_GPU_ADDRESS_END - range->bytes) {
		return -EINVAL;
	}
	kt_gpu_lock(space->gpu);
	at = find(space, range->address);
	if (at < space->n && space->ranges[at].address < range->address + range->bytes) {
		error = -EEXIST;
	} else if (!reserve(space)) {
		error = -ENOMEM;
	} else {
		insert(space, at, range);
	}
	kt_gpu_unlock(space->gpu);
	return error;
}

int kt_gpu_space_map(struct kt_gpu_space *space, uint64_t address, uint64_t bytes,
		     uint64_t physical)
{
	struct kt_gpu_range range = {address, bytes, physical, false};

	return kt_gpu_is_memory(physical, bytes) ? map(space, &range) : -EINVAL;
}

int kt_gpu_space_map_user(struct kt_gpu_space *space, uint64_t address, uint64_t bytes,
			  uint64_t name)
{
	struct kt_gpu_range range = {address, bytes, name, true};

	return bytes <= KT_GPU_ADDRESS_END && name <= KT_GPU_ADDRESS_END - bytes
		       ? map(space, &range)
		       : -EINVAL;
}

/* Returns the part of `range` that begins at the address `from`. */
static struct kt_gpu_range rest_of(const struct kt_gpu_range *range, uint64_t from)
{
	uint64_t cut = from - range->address;

	return (struct kt_gpu_range){from, range->bytes - cut, range->target + cut,
				     range->user};
}

void kt_gpu_space_unmap(struct kt_gpu_space *space, uint64_t address, uint64_t bytes)
{
	uint64_t end = bytes > UINT64_MAX - address ? UINT64_MAX : address + bytes;
	size_t first = 0;
	size_t last = 0;

	kt_gpu_lock(space->gpu);
	if (space == space->gpu->transfer_space) {
		/*
		 * What the driver has stored to the window so far belongs to the mapping
		 * that is removed below.
		 */
		kt_gpu_window_flush(space->gpu);
	}
	first = find(space, address);
	if (first < space->n && space->ranges[first].address < address) {
		struct kt_gpu_range *range = &space->ranges[first];
		struct kt_gpu_range tail = *range;

		range->bytes = address - range->address;
		first++;
		/*
		 * The part of the range after the hole needs an entry of its own. Without
		 * memory for this entry, the part is unmapped as well.
		 */
		if (tail.address + tail.bytes > end && reserve(space)) {
			tail = rest_of(&tail, end);
			insert(space, first, &tail);
		}
	}
	last = first;
	while (last < space->n && space->ranges[last].address < end) {
		struct kt_gpu_range *range = &space->ranges[last];

		if (range->address + range->bytes > end) {
			*range = rest_of(range, end);
			break;
		}
		last++;
	}
	if (last > first) {
		memmove(space->ranges + first, space->ranges + last,
			(space->n - last) * sizeof(*space->ranges));
		space->n -= last - first;
	}
	kt_gpu_unlock(space->gpu);
}

bool kt_gpu_translate(const struct kt_gpu_space *space, uint64_t address,
		      struct kt_gpu_span *span)
{
	size_t at = find(space, address);
	const struct kt_gpu_range *range = NULL;
	uint64_t offset = 0;

	if (at == space->n || space->ranges[at].address > address) {
		return false;
	}
	range = &space->ranges[at];
	offset = address - range->address;
	span->bytes = range->bytes - offset;
	span->user = range->user ? range->target + offset : 0;
	span->at = range->user
			   ? NULL
			   : kt_gpu_at(space->gpu, range->target + offset, &span->bytes);
	return range->user || span->at;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Copies from the space to `out`, or from `data` to the space; the other pointer is NULL.
 */
static bool transfer(const struct kt_gpu_space *space, uint64_t address, uint8_t *out,
		     const uint8_t *data, uint64_t bytes, uint64_t *bad)
{
	while (bytes) {
		struct kt_gpu_span span;
		bool ok = kt_gpu_translate(space, address, &span);
		uint64_t n = ok ? least(bytes, span.bytes) : 0;

		if (ok && span.at && out) {
			memcpy(out, span.at, n);
		} else if (ok && span.at) {
			memcpy(span.at, data, n);
		} else if (ok) {
			ok = out ? kt_gpu_user_read(space->gpu, span.user, out, n)
				 : kt_gpu_user_write(space->gpu, span.user, data, n);
		}
		if (!ok) {
			if (bad) {
				*bad = address;
			}
			return false;
		}
		address += n;
		out = out ? out + n : NULL;
		data = data ? data + n : NULL;
		bytes -= n;
	}
	return true;
}

bool kt_gpu_read(const struct kt_gpu_space *space, uint64_t address, void *out,
		 uint64_t bytes, uint64_t *bad)
{
	return transfer(space, address, out, NULL, bytes, bad);
}

bool kt_gpu_write(const struct kt_gpu_space *space, uint64_t address, const void *data,
		  uint64_t bytes, uint64_t *bad)
{
	return transfer(space, address, NULL, data, bytes, bad);
}

bool kt_gpu_move(const struct kt_gpu_space *space, uint64_t to, uint64_t from,
		 uint64_t bytes)
{
	struct kt_gpu *gpu = space->gpu;

	while (bytes) {
		struct kt_gpu_span source;
		struct kt_gpu_span target;
		uint64_t n = 0;
		bool ok = true;

		if (!kt_gpu_translate(space, from, &source) ||
		    !kt_gpu_translate(space, to, &target)) {
			return false;
		}
		n = least(bytes, least(source.bytes, target.bytes));
		if (target.at && source.at) {
			memmove(target.at, source.at, n);
		} else if (target.at) {
			ok = kt_gpu_user_read(gpu, source.user, target.at, n);
		} else if (source.at) {
			ok = kt_gpu_user_write(gpu, target.user, source.at, n);
		} else {
			n = least(n, sizeof(gpu->bounce));
			ok = kt_gpu_user_read(gpu, source.user, gpu->bounce, n) &&
			     kt_gpu_user_write(gpu, target.user, gpu->bounce, n);
		}
		if (!ok) {
			return false;
		}
		to += n;
		from += n;
		bytes -= n;
	}
	return true;
}

int kt_gpu_space_read(struct kt_gpu_space *space, uint64_t address, void *out,
		      uint64_t bytes, uint64_t *bad)
{
	bool ok = false;

	kt_gpu_lock(space->gpu);
	ok = kt_gpu_read(space, address, out, bytes, bad);
	kt_gpu_unlock(space->gpu);
	return ok ? 0 : -EFAULT;
}

int kt_gpu_space_write(struct kt_gpu_space *space, uint64_t address, const void *data,
		       uint64_t bytes, uint64_t *bad)
{
	bool ok = false;

	kt_gpu_lock(space->gpu);
	ok = kt_gpu_write(space, address, data, bytes, bad);
	kt_gpu_unlock(space->gpu);
	return ok ? 0 : -EFAULT;
}
