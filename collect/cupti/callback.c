/* SPDX-License-Identifier: MIT */
#include "collect/cupti/callback.h"

#include <string.h>

#include "collect/cupti/cupti.h"
#include "decode/api-functions.h"

/* Calls within calls: the runtime's function, the driver's beneath it, and some to spare.
 */
#define DEEPEST 64

/* The thread's open calls, the outermost first. */
static _Thread_local struct {
	size_t depth;
	struct kt_api_call calls[DEEPEST];
} open;

void kt_cupti_on_call(void *context, uint32_t domain, uint32_t id, const void *argument)
{
	const struct kt_record_api *api = context;
	const struct kt_cupti_data *data = argument;
	const int32_t *result;
	uint64_t depth;
	uint64_t arguments[KT_API_ARGUMENTS];
	struct kt_api_call *call;
	size_t n;

	(void)id;
	if ((domain != KT_CUPTI_DRIVER && domain != KT_CUPTI_RUNTIME) ||
	    !data->function_name || !data->correlation_data) {
		return;
	}
	if (data->site == KT_CUPTI_ENTER) {
		*data->correlation_data = 0;
		if (open.depth == DEEPEST) {
			api->missed();
			return;
		}
		call = &open.calls[open.depth++];
		*call = (struct kt_api_call){
			.api = domain == KT_CUPTI_DRIVER ? "driver" : "runtime",
			.name = data->function_name,
			.by = "cupti",
		};
		*data->correlation_data = open.depth;
		n = kt_api_arguments_of_struct(arguments, kt_api_function_find(call->name),
					       data->function_params);
		api->enter(call, arguments, n);
	} else if (data->site == KT_CUPTI_EXIT) {
		/*
		 * The exit of a call whose entry came before us, cuInit say, finds what was
		 * in its correlation data by chance. Calls inside that have not returned
		 * are gone: an exception, or a thread that was cancelled.
		 */
		depth = *data->correlation_data;
		result = data->return_value;
		if (depth == 0 || depth > open.depth ||
		    strcmp(open.calls[depth - 1].name, data->function_name) != 0) {
			return;
		}
		open.depth = depth - 1;
		api->exit(&open.calls[depth - 1], result != NULL, result ? *result : 0);
	}
}
