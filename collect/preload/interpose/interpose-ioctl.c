/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>

#include "collect/preload/access/access.h"
#include "collect/preload/access/give-up.h"
#include "collect/preload/emit/emit.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/interpose/buffers.h"
#include "collect/preload/interpose/descriptors.h"
#include "collect/preload/mappings/devices.h"
#include "collect/preload/mappings/runs.h"
#include "collect/preload/overhead/visits.h"
#include "collect/preload/process/clock.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/process.h"
#include "collect/preload/process/next.h"
#include "collect/preload/rm/rm.h"

KT_INTERPOSE int ioctl(int fd, unsigned long request, ...)
{
	struct kt_device device = {.name = ""};
	struct kt_buffers buffers = {.hi = 0};
	struct kt_event_ioctl event;
	struct kt_rm_call call;
	uint64_t began;
	int error;
	va_list args;
	void *argument;
	bool locked;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	if (!kt_device_is_open(fd) || !kt_process_is_own()) {
		return kt_next()->ioctl(fd, request, argument);
	}
	kt_device_used();
	kt_visit_begin(KT_VISIT_CALL);
	locked = kt_lock();
	if (kt_device_get(fd)) {
		device = *kt_device_get(fd);
	}
	kt_unlock(locked);
	event = (struct kt_event_ioctl){
		.device = device.name, .fd = fd, .request = request};
	/*
	 * If the argument lies in watched memory, opens that memory for the driver and the
	 * recorder. Requests of the unified-memory driver do not encode the argument's
	 * size: 1 byte then stands for the whole argument.
	 */
	kt_buffers_add(&buffers, argument, _IOC_SIZE(request) ? _IOC_SIZE(request) : 1);
	kt_buffers_hold(&buffers);
	call = kt_rm_open_call(device.family, request, argument);
	if (call.kind == KT_STRUCT_FREE && call.layout) {
		locked = kt_lock();
		kt_rm_before_free(&call);
		kt_unlock(locked);
	}
	kt_visit_end();
	began = kt_now_ns();
	event.result = kt_next()->ioctl(fd, request, argument);
	error = errno;
	event.duration = kt_now_ns() - began;
	kt_visit_begin(KT_VISIT_CALL);
	event.error = event.result < 0 ? error : 0;
	locked = kt_lock();
	kt_access_end_run();
	kt_rm_describe(&call, &event);
	kt_emit_ioctl(&event);
	kt_rm_after(&call, &event);
	kt_access_watch_rings();
	kt_unlock(locked);
	kt_buffers_release(&buffers);
	kt_visit_end();
	kt_give_up_if_due();
	errno = error;
	return (int)event.result;
}
