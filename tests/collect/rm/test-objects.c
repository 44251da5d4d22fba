/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "collect/preload/rm/objects.h"
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
	add(OTHER, OTHER, 1, 0x80, 0); /* the same handle in another client */
	seen.n = 0;
}

static void knows_classes_by_client(void)
{
	set_up();
	CU_ASSERT_EQUAL(kt_object_table_class(&kt_objects, CLIENT, 3), 0x71);
	CU_ASSERT_EQUAL(kt_object_table_class(&kt_objects, OTHER, 3), 0);
	add(CLIENT, 1, 3, 0x3e, 0); /* the handle is reused */
	CU_ASSERT_EQUAL(kt_object_table_class(&kt_objects, CLIENT, 3), 0x3e);
}

static void frees_pinned_by_address_then_from_the_bottom(void)
{
	static const uint32_t expected[] = {4, 3, 2, 1};

	set_up();
	kt_object_each_below(CLIENT, 1, 0, note, NULL);
	CU_ASSERT_EQUAL(seen.n, 4);
	CU_ASSERT_EQUAL(memcmp(seen.handles, expected, sizeof(expected)), 0);
	CU_ASSERT_EQUAL(kt_object_table_class(&kt_objects, CLIENT, 4),
			0x71); /* the visit freed nothing */
	kt_object_each_below(CLIENT, 1, 1, note, NULL);
	CU_ASSERT_EQUAL(kt_object_table_class(&kt_objects, CLIENT, 4), 0);
	CU_ASSERT_EQUAL(kt_object_table_class(&kt_objects, CLIENT, CLIENT), 0x41);
	CU_ASSERT_EQUAL(kt_object_table_class(&kt_objects, OTHER, 1), 0x80);
}

static void frees_a_client_with_all_it_holds(void)
{
	set_up();
	kt_object_each_below(CLIENT, CLIENT, 1, note, NULL);
	CU_ASSERT_EQUAL(seen.n, 5);
	CU_ASSERT_PTR_NULL(kt_object_table_find(&kt_objects, CLIENT, CLIENT));
	CU_ASSERT_PTR_NOT_NULL(kt_object_table_find(&kt_objects, OTHER, OTHER));
	seen.n = 0;
	kt_object_each_below(CLIENT, 77, 1, note, NULL);
	CU_ASSERT_EQUAL(seen.n, 0);
}

/* Freeing a handle frees its descendants even if the handle itself is unknown. */
static void frees_below_what_is_unknown(void)
{
	add(OTHER, 70, 71, 0x80, 0); /* the parent is unknown */
	add(OTHER, 71, 72, 0x80, 0);
	seen.n = 0;
	kt_object_each_below(OTHER, 70, 1, note, NULL);
	CU_ASSERT_EQUAL(seen.n, 2);
	CU_ASSERT_PTR_NULL(kt_object_table_find(&kt_objects, OTHER, 72));
	add(OTHER, 70, 71, 0x80, 0);
	seen.n = 0;
	/* The client itself is unknown in the second call. */
	kt_object_each_below(OTHER, OTHER, 1, note, NULL);
	kt_object_each_below(OTHER, OTHER, 1, note, NULL);
	CU_ASSERT_PTR_NULL(kt_object_table_find(&kt_objects, OTHER, 71));
}

/* --- tables with a limit --- */

#define LIMIT 256

static unsigned refused;

static bool reserve_some(void **items, size_t *capacity, size_t need, size_t size)
{
	size_t wanted = *capacity ? *capacity : 16;
	void *grown;

	if (need <= *capacity) {
		return true;
	}
	while (wanted < need) {
		wanted *= 2;
	}
	grown = wanted <= LIMIT ? malloc(wanted * size) : NULL;
	if (!grown) {
		refused++;
		return false;
	}
	if (*items) {
		memcpy(grown, *items, *capacity * size);
	}
	free(*items);
	*items = grown;
	*capacity = wanted;
	return true;
}

static void release_some(void *items, size_t capacity, size_t size)
{
	(void)capacity;
	(void)size;
	free(items);
}

static struct kt_object_table limited(void)
{
	refused = 0;
	return (struct kt_object_table){.reserve = reserve_some, .release = release_some};
}

