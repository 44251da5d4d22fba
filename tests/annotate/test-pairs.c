/* SPDX-License-Identifier: MIT */
/*
 * Tests setup and teardown of resources: by hand, and by random trees of objects against an
 * oracle.
 */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/pairs/pair-sums.h"
#include "annotate/pairs/pairs.h"
#include "decode/ioctls.h"
#include "tests/suite.h"

/* --- a process, event by event --- */

struct hand {
	struct kt_pairs pairs;
	struct kt_moment moment;
};

static const struct kt_activity_visitor *const v = &kt_pairs_visitor;

static void open_hand(struct hand *h, uint32_t ppid)
{
	const struct kt_process_begin_fields fields = {.ppid = ppid, .access = "coalesced"};

	memset(h, 0, sizeof(*h));
	h->moment = (struct kt_moment){.pid = 10, .tid = 11, .process = "app"};
	CU_ASSERT_EQUAL(v->begin(&h->pairs, "trace"), KT_OK);
	CU_ASSERT_EQUAL(v->process_begin(&h->pairs, &h->moment, &fields), KT_OK);
}

static const struct kt_moment *next(struct hand *h)
{
	h->moment.seq++;
	h->moment.time += 1000;
	return &h->moment;
}

static void close_hand(struct hand *h, const char *reason)
{
	const struct kt_process_end_fields fields = {.reason = reason};

	if (reason) {
		CU_ASSERT_EQUAL(v->process_end(&h->pairs, next(h), &fields), KT_OK);
	}
	CU_ASSERT_EQUAL(v->end(&h->pairs), KT_OK);
}

static void object(struct hand *h, bool freed, uint32_t parent, uint32_t handle)
{
	const struct kt_object_fields fields = {.freed = freed,
						.object = {.client = 1,
							   .parent = parent,
							   .handle = handle,
							   .class_number = 0x40}};

	CU_ASSERT_EQUAL(v->object(&h->pairs, next(h), &fields), KT_OK);
}

static void free_ioctl(struct hand *h, uint32_t handle, uint32_t status)
{
	const struct kt_call call = {.what = {.family = KT_IOCTL_RM,
					      .nr = KT_NR_FREE,
					      .request = "NV_ESC_RM_FREE"},
				     .client = 1,
				     .object = handle,
				     .status = status};

	CU_ASSERT_EQUAL(v->ioctl(&h->pairs, next(h), &call), KT_OK);
}

static void map(struct hand *h, uint32_t mapping, uint64_t length)
{
	const struct kt_map_fields fields = {
		.space = "sys", .mapping = mapping, .address = 0x1000, .length = length};

	CU_ASSERT_EQUAL(v->map(&h->pairs, next(h), &fields), KT_OK);
}

static void unmap(struct hand *h, uint32_t mapping, uint64_t length)
{
	const struct kt_unmap_fields fields = {
		.space = "sys", .mapping = mapping, .length = length};

	CU_ASSERT_EQUAL(v->unmap(&h->pairs, next(h), &fields), KT_OK);
}

static enum kt_resource_end end_of(const struct hand *h, size_t i)
{
	CU_ASSERT_TRUE_FATAL(i < h->pairs.n);
	return h->pairs.resources[i].end;
}

/* --- mappings and files --- */

static void test_mappings(void)
{
	struct hand h;

	open_hand(&h, 1);
	map(&h, 1, 0x3000);
	map(&h, 2, 0x1000);
	map(&h, 3, 0x1000);
	unmap(&h, 1, 0x1000); /* a part of the mapping */
	unmap(&h, 2, 0x1000);
	unmap(&h, 2, 0x1000); /* the mapping is already gone */
	unmap(&h, 9, 0x1000);
	CU_ASSERT_EQUAL(end_of(&h, 0), KT_END_OPEN);
	unmap(&h, 1, 0x2000);
	close_hand(&h, "exit");
	CU_ASSERT_EQUAL(end_of(&h, 0), KT_END_OWN);
	CU_ASSERT_EQUAL(h.pairs.resources[0].down.seq - h.pairs.resources[0].up.seq, 7);
	CU_ASSERT_EQUAL(end_of(&h, 1), KT_END_OWN);
	CU_ASSERT_EQUAL(end_of(&h, 2), KT_END_LEFT);
	CU_ASSERT_EQUAL_FATAL(h.pairs.n_wrong, 2);
	CU_ASSERT_EQUAL(h.pairs.wrong[0].misstep, KT_MISSTEP_TWICE);
	CU_ASSERT_EQUAL(h.pairs.wrong[0].id, 2);
	CU_ASSERT_EQUAL(h.pairs.wrong[1].misstep, KT_MISSTEP_UNKNOWN);
	kt_pairs_free(&h.pairs);
}

