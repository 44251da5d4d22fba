/* SPDX-License-Identifier: MIT */
#include "collect/counters.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "collect/faults.h"
#include "collect/real.h"

static struct kt_counters own;
struct kt_counters *kt_counters = &own;

void kt_counters_attach(void)
{
	const char *path = getenv(KT_COUNTERS_VARIABLE);
	int fd = path && !kt_fault_now("open the counters")
			 ? kt_real()->open(path, O_RDWR | O_CLOEXEC)
			 : -1;
	void *page;

	if (fd < 0) {
		return;
	}
	page = kt_fault_now("map the counters")
		       ? MAP_FAILED
		       : kt_real()->mmap(NULL, sizeof(own), PROT_READ | PROT_WRITE,
					 MAP_SHARED, fd, 0);
	kt_real()->close(fd);
	if (page != MAP_FAILED) {
		kt_counters = page;
	}
}
