/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "collect/objects.h"
#include "tests/suite.h"

#define CLIENT 0xc1d00001u
#define OTHER  0xc1d00002u

static struct {
	uint32_t handles[16];
	size_t n;
} seen;

static void note(const struct kt_object *object, void *context)
{
	(void)context;
	seen.handles[seen.n++] = object->object;
}

static void add(uint32_t client, uint32_t parent, uint32_t object, uint32_t class,
		uint64_t pin)
{
	struct kt_object o = {.client = client,
			      .parent = parent,
			      .object = object,
			      .class_ = class,
			      .mapping = pin ? 9 : 0,
			      .address = pin};

	kt_object_add(&o);
}

static void set_up(void)
{
	add(CLIENT, 0, CLIENT, 0x41, 0);
	add(CLIENT, CLIENT, 1, 0x80, 0);
	add(CLIENT, 1, 2, 0x2080, 0);
	add(CLIENT, 1, 3, 0x71, 0x9000);
	add(CLIENT, 2, 4, 0x71, 0x5000);
	add(OTHER, 0, OTHER, 0x41, 0);
	add(OTHER, OTHER, 1, 0x80, 0); /* the same handle, another client's */
	seen.n = 0;
}

static void knows_classes_by_client(void)
{
	set_up();
	CU_ASSERT_EQUAL(kt_object_class(CLIENT, 3), 0x71);
	CU_ASSERT_EQUAL(kt_object_class(OTHER, 3), 0);
	add(CLIENT, 1, 3, 0x3e, 0); /* a handle is used again */
	CU_ASSERT_EQUAL(kt_object_class(CLIENT, 3), 0x3e);
}

static void frees_pinned_by_address_then_from_the_bottom(void)
{
	static const uint32_t expected[] = {4, 3, 2, 1};

	set_up();
	kt_object_each_below(CLIENT, 1, 0, note, NULL);
	CU_ASSERT_EQUAL(seen.n, 4);
	CU_ASSERT_EQUAL(memcmp(seen.handles, expected, sizeof(expected)), 0);
	CU_ASSERT_EQUAL(kt_object_class(CLIENT, 4), 0x71); /* only looked at */
	kt_object_each_below(CLIENT, 1, 1, note, NULL);
	CU_ASSERT_EQUAL(kt_object_class(CLIENT, 4), 0);
	CU_ASSERT_EQUAL(kt_object_class(CLIENT, CLIENT), 0x41);
	CU_ASSERT_EQUAL(kt_object_class(OTHER, 1), 0x80);
}

static void frees_a_client_with_all_it_holds(void)
{
	set_up();
	kt_object_each_below(CLIENT, CLIENT, 1, note, NULL);
	CU_ASSERT_EQUAL(seen.n, 5);
	CU_ASSERT_PTR_NULL(kt_object_find(CLIENT, CLIENT));
	CU_ASSERT_PTR_NOT_NULL(kt_object_find(OTHER, OTHER));
	seen.n = 0;
	kt_object_each_below(CLIENT, 77, 1, note, NULL);
	CU_ASSERT_EQUAL(seen.n, 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"knows classes by client", knows_classes_by_client},
		{"frees pinned by address, then from the bottom",
		 frees_pinned_by_address_then_from_the_bottom},
		{"frees a client with all it holds", frees_a_client_with_all_it_holds},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("objects", tests);
}
