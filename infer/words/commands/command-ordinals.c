/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/command-ordinals.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
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
	int code;

	kt_ordinals_remove(o, client, handle);
	code = kt_array_reserve(&o->live, &o->capacity, o->n + 1);
	if (!code) {
		*ordinal = o->total++;
		o->live[o->n++] = (struct kt_ordinal){client, handle, *ordinal, UINT64_MAX};
	}
	return code;
}

int kt_ordinals_find(struct kt_ordinals *o, uint32_t client, uint32_t handle,
		     struct kt_ordinal **out)
{
	uint32_t ordinal;
	int code = KT_OK;

	*out = find(o, client, handle);
	if (!*out) {
		code = kt_ordinals_alloc(o, client, handle, &ordinal);
		*out = code ? NULL : &o->live[o->n - 1];
	}
	return code;
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