static bool put(struct kt_object_table *table, uint32_t object, uint32_t parent)
{
	const struct kt_object o = {
		.client = CLIENT, .object = object, .parent = parent, .class_ = 0x80};

	return kt_object_table_add(table, &o);
}

static void count(const struct kt_object *object, void *context)
{
	(void)object;
	++*(size_t *)context;
}

static size_t take(struct kt_object_table *table, uint32_t object)
{
	size_t n = 0;

	kt_object_table_each_below(table, CLIENT, object, true, count, &n);
	return n;
}

/* A full table still follows frees, which need no space and release some. */
static void follows_frees_when_it_is_full(void)
{
	struct kt_object_table table = limited();
	size_t removed = 0;

	for (uint32_t i = 1; i <= LIMIT + 10; i++) {
		CU_ASSERT_EQUAL(put(&table, i, 0), i <= LIMIT);
	}
	CU_ASSERT_EQUAL(refused, 10);
	CU_ASSERT_EQUAL(kt_object_table_class(&table, CLIENT, LIMIT), 0x80);
	CU_ASSERT_EQUAL(kt_object_table_class(&table, CLIENT, LIMIT + 1), 0);
	for (uint32_t i = 0; i < 10 * LIMIT; i++) {
		removed += take(&table, 1 + i);
		CU_ASSERT(put(&table, i + LIMIT + 1, 0));
	}
	CU_ASSERT_EQUAL(removed, 10 * LIMIT);
	CU_ASSERT_EQUAL(refused, 10);
	CU_ASSERT_EQUAL(take(&table, CLIENT), LIMIT); /* every object of the client */
	CU_ASSERT_EQUAL(take(&table, CLIENT), 0);
	kt_object_table_clear(&table);
}

static void copies_all(void)
{
	struct kt_object_table table = limited();
	struct kt_object_table copy = limited();

	CU_ASSERT(kt_object_table_copy(&copy, &table));
	CU_ASSERT_EQUAL(take(&copy, CLIENT), 0);
	for (uint32_t i = 1; i <= 100; i++) {
		put(&table, i, i / 2);
		/* the copy gets more objects than the table, and thus a larger capacity */
		put(&copy, i, 0);
		put(&copy, i + 100, 0);
	}
	CU_ASSERT_EQUAL(take(&copy, CLIENT), 200);
	CU_ASSERT(kt_object_table_copy(&copy, &table));
	CU_ASSERT_EQUAL(take(&table, 1), 100);
	CU_ASSERT_EQUAL(kt_object_table_class(&copy, CLIENT, 77), 0x80);
	CU_ASSERT_EQUAL(take(&copy, 50), 2); /* objects 50 and 100 */
	CU_ASSERT_EQUAL(take(&copy, 1), 98);
	kt_object_table_clear(&copy);
	kt_object_table_clear(&table);
}

/* --- comparison with a slow table that is simple enough to verify --- */

static struct {
	struct kt_object items[LIMIT]; /* in order of allocation */
	size_t n;
} slow;

static struct kt_object visited[LIMIT];
static size_t n_visited;

static void visit(const struct kt_object *object, void *context)
{
	(void)context;
	visited[n_visited++] = *object;
}

static struct kt_object *slow_find(uint32_t client, uint32_t object)
{
	for (size_t i = 0; i < slow.n; i++) {
		if (slow.items[i].client == client && slow.items[i].object == object) {
			return &slow.items[i];
		}
	}
	return NULL;
}

static void slow_add(const struct kt_object *object)
{
	struct kt_object *there = slow_find(object->client, object->object);

	*(there ? there : &slow.items[slow.n++]) = *object;
}

static bool comes_first(const struct kt_object *x, const struct kt_object *y)
{
	return x->mapping && (!y->mapping || x->address < y->address);
}

/*
 * Fills below[] with the objects to be freed, in the order in which they are visited.
 * Returns their number.
 */
