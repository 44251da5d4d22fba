/* SPDX-License-Identifier: MIT */
/*
 * Tests all steps of a driver: files, objects, memory, a channel, commands, completion and
 * release.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/softgpu/kmd/play.h"
#include "tests/suite.h"

#define VALUE 0xc0ffee00u

struct scene {
	struct play p;
	struct play_memory ring;
	struct play_memory push;
	struct play_memory data; /* semaphores from 0 on, values from 0x1000 on */
	uint32_t group;
	uint32_t share;
};

static bool scene_open(struct scene *s)
{
	return play_open(&s->p) &&
	       play_memory_create(&s->p, &s->ring, KT_ABI_CLASS_MEMORY_LOCAL, 65536,
				  true) &&
	       play_memory_create(&s->p, &s->push, KT_ABI_CLASS_MEMORY_SYSTEM, 1 << 20,
				  true) &&
	       play_memory_create(&s->p, &s->data, KT_ABI_CLASS_MEMORY_SYSTEM, 65536,
				  true) &&
	       play_group_create(&s->p, &s->group, &s->share);
}

static bool scene_channel(struct scene *s, struct play_channel *c, unsigned i)
{
	return play_channel_create(&s->p, c, s->group, s->share, &s->ring, &s->push, i);
}

static bool scene_close(struct scene *s)
{
	bool done = play_memory_destroy(&s->p, &s->data) &&
		    play_memory_destroy(&s->p, &s->push) &&
		    play_memory_destroy(&s->p, &s->ring) &&
		    play_free(&s->p, s->share) == 0 && play_free(&s->p, s->group) == 0;

	play_close(&s->p);
	return done;
}

/* Submits commands that write value i and semaphore i. Returns whether both arrived. */
static bool run_one(struct scene *s, struct play_channel *c, unsigned i)
{
	volatile uint32_t *semaphore = (volatile uint32_t *)(s->data.cpu + 16 * i);
	volatile uint32_t *value = (volatile uint32_t *)(s->data.cpu + 0x1000 + 4 * i);
	uint32_t words[32];
	size_t n = play_words(words, s->data.address + 0x1000 + 4 * i, VALUE + i,
			      s->data.address + 16 * i, i + 1);

	play_submit(&s->p, c, words, n);
	return play_wait(c, semaphore, i + 1) && *value == VALUE + i;
}

static void submits(void)
{
	struct scene s = {.group = 0};
	struct play_channel channels[3];

	CU_ASSERT_FATAL(scene_open(&s));
	for (unsigned i = 0; i < 3; i++) {
		CU_ASSERT_FATAL(scene_channel(&s, &channels[i], i));
	}
	CU_ASSERT_FATAL(play_schedule(&s.p, s.group));
	for (unsigned i = 0; i < 150; i++) {
		CU_ASSERT_FATAL(run_one(&s, &channels[i % 3], i));
	}
	for (unsigned i = 3; i-- > 0;) {
		CU_ASSERT(play_channel_destroy(&s.p, &channels[i]));
	}
	CU_ASSERT(scene_close(&s));
}

static void time_goes_on(void)
{
	struct play p;
	uint32_t before;

	CU_ASSERT_FATAL(play_open(&p));
	before = *(volatile uint32_t *)(p.registers + KT_ABI_USERMODE_TIME_LO);
	/*
	 * The device's thread must have updated the time; without a thread, the page keeps
	 * its initial contents.
	 */
	CU_ASSERT(before != 0);
	play_close(&p);
}

/* The commands write to an unmapped address. */
static void errors_are_reported(void)
{
	struct scene s = {.group = 0};
	struct play_channel c;
	uint32_t words[32];
	size_t n;

	CU_ASSERT_FATAL(scene_open(&s) && scene_channel(&s, &c, 0));
	CU_ASSERT_FATAL(play_schedule(&s.p, s.group));
	n = play_words(words, UINT64_C(0x7f00000000), 1, s.data.address, 1);
	play_submit(&s.p, &c, words, n);
	CU_ASSERT(!play_wait(&c, (volatile uint32_t *)s.data.cpu, 1));
	CU_ASSERT(((volatile struct kt_abi_notification *)c.error.cpu)->number ==
		  KT_ABI_XID_MMU_FAULT);
	CU_ASSERT(play_channel_destroy(&s.p, &c));
	CU_ASSERT(scene_close(&s));
}