static void device(struct hand *h, bool opens, int32_t fd, int32_t error)
{
	const struct kt_device_fields fields = {
		.device = "nvidia0", .fd = fd, .error = error};

	CU_ASSERT_EQUAL(opens ? v->device_open(&h->pairs, next(h), &fields)
			      : v->device_close(&h->pairs, next(h), &fields),
			KT_OK);
}

static void test_files(void)
{
	struct hand h;

	open_hand(&h, 1);
	device(&h, true, 5, 0);
	device(&h, true, -1, 13);
	device(&h, true, 6, 0);
	device(&h, false, 5, 0);
	device(&h, true, 5, 0); /* reuses the file descriptor */
	device(&h, true, 6, 0); /* the close of the previous 6 was not recorded */
	device(&h, false, 7, 0);
	close_hand(&h, NULL); /* the process's end was not recorded */
	CU_ASSERT_EQUAL(h.pairs.n, 4);
	CU_ASSERT_EQUAL(end_of(&h, 0), KT_END_OWN);
	CU_ASSERT_EQUAL(end_of(&h, 1), KT_END_REPLACED);
	CU_ASSERT_EQUAL(end_of(&h, 2), KT_END_OPEN);
	CU_ASSERT_EQUAL(end_of(&h, 3), KT_END_OPEN);
	CU_ASSERT_EQUAL(h.pairs.n_wrong, 1);
	CU_ASSERT_EQUAL(h.pairs.wrong[0].misstep, KT_MISSTEP_INHERITED);
	kt_pairs_free(&h.pairs);
}

static void test_exec(void)
{
	const struct kt_process_end_fields fields = {.reason = "exec"};
	struct hand h;

	open_hand(&h, 1);
	map(&h, 1, 0x1000);
	map(&h, 2, 0x1000);
	CU_ASSERT_EQUAL(v->process_end(&h.pairs, next(&h), &fields), KT_OK);
	unmap(&h, 1, 0x1000); /* the exec failed: the process goes on */
	close_hand(&h, NULL);
	CU_ASSERT_EQUAL(end_of(&h, 0), KT_END_OWN);
	CU_ASSERT_EQUAL(end_of(&h, 1), KT_END_EXEC);
	CU_ASSERT_EQUAL(h.pairs.n_wrong, 0);
	kt_pairs_free(&h.pairs);
}

/* --- objects --- */

static void test_ancestor(void)
{
	struct hand h;

	open_hand(&h, 1);
	object(&h, false, 1, 1); /* 0: the client */
	object(&h, false, 1, 2); /* 1: a device below the client */
	object(&h, false, 2, 3); /* 2: below the device */
	object(&h, false, 3, 4); /* 3: below object 3 */
	object(&h, false, 1, 5); /* 4: beside the device */
	free_ioctl(&h, 4, 0);
	object(&h, true, 3, 4);
	free_ioctl(&h, 2, 0x1f); /* refused */
	CU_ASSERT_EQUAL(end_of(&h, 1), KT_END_OPEN);
	free_ioctl(&h, 2, 0);
	object(&h, true, 2, 3);
	object(&h, true, 1, 2);
	free_ioctl(&h, 2, 0x1f); /* already freed */
	free_ioctl(&h, 0x77, 0); /* never allocated */
	object(&h, true, 1, 0x77);
	close_hand(&h, "exit");
	CU_ASSERT_EQUAL(end_of(&h, 0), KT_END_LEFT);
	CU_ASSERT_EQUAL(end_of(&h, 1), KT_END_OWN);
	CU_ASSERT_EQUAL(end_of(&h, 2), KT_END_ANCESTOR);
	CU_ASSERT_EQUAL(end_of(&h, 3), KT_END_OWN);
	CU_ASSERT_EQUAL(end_of(&h, 4), KT_END_LEFT);
	CU_ASSERT_EQUAL_FATAL(h.pairs.n_wrong, 2);
	CU_ASSERT_EQUAL(h.pairs.wrong[0].misstep, KT_MISSTEP_TWICE);
	CU_ASSERT_STRING_EQUAL(h.pairs.wrong[0].kind, "NV01_MEMORY_LOCAL_USER");
	CU_ASSERT_EQUAL(h.pairs.wrong[1].misstep, KT_MISSTEP_UNKNOWN);
	kt_pairs_free(&h.pairs);
}

