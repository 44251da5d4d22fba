/* SPDX-License-Identifier: MIT */
/*
 * libktail-cupti.so: libcuda loads the library that CUDA_INJECTION64_PATH names when it is
 * initialized and calls its InitializeInjection(). The process's calls of the CUDA API then
 * go to the recorder that is preloaded into it. Nothing here may fail the program: where
 * there is no recorder, or no CUPTI, it does nothing.
 *
 * It stays subscribed to the end: when the process exits, CUPTI may be gone already, and a
 * recorder that has ended its word drops what comes after.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "collect/cupti/callback.h"
#include "collect/cupti/cupti.h"
#include "collect/cupti/find-cupti.h"

/* What came of the candidates so far. */
struct attempt {
	const struct kt_record_api *api;
	enum kt_cupti_state state;
	int code;
};

struct functions {
	kt_cupti_subscribe subscribe;
	kt_cupti_enable_domain enable_domain;
	kt_cupti_unsubscribe unsubscribe;
};

/* CUPTI's code. */
static int subscribe(const struct functions *cupti, const struct kt_record_api *api)
{
	void *subscriber = NULL;
	int code = cupti->subscribe(&subscriber, kt_cupti_on_call, (void *)(uintptr_t)api);

	if (code != KT_CUPTI_SUCCESS) {
		return code;
	}
	code = cupti->enable_domain(1, subscriber, KT_CUPTI_RUNTIME);
	if (code == KT_CUPTI_SUCCESS) {
		code = cupti->enable_domain(1, subscriber, KT_CUPTI_DRIVER);
	}
	if (code != KT_CUPTI_SUCCESS) {
		cupti->unsubscribe(subscriber);
	}
	return code;
}

/* Another version may do what this one cannot; a second subscription none can. */
static bool try_file(void *context, const char *file, bool loaded)
{
	struct attempt *attempt = context;
	void *library = dlopen(file, RTLD_NOW | (loaded ? RTLD_NOLOAD : 0));
	struct functions cupti;
	void *symbol;

	if (!library) {
		return false;
	}
	symbol = dlsym(library, "cuptiSubscribe");
	memcpy(&cupti.subscribe, &symbol, sizeof(symbol));
	symbol = dlsym(library, "cuptiEnableDomain");
	memcpy(&cupti.enable_domain, &symbol, sizeof(symbol));
	symbol = dlsym(library, "cuptiUnsubscribe");
	memcpy(&cupti.unsubscribe, &symbol, sizeof(symbol));
	if (!cupti.subscribe || !cupti.enable_domain || !cupti.unsubscribe) {
		attempt->state = KT_CUPTI_REFUSED;
		return false;
	}
	attempt->code = subscribe(&cupti, attempt->api);
	if (attempt->code == KT_CUPTI_SUCCESS) {
		attempt->state = KT_CUPTI_ON;
	} else if (attempt->code == KT_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS) {
		attempt->state = KT_CUPTI_HELD;
	} else {
		attempt->state = KT_CUPTI_REFUSED;
	}
	return attempt->state != KT_CUPTI_REFUSED;
}

__attribute__((visibility("default"))) int InitializeInjection(void);

/* 1: all is well, which it always is. */
__attribute__((visibility("default"))) int InitializeInjection(void)
{
	static bool begun;
	struct attempt attempt = {.state = KT_CUPTI_MISSING};
	void *symbol = dlsym(RTLD_DEFAULT, KT_RECORD_API_SYMBOL);
	const struct kt_record_api *(*get)(void);

	memcpy(&get, &symbol, sizeof(symbol));
	attempt.api = get ? get() : NULL;
	if (!attempt.api || __atomic_exchange_n(&begun, true, __ATOMIC_SEQ_CST)) {
		return 1;
	}
	attempt.api->tell(KT_CUPTI_LOADED, 0);
	kt_cupti_find(try_file, &attempt);
	attempt.api->tell(attempt.state, attempt.code);
	return 1;
}