/* Frees objects in several orders while commands are pending. */
static void frees_while_running(void)
{
	for (unsigned round = 0; round < 8; round++) {
		struct scene s = {.group = 0};
		struct play_channel c[2];
		uint32_t words[32];
		uint32_t victims[6];
		size_t n;

		CU_ASSERT_FATAL(scene_open(&s) && scene_channel(&s, &c[0], 0) &&
				scene_channel(&s, &c[1], 1));
		CU_ASSERT_FATAL(play_schedule(&s.p, s.group));
		n = play_words(words, s.data.address + 0x1000, 7, s.data.address, 1);
		for (unsigned i = 0; i < 40; i++) {
			play_submit(&s.p, &c[i % 2], words, n);
		}
		victims[0] = c[0].error.handle;
		victims[1] = s.data.handle;
		victims[2] = s.ring.handle;
		victims[3] = s.push.handle;
		victims[4] = c[1].handle;
		victims[5] = s.p.space;
		for (unsigned i = 0; i < 6; i++) {
			CU_ASSERT(play_free(&s.p, victims[(i * 5 + round) % 6]) == 0);
		}
		CU_ASSERT(play_free(&s.p, c[0].handle) == 0);
		CU_ASSERT(play_free(&s.p, s.group) == 0);
		CU_ASSERT(play_is_absent(&s.p, c[0].handle));
		CU_ASSERT(play_free(&s.p, s.p.client) == 0);
		CU_ASSERT(play_free(&s.p, s.p.client) == KT_ABI_INVALID_CLIENT);
		/*
		 * Unmaps the rest, so that all device memory is free for the next round's
		 * client.
		 */
		CU_ASSERT(munmap((void *)(uintptr_t)s.ring.cpu, s.ring.bytes) == 0);
		CU_ASSERT(munmap((void *)(uintptr_t)s.push.cpu, s.push.bytes) == 0);
		CU_ASSERT(munmap((void *)(uintptr_t)s.data.cpu, s.data.bytes) == 0);
		for (uint64_t a = UINT64_C(0x200000000); a < s.p.next_address;
		     a += KT_ABI_BIG_PAGE) {
			play_free_external(&s.p, a, 0);
		}
		s.p.client = 0;
		play_close(&s.p);
	}
}

/* Commands write to the program's own registered memory. */
static void user_memory(void)
{
	struct scene s = {.group = 0};
	struct play_channel c;
	uint32_t *user = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t handle;
	uint32_t words[32];
	size_t n;

	CU_ASSERT_FATAL(scene_open(&s) && scene_channel(&s, &c, 0));
	CU_ASSERT_FATAL(play_schedule(&s.p, s.group));
	handle = s.p.next_handle++;
	CU_ASSERT(play_register(&s.p, handle, user, 8192) == 0);
	CU_ASSERT(play_create_external(&s.p, (uintptr_t)user, 8192) == 0);
	CU_ASSERT(play_map_external(&s.p, (uintptr_t)user, 8192, handle, 0) == 0);
	n = play_words(words, (uintptr_t)user + 4096, 99, s.data.address, 1);
	play_submit(&s.p, &c, words, n);
	CU_ASSERT(play_wait(&c, (volatile uint32_t *)s.data.cpu, 1));
	CU_ASSERT(*(volatile uint32_t *)(user + 1024) == 99);
	CU_ASSERT(play_free(&s.p, handle) == 0); /* also unmaps it */
	n = play_words(words, (uintptr_t)user + 4096, 100, s.data.address, 2);
	play_submit(&s.p, &c, words, n);
	CU_ASSERT(!play_wait(&c, (volatile uint32_t *)s.data.cpu, 2));
	CU_ASSERT(play_free_external(&s.p, (uintptr_t)user, 8192) == 0);
	CU_ASSERT(play_channel_destroy(&s.p, &c) && scene_close(&s));
	munmap(user, 8192);
}

static uint32_t free_kib(struct scene *s)
{
	struct kt_abi_fb_info fb = {.n = 1, .list = {{KT_ABI_FB_INFO_FREE_KIB, 0}}};

	CU_ASSERT(play_control(&s->p, s->p.subdevice, KT_ABI_GET_FB_INFO, &fb,
			       sizeof(fb)) == 0);
	return fb.list[0].data;
}

