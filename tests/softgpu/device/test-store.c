/* SPDX-License-Identifier: MIT */
/*
 * Tests the device's allocator, and that the program's heap contains no state of the
 * device.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <string.h>

#include "corpus/softgpu/device/system.h"
#include "rig.h"
#include "tests/suite.h"

#define PIECES 300

struct piece {
	unsigned char *at;
	size_t bytes;
	unsigned char mark;
};

static bool is_all(const struct piece *piece, unsigned char mark)
{
	for (size_t i = 0; i < piece->bytes; i++) {
		if (piece->at[i] != mark) {
			return false;
		}
	}
	return true;
}

static bool begin(struct kt_store *store, struct piece *piece, uint32_t *random)
{
	piece->bytes = rig_random(random) % 3 ? rig_random(random) % 1000 + 1
					      : rig_random(random) % 200000 + 1;
	piece->at = kt_store_take(store, piece->bytes);
	if (!piece->at || (uintptr_t)piece->at % 16 != 0 || !is_all(piece, 0)) {
		return false;
	}
	piece->mark = (unsigned char)rig_random(random);
	memset(piece->at, piece->mark, piece->bytes);
	return true;
}

static bool resize(struct kt_store *store, struct piece *piece, uint32_t *random)
{
	size_t bytes = rig_random(random) % 200000 + 1;
	unsigned char *at = kt_store_resize(store, piece->at, bytes);

	if (!at) {
		return false;
	}
	piece->at = at;
	piece->bytes = piece->bytes < bytes ? piece->bytes : bytes;
	if (!is_all(piece, piece->mark)) {
		return false;
	}
	piece->bytes = bytes;
	memset(at, piece->mark, bytes);
	return true;
}

static void test_pieces_are_apart_and_zero(void)
{
	struct kt_store store = {0};
	struct piece pieces[PIECES] = {{0}};
	uint32_t random = 5;
	bool ok = true;

	for (unsigned i = 0; ok && i < 20000; i++) {
		struct piece *piece = &pieces[rig_random(&random) % PIECES];

		if (!piece->at) {
			ok = begin(&store, piece, &random);
		} else if (rig_random(&random) % 3 == 0) {
			ok = resize(&store, piece, &random);
		} else {
			ok = is_all(piece, piece->mark);
			kt_store_give(&store, piece->at);
			piece->at = NULL;
		}
	}
	CU_ASSERT(ok);
	for (unsigned i = 0; i < PIECES; i++) {
		kt_store_give(&store, pieces[i].at);
	}
	kt_store_end(&store);
}

/* Left out with sanitizers, because they end the program at an allocation of that size. */
#ifndef KT_SANITIZED
static void test_what_is_too_much(void)
{
	struct kt_store store = {0};
	size_t too_much = SIZE_MAX - 100;
	unsigned char *some = kt_store_take(&store, 10);

	__asm__("" : "+r"(too_much)); /* hides the value from a compiler warning */
	CU_ASSERT(some != NULL);
	CU_ASSERT(kt_store_take(&store, too_much) == NULL);
	CU_ASSERT(kt_store_resize(&store, some, too_much) == NULL);
	kt_store_give(&store, some);
	kt_store_end(&store);
}
#endif

/*
 * A recorder may protect pages of the program's heap because a part of them is registered,
 * and an access to such a page by the device's thread would then be fatal. mallinfo2()
 * reports nothing for a sanitizer's heap.
 */
static void test_nothing_is_in_the_heap(void)
{
	struct rig rig;
	struct mallinfo2 before = mallinfo2();
	struct mallinfo2 after;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	rig_bind(&rig.channels[0]);
	rig_release(&rig.channels[0], RIG_DATA, 7);
	rig_submit(&rig.channels[0]);
	rig_ring(&rig.channels[0]);
	rig_run(&rig);
	after = mallinfo2();
	CU_ASSERT(*(uint32_t *)rig_at(&rig, RIG_DATA) == 7);
#ifndef KT_SANITIZED
	CU_ASSERT(after.uordblks == before.uordblks && after.hblks == before.hblks);
#else
	(void)before;
	(void)after;
#endif
	rig_close(&rig);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"pieces are apart and zero", test_pieces_are_apart_and_zero},
#ifndef KT_SANITIZED
		{"what is too much", test_what_is_too_much},
#endif
		{"nothing is in the heap", test_nothing_is_in_the_heap},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("store of the software GPU", tests);
}
