/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/room.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <ktail/status.h>

#define MIB          (UINT64_C(1) << 20)
#define FOR_EACH_CPU UINT64_C(16384) /* headers and counters beside the sub-buffers */
#define FOR_METADATA (UINT64_C(256) << 10)
#define SMALLEST     4096 /* sub-buffer */

int kt_room_look(struct kt_room *out)
{
	long known = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t cpus = known > 0 ? (uint64_t)known : 1;
	char text[256];
	struct statvfs fs;
	FILE *file;

	if (statvfs("/dev/shm", &fs) != 0) {
		return kt_error_errno(KT_E_IO, "look at /dev/shm");
	}
	/* LTTng goes by the highest number that a CPU could have: "0-15" means 16. */
	file = fopen("/sys/devices/system/cpu/possible", "re");
	if (file && fgets(text, sizeof(text), file)) {
		const char *last = text + strlen(text);
		uint64_t highest;

		while (last > text && strchr("0123456789\n", last[-1])) {
			last--;
		}
		highest = strtoull(last, NULL, 10);
		cpus = highest + 1 > cpus ? highest + 1 : cpus;
	}
	if (file) {
		fclose(file);
	}
	*out = (struct kt_room){.cpus = cpus,
				.size = (uint64_t)fs.f_blocks * fs.f_frsize,
				.free = (uint64_t)fs.f_bavail * fs.f_frsize};
	return KT_OK;
}

uint64_t kt_room_need(const struct kt_room *room, uint64_t subbuf_size, uint64_t num_subbuf)
{
	return room->cpus * (subbuf_size * num_subbuf + FOR_EACH_CPU) + FOR_METADATA;
}

static uint64_t whole_mib(uint64_t bytes)
{
	return (bytes + MIB - 1) / MIB;
}

int kt_room_check(const struct kt_room *room, uint64_t subbuf_size, uint64_t num_subbuf)
{
	uint64_t need = kt_room_need(room, subbuf_size, num_subbuf);
	uint64_t wanted = whole_mib(room->size - room->free + need);
	uint64_t size = 64; /* MiB that /dev/shm should have, as people write it */
	char options[128] = "";

	if (need <= room->free) {
		return KT_OK;
	}
	while (size < wanted) {
		size *= 2;
	}
	/* The largest buffers that fit: sub-buffers are halved, then there are fewer. */
	while (kt_room_need(room, subbuf_size, num_subbuf) > room->free &&
	       (subbuf_size > SMALLEST || num_subbuf > 2)) {
		if (num_subbuf > 8 || subbuf_size <= SMALLEST) {
			num_subbuf /= 2;
		} else {
			subbuf_size /= 2;
		}
	}
	if (kt_room_need(room, subbuf_size, num_subbuf) <= room->free) {
		snprintf(options, sizeof(options),
			 "pass --subbuf-size %llu --num-subbuf %llu, or ",
			 (unsigned long long)subbuf_size, (unsigned long long)num_subbuf);
	}
	return kt_error(KT_E_IO,
			"make buffers: %llu CPUs need %llu MiB of /dev/shm, %llu KiB are "
			"free; %smake it larger: mount -o remount,size=%llum /dev/shm (for "
			"a container: docker run --shm-size=%llum)",
			(unsigned long long)room->cpus, (unsigned long long)whole_mib(need),
			(unsigned long long)(room->free >> 10), options,
			(unsigned long long)size, (unsigned long long)size);
}
