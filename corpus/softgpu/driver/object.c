/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/object.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "corpus/softgpu/driver/driver.h"

enum { BUCKETS = 1024 };

static struct kt_object *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct kt_object **bucket_of(const void *handle)
{
	return &buckets[((uintptr_t)handle >> 4) * 2654435761u % BUCKETS];
}

void kt_object_add(struct kt_object *object, enum kt_object_kind kind,
		   struct kt_context *context)
{
	struct kt_object **bucket = bucket_of(object);

	object->kind = kind;
	object->context = context;
	pthread_mutex_lock(&lock);
	object->next = *bucket;
	*bucket = object;
	pthread_mutex_unlock(&lock);
}

/* Returns the object, NULL if there is none; if `take`, removes it from the table. */
static void *find_object(const void *handle, enum kt_object_kind kind, bool take)
{
	struct kt_object *found = NULL;

	if (!kt_driver_get()) { /* a forked child must not wait for the lock */
		return NULL;
	}
	pthread_mutex_lock(&lock);
	for (struct kt_object **at = bucket_of(handle); *at; at = &(*at)->next) {
		if (*at == handle) {
			found = (*at)->kind == kind ? *at : NULL;
			if (found && take) {
				*at = found->next;
			}
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	return found;
}

void *kt_object_find(const void *handle, enum kt_object_kind kind)
{
	return find_object(handle, kind, false);
}

void *kt_object_take(const void *handle, enum kt_object_kind kind)
{
	return find_object(handle, kind, true);
}

void *kt_object_take_any(const struct kt_context *context, enum kt_object_kind kind)
{
	struct kt_object *found = NULL;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < BUCKETS && !found; i++) {
		for (struct kt_object **at = &buckets[i]; *at; at = &(*at)->next) {
			if ((*at)->kind == kind && (*at)->context == context) {
				found = *at;
				*at = found->next;
				break;
			}
		}
	}
	pthread_mutex_unlock(&lock);
	return found;
}
