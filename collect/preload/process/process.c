/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/process/process.h"

#include <stdatomic.h>
#include <unistd.h>

static _Atomic pid_t own_pid;
static _Atomic bool stopped;

void kt_process_begin(void)
{
	own_pid = getpid();
}

bool kt_process_is_own(void)
{
	return kt_process_is_stopped() || getpid() == own_pid;
}

void kt_process_stop(void)
{
	atomic_store(&stopped, true);
}

bool kt_process_is_stopped(void)
{
	return atomic_load_explicit(&stopped, memory_order_relaxed);
}
