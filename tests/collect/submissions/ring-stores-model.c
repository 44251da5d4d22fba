/* SPDX-License-Identifier: MIT */
/* After random operations, the recorder must know the same stores as a simple model. */
#include <stdlib.h>
#include <string.h>

#include "collect/preload/mappings/pages.h"
#include "tests/collect/submissions/ring-stores-rig.h"
#include "tests/suite.h"

/*
 * A dword is known if a store of the whole dword was observed and no later store can have
 * been missed.
 */
static struct {
	bool known[WORDS];
	bool open[PAGES]; /* open for writing */
	bool held;
} model;

static bool is_open(size_t at)
{
	return model.held || model.open[at / PAGE];
}

static void model_store(size_t at, size_t size, bool known)
{
	bool good = known && size <= 8 && !is_open(at) && !is_open(at + size - 1);

	for (size_t word = at / 4; word * 4 < at + size; word++) {
		model.known[word] = good && word * 4 >= at && word * 4 + 4 <= at + size;
	}
}

static void model_forget(size_t from, size_t to)
{
	memset(&model.known[from / 4], 0, (to - from) / 4 * sizeof(bool));
}

static void store_anything(void)
{
	static const size_t sizes[] = {1, 2, 4, 4, 4, 8, 8, 8, 16, 32, 100};
	size_t size = sizes[(size_t)rand() % 11];
	uint32_t channel = (uint32_t)rand() % CHANNELS;
	size_t near = rand() % 3 ? ring_word(channel) * 4 + (size_t)rand() % (ENTRIES * 8)
				 : put_word(channel) * 4 + (size_t)rand() % 16 - 8;
	size_t at = rand() % 8 ? near & ~(size_t)3 : near;
	bool known = size <= 8 && rand() % 8;
	uint64_t value = (uint64_t)rand() << 32 | (uint64_t)rand();

	store(at, size, known, value);
	model_store(at, size, known);
}

static void open_anything(struct kt_mapping *m)
{
	uint32_t page = (uint32_t)rand() % PAGES;
	uint32_t n = 1 + (uint32_t)rand() % (PAGES - page);

	if (model.held || m->n_windows == KT_WINDOW_MAX) {
		return;
	}
	CU_ASSERT_TRUE(
		kt_pages_open_window(m, m->start + page * PAGE, n * (size_t)PAGE, true));
	for (uint32_t i = page; i < page + n; i++) {
		model.open[i] = true;
		model_forget(i * PAGE, (i + 1) * PAGE);
	}
}

static void close_all(void)
{
	kt_pages_close_windows();
	for (uint32_t i = 0; i < PAGES; i++) {
		if (model.open[i]) {
			model_forget(i * PAGE, (i + 1) * PAGE);
		}
		model.open[i] = false;
	}
}

static void hold_or_release(struct kt_mapping *m)
{
	static struct kt_held held;

	if (model.held) {
		kt_pages_release(held);
		memset(model.open, 0, sizeof(model.open)); /* also closes all windows */
	} else {
		held = kt_pages_hold(m->start, 1);
	}
	model_forget(0, sizeof(model.known) * 4);
	model.held = !model.held;
}

/* The program writes to a page that is open, so the store is not observed. */
static void write_unseen(void)
{
	size_t at = (size_t)rand() % WORDS;

	if (is_open(at * 4)) {
		program[at] = (uint32_t)rand();
	}
}

static bool agrees(uint32_t channel)
{
	for (uint32_t i = 0; i < ENTRIES; i++) {
		uint32_t at = ring_word(channel) + 2 * i;
		bool known = model.known[at] && model.known[at + 1];
		uint64_t got = entry(channel, i);

		if (known != (got != UINT64_MAX) ||
		    (known && memcmp(&got, &memory[at], 8) != 0)) {
			return false;
		}
	}
	return model.known[put_word(channel)] == (put(channel) != UINT32_MAX) &&
	       (!model.known[put_word(channel)] ||
		put(channel) == memory[put_word(channel)]);
}

void knows_what_the_model_knows(void)
{
	struct kt_mapping *m = set_up(KT_WATCH_ALL);
	uint32_t most = 0;

	memset(&model, 0, sizeof(model));
	for (int step = 0; step < 100000; step++) {
		switch (rand() % 64) {
		case 0: open_anything(m); break;
		case 1:
		case 2: close_all(); break;
		case 3:
			if (step % 7 == 0 || model.held) {
				hold_or_release(m);
			}
			break;
		case 4: write_unseen(); break;
		default: store_anything(); break;
		}
		for (uint32_t i = 0; step % 3 == 0 && i < CHANNELS; i++) {
			CU_ASSERT_TRUE_FATAL(agrees(i));
		}
		most = count_known() > most ? count_known() : most;
	}
	/*
	 * The test is meaningful only if the model at some time knew more than the entries
	 * of one ring and one GP_PUT.
	 */
	CU_ASSERT_TRUE(most > ENTRIES + 100);
	if (model.held) {
		hold_or_release(m);
	}
	close_all();
	tear_down();
}
