/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/channels.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "decode/methods.h"

/* Looks first where it was found last, then behind that: channels take turns. */
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

void kt_channels_free_object(struct kt_channels *c, uint32_t client, uint32_t handle)
{
	struct kt_channel *channel = find(c, client, handle);
	size_t kept = 0;

	if (channel) {
		kt_channel_decoder_free(channel->decoder);
		*channel = c->channels[--c->n];
	}
	for (size_t i = 0; i < c->n_objects; i++) {
		const struct kt_engine_object *o = &c->objects[i];

		if (o->client != client || (o->handle != handle && o->parent != handle)) {
			c->objects[kept++] = *o;
		}
	}
	c->n_objects = kept;
}

int kt_channels_alloc(struct kt_channels *c, const struct kt_engine_object *object)
{
	struct kt_channel *parent;

	kt_channels_free_object(c, object->client, object->handle);
	if (!kt_method_class_find(object->class_number)) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&c->objects, &c->objects_capacity, c->n_objects + 1));
	c->objects[c->n_objects++] = *object;
	parent = find(c, object->client, object->parent);
	if (parent) {
		kt_channel_decoder_allow(parent->decoder, object->class_number);
	}
	return KT_OK;
}

int kt_channels_find(struct kt_channels *c, struct kt_channel **out, uint32_t client,
		     uint32_t handle, uint32_t class_number)
{
	struct kt_channel *channel = find(c, client, handle);

	*out = channel;
	if (channel) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&c->channels, &c->capacity, c->n + 1));
	channel = &c->channels[c->n];
	*channel = (struct kt_channel){.client = client, .handle = handle};
	if (kt_channel_decoder_new(&channel->decoder, class_number)) {
		return kt_error(KT_E_MEMORY, "decode channel 0x%x: out of memory", handle);
	}
	for (size_t i = 0; i < c->n_objects; i++) {
		const struct kt_engine_object *o = &c->objects[i];

		if (o->client == client && o->parent == handle) {
			kt_channel_decoder_allow(channel->decoder, o->class_number);
		}
	}
	c->n++;
	*out = channel;
	return KT_OK;
}

void kt_channels_clear(struct kt_channels *c)
{
	for (size_t i = 0; i < c->n; i++) {
		kt_channel_decoder_free(c->channels[i].decoder);
	}
	free(c->channels);
	free(c->objects);
	memset(c, 0, sizeof(*c));
}
