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
	uint32_t client;
	uint32_t handle;
};

struct kt_context_objects {
	/* Client and handle of a group or channel -> handle of its context share. */
	struct kt_number_map of;
	struct share *shares; /* Owned by this: those that exist, the newest last */
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

static void remove_share(struct kt_context_objects *p,
			 const struct kt_engine_object *object)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n_shares; i++) {
		if (p->shares[i].client != object->client ||
		    p->shares[i].handle != object->handle) {
			p->shares[kept++] = p->shares[i];
		}
	}
	p->n_shares = kept;
}

int kt_contexts_object(struct kt_contexts *contexts, uint64_t instance,
		       const struct kt_object_fields *fields)
{
	const struct kt_engine_object *object = &fields->object;
	struct kt_context_objects *p;
	uint32_t share;

	KT_TRY(find(contexts, instance, &p));
	if (fields->freed) {
		remove_share(p, object);
		return KT_OK;
	}
	if (object->class_number == CONTEXT_SHARE) {
		KT_TRY(kt_array_reserve(&p->shares, &p->capacity, p->n_shares + 1));
		p->shares[p->n_shares++] = (struct share){object->client, object->handle};
		return kt_number_map_set(&p->of, key(object->client, object->parent),
					 object->handle);
	}
	share = share_of(p, object->client, object->parent);
	for (size_t i = p->n_shares; i > 0 && !share; i--) {
		if (p->shares[i - 1].client == object->client) {
			share = p->shares[i - 1].handle;
		}
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
			free(contexts->instances[i]->shares);
			free(contexts->instances[i]);
		}
	}
	free(contexts->instances);
	*contexts = (struct kt_contexts){.n = 0};
}
