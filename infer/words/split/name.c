/* SPDX-License-Identifier: MIT */
/* Names processes, and numbers processes with equal names. */
#include "infer/words/split/collector.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "base/utf8.h"

int kt_collector_name_pid(kt_collector *c, const struct kt_origin *origin, const char *name)
{
	struct kt_pid_name *entry;

	KT_TRY(kt_array_reserve(&c->pid_names, &c->pid_names_capacity, c->n_pid_names + 1));
	for (size_t i = 0; i < c->n_pid_names; i++) {
		if (c->pid_names[i].origin.pid == origin->pid &&
		    c->pid_names[i].origin.trace == origin->trace) {
			return KT_OK;
		}
	}
	entry = &c->pid_names[c->n_pid_names];
	entry->origin = *origin;
	entry->name = kt_utf8_printable_copy(*name ? name : "unknown");
	if (!entry->name) {
		return kt_no_memory("name processes");
	}
	c->n_pid_names++;
	return KT_OK;
}

/*
 * A statedump is in the trace of user-space events, and names processes of that trace.
 * Kernel events are in another trace, without a statedump, so a kernel instance gets the
 * name that a statedump of the same host gave to its pid.
 */
const char *kt_collector_name_of(const kt_collector *c, const struct kt_instance *instance)
{
	const struct kt_origin *origin = &instance->origin;

	if (instance->name) {
		return *instance->name ? instance->name : "unknown";
	}
	for (size_t i = 0; i < c->n_pid_names; i++) {
		const struct kt_origin *named = &c->pid_names[i].origin;

		if (named->pid == origin->pid &&
		    (origin->kernel ? kt_same_host(named, origin)
				    : named->trace == origin->trace)) {
			return c->pid_names[i].name;
		}
	}
	return "unknown";
}

/* Orders by name, then by first event. */
static int compare_processes(const void *a, const void *b)
{
	const struct kt_process *x = *(struct kt_process *const *)a;
	const struct kt_process *y = *(struct kt_process *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order
		     : (x->instance.index > y->instance.index) -
			       (x->instance.index < y->instance.index);
}

int kt_collector_name_processes(kt_collector *c)
{
	struct kt_process **sorted =
		malloc((c->instances.n + 1) * sizeof(struct kt_process *));
	size_t ordinal = 0;
	size_t n = 0;

	if (!sorted) {
		return kt_no_memory("name processes");
	}
	for (size_t i = 0; i < c->instances.n; i++) {
		struct kt_process *p = kt_collector_process(c, i);

		if (!p->instance.dropped) {
			p->name = kt_collector_name_of(c, &p->instance);
			sorted[n++] = p;
		}
	}
	c->totals.processes = n;
	qsort(sorted, n, sizeof(*sorted), compare_processes);
	for (size_t i = 0; i < n; i++) {
		bool same = i > 0 && strcmp(sorted[i - 1]->name, sorted[i]->name) == 0;

		ordinal = same ? ordinal + 1 : 0;
		sorted[i]->ordinal = ordinal;
	}
	free(sorted);
	return KT_OK;
}
