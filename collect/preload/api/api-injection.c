/* SPDX-License-Identifier: MIT */
#include "collect/api-injection.h"

#include "collect/preload/api/api-calls.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/interpose.h"

static void enter(struct kt_api_call *call, const uint64_t *arguments, size_t n)
{
	kt_count(&kt_counters->cupti_calls);
	kt_api_enter(call, arguments, n);
}

static void missed(void)
{
	kt_count(&kt_counters->cupti_missed);
}

static void tell(enum kt_cupti_state state, int code)
{
	switch (state) {
	case KT_CUPTI_LOADED: kt_count(&kt_counters->cupti_loaded); break;
	case KT_CUPTI_ON: kt_count(&kt_counters->cupti_on); break;
	case KT_CUPTI_MISSING: kt_count(&kt_counters->cupti_missing); break;
	case KT_CUPTI_HELD: kt_count(&kt_counters->cupti_held); break;
	case KT_CUPTI_REFUSED:
		kt_count(&kt_counters->cupti_refused);
		atomic_store(&kt_counters->cupti_error, (uint64_t)code);
		break;
	}
}

KT_INTERPOSE const struct kt_record_api *kt_record_api(void)
{
	static const struct kt_record_api api = {
		.enter = enter,
		.exit = kt_api_exit,
		.missed = missed,
		.tell = tell,
	};

	return kt_api_mode == KT_API_CUPTI ? &api : NULL;
}
