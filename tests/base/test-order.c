/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include <ktail/status.h>

#include "base/order.h"
#include "tests/suite.h"

struct item {
	char other;
	uint32_t key;
};

static const struct item items[] = {{'a', 2}, {'b', 0}, {'c', 2}, {'d', 4}, {'e', 0}};

static void expect(const struct kt_groups *groups, const char *const expected[5])
{
	for (size_t k = 0; k < 5; k++) {
		const char *letter = expected[k];

		for (size_t i = groups->first[k]; i < groups->first[k + 1]; i++) {
			CU_ASSERT_EQUAL(items[groups->member[i]].other, *letter++);
		}
		CU_ASSERT_EQUAL(*letter, '\0');
	}
}

static void groups_in_order(void)
{
	const uint32_t backwards[] = {4, 3, 2, 1, 0};
	struct kt_groups groups;

	CU_ASSERT_EQUAL_FATAL(kt_group(&groups, items, key, 5, 5, NULL, "test"), KT_OK);
	expect(&groups, (const char *const[]){"be", "", "ac", "", "d"});
	kt_groups_clear(&groups);
	CU_ASSERT_EQUAL_FATAL(kt_group(&groups, items, key, 5, 5, backwards, "test"),
			      KT_OK);
	expect(&groups, (const char *const[]){"eb", "", "ca", "", "d"});
	kt_groups_clear(&groups);
	CU_ASSERT_PTR_NULL(groups.first);
}

static void groups_nothing(void)
{
	const struct item *none = NULL;
	struct kt_groups groups;

	CU_ASSERT_EQUAL_FATAL(kt_group(&groups, none, key, 0, 3, NULL, "test"), KT_OK);
	CU_ASSERT_EQUAL(groups.first[0], 0);
	CU_ASSERT_EQUAL(groups.first[3], 0);
	kt_groups_clear(&groups);
	CU_ASSERT_EQUAL_FATAL(kt_group(&groups, none, key, 0, 0, NULL, "test"), KT_OK);
	kt_groups_clear(&groups);
}

static void compares_numbers(void)
{
	const uint32_t narrow[] = {1, UINT32_MAX};
	const uint64_t wide[] = {1, UINT64_MAX};

	CU_ASSERT(kt_compare_u32(&narrow[0], &narrow[1]) < 0);
	CU_ASSERT(kt_compare_u32(&narrow[1], &narrow[0]) > 0);
	CU_ASSERT_EQUAL(kt_compare_u32(&narrow[1], &narrow[1]), 0);
	CU_ASSERT(kt_compare_u64(&wide[0], &wide[1]) < 0);
	CU_ASSERT(kt_compare_u64(&wide[1], &wide[0]) > 0);
	CU_ASSERT_EQUAL(kt_compare_u64(&wide[0], &wide[0]), 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"groups in order", groups_in_order},
		{"groups nothing", groups_nothing},
		{"compares numbers", compares_numbers},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("order", tests);
}