/* Equal resources share one row, which shows the first. */
static void test_sums(void)
{
	static const char *const paths[] = {"here"};
	struct kt_table table;
	struct hand h;

	open_hand(&h, 1);
	map(&h, 1, 0x1000);
	object(&h, false, 1, 2);
	map(&h, 2, 0x1000);
	map(&h, 3, 0x1000);
	unmap(&h, 2, 0x1000);
	object(&h, true, 1, 0x77);
	object(&h, true, 1, 0x78);
	close_hand(&h, "exit");
	CU_ASSERT_EQUAL(kt_pair_sums_left(&table, &h.pairs, paths), KT_OK);
	CU_ASSERT_EQUAL_FATAL(table.n_rows, 2);
	CU_ASSERT_EQUAL(kt_table_row(&table, 0)[0].number, 2);
	CU_ASSERT_STRING_EQUAL(kt_table_row(&table, 0)[1].text, "mapping");
	CU_ASSERT_STRING_EQUAL(kt_table_row(&table, 0)[5].text, "here");
	CU_ASSERT_EQUAL(kt_table_row(&table, 0)[7].number, 1);
	CU_ASSERT_EQUAL(kt_table_row(&table, 1)[0].number, 1);
	CU_ASSERT_STRING_EQUAL(kt_table_row(&table, 1)[1].text, "object");
	kt_table_free(&table);
	CU_ASSERT_EQUAL(kt_pair_sums_wrong(&table, &h.pairs, paths), KT_OK);
	CU_ASSERT_EQUAL_FATAL(table.n_rows, 1);
	CU_ASSERT_EQUAL(kt_table_row(&table, 0)[0].number, 2);
	CU_ASSERT_STRING_EQUAL(kt_table_row(&table, 0)[3].text, "unknown");
	kt_table_free(&table);
	kt_pairs_free(&h.pairs);
}

/* --- memory that the API registers, and counts of allocations --- */

static void api_call(struct hand *h, const char *api, const char *name, uint64_t argument,
		     int32_t result)
{
	struct kt_activity_call call = {.api = api,
					.name = name,
					.function = kt_api_function_find(name),
					.arguments = {argument, 0x2000, 0},
					.n_arguments = 3,
					.returned = true,
					.known = true,
					.result = result};

	CU_ASSERT_PTR_NOT_NULL_FATAL(call.function);
	next(h);
	h->moment.call = &call;
	CU_ASSERT_EQUAL(v->call_exit(&h->pairs, &h->moment, &call), KT_OK);
	h->moment.call = NULL;
}

static void test_registered(void)
{
	struct hand h;

	open_hand(&h, 1);
	api_call(&h, "driver", "cuMemHostRegister_v2", 0x7000, 0);
	api_call(&h, "runtime", "cudaHostRegister", 0x7000, 0);
	api_call(&h, "driver", "cuMemHostRegister_v2", 0x9000, 1); /* failed */
	api_call(&h, "driver", "cuMemHostUnregister", 0x7000, 0);
	api_call(&h, "driver", "cuMemHostRegister_v2", 0x8000, 0);
	close_hand(&h, "exit");
	CU_ASSERT_EQUAL_FATAL(h.pairs.n, 2);
	CU_ASSERT_EQUAL(h.pairs.resources[0].group, KT_RESOURCE_MEMORY);
	CU_ASSERT_EQUAL(h.pairs.resources[0].bytes, 0x2000);
	CU_ASSERT_STRING_EQUAL(h.pairs.resources[0].up.call, "cuMemHostRegister_v2");
	CU_ASSERT_EQUAL(end_of(&h, 0), KT_END_OWN);
	CU_ASSERT_EQUAL(end_of(&h, 1), KT_END_LEFT);
	kt_pairs_free(&h.pairs);
}

