/* SPDX-License-Identifier: MIT */
#include "collect/preload/mappings/devices.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* Pages of this table that no descriptor uses are never touched and cost no memory. */
static struct kt_device devices[KT_DEVICE_MAX];

/* Read without the lock, unlike devices[]. */
static atomic_bool is_device[KT_DEVICE_MAX];
static atomic_int n_open;
static atomic_bool no_more;

static void set_open(int fd, bool open)
{
	if (atomic_exchange(&is_device[fd], open) != open) {
		atomic_fetch_add(&n_open, open ? 1 : -1);
	}
}

const char *kt_device_name(const char *path)
{
	const char *name;

	if (!path || strncmp(path, "/dev/nvidia", 11) != 0) {
		return NULL;
	}
	name = strrchr(path, '/') + 1;
	return name[0] ? name : NULL;
}

bool kt_device_is_open(int fd)
{
	return fd >= 0 && fd < KT_DEVICE_MAX && atomic_load(&is_device[fd]);
}

bool kt_device_any(void)
{
	return atomic_load_explicit(&n_open, memory_order_relaxed) > 0;
}

struct kt_device *kt_device_get(int fd)
{
	return kt_device_is_open(fd) ? &devices[fd] : NULL;
}

void kt_device_opened(int fd, const char *name)
{
	struct kt_device *device;

	if (fd < 0 || fd >= KT_DEVICE_MAX || atomic_load(&no_more)) {
		return;
	}
	device = &devices[fd];
	memset(device, 0, sizeof(*device));
	strncpy(device->name, name, sizeof(device->name) - 1);
	device->family = kt_ioctl_family(name) == KT_IOCTL_UVM ? KT_IOCTL_UVM : KT_IOCTL_RM;
	set_open(fd, name[0] != '\0');
}

void kt_device_closed(int fd)
{
	if (kt_device_is_open(fd)) {
		set_open(fd, false);
	}
}

void kt_device_duplicated(int from, int to)
{
	if (to < 0 || to >= KT_DEVICE_MAX || from == to) {
		return;
	}
	if (kt_device_is_open(from)) {
		devices[to] = devices[from];
		set_open(to, true);
	} else {
		kt_device_closed(to);
	}
}

void kt_device_forget_all(void)
{
	atomic_store(&no_more, true);
	for (int fd = 0; fd < KT_DEVICE_MAX && kt_device_any(); fd++) {
		kt_device_closed(fd);
	}
}
