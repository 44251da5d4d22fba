/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/channels.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "decode/methods.h"

/*
 * Searches from the channel that was found last, because the next event is often of that
 * channel or of the next channel in the array.
 */
static struct kt_channel *find(struct kt_channels *c, uint32_t client, uint32_t handle)
{
	for (size_t i = 0; i < c->n; i++) {
		size_t at = (c->last + i) % c->n;

		if (c->channels[at].handle == handle && c->channels[at].client == client) {
			c->last = at;
			return &c->channels[at];
		}
	}
	return NULL;
}

/*
 * Forgets an object and its children. If the object is a channel, forgets only its
 * subchannel bindings, and returns the channel; otherwise returns NULL.
 */
static struct kt_channel *forget(struct kt_channels *c, uint32_t client, uint32_t handle)
{
	struct kt_channel *channel = find(c, client, handle);
	size_t kept = 0;

	if (channel) {
		kt_channel_decoder_free(channel->decoder);
		channel->decoder = NULL;
		channel->counts = (struct kt_decode_counts){0};
		channel->ring = 0;
	}
	for (size_t i = 0; i < c->n_objects; i++) {
		const struct kt_engine_object *o = &c->objects[i];

		if (o->client != client || (o->handle != handle && o->parent != handle)) {
			c->objects[kept++] = *o;
		}
	}
	c->n_objects = kept;
	return channel;
}

uint32_t kt_channels_free_object(struct kt_channels *c, uint32_t client, uint32_t handle)
{
	struct kt_channel *channel = forget(c, client, handle);
	uint32_t ordinal = UINT32_MAX;

	if (channel) {
		ordinal = channel->ordinal;
		*channel = c->channels[--c->n];
	}
	return ordinal;
}

int kt_channels_add(struct kt_channels *c, uint32_t client, uint32_t handle,
		    uint32_t *ordinal)
{
	struct kt_channel *known = find(c, client, handle);

	if (known) {
		kt_channel_decoder_free(known->decoder);
		*known = c->channels[--c->n];
	}
	KT_TRY(kt_array_reserve(&c->channels, &c->capacity, c->n + 1));
	KT_TRY(kt_array_reserve(&c->handles, &c->handles_capacity, (size_t)c->total + 1));
	c->handles[c->total] = handle;
	*ordinal = c->total++;
	c->channels[c->n++] = (struct kt_channel){.client = client,
						  .handle = handle,
						  .ordinal = *ordinal,
						  .token = UINT64_MAX};
	return KT_OK;
}

uint32_t kt_channels_handle(const struct kt_channels *c, uint32_t ordinal)
{
	return ordinal < c->total ? c->handles[ordinal] : 0;
}

int kt_channels_alloc(struct kt_channels *c, const struct kt_engine_object *object)
{
	struct kt_channel *parent;

	forget(c, object->client, object->handle);
	if (!kt_method_class_find(object->class_number)) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&c->objects, &c->objects_capacity, c->n_objects + 1));
	c->objects[c->n_objects++] = *object;
	parent = find(c, object->client, object->parent);
	if (parent && parent->decoder) {
		kt_channel_decoder_allow(parent->decoder, object->class_number);
	}
	return KT_OK;
}

int kt_channels_get(struct kt_channels *c, struct kt_channel **out, uint32_t client,
		    uint32_t handle)
{
	uint32_t ordinal;

	*out = find(c, client, handle);
	if (!*out) {
		KT_TRY(kt_channels_add(c, client, handle, &ordinal));
		*out = &c->channels[c->n - 1];
	}
	return KT_OK;
}

int kt_channels_find(struct kt_channels *c, struct kt_channel **out, uint32_t client,
		     uint32_t handle, uint32_t class_number)
{
	KT_TRY(kt_channels_get(c, out, client, handle));
	if ((*out)->decoder) {
		return KT_OK;
	}
	if (kt_channel_decoder_new(&(*out)->decoder, class_number)) {
		return kt_error(KT_E_MEMORY, "decode channel 0x%x: out of memory", handle);
	}
	for (size_t i = 0; i < c->n_objects; i++) {
		const struct kt_engine_object *o = &c->objects[i];

		if (o->client == client && o->parent == handle) {
			kt_channel_decoder_allow((*out)->decoder, o->class_number);
		}
	}
	return KT_OK;
}

void kt_channels_gap(struct kt_channels *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->channels[i].decoder) {
			kt_channel_decoder_gap(c->channels[i].decoder);
		}
	}
}

void kt_channels_clear(struct kt_channels *c)
{
	for (size_t i = 0; i < c->n; i++) {
		kt_channel_decoder_free(c->channels[i].decoder);
	}
	free(c->channels);
	free(c->objects);
	free(c->handles);
	memset(c, 0, sizeof(*c));
}
