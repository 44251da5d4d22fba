/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/command-ordinals.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/split/collect.h"

static struct kt_ordinal *find(const struct kt_ordinals *o, uint32_t client,
			       uint32_t handle)
{
	for (size_t i = 0; i < o->n; i++) {
		if (o->live[i].handle == handle && o->live[i].client == client) {
			return &o->live[i];
		}
	}
	return NULL;
}

int kt_ordinals_alloc(struct kt_ordinals *o, uint32_t client, uint32_t handle,
		      uint32_t *ordinal)
{
	kt_ordinals_remove(o, client, handle);
	KT_TRY(kt_array_reserve(&o->live, &o->capacity, o->n + 1));
	*ordinal = o->total++;
	o->live[o->n++] = (struct kt_ordinal){client, handle, *ordinal, UINT64_MAX};
	return KT_OK;
}

int kt_ordinals_find(struct kt_ordinals *o, uint32_t client, uint32_t handle,
		     struct kt_ordinal **out)
{
	uint32_t ordinal;

	*out = find(o, client, handle);
	if (!*out) {
		KT_TRY(kt_ordinals_alloc(o, client, handle, &ordinal));
		*out = &o->live[o->n - 1];
	}
	return KT_OK;
}

uint32_t kt_ordinals_remove(struct kt_ordinals *o, uint32_t client, uint32_t handle)
{
	struct kt_ordinal *channel = find(o, client, handle);
	uint32_t ordinal = KT_NO_CHANNEL;

	if (channel) {
		ordinal = channel->ordinal;
		*channel = o->live[--o->n];
	}
	return ordinal;
}

uint32_t kt_ordinals_of_handle(const struct kt_ordinals *o, uint32_t handle)
{
	for (size_t i = 0; i < o->n; i++) {
		if (o->live[i].handle == handle) {
			return o->live[i].ordinal;
		}
	}
	return KT_NO_CHANNEL;
}

uint32_t kt_ordinals_of_token(const struct kt_ordinals *o, uint32_t token)
{
	for (size_t i = 0; i < o->n; i++) {
		if (o->live[i].token == token) {
			return o->live[i].ordinal;
		}
	}
	return KT_NO_CHANNEL;
}

void kt_ordinals_free(struct kt_ordinals *o)
{
	free(o->live);
	memset(o, 0, sizeof(*o));
}
