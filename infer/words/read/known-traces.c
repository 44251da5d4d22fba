/* SPDX-License-Identifier: MIT */
#include "infer/words/read/known-traces.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

static const char *host_of(const bt_trace *trace)
{
	const bt_value *host =
		bt_trace_borrow_environment_entry_value_by_name_const(trace, "hostname");

	return host && bt_value_is_string(host) ? bt_value_string_get(host) : "";
}

int kt_known_traces_find(struct kt_known_traces *known, const struct kt_known_trace **out,
			 size_t *guess, const bt_trace *trace)
{
	struct kt_known_trace new = {.trace = trace, .number = (uint32_t)known->n};
	bt_uuid uuid;
	const char *host;

	if (*guess < known->n && known->traces[*guess].trace == trace) {
		*out = &known->traces[*guess];
		return KT_OK;
	}
	for (size_t i = 0; i < known->n; i++) {
		if (known->traces[i].trace == trace) {
			*out = &known->traces[*guess = i];
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&known->traces, &known->capacity, known->n + 1));
	uuid = bt_trace_get_uuid(trace);
	host = host_of(trace);
	new.host = *host ? new.number + 1 : 0;
	for (size_t i = known->n; i-- > 0;) {
		const struct kt_known_trace *other = &known->traces[i];
		bt_uuid its = bt_trace_get_uuid(other->trace);

		if (uuid && its && memcmp(uuid, its, 16) == 0) {
			new.number = other->number;
		}
		if (new.host && strcmp(host, host_of(other->trace)) == 0) {
			new.host = other->host;
		}
	}
	bt_trace_get_ref(trace);
	*guess = known->n++;
	known->traces[*guess] = new;
	*out = &known->traces[*guess];
	return KT_OK;
}

void kt_known_traces_free(struct kt_known_traces *known)
{
	for (size_t i = 0; i < known->n; i++) {
		bt_trace_put_ref(known->traces[i].trace);
	}
	free(known->traces);
}
