/* SPDX-License-Identifier: MIT */
#include "infer/words/read/known-traces.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

static const char *host_of(const bt_trace *trace)
{
	const bt_value *host =
		bt_trace_borrow_environment_entry_value_by_name_const(trace, "hostname");

	return host && bt_value_is_string(host) ? bt_value_string_get(host) : "";
}

static bool same_uuid(const bt_trace *a, const bt_trace *b)
{
	bt_uuid x = bt_trace_get_uuid(a);
	bt_uuid y = bt_trace_get_uuid(b);

	return x && y && memcmp(x, y, 16) == 0;
}

static int add(struct kt_known_traces *known, const bt_trace *trace)
{
	struct kt_known_trace new = {.trace = trace, .number = (uint32_t)known->n};
	const char *host = host_of(trace);
	int code = kt_array_reserve(&known->traces, &known->capacity, known->n + 1);

	if (code) {
		return code;
	}
	new.host = *host ? new.number + 1 : 0;
	for (size_t i = known->n; i-- > 0;) {
		const struct kt_known_trace *other = &known->traces[i];

		if (same_uuid(trace, other->trace)) {
			new.number = other->number;
		}
		if (new.host && strcmp(host, host_of(other->trace)) == 0) {
			new.host = other->host;
		}
	}
	bt_trace_get_ref(trace);
	known->traces[known->n++] = new;
	return KT_OK;
}

int kt_known_traces_find(struct kt_known_traces *known, const struct kt_known_trace **out,
			 size_t *guess, const bt_trace *trace)
{
	size_t i = *guess;

	if (i >= known->n || known->traces[i].trace != trace) {
		int code;

		for (i = 0; i < known->n && known->traces[i].trace != trace;) {
			i++;
		}
		code = i < known->n ? KT_OK : add(known, trace);
		if (code) {
			return code;
		}
		*guess = i;
	}
	*out = &known->traces[i];
	return KT_OK;
}

void kt_known_traces_free(struct kt_known_traces *known)
{
	for (size_t i = 0; i < known->n; i++) {
		bt_trace_put_ref(known->traces[i].trace);
	}
	free(known->traces);
}