/* The memory of a channel's ring and USERD is not reused as long as the channel exists. */
static void channels_keep_their_memory(void)
{
	struct scene s = {.group = 0};
	struct play_channel c;
	uint32_t before;

	CU_ASSERT_FATAL(scene_open(&s) && scene_channel(&s, &c, 0));
	before = free_kib(&s);
	CU_ASSERT(play_memory_destroy(&s.p, &s.ring));
	CU_ASSERT_EQUAL(free_kib(&s), before);
	CU_ASSERT(play_channel_destroy(&s.p, &c));
	CU_ASSERT_EQUAL(free_kib(&s), before + 64);
	CU_ASSERT(play_memory_destroy(&s.p, &s.data));
	CU_ASSERT(play_memory_destroy(&s.p, &s.push));
	play_close(&s.p);
}

/*
 * Returns whether a new channel can write the value to the GPU address. An error may end
 * that channel.
 */
static bool can_write(struct scene *s, uint64_t address, uint32_t value)
{
	static unsigned i;
	struct play_channel c;
	uint32_t words[32];
	size_t n;
	bool done;

	i = (i + 1) % 16;
	*(volatile uint32_t *)s->data.cpu = 0;
	if (!scene_channel(s, &c, i) || !play_schedule(&s->p, s->group)) {
		return false;
	}
	n = play_words(words, address, value, s->data.address, 1);
	play_submit(&s->p, &c, words, n);
	done = play_wait(&c, (volatile uint32_t *)s->data.cpu, 1);
	return play_channel_destroy(&s->p, &c) && done;
}

/*
 * One object is mapped into the middle of another object. Each object must stay mapped
 * until it is freed.
 */
static void mapped_over(void)
{
	const uint64_t page = KT_ABI_PAGE;
	struct scene s = {.group = 0};
	struct play_memory a;
	struct play_memory b;

	CU_ASSERT_FATAL(scene_open(&s));
	CU_ASSERT_FATAL(
		play_memory_create(&s.p, &a, KT_ABI_CLASS_MEMORY_LOCAL, 3 * page, true));
	CU_ASSERT_FATAL(
		play_memory_create(&s.p, &b, KT_ABI_CLASS_MEMORY_LOCAL, page, true));
	CU_ASSERT(play_map_external(&s.p, a.address + page, page, b.handle, 0) == 0);
	CU_ASSERT(can_write(&s, a.address, 1));
	CU_ASSERT(can_write(&s, a.address + page, 2));
	CU_ASSERT(can_write(&s, a.address + 2 * page, 3));
	CU_ASSERT(*(volatile uint32_t *)a.cpu == 1);
	CU_ASSERT(*(volatile uint32_t *)(a.cpu + page) == 0);
	CU_ASSERT(*(volatile uint32_t *)b.cpu == 2);
	CU_ASSERT(*(volatile uint32_t *)(a.cpu + 2 * page) == 3);
	CU_ASSERT(play_free(&s.p, a.handle) == 0);
	CU_ASSERT(!can_write(&s, a.address, 4));
	CU_ASSERT(can_write(&s, a.address + page, 5));
	CU_ASSERT(!can_write(&s, a.address + 2 * page, 6));
	CU_ASSERT(play_free(&s.p, b.handle) == 0);
	CU_ASSERT(!can_write(&s, a.address + page, 7));
	CU_ASSERT(play_free_external(&s.p, a.address, 3 * page) == 0);
	CU_ASSERT(play_free_external(&s.p, b.address, page) == 0);
	munmap((void *)(uintptr_t)a.cpu, 3 * page);
	munmap((void *)(uintptr_t)b.cpu, page);
	CU_ASSERT(scene_close(&s));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"commands run and semaphores come", submits},
		{"the timer", time_goes_on},
		{"a channel's error reaches its notifier", errors_are_reported},
		{"objects freed in odd orders while channels run", frees_while_running},
		{"registered memory", user_memory},
		{"channels keep their memory", channels_keep_their_memory},
		{"memory mapped over other memory", mapped_over},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("KMD: submissions", tests);
}