static void test_counted(void)
{
	struct kt_table table;
	struct hand h;

	open_hand(&h, 1);
	api_call(&h, "driver", "cuMemAlloc_v2", 1, 0);
	api_call(&h, "driver", "cuMemAllocManaged", 1, 0);
	api_call(&h, "driver", "cuMemFree_v2", 1, 0);
	api_call(&h, "driver", "cuMemFree_v2", 1, 400);
	free_ioctl(&h, 1, 0);
	CU_ASSERT_EQUAL(kt_pair_counts_table(&table, &h.pairs.counts), KT_OK);
	CU_ASSERT_EQUAL_FATAL(table.n_rows, 1);
	CU_ASSERT_STRING_EQUAL(kt_table_row(&table, 0)[0].text, "cuMemAlloc");
	CU_ASSERT_EQUAL(kt_table_row(&table, 0)[2].number, 2);
	CU_ASSERT_EQUAL(kt_table_row(&table, 0)[3].number, 1);
	kt_table_free(&table);
	close_hand(&h, NULL);
	kt_pairs_free(&h.pairs);
}

/* --- random trees --- */

#define HANDLES 12

/* The oracle: the live objects and their parents. */
struct tree {
	bool alive[HANDLES + 1];
	bool ever[HANDLES + 1];
	uint32_t parent[HANDLES + 1];
	size_t up, own, ancestor, replaced, missed;
};

static bool is_below(const struct tree *t, uint32_t handle, uint32_t ancestor)
{
	for (int steps = 0; steps <= HANDLES && handle; steps++) {
		handle = t->parent[handle];
		if (handle == ancestor) {
			return true;
		}
		if (handle <= HANDLES && !t->alive[handle]) {
			return false;
		}
	}
	return false;
}

static void oracle_free(struct tree *t, uint32_t handle)
{
	bool below[HANDLES + 1] = {false};

	if (!t->alive[handle]) {
		t->missed++;
		return;
	}
	for (uint32_t i = 1; i <= HANDLES; i++) {
		below[i] = i != handle && t->alive[i] && is_below(t, i, handle);
	}
	t->alive[handle] = false;
	t->own++;
	for (uint32_t i = 1; i <= HANDLES; i++) {
		t->alive[i] = t->alive[i] && !below[i];
		t->ancestor += below[i];
	}
}

static unsigned draw(unsigned *seed, unsigned n)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 16) % n;
}

/* Allocates an object whose parent is alive or 0, unless the handle is in use. */
static void grow(struct hand *h, struct tree *t, unsigned *seed)
{
	uint32_t handle = 1 + draw(seed, HANDLES);
	uint32_t parent = draw(seed, HANDLES + 1);

	if (t->alive[handle] || (parent && !t->alive[parent]) || parent == handle) {
		return;
	}
	object(h, false, parent, handle);
	t->alive[handle] = true;
	t->parent[handle] = parent;
	t->up++;
}

static size_t count(const struct hand *h, enum kt_resource_end end)
{
	size_t n = 0;

	for (size_t i = 0; i < h->pairs.n; i++) {
		n += h->pairs.resources[i].end == end;
	}
	return n;
}

static bool tree_agrees(unsigned seed)
{
	struct tree t = {.up = 0};
	struct hand h;
	bool same;

	open_hand(&h, 1);
	for (int i = 0; i < 80; i++) {
		uint32_t handle = 1 + draw(&seed, HANDLES);

		if (draw(&seed, 3)) {
			grow(&h, &t, &seed);
		} else {
			free_ioctl(&h, handle, t.alive[handle] ? 0 : 0x1f);
			oracle_free(&t, handle);
		}
	}
	close_hand(&h, "exit");
	same = h.pairs.n == t.up && count(&h, KT_END_OWN) == t.own &&
	       count(&h, KT_END_ANCESTOR) == t.ancestor &&
	       count(&h, KT_END_LEFT) == t.up - t.own - t.ancestor &&
	       h.pairs.n_wrong == t.missed;
	kt_pairs_free(&h.pairs);
	return same;
}

static void test_random(void)
{
	for (unsigned seed = 1; seed <= 2000; seed++) {
		bool same = tree_agrees(seed);

		CU_ASSERT_TRUE(same);
		if (!same) {
			printf("seed %u\n", seed);
			return;
		}
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"mappings, whole and in parts", test_mappings},
		{"device files", test_files},
		{"an exec that fails", test_exec},
		{"objects and what is below them", test_ancestor},
		{"what is alike, summed up", test_sums},
		{"memory that the API registers", test_registered},
		{"what can only be counted", test_counted},
		{"random trees of objects", test_random},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("pairs", tests);
}
