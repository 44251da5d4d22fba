/* SPDX-License-Identifier: MIT */
/* Names of processes: where they come from, and numbers for those that share one. */
#include "infer/words/split/collector.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/utf8.h"

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "name processes: out of memory");
}

/* Names end up in text. */
static char *printable_copy(const char *name)
{
	return kt_utf8_printable_copy(*name ? name : "unknown");
}

bool kt_collector_wants_name(const kt_collector *collector)
{
	return collector->n_processes > 0 && !collector->processes[collector->last].name;
}

int kt_collector_name(kt_collector *collector, const char *name, bool certain)
{
	struct kt_process *p = &collector->processes[collector->last];
	char *copy;

	if (p->name && (!certain || p->certain)) {
		return KT_OK;
	}
	copy = printable_copy(name);
	if (!copy) {
		return no_memory();
	}
	free(p->name);
	p->name = copy;
	p->certain = certain && *name;
	return KT_OK;
}

int kt_collector_name_pid(kt_collector *c, const struct kt_origin *origin, const char *name)
{
	int code =
		kt_array_reserve(&c->pid_names, &c->pid_names_capacity, c->n_pid_names + 1);
	struct kt_pid_name *entry;

	for (size_t i = 0; i < c->n_pid_names && !code; i++) {
		if (c->pid_names[i].origin.pid == origin->pid &&
		    c->pid_names[i].origin.trace == origin->trace) {
			return KT_OK;
		}
	}
	if (code) {
		return code;
	}
	entry = &c->pid_names[c->n_pid_names];
	entry->origin = *origin;
	entry->name = printable_copy(name);
	if (!entry->name) {
		return no_memory();
	}
	c->n_pid_names++;
	return KT_OK;
}

/*
 * Statedumps are of user space: they are in the trace of a process's own events, but never
 * in that of its kernel events.
 */
const char *kt_collector_pid_name(const kt_collector *c, const struct kt_origin *origin)
{
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

/* By name, then in order of first event. */
static int compare_processes(const void *a, const void *b)
{
	const struct kt_process *x = *(struct kt_process *const *)a;
	const struct kt_process *y = *(struct kt_process *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x > y) - (x < y);
}

static int number_processes(struct kt_process **sorted, size_t n)
{
	size_t ordinal = 0;

	qsort(sorted, n, sizeof(*sorted), compare_processes);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && strcmp(sorted[i - 1]->name, sorted[i]->name) == 0) {
			ordinal++;
		} else {
			ordinal = 0;
		}
		sorted[i]->ordinal = ordinal;
	}
	return KT_OK;
}

int kt_collector_name_processes(kt_collector *c)
{
	struct kt_process **sorted =
		malloc((c->n_processes + 1) * sizeof(struct kt_process *));
	size_t n = 0;
	int code = KT_OK;

	if (!sorted) {
		return no_memory();
	}
	for (size_t i = 0; i < c->n_processes; i++) {
		struct kt_process *p = &c->processes[i];

		if (p->dropped) {
			continue;
		}
		c->totals.processes++;
		if (!p->name) {
			p->name = strdup(kt_collector_pid_name(c, &p->origin));
		}
		if (!p->name) {
			code = no_memory();
			break;
		}
		sorted[n++] = p;
	}
	if (!code) {
		code = number_processes(sorted, n);
	}
	free(sorted);
	return code;
}