static size_t slow_below(uint32_t client, uint32_t object, struct kt_object *below)
{
	bool is_below[LIMIT] = {false};
	size_t n = 0;
	bool grows;

	do {
		grows = false;
		for (size_t i = 0; i < slow.n; i++) {
			const struct kt_object *o = &slow.items[i];
			bool hit = o->object == object || o->parent == object ||
				   object == client;

			for (size_t j = 0; j < slow.n && !hit; j++) {
				hit = is_below[j] && slow.items[j].object == o->parent &&
				      slow.items[j].client == client;
			}
			if (o->client == client && hit && !is_below[i]) {
				is_below[i] = grows = true;
			}
		}
	} while (grows);
	for (size_t i = slow.n; i-- > 0;) {
		size_t at = n;

		if (!is_below[i]) {
			continue;
		}
		for (; at > 0 && comes_first(&slow.items[i], &below[at - 1]); at--) {
			below[at] = below[at - 1];
		}
		below[at] = slow.items[i];
		n++;
	}
	return n;
}

static void slow_remove(const struct kt_object *removed, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct kt_object *o = slow_find(removed[i].client, removed[i].object);
		size_t n_after = (size_t)(slow.items + slow.n - o) - 1;

		memmove(o, o + 1, n_after * sizeof(*o));
		slow.n--;
	}
}

static uint64_t state = 1;

static uint32_t draw(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((state >> 33) % n);
}

/*
 * Few clients and handles, so that handles repeat. A parent may not exist, may be younger
 * than the object, or may be its descendant.
 */
static struct kt_object draw_object(uint32_t handles)
{
	struct kt_object object = {.client = 1 + draw(3),
				   .object = 1 + draw(handles),
				   .parent = draw(handles + 1),
				   .class_ = 1 + draw(1000)};

	if (draw(4) == 0) {
		object.mapping = 1 + draw(1000);
		object.address = draw(5);
	}
	return object;
}

static bool is_same(const struct kt_object *x, const struct kt_object *y)
{
	return x->client == y->client && x->object == y->object && x->parent == y->parent &&
	       x->class_ == y->class_ && x->mapping == y->mapping &&
	       x->address == y->address;
}

static bool same_visits(const struct kt_object *below, size_t n)
{
	bool same = n_visited == n;

	for (size_t i = 0; i < n && same; i++) {
		same = is_same(&visited[i], &below[i]);
	}
	return same;
}

static bool step(struct kt_object_table *table, uint32_t handles)
{
	static struct kt_object below[LIMIT];
	struct kt_object object = draw_object(handles);
	uint32_t what = draw(8);
	bool remove = what == 1;
	size_t n;

	if (what > 2) {
		slow_add(&object);
		return kt_object_table_add(table, &object);
	}
	n = slow_below(object.client, object.object, below);
	n_visited = 0;
	kt_object_table_each_below(table, object.client, object.object, remove, visit,
				   NULL);
	if (remove) {
		slow_remove(below, n);
	}
	return same_visits(below, n);
}

static bool same_objects(const struct kt_object_table *table, uint32_t handles)
{
	for (uint32_t client = 0; client <= 4; client++) {
		for (uint32_t object = 0; object <= handles + 1; object++) {
			const struct kt_object *want = slow_find(client, object);
			const struct kt_object *got =
				kt_object_table_find(table, client, object);

			if (!want != !got || (want && !is_same(want, got))) {
				return false;
			}
		}
	}
	return true;
}

static void does_what_a_slow_table_does(void)
{
	for (uint32_t round = 0; round < 300; round++) {
		struct kt_object_table table = limited();
		uint32_t handles = 1 + draw(LIMIT / 3);
		bool right = true;

		slow.n = 0;
		table.seed = round;
		for (uint32_t i = 0; i < 400 && right; i++) {
			right = step(&table, handles);
		}
		CU_ASSERT(right);
		CU_ASSERT(same_objects(&table, handles));
		kt_object_table_clear(&table);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"knows classes by client", knows_classes_by_client},
		{"frees pinned by address, then from the bottom",
		 frees_pinned_by_address_then_from_the_bottom},
		{"frees a client with all it holds", frees_a_client_with_all_it_holds},
		{"frees below what is unknown", frees_below_what_is_unknown},
		{"follows frees when it is full", follows_frees_when_it_is_full},
		{"copies all", copies_all},
		{"equals a slow table", does_what_a_slow_table_does},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("objects", tests);
}
