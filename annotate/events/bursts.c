/* SPDX-License-Identifier: MIT */
#include "annotate/events/bursts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/try.h"

int kt_bursts_find(struct kt_burst **out, struct kt_bursts *bursts,
		   const struct kt_moment *moment)
{
	for (size_t i = bursts->n; i > 0; i--) {
		*out = &bursts->bursts[i - 1];
		if ((*out)->instance == moment->instance && (*out)->tid == moment->tid) {
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&bursts->bursts, &bursts->capacity, bursts->n + 1));
	*out = &bursts->bursts[bursts->n++];
	**out = (struct kt_burst){
		.instance = moment->instance, .tid = moment->tid, .pid = moment->pid};
	return KT_OK;
}

int kt_burst_add(struct kt_burst *burst, const struct kt_moment *moment,
		 const struct kt_access_fields *fields)
{
	KT_TRY(kt_array_reserve(&burst->reads, &burst->capacity, burst->n + 1));
	burst->reads[burst->n++] = (struct kt_burst_read){.time = moment->time,
							  .seq = moment->seq,
							  .offset = fields->offset,
							  .mapping = fields->mapping,
							  .call = moment->call};
	return KT_OK;
}

void kt_bursts_forget(struct kt_bursts *bursts, uint64_t instance)
{
	size_t kept = 0;

	for (size_t i = 0; i < bursts->n; i++) {
		if (instance == UINT64_MAX || bursts->bursts[i].instance == instance) {
			free(bursts->bursts[i].reads);
		} else {
			bursts->bursts[kept++] = bursts->bursts[i];
		}
	}
	bursts->n = kept;
}

void kt_bursts_free(struct kt_bursts *bursts)
{
	kt_bursts_forget(bursts, UINT64_MAX);
	free(bursts->bursts);
	memset(bursts, 0, sizeof(*bursts));
}
