/* SPDX-License-Identifier: MIT */
/*
 * Arbitrary rings with arbitrary GP_PUTs at arbitrary addresses. The recorder's walk must
 * end, read only mapped memory, and report entries that are within the ring and in order.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/submissions/channels.h"
#include "collect/preload/submissions/submissions.h"
#include "decode/gpfifo.h"
#include "tests/collect/submissions/submission-rig.h"

#define PAGE   4096u
#define MEMORY 0x10000000u /* the memory, between closed pages */
#define BYTES  (4 * PAGE)
#define OTHER  0x20000000u /* GPU address of its second half */
#define CLIENT 1u
#define OBJECT 2u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input begins with these numbers; the rest is memory. */
struct head {
	uint16_t ring; /* offset in bytes from MEMORY, or with AT_OTHER from OTHER */
	uint16_t entries;
	uint32_t gp_put[6];
	uint16_t part;
	uint8_t flags;
	uint8_t unused;
};

enum { AT_OTHER = 1, HUGE_RING = 2, NOWHERE = 4 };

static uint8_t *memory;
static uint32_t userd[1024];

static void set_up(void)
{
	struct kt_mapping mapping = {
		.start = MEMORY,
		.length = BYTES,
		.memory = {.client = CLIENT, .object = OBJECT},
		.static_space = "sys",
		.protection = PROT_READ | PROT_WRITE,
	};
	const struct kt_gpu_range range = {.address = OTHER,
					   .length = BYTES / 2,
					   .client = CLIENT,
					   .object = OBJECT,
					   .offset = BYTES / 2};
	char *closed = mmap((void *)(uintptr_t)(MEMORY - PAGE), BYTES + 2 * PAGE, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (closed == MAP_FAILED ||
	    mprotect(closed + PAGE, BYTES, PROT_READ | PROT_WRITE) != 0) {
		abort();
	}
	memory = (uint8_t *)closed + PAGE;
	kt_mapping_add(&mapping);
	mapping.start = (uintptr_t)userd;
	mapping.length = sizeof(userd);
	mapping.memory.object = OBJECT + 1;
	kt_mapping_add(&mapping);
	kt_gpu_map(&range);
}

static void check(uint32_t entries)
{
	if (kt_rig.wrong || kt_rig.n > entries + 1ull) {
		abort();
	}
	for (size_t i = 0; i < kt_rig.n && i < RIG_ENTRIES; i++) {
		const struct rig_entry *e = &kt_rig.entries[i];

		if (e->count > e->event.words ||
		    (e->count < e->event.words) !=
			    (e->event.unread[0] != 0 && e->event.words != 0) ||
		    (e->event.index >= entries && !e->event.unread[0]) ||
		    (i && e->event.unread[0] == 0 &&
		     e->event.index !=
			     (kt_rig.entries[i - 1].event.index + 1ull) % entries)) {
			abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct head head = {0};
	struct kt_channel_alloc alloc = {
		.client = CLIENT, .object = 100, .userd_memory = OBJECT + 1};
	size_t n = size < sizeof(head) ? size : sizeof(head);

	if (!memory) {
		set_up();
	}
	memcpy(&head, data, n);
	memset(memory, 0, BYTES);
	memcpy(memory, data + n, size - n < BYTES ? size - n : BYTES);
	alloc.ring =
		head.flags & NOWHERE
			? UINT64_MAX - 15
			: ((head.flags & AT_OTHER ? OTHER : MEMORY) + (head.ring & ~3u));
	alloc.entries = head.flags & HUGE_RING ? UINT32_MAX - head.entries : head.entries;
	userd[KT_USERD_GP_PUT / 4] = 0;
	kt_submissions_set_part(head.part);
	kt_channel_remove(CLIENT, 100);
	kt_channel_add(&alloc);
	for (size_t i = 0; i < sizeof(head.gp_put) / sizeof(head.gp_put[0]); i++) {
		struct kt_event_doorbell doorbell;
		struct kt_ring ring;

		kt_rig_clear();
		userd[KT_USERD_GP_PUT / 4] = i % 2 && head.entries
						     ? head.gp_put[i] % head.entries
						     : head.gp_put[i];
		ring = kt_channel_doorbell(0, 0);
		doorbell = (struct kt_event_doorbell){.moved = ring.moved,
						      .channel = ring.channel};
		kt_submissions_report(&doorbell);
		check(alloc.entries);
	}
	return 0;
}
