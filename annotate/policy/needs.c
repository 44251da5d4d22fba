/* SPDX-License-Identifier: MIT */
#include "annotate/policy/needs.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "decode/classes.h"
#include "decode/controls.h"
#include "decode/ioctls.h"

const char *const kt_need_kind_names[KT_NEED_KINDS + 1] = {
	[KT_NEED_FILE] = "file",       [KT_NEED_REQUEST] = "request", [KT_NEED_UVM] = "uvm",
	[KT_NEED_CONTROL] = "control", [KT_NEED_CLASS] = "class",     [KT_NEED_MAP] = "map",
};

bool kt_need_same(const struct kt_need *a, const struct kt_need *b)
{
	return a->kind == b->kind && a->number == b->number &&
	       strcmp(a->space, b->space) == 0 &&
	       (!a->request || !b->request || a->request == b->request) &&
	       (!a->device[0] || !b->device[0] || strcmp(a->device, b->device) == 0);
}

/* Compares needs in the order of kt_needs.items. */
static int compare(const void *key, const void *item)
{
	const struct kt_need *a = key;
	const struct kt_need *b = item;
	int order = (int)a->kind - (int)b->kind;

	order = order ? order : (a->number > b->number) - (a->number < b->number);
	order = order ? order : strcmp(a->space, b->space);
	order = order ? order : strcmp(a->device, b->device);
	return order ? order : (a->request > b->request) - (a->request < b->request);
}

void kt_needs_begin(struct kt_needs *needs)
{
	needs->recordings++;
	needs->driver = KT_NEED_DRIVERS;
}

int kt_needs_driver(struct kt_needs *needs, const char *version)
{
	const char *kept;

	for (size_t i = 0; i < needs->n_drivers; i++) {
		if (strcmp(needs->drivers[i], version) == 0) {
			needs->driver = i;
			return KT_OK;
		}
	}
	if (needs->n_drivers == KT_NEED_DRIVERS) {
		needs->driver = KT_NEED_DRIVERS;
		return KT_OK;
	}
	kept = kt_texts_keep(&needs->texts, version);
	if (!kept) {
		return KT_E_MEMORY;
	}
	needs->driver = needs->n_drivers;
	needs->drivers[needs->n_drivers++] = kept;
	return KT_OK;
}

/* Finds a need, or adds it with all counts 0. */
static int find_or_add(struct kt_need **out, struct kt_needs *needs,
		       const struct kt_need *need)
{
	size_t at;

	if (!kt_array_find(&at, need, needs->items, needs->n, compare)) {
		struct kt_need added = *need;

		added.device = kt_texts_keep(&needs->texts, need->device);
		added.space = kt_texts_keep(&needs->texts, need->space);
		added.call = kt_texts_keep(&needs->texts, need->call ? need->call : "");
		added.path = kt_texts_keep(&needs->texts, need->path ? need->path : "");
		if (!added.device || !added.space || !added.call || !added.path) {
			return KT_E_MEMORY;
		}
		added.calls = 0;
		added.failed = 0;
		added.recordings = 0;
		added.drivers = 0;
		added.only = "";
		added.last = 0;
		KT_TRY(kt_array_insert(&needs->items, &needs->capacity, &needs->n, at));
		needs->items[at] = added;
	}
	*out = &needs->items[at];
	return KT_OK;
}

int kt_needs_count(struct kt_needs *needs, const struct kt_need *need)
{
	struct kt_need *found;

	KT_TRY(find_or_add(&found, needs, need));
	found->calls += need->calls;
	found->failed += need->failed;
	if (found->last != needs->recordings) {
		found->last = needs->recordings;
		found->recordings++;
	}
	if (needs->driver < KT_NEED_DRIVERS) {
		found->drivers |= (uint64_t)1 << needs->driver;
	}
	return KT_OK;
}

int kt_needs_set_recordings(struct kt_needs *needs, const struct kt_need *need, uint64_t n)
{
	struct kt_need *found;

	KT_TRY(find_or_add(&found, needs, need));
	found->recordings = n;
	return KT_OK;
}

