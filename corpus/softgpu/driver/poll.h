/* SPDX-License-Identifier: MIT */
/* The part of wait.c that submit.c needs, for a channel that is locked. */
#ifndef KTAIL_SOFTGPU_DRIVER_POLL_H
#define KTAIL_SOFTGPU_DRIVER_POLL_H

#include "corpus/softgpu/driver/driver.h"

/* One read of the semaphore: the greatest value up to its `value` that it can have. */
uint64_t kt_poll_read(const struct kt_channel *channel,
		      const struct kt_semaphore *semaphore);

/* Until the semaphore is at least `value`: poll of driver.points. */
int kt_poll(struct kt_channel *channel, const struct kt_semaphore *semaphore,
	    uint64_t value);

#endif
