/* SPDX-License-Identifier: MIT */
/* Tests the contexts of channels: by random objects and an oracle, and with many objects.
 */
#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/stats/contexts.h"
#include "tests/suite.h"

#define SHARE 0x9067 /* FERMI_CONTEXT_SHARE_A */
#define GROUP 0xa06c

static struct kt_contexts contexts;

static void object(uint32_t client, uint32_t parent, uint32_t handle, uint32_t class_number,
		   bool freed)
{
	const struct kt_object_fields fields = {
		.freed = freed, .object = {client, parent, handle, class_number}};

	CU_ASSERT_EQUAL_FATAL(kt_contexts_object(&contexts, 1, &fields), KT_OK);
}

static void expect(uint32_t client, uint32_t handle, uint32_t share)
{
	CU_ASSERT_EQUAL(kt_contexts_of(&contexts, 1, client, handle), share);
}

/* A group without a share belongs to the newest existing share of its client. */
static void test_groups(void)
{
	object(1, 0, 0x10, GROUP, false);
	object(1, 0x10, 0x11, SHARE, false);
	object(1, 0x10, 0x12, 0xc86f, false); /* a channel in the group */
	object(1, 0, 0x20, GROUP, false);     /* follows 0x11 */
	object(1, 0, 0x30, GROUP, false);
	object(1, 0x30, 0x31, SHARE, false);
	object(2, 0, 0x40, GROUP, false); /* another client */
	object(1, 0, 0x31, 0, true);
	object(1, 0, 0x50, GROUP, false); /* follows 0x11 again */
	object(1, 0, 0x11, 0, true);
	object(1, 0, 0x60, GROUP, false);
	object(1, 0x60, 0x31, SHARE, false); /* the handle is used again */
	object(1, 0, 0x70, GROUP, false);
	expect(1, 0x10, 0x11);
	expect(1, 0x12, 0x11);
	expect(1, 0x20, 0x11);
	expect(1, 0x30, 0x31);
	expect(2, 0x40, 0);
	expect(1, 0x50, 0x11);
	expect(1, 0x60, 0x31);
	expect(1, 0x70, 0x31);
	kt_contexts_free(&contexts);
}

/* --- the oracle: all shares that exist, the newest last --- */

enum { CLIENTS = 3, HANDLES = 8, STEPS = 20000 };

static struct {
	uint32_t client;
	uint32_t handle;
} shares[STEPS];
static size_t n_shares;
static uint32_t of[CLIENTS][HANDLES];

static void oracle_free(uint32_t client, uint32_t handle)
{
	size_t kept = 0;

	for (size_t i = 0; i < n_shares; i++) {
		if (shares[i].client != client || shares[i].handle != handle) {
			shares[kept++] = shares[i];
		}
	}
	n_shares = kept;
}

static void oracle_object(uint32_t client, uint32_t parent, uint32_t handle, bool share)
{
	if (share) {
		shares[n_shares].client = client;
		shares[n_shares++].handle = handle;
		of[client][parent] = handle;
		return;
	}
	of[client][handle] = of[client][parent];
	for (size_t i = n_shares; i > 0 && !of[client][handle]; i--) {
		of[client][handle] =
			shares[i - 1].client == client ? shares[i - 1].handle : 0;
	}
}

/*
 * Handles are used again, even while their objects exist, as happens when events are lost.
 */
static void test_random(void)
{
	unsigned int seed = 1;

	for (int i = 0; i < STEPS; i++) {
		const unsigned int r = (unsigned int)rand_r(&seed);
		const uint32_t client = r / 64 % CLIENTS;
		const uint32_t parent = 1 + r / 256 % (HANDLES - 1);
		const uint32_t handle = 1 + r / 4096 % (HANDLES - 1);
		const bool share = r % 3 == 0;

		if (r % 3 == 2) {
			object(client, parent, handle, 0, true);
			oracle_free(client, handle);
		} else {
			object(client, parent, handle, share ? SHARE : GROUP, false);
			oracle_object(client, parent, handle, share);
		}
		for (uint32_t j = 1; j < HANDLES; j++) {
			expect(client, j, of[client][j]);
		}
	}
	kt_contexts_free(&contexts);
}

/*
 * With 50,000 contexts: a search through them for each of 250,000 freed objects, and for
 * each group of another client, would take 2e10 steps.
 */
static void test_many(void)
{
	const uint32_t n = 50000;

	for (uint32_t i = 1; i <= n; i++) {
		object(1, i, n + i, SHARE, false);
	}
	for (uint32_t i = 1; i <= 4 * n; i++) {
		object(1, 0, 2 * n + i, 0, true);
		object(2, 0, i, GROUP, false);
	}
	for (uint32_t i = 1; i < n; i++) {
		object(1, 0, n + i, 0, true);
	}
	object(1, 0, 7 * n, GROUP, false);
	expect(1, 7 * n, 2 * n);
	object(1, 0, 2 * n, 0, true);
	object(1, 0, 7 * n, GROUP, false);
	expect(1, 7 * n, 0);
	kt_contexts_free(&contexts);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"groups", test_groups},
		{"random objects", test_random},
		{"many contexts", test_many},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("contexts", tests);
}
