/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/process/counters.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "collect/preload/process/kernel.h"

static struct kt_counters own;
struct kt_counters *kt_counters = &own;

bool kt_counters_map(int fd)
{
	struct stat st;
	long seals = KT_KERNEL_TRY(SYS_fcntl, fd, F_GET_SEALS);
	long page;

	/*
	 * Rejects memory that another process could shrink, because an access beyond the
	 * new end of the memory would raise SIGBUS.
	 */
	if (kt_kernel_failed(seals) || !(seals & F_SEAL_SHRINK) ||
	    KT_KERNEL(SYS_fstat, fd, &st) != 0 || st.st_size < (off_t)sizeof(own)) {
		return false;
	}
	page = KT_KERNEL_TRY(SYS_mmap, NULL, sizeof(own), PROT_READ | PROT_WRITE,
			     MAP_SHARED, fd, 0);
	if (kt_kernel_failed(page)) {
		return false;
	}
	kt_counters = (struct kt_counters *)page;
	return true;
}
