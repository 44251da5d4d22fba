/* SPDX-License-Identifier: MIT */
/*
 * STAND_IN_CUPTI selects a failure: "held", "refuse" or "half". Otherwise all calls
 * succeed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "tests/collect/cupti/stand-in.h"

#define EXPORT __attribute__((visibility("default")))

enum { NOT_INITIALIZED = 15, UNKNOWN = 999 };

int cuptiSubscribe(void **subscriber, kt_cupti_callback callback, void *context);
int cuptiEnableDomain(uint32_t enable, void *subscriber, uint32_t domain);
int cuptiUnsubscribe(void *subscriber);

static struct stand_in_subscriber *slot(void)
{
	return dlsym(RTLD_DEFAULT, "stand_in_subscriber");
}

static int is(const char *behaviour)
{
	const char *asked = getenv("STAND_IN_CUPTI");

	return asked && strcmp(asked, behaviour) == 0;
}

EXPORT int cuptiSubscribe(void **subscriber, kt_cupti_callback callback, void *context)
{
	if (is("held")) {
		return KT_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS;
	}
	if (is("refuse") || !slot()) {
		return NOT_INITIALIZED;
	}
	slot()->callback = callback;
	slot()->context = context;
	*subscriber = slot();
	return KT_CUPTI_SUCCESS;
}

EXPORT int cuptiEnableDomain(uint32_t enable, void *subscriber, uint32_t domain)
{
	struct stand_in_subscriber *s = subscriber;

	if (is("half") && domain == KT_CUPTI_DRIVER) {
		return UNKNOWN;
	}
	s->domains = enable ? s->domains | (1u << domain) : s->domains & ~(1u << domain);
	return KT_CUPTI_SUCCESS;
}

EXPORT int cuptiUnsubscribe(void *subscriber)
{
	struct stand_in_subscriber *s = subscriber;

	s->domains = 0;
	return KT_CUPTI_SUCCESS;
}
