/* SPDX-License-Identifier: MIT */
#include "collect/preload/api/api-calls.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "collect/api-injection.h"
#include "collect/preload/api/api-choice.h"
#include "collect/preload/emit/emit.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/mappings/runs.h"
#include "collect/preload/process/clock.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/memory.h"

enum kt_api_mode kt_api_mode;

static uint64_t last_correlation; /* protected by the lock */

void kt_api_enter(struct kt_api_call *call, const uint64_t *arguments, size_t n)
{
	struct kt_event_api_enter event = {
		.api = call->api,
		.name = call->name,
		.by = call->by,
		.count = (uint32_t)n,
		.arguments = arguments,
	};
	int saved = errno;
	bool locked = kt_lock();

	if (locked && call->correlation == 0) {
		call->correlation = ++last_correlation;
	}
	event.correlation = call->correlation;
	/*
	 * Ends the run of accesses, so that each call has access events of its own. If a
	 * run went on from the previous call into this one, the trace could not attribute a
	 * wait for launched work to this call. Letters do not change, because readers of
	 * traces join accesses that have no other letter between them.
	 */
	kt_access_end_run();
	kt_emit_api_enter(&event);
	kt_unlock(locked);
	call->begin = kt_now_ns();
	errno = saved;
}

void kt_api_exit(const struct kt_api_call *call, int known, int32_t result)
{
	struct kt_event_api_exit event = {
		.api = call->api,
		.name = call->name,
		.by = call->by,
		.correlation = call->correlation,
		.known = known != 0,
		.result = known ? result : 0,
		.duration = kt_now_ns() - call->begin,
	};
	int saved = errno;
	bool locked = kt_lock();

	kt_access_end_run();
	kt_emit_api_exit(&event);
	kt_unlock(locked);
	errno = saved;
}

/* Copies a text up to its NUL or to the end of mapped memory, and returns its length. */
static size_t read_text(char *out, size_t size, uint64_t address)
{
	size_t n = 0;

	/*
	 * Reads page by page, because a read by guarded loads gives nothing if any byte is
	 * unmapped.
	 */
	while (n + 1 < size) {
		size_t part = KT_PAGE - (size_t)((address + n) % KT_PAGE);
		size_t got;

		part = part < size - 1 - n ? part : size - 1 - n;
		got = kt_memory_read(out + n, address + n, part);
		if (memchr(out + n, '\0', got)) {
			return strlen(out);
		}
		n += got;
		if (got < part) {
			break;
		}
	}
	out[n] = '\0';
	return n;
}

void kt_api_kernel(const struct kt_api_call *call, const struct kt_api_function *function,
		   const uint64_t *arguments, size_t n)
{
	struct kt_event_api_kernel event = {
		.api = call->api, .correlation = call->correlation, .name = ""};
	char name[KT_API_KERNEL_NAME];
	const struct kt_api_kernel *kernel;
	int saved = errno;
	bool locked;

	if (!kt_api_gives_kernel(function)) {
		return;
	}
	kernel = &function->kernel;
	if ((size_t)kernel->handle >= n || (size_t)kernel->of >= n) {
		return;
	}
	if (kt_memory_read(&event.handle, arguments[kernel->handle],
			   sizeof(event.handle)) != sizeof(event.handle)) {
		errno = saved;
		return;
	}
	if (kernel->what == KT_API_KERNEL_ALIASED) {
		event.of = arguments[kernel->of];
	} else if (read_text(name, sizeof(name), arguments[kernel->of]) > 0) {
		event.name = name;
	}
	locked = kt_lock();
	kt_emit_api_kernel(&event);
	kt_unlock(locked);
	errno = saved;
}

/* --- reported by CUPTI --- */

static void enter(struct kt_api_call *call, const uint64_t *arguments, size_t n)
{
	kt_count(&kt_counters->cupti_calls);
	kt_api_enter(call, arguments, n);
}

static void counted(void)
{
	kt_count(&kt_counters->api_counted);
}

static void missed(void)
{
	kt_count(&kt_counters->cupti_missed);
}

static void report(enum kt_cupti_state state, int code)
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
		.kernel = kt_api_kernel,
		.is_chosen = kt_api_is_chosen,
		.counted = counted,
		.missed = missed,
		.report = report,
	};

	return kt_api_mode == KT_API_CUPTI ? &api : NULL;
}
