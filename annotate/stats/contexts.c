/* SPDX-License-Identifier: MIT */
#include "annotate/stats/contexts.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/memory/number-map.h"

#define CONTEXT_SHARE                                                                      \
	0x9067 /* FERMI_CONTEXT_SHARE_A: cl9067.h of open-gpu-kernel-modules */

struct share {
	uint32_t handle;
	bool freed;
	size_t before; /* number of the client's previous share, from 1; 0: none */
};

struct kt_context_objects {
	/* Client and handle of a group or channel -> handle of its context share. */
	struct kt_number_map of;
	/*
	 * Client and handle -> number of the newest share with this client and handle;
	 * client -> number of the client's newest share.
	 */
	struct kt_number_map by_handle;
	struct kt_number_map newest;
	struct share *shares; /* Owned by this: by number, from 1 */
	size_t n_shares;
	size_t capacity;
};

static uint64_t key(uint32_t client, uint32_t handle)
{
	return (uint64_t)client << 32 | handle;
}

static uint32_t share_of(const struct kt_context_objects *p, uint32_t client,
			 uint32_t handle)
{
	size_t share = kt_number_map_get(&p->of, key(client, handle));

	return share == KT_NOWHERE ? 0 : (uint32_t)share;
}

static int find(struct kt_contexts *contexts, uint64_t instance,
		struct kt_context_objects **out)
{
	KT_TRY(kt_array_reserve(&contexts->instances, &contexts->capacity,
				(size_t)instance + 1));
	while (contexts->n <= instance) {
		contexts->instances[contexts->n++] = NULL;
	}
	if (!contexts->instances[instance]) {
		contexts->instances[instance] = calloc(1, sizeof(**contexts->instances));
	}
	*out = contexts->instances[instance];
	return *out ? KT_OK : kt_no_memory("find contexts");
}

static size_t number_of(const struct kt_number_map *map, uint64_t of)
{
	const size_t number = kt_number_map_get(map, of);

	return number == KT_NOWHERE ? 0 : number;
}

static void remove_share(struct kt_context_objects *p, uint64_t share)
{
	const size_t number = number_of(&p->by_handle, share);

	if (number) {
		p->shares[number - 1].freed = true;
	}
}

static int add_share(struct kt_context_objects *p, const struct kt_engine_object *object)
{
	const uint64_t share = key(object->client, object->handle);

	remove_share(p, share); /* its handle is used again, so the share was freed */
	KT_TRY(kt_array_reserve(&p->shares, &p->capacity, p->n_shares + 1));
	p->shares[p->n_shares++] = (struct share){
		.handle = object->handle, .before = number_of(&p->newest, object->client)};
	KT_TRY(kt_number_map_set(&p->by_handle, share, p->n_shares));
	return kt_number_map_set(&p->newest, object->client, p->n_shares);
}

/*
 * Finds the newest share of a client that exists; *handle is 0 if there is none. Freed
 * shares are skipped only once, so the cost is amortised O(1).
 */
static int find_newest(struct kt_context_objects *p, uint32_t client, uint32_t *handle)
{
	const size_t newest = number_of(&p->newest, client);
	size_t number = newest;

	while (number && p->shares[number - 1].freed) {
		number = p->shares[number - 1].before;
	}
	*handle = number ? p->shares[number - 1].handle : 0;
	return number != newest ? kt_number_map_set(&p->newest, client, number) : KT_OK;
}

int kt_contexts_object(struct kt_contexts *contexts, uint64_t instance,
		       const struct kt_object_fields *fields)
{
	const struct kt_engine_object *object = &fields->object;
	struct kt_context_objects *p;
	uint32_t share;

	KT_TRY(find(contexts, instance, &p));
	if (fields->freed) {
		remove_share(p, key(object->client, object->handle));
		return KT_OK;
	}
	if (object->class_number == CONTEXT_SHARE) {
		KT_TRY(add_share(p, object));
		return kt_number_map_set(&p->of, key(object->client, object->parent),
					 object->handle);
	}
	share = share_of(p, object->client, object->parent);
	if (!share) {
		KT_TRY(find_newest(p, object->client, &share));
	}
	return kt_number_map_set(&p->of, key(object->client, object->handle), share);
}

uint32_t kt_contexts_of(const struct kt_contexts *contexts, uint64_t instance,
			uint32_t client, uint32_t channel)
{
	return instance < contexts->n && contexts->instances[instance]
		       ? share_of(contexts->instances[instance], client, channel)
		       : 0;
}

void kt_contexts_free(struct kt_contexts *contexts)
{
	for (size_t i = 0; i < contexts->n; i++) {
		if (contexts->instances[i]) {
			kt_number_map_free(&contexts->instances[i]->of);
			kt_number_map_free(&contexts->instances[i]->by_handle);
			kt_number_map_free(&contexts->instances[i]->newest);
			free(contexts->instances[i]->shares);
			free(contexts->instances[i]);
		}
	}
	free(contexts->instances);
	*contexts = (struct kt_contexts){.n = 0};
}
