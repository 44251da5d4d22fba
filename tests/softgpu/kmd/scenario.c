/* SPDX-License-Identifier: MIT */
/*
 * Runs a minimal driver from start to end, to be recorded; every run has the same letters.
 * Exits with status 0 if all values arrived.
 * Usage: scenario [SUBMISSIONS]
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/softgpu/kmd/play.h"

/* Polls only the semaphore, so that the reads are one run, however long the wait takes. */
static bool wait_alone(const volatile uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) {
		usleep(1000);
	}
	return true;
}

static bool submit(struct play *p, struct play_channel *c, const struct play_memory *data,
		   uint32_t i)
{
	uint32_t words[32];
	size_t n = play_words(words, data->address + 4096, i * 3, data->address, i);

	play_submit(p, c, words, n);
	return wait_alone((const volatile uint32_t *)data->cpu, i) &&
	       *(const volatile uint32_t *)(data->cpu + 4096) == i * 3;
}

static bool use_user_memory(struct play *p)
{
	uint32_t handle = p->next_handle++;
	void *user = mmap(NULL, KT_ABI_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool done = user != MAP_FAILED &&
		    play_register(p, handle, user, KT_ABI_PAGE) == 0 &&
		    play_create_external(p, (uintptr_t)user, KT_ABI_PAGE) == 0 &&
		    play_map_external(p, (uintptr_t)user, KT_ABI_PAGE, handle, 0) == 0 &&
		    play_free_external(p, (uintptr_t)user, KT_ABI_PAGE) == 0 &&
		    play_free(p, handle) == 0;

	munmap(user, KT_ABI_PAGE);
	return done;
}

int main(int argc, char **argv)
{
	uint32_t submissions = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 3;
	struct play p;
	struct play_memory ring;
	struct play_memory push;
	struct play_memory data;
	struct play_channel c;
	uint32_t group;
	uint32_t share;
	bool done =
		play_open(&p) && play_group_create(&p, &group, &share) &&
		play_memory_create(&p, &ring, KT_ABI_CLASS_MEMORY_LOCAL, 65536, true) &&
		play_memory_create(&p, &push, KT_ABI_CLASS_MEMORY_SYSTEM, 1 << 20, true) &&
		play_memory_create(&p, &data, KT_ABI_CLASS_MEMORY_SYSTEM, 65536, true) &&
		play_channel_create(&p, &c, group, share, &ring, &push, 0) &&
		play_schedule(&p, group);

	for (uint32_t i = 1; done && i <= submissions; i++) {
		done = submit(&p, &c, &data, i);
	}
	done = done && use_user_memory(&p) && play_channel_destroy(&p, &c) &&
	       play_memory_destroy(&p, &data) && play_memory_destroy(&p, &push) &&
	       play_memory_destroy(&p, &ring) && play_free(&p, share) == 0 &&
	       play_free(&p, group) == 0;
	play_close(&p);
	return done ? 0 : 1;
}