int kt_needs_merge(struct kt_needs *needs, const struct kt_needs *more)
{
	size_t index[KT_NEED_DRIVERS];

	for (size_t i = 0; i < more->n_drivers; i++) {
		KT_TRY(kt_needs_driver(needs, more->drivers[i]));
		index[i] = needs->driver;
	}
	for (size_t i = 0; i < more->n; i++) {
		const struct kt_need *need = &more->items[i];
		struct kt_need *found;

		KT_TRY(find_or_add(&found, needs, need));
		found->calls += need->calls;
		found->failed += need->failed;
		found->recordings += need->recordings;
		for (size_t d = 0; d < more->n_drivers; d++) {
			if (need->drivers >> d & 1 && index[d] < KT_NEED_DRIVERS) {
				found->drivers |= (uint64_t)1 << index[d];
			}
		}
	}
	needs->recordings += more->recordings;
	return KT_OK;
}

const struct kt_need *kt_needs_find(const struct kt_needs *needs,
				    const struct kt_need *need)
{
	for (size_t i = 0; i < needs->n; i++) {
		if (kt_need_same(&needs->items[i], need)) {
			return &needs->items[i];
		}
	}
	return NULL;
}

/*
 * Joins needs whose device is unknown, because they come from letters. Such a need is added
 * to the need that differs only in having a known device, if there is exactly one such
 * need.
 */
static void join_unknown(struct kt_needs *needs)
{
	size_t kept = 0;

	for (size_t i = 0; i < needs->n; i++) {
		const struct kt_need *need = &needs->items[i];
		struct kt_need *known = NULL;
		size_t found = 0;

		for (size_t k = 0; !need->device[0] && k < needs->n; k++) {
			if (needs->items[k].device[0] &&
			    kt_need_same(&needs->items[k], need)) {
				known = &needs->items[k];
				found++;
			}
		}
		if (found == 1) {
			known->calls += need->calls;
			known->failed += need->failed;
			known->recordings += need->recordings;
			known->drivers |= need->drivers;
		} else {
			needs->items[kept++] = *need;
		}
	}
	needs->n = kept;
}

int kt_needs_settle(struct kt_needs *needs)
{
	join_unknown(needs);
	for (size_t i = 0; i < needs->n; i++) {
		struct kt_need *need = &needs->items[i];
		char text[1024] = "only";
		size_t used = strlen(text);
		size_t found = 0;

		for (size_t d = 0; d < needs->n_drivers; d++) {
			if (need->drivers >> d & 1 && used < sizeof(text)) {
				used += (size_t)snprintf(text + used, sizeof(text) - used,
							 " %s", needs->drivers[d]);
				found++;
			}
		}
		need->only = "";
		if (found > 0 && found < needs->n_drivers) {
			need->only = kt_texts_keep(&needs->texts, text);
		}
		if (!need->only) {
			return KT_E_MEMORY;
		}
	}
	return KT_OK;
}

void kt_needs_free(struct kt_needs *needs)
{
	free(needs->items);
	kt_texts_free(&needs->texts);
	*needs = (struct kt_needs){.n = 0};
}

const char *kt_need_name(const struct kt_need *need)
{
	const char *name = NULL;
	const struct kt_class *class_;

	switch (need->kind) {
	case KT_NEED_REQUEST: name = kt_ioctl_name(KT_IOCTL_RM, need->number); break;
	case KT_NEED_UVM: name = kt_ioctl_name(KT_IOCTL_UVM, need->number); break;
	case KT_NEED_CONTROL: name = kt_control_name(need->number); break;
	case KT_NEED_CLASS:
		class_ = kt_class_find(need->number);
		name = class_ ? class_->name : NULL;
		break;
	case KT_NEED_FILE:
	case KT_NEED_MAP:
	case KT_NEED_KINDS: break;
	}
	return name ? name : "";
}

enum kt_control_who kt_need_who(const struct kt_need *need)
{
	const struct kt_control *control =
		need->kind == KT_NEED_CONTROL ? kt_control_find(need->number, 0) : NULL;

	return control ? control->who : KT_CONTROL_UNKNOWN;
}
